"""Descriptions of figures as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from celltrain.papers.reading import read_as, renamed, unknown

KINDS = ("line", "bar", "trace")


@dataclass(frozen=True)
class Panel:
    """One pair of axes: the column on the y axis, with its label and range."""

    y: str
    label: str
    range: tuple[float, float] | None = None
    #: Values that rows must have in these columns to be shown here; default: all rows.
    where: Mapping[str, Any] = field(default_factory=dict)
    #: A column drawn once as a thin line behind the series, for comparison.
    beside: str | None = None
    line_at: float | None = None
    line_label: str = ""
    #: Whether values hold until the next one (a rate, a queue), or are connected by straight lines.
    steps: bool = False
    #: Scale of the y axis: ``linear`` or ``log``.
    scale: str = "linear"

    def shows(self, row: Mapping[str, Any]) -> bool:
        """Whether a row is shown here."""
        return all(row[column] == value for column, value in self.where.items())


@dataclass(frozen=True)
class Plot:
    """A figure: stacked panels that share the x axis.

    Attributes
    ----------
    x : str
        Column on the x axis.
    by : tuple of str
        Columns whose values distinguish the series.
    kind : str
        ``line`` (a mark for each mean, with its interval), ``bar`` (x is a name) or ``trace``.
    """

    x: str
    x_label: str
    by: tuple[str, ...]
    panels: tuple[Panel, ...]
    kind: str = "line"
    x_scale: str = "linear"
    x_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown("kind of plot", self.kind, KINDS, "kind")

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Plot:
        """Read a plot from plain data, as in files.

        Raises
        ------
        Mistake
            A key is unknown or missing, or has a value of another type.
        """
        return read_as(entry, cls)

    @property
    def reads(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield each column that is shown or distinguishes rows, and the path to its name."""
        yield ("x",), self.x
        yield from ((("by",), column) for column in self.by)
        for index, panel in enumerate(self.panels):
            yield ("panel", index, "y"), panel.y
            yield from ((("panel", index, "where", column), column) for column in panel.where)
            if panel.beside is not None:
                yield ("panel", index, "beside"), panel.beside

    @property
    def x_words(self) -> str:
        """The label of the x axis without its unit, for places that add their own."""
        return self.x_label.partition(" [")[0]

    def within_panels(self) -> Plot:
        """Return the same plot, with series distinguished only by columns that its panels do not fix."""
        said = {column for panel in self.panels for column in panel.where}
        return replace(self, by=tuple(column for column in self.by if column not in said))

    def series(self, row: Mapping[str, Any], units: Mapping[str, str]) -> str:
        """Return the name of a row's series, from the columns' values with their units."""
        from celltrain import readable

        return ", ".join(readable.setting(column, row[column], units[column]) for column in self.by)

    def places(
        self, rows: Iterable[Mapping[str, Any]], units: Mapping[str, str], where: Mapping[str, Any]
    ) -> dict[str, list[int]]:
        """Find the rows of each series among those with the values ``where``, in order of first appearance."""
        names: dict[tuple[Any, ...], str] = {}
        found: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            if all(row[column] == value for column, value in where.items()):
                values = tuple(row[column] for column in self.by)
                if values not in names:
                    names[values] = self.series(row, units)
                found.setdefault(names[values], []).append(place)
        return found


renamed(Plot, panels="panel")
