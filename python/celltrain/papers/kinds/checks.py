"""``kind = "checks"``: whether expressions hold over a time series, a row for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celltrain.data import Data
from celltrain.papers.head import Head
from celltrain.papers.kinds.experiment import Point, Row, Simulated, Values
from celltrain.papers.sampling import PROBE, Sampling

if TYPE_CHECKING:
    from celltrain.results import Result


@dataclass(frozen=True, kw_only=True)
class Checks(Simulated):
    """Expressions over a time series of one run.

    Attributes
    ----------
    trace : Sampling
        What is sampled, and when.
    checks : dict of str to str
        An expression over the rows of the trace, by the name of its row.
    """

    trace: Sampling
    checks: Mapping[str, str]

    @property
    def names(self) -> set[str]:
        """Columns of names, which have no unit."""
        return super().names | {"criterion"}

    def column_names(self, head: Head) -> list[str]:
        """Name the two columns."""
        return ["criterion", "supported"]

    def known_columns(self, head: Head) -> set[str]:
        """Name the columns of the table, which are all."""
        return set(self.column_names(head))

    def probe(self) -> Data:
        """Return the probe that samples."""
        return self.trace.probe()

    def rows(self, head: Head, point: Point, values: Sequence[Values], first: Result) -> Iterator[Row]:
        """Make a row for each expression: whether it holds over the time series."""
        from celltrain.papers.claims import is_shown

        table = list(self.trace.rows(first.traces[PROBE], str(point.axes.get("series", ""))))
        for name, check in self.checks.items():
            yield {"criterion": name, "supported": int(is_shown(check, table))}
