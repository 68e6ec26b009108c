"""Traces of a sweep: one run of some points, in stacked panels, since all points see the same line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from celltrain.report import figures, grids
from celltrain.report.document import Section
from celltrain.sweeps import SweepResults
from celltrain.table import Table

#: Maximum number of points: one for each line colour.
_MOST_POINTS = 6
#: With more numbers in a figure than a browser can move smoothly, fewer points are drawn.
_MOST_NUMBERS = 6_000_000


def sections(results: SweepResults) -> list[Section]:
    """Draw the traces of the first seed of each point; empty if the scenario has no probes."""
    runs = _runs(results)
    if not runs:
        return []
    first = _tables(results.traces(*runs[0]))
    numbers = sum(len(table) * (len(table.columns) - 1) for table in first.values())
    if not numbers:
        return []
    chosen = _spread(runs, max(1, min(_MOST_POINTS, _MOST_NUMBERS // numbers)))
    seeds = " and ".join(str(seed) for seed in sorted({seed for _, seed in chosen}))
    if len(runs) == 1:
        figure = figures.of_traces(f"Everything that was recorded with seed {seeds}, over time", first)
        return [Section("traces", "Traces", figures=[figure], grids=[grids.of_traces(first)])]
    drawn = {_label(results, run[0]): first if run == runs[0] else _tables(results.traces(*run)) for run in chosen}
    figure = figures.of_runs(f"Everything that was recorded with seed {seeds}, over time, at each point", drawn)
    left_out = len(runs) - len(chosen)
    note = (
        f"{len(chosen)} of {len(runs)} points are drawn; `celltrain results DIR --table PROBE` gives the traces of all."
    )
    return [Section("traces", "Traces", figures=[figure], notes=[note] if left_out else [])]


def _runs(results: SweepResults) -> list[tuple[int, int]]:
    """Return point and seed of the first finished run of each point with a distinct scenario."""
    hashes = results.points["scenario_hash"].to_pylist()
    found: dict[str, tuple[int, int]] = {}
    for row in results.index.select(["point", "seed", "status"]).to_pylist():
        if row["status"] == "done":
            found.setdefault(hashes[row["point"]], (row["point"], row["seed"]))
    return list(found.values())


def _spread(runs: Sequence[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Choose ``count`` runs, spread from the first to the last."""
    places = np.unique(np.linspace(0, len(runs) - 1, min(count, len(runs))).round().astype(int))
    return [runs[place] for place in places]


def _label(results: SweepResults, point: int) -> str:
    """Return a label of a point from its values."""
    row = results.points.slice(point, 1).select(results.keys).to_pylist()[0] if results.keys else {}
    values = [f"{key.rpartition('.')[2]} {value}" for key, value in row.items() if value is not None]
    return ", ".join(values) or f"point {point}"


def _tables(traces: Mapping[str, pa.Table]) -> dict[str, Table]:
    return {name: _table(own) for name, own in traces.items()}


def _table(own: pa.Table) -> Table:
    columns: dict[str, Any] = {name: own[name].to_numpy() for name in own.column_names}
    return Table(columns, {each.name: each.metadata[b"unit"].decode() for each in own.schema})
