"""What is read off one run, and the columns of a row of means."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

import numpy as np

from celltrain.papers.experiment import Direction
from celltrain.papers.statistics import mean_and_half_width
from celltrain.results import Result

#: Values of a point that have a confidence interval, in the order of the columns; the others have none.
WITH_INTERVAL = (
    "throughput_bps",
    "normalized_throughput",
    "utilization",
    "cell_loss_ratio",
    "max_queue_cells",
    "mean_queue_cells",
    "rtt_mean_s",
    "timeouts",
)
#: All columns of a point.
POINT = (
    "throughput_bps",
    "throughput_bps_ci95",
    "normalized_throughput",
    "normalized_throughput_ci95",
    "mean_line_rate_bps",
    "ideal_throughput_bps",
    "utilization",
    "utilization_ci95",
    "cell_loss_ratio",
    "cell_loss_ratio_ci95",
    "max_queue_cells",
    "max_queue_cells_ci95",
    "mean_queue_cells",
    "mean_queue_cells_ci95",
    "rtt_mean_s",
    "rtt_mean_s_ci95",
    "timeouts",
    "timeouts_ci95",
    "n_runs",
)


def point(result: Result, direction: Direction, ideal: float) -> dict[str, float]:
    """Read the values of a point off one run.

    Parameters
    ----------
    result
        The run.
    direction
        The link and the group of connections that are measured.
    ideal
        Part of the line rate that TCP can use at best.
    """
    link = result.links["link"].index(direction.link)
    group = re.compile(rf"{re.escape(direction.flows)}\d*")
    flows = [index for index, name in enumerate(result.flows["flow"]) if group.fullmatch(name)]
    throughput = float(result.flows["throughput_bps"][flows].sum())
    rate = float(result.links["mean_rate_bps"][link])
    rtt = result.flows["rtt_mean_s"][flows]
    known = rtt[~np.isnan(rtt)]
    return {
        "throughput_bps": throughput,
        "normalized_throughput": throughput / (rate * ideal),
        "mean_line_rate_bps": rate,
        "ideal_throughput_bps": rate * ideal,
        "utilization": float(result.links["utilization"][link]),
        "cell_loss_ratio": float(result.links["cell_loss_ratio"][link]),
        "max_queue_cells": float(result.links["queue_max_cells"][link]),
        "mean_queue_cells": float(result.links["queue_mean_cells"][link]),
        "rtt_mean_s": float(known.mean()) if known.size else math.nan,
        "timeouts": float(result.flows["timeouts"][flows].sum()),
    }


def row(runs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Means over the runs of a point, half-widths of their 95 % confidence intervals, and the number of runs."""
    values: dict[str, float] = {}
    for name in runs[0]:
        mean, half_width = mean_and_half_width([run[name] for run in runs])
        values[name] = mean
        values[f"{name}_ci95"] = half_width
    values["n_runs"] = float(len(runs))
    return {name: values[name] for name in POINT}
