"""``kind = "cells"``: rates of the kinds of cells that a group of VCs sends, a row for each kind of cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from celltrain.papers.head import Head
from celltrain.papers.kinds.experiment import Point, Row, Simulated, Values

if TYPE_CHECKING:
    from celltrain.results import Result
    from celltrain.table import Table

#: The kinds of cells that travel against the data.
_AGAINST_DATA = ("ack", "backward-rm", "forward-rm")


@dataclass(frozen=True)
class CellRates:
    """Rates of the kinds of cells that a group of VCs sends on a link, and of its data on another."""

    link: str
    data_link: str
    vcs: str
    direction: str


@dataclass(frozen=True, kw_only=True)
class Cells(Simulated):
    """Rates of the kinds of cells.

    Attributes
    ----------
    cells : CellRates
        Which cells are counted.
    directions : tuple of str
        Directions of data whose precision decides how often a point is run.
    columns : tuple of str
        The columns of the table.
    """

    cells: CellRates
    columns: tuple[str, ...]
    directions: tuple[str, ...] = ()

    @property
    def names(self) -> set[str]:
        """Columns of names, which have no unit."""
        return super().names | {"cell_type"}

    @property
    def measured_directions(self) -> tuple[str, ...]:
        """All named directions."""
        return self.directions

    def column_names(self, head: Head) -> list[str]:
        """Name the columns that are listed."""
        return list(self.columns)

    def known_columns(self, head: Head) -> set[str]:
        """Name the axes, the kind of cell, and both rates with their intervals."""
        rates = ("cell_rate_bps", "downstream_data_cell_rate_bps")
        return {*self.axis_columns, "cell_type", "n_runs", *rates, *(f"{rate}_ci95" for rate in rates)}

    def read_off(self, result: Result) -> Values:
        """Extract the rates from a run, named ``cells.EXPERIMENT.KIND``."""
        rates = cell_rates(result.link_vcs, self.cells, result.measured_s)
        return {f"cells.{self.id}.{kind}": rate for kind, rate in rates.items()}

    def rows(self, head: Head, point: Point, values: Sequence[Values], first: Result) -> Iterator[Row]:
        """Make a row for each kind of cell, each with the rate of the data."""
        from celltrain.papers import metrics

        rates = metrics.means(values, f"cells.{self.id}.")
        data = {f"downstream_data_cell_rate_bps{end}": rates[f"data{end}"] for end in ("", "_ci95")}
        for kind in _AGAINST_DATA:
            own = {f"cell_rate_bps{end}": rates[f"{kind}{end}"] for end in ("", "_ci95")}
            yield {**point.axes, "cell_type": kind, **own, **data, "n_runs": rates["n_runs"]}


def cell_rates(table: Table, cells: CellRates, seconds: float) -> dict[str, float]:
    """Return line rates, in bit/s, of the kinds of cells that a group of VCs sends; data go the other way."""
    from celltrain.papers.metrics import CELL_BITS, crossing

    rows = crossing(table, cells.link, cells.vcs, cells.direction)
    opposite = "forward" if cells.direction == "backward" else "backward"
    data_rows = crossing(table, cells.data_link, cells.vcs, opposite)
    per_cell = CELL_BITS / seconds
    return {
        "ack": float(table["data_sent"][rows].sum()) * per_cell,
        "backward-rm": float(table["backward_rm_sent"][rows].sum()) * per_cell,
        "forward-rm": float(table["forward_rm_sent"][rows].sum()) * per_cell,
        "data": float(table["data_sent"][data_rows].sum()) * per_cell,
    }
