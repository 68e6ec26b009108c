"""What is read off one run, and the columns of a row of means."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from celltrain.papers.experiment import CellLoss, CellRates, Direction, Paper
from celltrain.papers.expression import Expression
from celltrain.results import Result, Table
from celltrain.statistics import mean_and_half_width

#: Bits of a cell on the line.
CELL_BITS = 424

Values = Mapping[str, float]


def measured(paper: Paper, result: Result) -> dict[str, float]:
    """Read everything that the paper's tables may need off one run.

    Values of a direction of data are named ``DIRECTION.NAME``; directions without a connection have none.
    """
    values: dict[str, float] = {}
    for name, direction in paper.directions.items():
        if members(result.flows["flow"], direction.flows):
            own = with_formulas(point(result, direction, paper.ideal), paper.run_values)
            values |= {f"{name}.{key}": value for key, value in own.items()}
    values |= {name: loss_ratio(result.link_vcs, loss) for name, loss in paper.losses.items()}
    for name, link in paper.counters.items():
        values[name] = float(result.links["active_vcs_mean"][result.links["link"].index(link)])
    return values


def with_formulas(values: Mapping[str, Any], formulas: Mapping[str, str]) -> dict[str, Any]:
    """Add what formulas make of the values and of those before.

    >>> with_formulas({"queue": 30.0}, {"rtts": "queue / 20", "is_long": "1 if rtts > 1 else 0"})
    {'queue': 30.0, 'rtts': 1.5, 'is_long': 1}
    """
    result = dict(values)
    for name, formula in formulas.items():
        result[name] = Expression(formula, {}).evaluate(result)
    return result


def members(names: Sequence[str], group: str) -> list[int]:
    """Find the members of a group: its name, or its name and a number.

    >>> members(["upload1", "upload2", "uploads", "download1"], "upload")
    [0, 1]
    """
    pattern = re.compile(rf"{re.escape(group)}\d*")
    return [index for index, name in enumerate(names) if pattern.fullmatch(name)]


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
    flows = members(result.flows["flow"], direction.flows)
    throughput = float(result.flows["throughput_bps"][flows].sum())
    rate = float(result.links["mean_rate_bps"][link])
    each = result.flows["throughput_bps"][flows]
    mean, deviation = round_trips(result.flows, flows, direction)
    queue_max = float(result.links["queue_max_cells"][link])
    squares = len(flows) * float((each**2).sum())
    return {
        "throughput_bps": throughput,
        "fairness_spread_bps": float(np.ptp(each)),
        "jain_index": throughput**2 / squares if squares else math.nan,
        "normalized_throughput": throughput / (rate * ideal),
        "mean_line_rate_bps": rate,
        "ideal_throughput_bps": rate * ideal,
        "utilization": float(result.links["utilization"][link]),
        "cell_loss_ratio": float(result.links["cell_loss_ratio"][link]),
        "max_queue_cells": max(queue_max - 1, 0.0) if direction.waiting_only else queue_max,
        "mean_queue_cells": float(result.links["queue_mean_cells"][link]),
        "rtt_mean_s": mean,
        "rtt_std_s": deviation,
        "timeouts": float(result.flows["timeouts"][flows].sum()),
        "spurious_timeouts": float(result.flows["spurious_timeouts"][flows].sum()),
        "retransmitted_segments": float(result.flows["segments_retransmitted"][flows].sum()),
        "longest_idle_s": float(result.flows["longest_idle_s"][flows].max()),
        **source_queues(result, flows),
        **queue_parts(result.link_parts, direction.link),
    }


def source_queues(result: Result, flows: Sequence[int]) -> dict[str, float]:
    """Read the queues of the hosts that send data: the longest, and the part of the cells that found no room."""
    sending = {(result.flows["vc"][flow], result.flows["direction"][flow]) for flow in flows}
    rows = zip(result.vcs["vc"], result.vcs["direction"], strict=True)
    own = [index for index, row in enumerate(rows) if row in sending]
    offered = float(result.vcs["source_cells_offered"][own].sum())
    dropped = float(result.vcs["source_cells_dropped"][own].sum())
    return {
        "max_source_queue_cells": float(result.vcs["source_queue_max_cells"][own].max()),
        "source_cell_loss_ratio": dropped / offered if offered else math.nan,
    }


def queue_parts(table: Table | None, link: str) -> dict[str, float]:
    """Read the queue of a link in each part of the run: ``part1_min_queue_cells`` and so on."""
    if table is None:
        return {}
    return {
        f"part{row['part']:g}_{what}_queue_cells": float(row[f"controlled_queue_{what}_cells"])
        for row in table.rows()
        if row["link"] == link
        for what in ("min", "mean", "max")
    }


def round_trips(table: Table, flows: Sequence[int], direction: Direction) -> tuple[float, float]:
    """Mean and standard deviation of the round trips of connections; NaN where there is none."""
    if not direction.sent_once_only:
        rtt = table["rtt_mean_s"][flows]
        known = rtt[~np.isnan(rtt)]
        return (float(known.mean()) if known.size else math.nan), math.nan
    counts, means, deviations = (
        np.nan_to_num(table[column][flows]) for column in ("rtt_once_samples", "rtt_once_mean_s", "rtt_once_std_s")
    )
    total = float(counts.sum())
    if not total:
        return math.nan, math.nan
    mean = float((counts * means).sum()) / total
    square = float((counts * (deviations**2 + (means - mean) ** 2)).sum()) / total
    return mean, math.sqrt(square)


def crossing(table: Table, link: str, vcs: str, direction: str) -> list[int]:
    """Find the rows of one direction of a group of VCs at a link."""
    rows = zip(table["link"], table["direction"], strict=True)
    here = {index for index, row in enumerate(rows) if row == (link, direction)}
    return [index for index in members(table["vc"], vcs) if index in here]


def loss_ratio(table: Table, loss: CellLoss) -> float:
    """Divide the data cells dropped by those offered; NaN where none was offered."""
    rows = crossing(table, loss.link, loss.vcs, loss.direction)
    offered = float(table["data_offered"][rows].sum())
    return float(table["data_lost"][rows].sum()) / offered if offered else math.nan


def cell_rates(table: Table, cells: CellRates, seconds: float) -> dict[str, float]:
    """Rates on the line, in bit/s, of the kinds of cells that a group of VCs sends; data go the other way."""
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


def means(runs: Sequence[Values], prefix: str = "") -> dict[str, float]:
    """Means over runs of the values whose names begin with ``prefix``, and the half-widths of their intervals."""
    row: dict[str, float] = {}
    for name in runs[0]:
        if name.startswith(prefix):
            short = name.removeprefix(prefix)
            row[short], row[f"{short}_ci95"] = mean_and_half_width([run[name] for run in runs])
    return row | {"n_runs": float(len(runs))}
