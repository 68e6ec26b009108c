"""Metrics: one number for each run, identified by table, rows and column."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from celltrain.refused import Refused
from celltrain.statistics import jain_index

if TYPE_CHECKING:
    import pyarrow as pa

Numbers = npt.NDArray[np.float64]

_JOINS: Mapping[str, Callable[[Numbers], np.floating | float]] = {
    "mean": np.mean,
    "sum": np.sum,
    "min": np.min,
    "max": np.max,
    "jain": jain_index,
    "spread": np.ptp,
}
_FORM = re.compile(
    r"(?:(?P<join>\w+)\()?(?P<table>\w+)(?:\[(?P<rows>[^\]]*)\])?\.(?P<column>\w+)(?P<close>\))?", re.ASCII
)
_EXAMPLES = "flows.throughput_bps, sum(flows[upload*].throughput_bps) or max(links[line,from=s].queue_max_cells)"


class MetricError(Refused):
    """A metric that cannot be read, or that the tables lack; the message lists the available ones."""


@dataclass(frozen=True)
class Metric:
    """A number for each run: a column of a table, combined over rows; see *Metrics of a run* in the reference.

    Attributes
    ----------
    text : str
        The metric as written by the user, which is also its name.
    join : {"mean", "sum", "min", "max", "jain", "spread"}
        How the rows are combined; missing values are left out.
    table, column : str
        The place of the values.
    name : str
        Pattern of the first column.
    others : tuple of (str, str)
        Column and pattern of further conditions.
    """

    text: str
    join: str
    table: str
    column: str
    name: str = "*"
    others: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Metric:
        """Read a metric.

        >>> Metric.parse("sum(flows[upload*].throughput_bps)").name
        'upload*'
        """
        match = _FORM.fullmatch(text.replace(" ", ""))
        if match is None or (match["join"] is None) != (match["close"] is None):
            raise MetricError(f"{text!r}: expected a metric such as {_EXAMPLES}")
        join = match["join"] or "mean"
        if join not in _JOINS:
            raise MetricError(f"{text!r}: {join} is unknown; there are {', '.join(_JOINS)}")
        name, others = "*", []
        for condition in filter(None, (match["rows"] or "").split(",")):
            column, separator, pattern = condition.partition("=")
            if separator:
                others.append((column, pattern))
            else:
                name = condition
        return cls(text, join, match["table"], match["column"], name, tuple(others))

    def by_run(self, table: pa.Table) -> dict[tuple[int, int], float]:
        """Return the value of each run, by point and seed; NaN if no row has one.

        Parameters
        ----------
        table
            The table of all runs, with the columns ``point`` and ``seed`` first and contiguous rows for each run.

        Raises
        ------
        MetricError
            The table lacks a column, or the metric's column has names, or no row matches in any run.
        """
        values = self._numbers(table)
        chosen = self._rows(table)
        if len(table) and not chosen.any():
            raise MetricError(f"{self.text!r}: no row of {self.table} matches; {self._some_names(table)}")
        points, seeds = table["point"].to_numpy(), table["seed"].to_numpy()
        changes = np.flatnonzero((np.diff(points) != 0) | (np.diff(seeds) != 0)) + 1
        bounds = [0, *changes.tolist(), len(points)] if len(points) else []
        chosen &= ~np.isnan(values)
        joined: dict[tuple[int, int], float] = {}
        for start, end in pairwise(bounds):
            known = values[start:end][chosen[start:end]]
            joined[int(points[start]), int(seeds[start])] = float(_JOINS[self.join](known)) if known.size else math.nan
        return joined

    def _numbers(self, table: pa.Table) -> Numbers:
        from pyarrow import types

        # Point and seed identify the run of a row, and are not results.
        measured = list(table.schema)[2:]
        known = [each.name for each in measured if types.is_floating(each.type) or types.is_integer(each.type)]
        if self.column not in known:
            raise MetricError(f"{self.text!r}: {self.table} has no numbers {self.column!r}; it has {', '.join(known)}")
        return np.asarray(table[self.column].to_numpy(), dtype=np.float64)

    def _rows(self, table: pa.Table) -> npt.NDArray[np.bool_]:
        # The column after point and seed names a row.
        first = next(name for name in table.column_names if name not in ("point", "seed"))
        chosen = np.ones(len(table), dtype=np.bool_)
        for column, pattern in ((first, self.name), *self.others):
            if column not in table.column_names:
                raise MetricError(f"{self.text!r}: {self.table} has no column {column!r}")
            if pattern != "*":
                chosen &= _agreeing(table[column], pattern)
        return chosen

    def _some_names(self, table: pa.Table) -> str:
        first = table.column_names[2]
        names = table[first].unique().to_pylist()
        return f"{first} is one of {', '.join(map(str, names[:12]))}{', ...' if len(names) > 12 else ''}"


def _agreeing(column: pa.ChunkedArray, pattern: str) -> npt.NDArray[np.bool_]:
    values = column.combine_chunks().dictionary_encode()
    agrees = np.array([fnmatchcase(_text(value), pattern) for value in values.dictionary.to_pylist()], dtype=np.bool_)
    chosen: npt.NDArray[np.bool_] = agrees[values.indices.to_numpy()]
    return chosen


def _text(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
