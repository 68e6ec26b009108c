"""Means of a sweep as a table, and its runs as labelled arrays (xarray)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from celltrain.extras import need
from celltrain.sweeps.contents import SweepFolder
from celltrain.sweeps.figure import METRIC
from celltrain.sweeps.metric import Metric
from celltrain.sweeps.parameters import column
from celltrain.sweeps.summary import summary
from celltrain.table import Table, Values

if TYPE_CHECKING:
    import xarray as xr


def means(results: SweepFolder, metrics: Sequence[str] = (), by: Sequence[str] | None = None) -> Table:
    """Return means of metrics as a table, with parameters as numbers in SI units."""
    chosen = [Metric.parse(text) for text in metrics or (METRIC,)]
    rows = summary(results, chosen, by)
    columns: dict[str, Values] = {}
    units: dict[str, str] = {}
    for key in [key for key in results.keys if key in rows[0]]:
        columns[key], units[key] = column([row[key] for row in rows])
    for name in ("points", "runs", "failed"):
        columns[name], units[name] = np.array([row[name] for row in rows], dtype=np.int64), "1"
    for metric in chosen:
        for name in (metric.text, f"{metric.text}_ci95"):
            columns[name] = np.array([row[name] for row in rows], dtype=np.float64)
            units[name] = results.unit(metric)
    return Table(columns, units)


def dataset(results: SweepFolder, metrics: Sequence[str] = ()) -> xr.Dataset:
    """Return metrics of all runs, with a dimension for each key of a full grid, or one for the points."""
    need("xarray", by="SweepResults.to_xarray()")
    import xarray as xr

    keys = results.keys
    at = {key: column(results.points[key].to_pylist()) for key in keys}
    # The levels of a key, in the order of the design, and the level of each point.
    levels = {key: list(dict.fromkeys(_plain(values))) for key, (values, _) in at.items()}
    places = np.array([[levels[key].index(value) for value in _plain(at[key][0])] for key in keys]).T
    count = len(results.points)
    is_grid = prod(map(len, levels.values())) == count == len({tuple(row) for row in places.tolist()}) and bool(keys)
    seeds = sorted({int(seed) for seed in results.index["seed"].to_pylist()})
    dims = (*keys, "seed") if is_grid else ("point", "seed")
    shape = (*(len(levels[key]) for key in keys), len(seeds)) if is_grid else (count, len(seeds))
    variables: dict[str, Any] = {}
    for text in metrics or (METRIC,):
        array = np.full(shape, np.nan)
        for (point, seed), value in results.values(text).items():
            array[(*(places[point] if is_grid else (point,)), seeds.index(seed))] = value
        variables[text] = (dims, array, {"units": results.unit(text)})
    coordinates: dict[str, Any] = {"seed": seeds}
    for key, (values, unit) in at.items():
        attributes = {"units": unit} if unit else {}
        coordinates[key] = (key, levels[key], attributes) if is_grid else ("point", values, attributes)
    return xr.Dataset(variables, coordinates)


def _plain(values: Values) -> list[Any]:
    return values if isinstance(values, list) else values.tolist()
