"""The head of an experiments file: what is measured in each run, and how often a point is run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from celltrain.papers.reading import Mistake


@dataclass(frozen=True)
class Direction:
    """The elements that measure a direction of data: a link, and the groups of its connections, if any.

    Attributes
    ----------
    flows : tuple of str
        One group, or several that are measured together.
    waiting_only : bool
        Whether the cell in transmission does not count as queued.
    sent_once_only : bool
        Whether round trips are those of segments that were sent only once, pooled over all connections;
        otherwise of all segments, as the mean over connections.
    """

    link: str
    flows: tuple[str, ...] = ()
    waiting_only: bool = False
    sent_once_only: bool = False


@dataclass(frozen=True)
class Sum:
    """A number from a table of a run: the sum of a column, or of a product of columns, over some rows.

    Attributes
    ----------
    of : tuple of str
        The columns that are multiplied.
    where : dict of str to str
        Patterns that the names in other columns must match. Without such a row the sum is zero.
    """

    table: str
    of: tuple[str, ...]
    where: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CellLoss:
    """A loss ratio of the data cells of one direction of a group of VCs at a link."""

    link: str
    vcs: str
    direction: str


@dataclass(frozen=True)
class Replications:
    """How often a point is run: ``least`` times, then ``step`` more times while its interval is too wide."""

    least: int
    most: int
    step: int
    column: str
    precision: float
    #: Minimum number of runs of points with an overlay, by the name of the overlay.
    least_with: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for key in ("least", "most", "step"):
            if getattr(self, key) < 1:
                raise Mistake(f"expected a whole number from 1 up, found {getattr(self, key)}", key)
        if not self.precision > 0:
            raise Mistake(f"expected a part of the mean above 0, or inf, found {self.precision}", "precision")

    def least_of(self, overlays: Iterable[str]) -> int:
        """Return the minimum number of runs of a point with these overlays."""
        return max([self.least, *(self.least_with.get(name, 0) for name in overlays)])


@dataclass(frozen=True)
class Ideal:
    """The fraction of the line rate that TCP can use at best: octets of user data per octets on the line."""

    payload_bytes: float
    line_bytes: float

    def __post_init__(self) -> None:
        if not self.line_bytes > 0:
            raise Mistake(f"expected a number above 0, found {self.line_bytes}", "line_bytes")

    @property
    def part(self) -> float:
        """The fraction, at most one."""
        return self.payload_bytes / self.line_bytes


@dataclass(frozen=True)
class MeasuredFile:
    """The CSV file with the measurements of a study, and the measured column."""

    file: str
    column: str


@dataclass(frozen=True, kw_only=True)
class Head:
    """The part that all experiments of a study share.

    Attributes
    ----------
    columns : tuple of str
        The columns of a table, if an experiment does not name its own.
    point : tuple of str
        The columns of a point, in addition to those of the axes, if there is no list of columns.
    settings : dict of str to dict
        Scenario key to template, as in :attr:`Axis.set`, by the column of an axis whose value ``{0}`` is.
    losses : dict of str to CellLoss
        Loss ratios of cells, by the name of the column.
    counters : dict of str to str
        Links whose active VCs are counted, by the name of the column.
    sums : dict of str to Sum
        Numbers from each run, for use in formulas.
    run_values, row_values : dict of str to str
        Formulas for further values: of a run, from those of its direction of data and earlier ones; of a row,
        from its other columns.
    """

    title: str
    directions: Mapping[str, Direction]
    ideal: Ideal
    replications: Replications
    columns: tuple[str, ...] = ()
    point: tuple[str, ...] = ()
    measured: MeasuredFile | None = None
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    losses: Mapping[str, CellLoss] = field(default_factory=dict)
    counters: Mapping[str, str] = field(default_factory=dict)
    sums: Mapping[str, Sum] = field(default_factory=dict)
    run_values: Mapping[str, str] = field(default_factory=dict)
    row_values: Mapping[str, str] = field(default_factory=dict)
