"""Time series of one run: the probe that records them, and the columns that are made of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celltrain.results import Table
from celltrain.scenario import Data

#: Name of the probe that is added to the scenario.
PROBE = "figure"


@dataclass(frozen=True)
class Quantity:
    """A column: recorded quantities summed, perhaps as a rate of their growth, times a factor.

    Attributes
    ----------
    of : tuple of str
        What is recorded; ``{0}`` stands for the member of the group.
    rate : bool
        Growth over the step that begins at the sample, each second.
    """

    of: tuple[str, ...]
    times: float = 1.0
    rate: bool = False

    def values(self, table: Table, member: int) -> npt.NDArray[np.float64]:
        """Compute the column, one value for each sample."""
        total: npt.NDArray[np.float64] = sum(
            (table[name.format(member)] for name in self.of), start=np.zeros(len(table))
        )
        if self.rate:
            total = np.diff(total, append=np.nan) / np.diff(table["time_s"], append=np.nan)
        return total * self.times


@dataclass(frozen=True)
class Trace:
    """Which columns a time series has, how often it is sampled, and the members that have rows of their own."""

    every: str
    columns: Mapping[str, Quantity]
    per: str | None = None
    members: Mapping[str, int] | None = None

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> Trace:
        """Make a trace of a table of the experiments file."""
        rest = dict(entry)
        columns = {
            name: Quantity(**{**column, "of": tuple(column["of"])}) for name, column in rest.pop("columns").items()
        }
        return cls(columns=columns, **rest)

    @property
    def labels(self) -> Mapping[str, int]:
        """Label of each member that has rows of its own."""
        return self.members or {"": 0}

    def column_names(self) -> list[str]:
        """Name the columns, time first."""
        return ["time_s", "series", *([self.per] if self.per else []), *self.columns]

    def probe(self) -> Data:
        """Give the changes that make a scenario record what is needed."""
        record = [
            name.format(member)
            for quantity in self.columns.values()
            for name in quantity.of
            for member in self.labels.values()
        ]
        return {"probes": {PROBE: {"every": self.every, "record": list(dict.fromkeys(record))}}}

    def rows(self, table: Table, series: str) -> Iterator[dict[str, Any]]:
        """Make the rows of one run."""
        for label, member in self.labels.items():
            columns = {name: quantity.values(table, member) for name, quantity in self.columns.items()}
            growth = any(quantity.rate for quantity in self.columns.values())
            fixed: dict[str, Any] = {"series": series} | ({self.per: int(label)} if self.per else {})
            # No step begins at the last sample.
            for index in range(len(table) - int(growth)):
                values = {name: float(column[index]) for name, column in columns.items()}
                yield {"time_s": float(table["time_s"][index])} | fixed | values
