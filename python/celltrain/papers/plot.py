"""Descriptions of figures as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from celltrain.papers.reading import read_as, renamed, unknown

KINDS = ("line", "bar", "trace")
#: From this number on, the traces of a figure have a panel each.
_MANY = 3
#: The number of colours.
_COLOURS = 8


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
    #: A title above it: the series that it shows alone.
    title: str = ""

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
    numbers : dict of str to int
        Numbers of series, by name, which give them one colour in all figures of a study.
    """

    x: str
    x_label: str
    by: tuple[str, ...]
    panels: tuple[Panel, ...]
    kind: str = "line"
    x_scale: str = "linear"
    x_range: tuple[float, float] | None = None
    numbers: Mapping[str, int] = field(default_factory=dict)

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

    def in_small_panels(self, rows: Sequence[Mapping[str, Any]], units: Mapping[str, str]) -> Plot:
        """Return the plot with a panel for each series, if it shows many traces, which would hide each other.

        Traces that are zero throughout share one panel, since panels without a visible line would tell nothing.
        """
        series = self.places(rows, units, {})
        if self.kind != "trace" or len(series) < _MANY or any(panel.where for panel in self.panels):
            return self
        small = []
        for panel in self.panels:
            drawn = [panel.y] if panel.beside is None else [panel.y, panel.beside]
            values = [row[column] for row in rows for column in drawn if row[column] == row[column]]
            span = panel.range or (min(0.0, *values), 1.05 * max(values))
            spanned = replace(panel, range=span if span[0] < span[1] else None)
            flat = [name for name, places in series.items() if _is_zero(drawn, [rows[place] for place in places])]
            for name, places in series.items():
                title = f"{', '.join(flat)} (0 throughout)" if name in flat else name
                if name not in flat[1:]:
                    where = {column: rows[places[0]][column] for column in self.by}
                    small.append(replace(spanned, where=where, title=title))
        return replace(self, panels=tuple(small))

    def numbers_of(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of series: those in all figures if they differ in colour here, or else their places."""
        common = [self.numbers[name] for name in names if name in self.numbers]
        differ = len({number % _COLOURS for number in common}) == len(names)
        return common if differ else list(range(len(names)))

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


def _is_zero(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether all values are zero; a column without any value (NaN) is not."""
    return all(row[column] == 0 for row in rows for column in columns)


renamed(Plot, panels="panel")
