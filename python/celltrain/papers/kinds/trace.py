"""``kind = "trace"``: time series of the run with seed 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celltrain.data import Data
from celltrain.papers.head import Head
from celltrain.papers.kinds.experiment import Point, Row, Simulated, Values
from celltrain.papers.sampling import PROBE, Sampling

if TYPE_CHECKING:
    from celltrain.results import Result


@dataclass(frozen=True, kw_only=True)
class Trace(Simulated):
    """Time series of one run of each point.

    Attributes
    ----------
    trace : Sampling
        What is sampled, and when.
    """

    trace: Sampling

    @property
    def names(self) -> set[str]:
        """Columns of names, which have no unit."""
        per = {self.trace.per} if self.trace.per else set()
        return super().names | {"series", "event"} | per

    def column_names(self, head: Head) -> list[str]:
        """Name the columns, time first."""
        return self.trace.column_names()

    def known_columns(self, head: Head) -> set[str]:
        """Name the columns of the table, which are all."""
        return set(self.column_names(head))

    def probe(self) -> Data:
        """Return the probe that samples."""
        return self.trace.probe()

    def rows(self, head: Head, point: Point, values: Sequence[Values], first: Result) -> Iterator[Row]:
        """Make the rows of each sample or event."""
        return self.trace.rows(first.traces[PROBE], str(point.axes.get("series", "")))
