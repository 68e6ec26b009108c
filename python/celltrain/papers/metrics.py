"""The values taken from one run, and the columns of a row of means."""

from __future__ import annotations

import fnmatch
import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from celltrain import _native, quantity
from celltrain.papers.expression import Expression, ExpressionError
from celltrain.papers.head import CellLoss, Direction, Head, Sum
from celltrain.papers.reading import Mistake, unknown
from celltrain.results import Result
from celltrain.statistics import jain_index, mean_and_half_width
from celltrain.table import Table

#: Bits of a cell on the line.
CELL_BITS = 424
#: Octets of IP and TCP headers without options.
HEADERS = 40

Values = Mapping[str, float]


def measured(head: Head, result: Result) -> dict[str, float]:
    """Extract everything that the tables of a study may need from one run.

    Values of a direction of data are named ``DIRECTION.NAME``; directions without their link or their connections
    have none.
    """
    values: dict[str, float] = {}
    sums = {name: _sum(result, name, each) for name, each in head.sums.items()}
    for name, direction in head.directions.items():
        if is_present(result, direction):
            own = {**point(result, direction, head.ideal.part), **sums, "measured_s": result.measured_s}
            own = with_formulas(own, head.run_values, "run_values")
            values |= {f"{name}.{key}": value for key, value in own.items()}
    values |= {name: loss_ratio(result.link_vcs, loss) for name, loss in head.losses.items()}
    for name, link in head.counters.items():
        if link not in result.links["link"]:
            raise unknown("link", link, result.links["link"], "counters", name)
        values[name] = float(result.links["active_vcs_mean"][result.links["link"].index(link)])
    return values


def require(result: Result, head: Head, name: str) -> None:
    """Check that a network has the elements that measure a direction of data.

    Raises
    ------
    Mistake
        It lacks the link, or a group of connections.
    """
    direction = head.directions[name]
    if direction.link not in result.links["link"]:
        raise unknown("link", direction.link, result.links["link"], "directions", name, "link")
    for group in direction.flows:
        if not members(result.flows["flow"], group):
            raise unknown("connection", group, result.flows["flow"], "directions", name, "flows")


def _sum(result: Result, name: str, each: Sum) -> float:
    """Compute a sum of the head by its name; zero if the run does not have the table."""
    table = result.tables.get(each.table)
    if table is None:
        return 0.0
    for path, column in (*((("of",), column) for column in each.of), *((("where", key), key) for key in each.where)):
        if column not in table.columns:
            raise unknown(f"column of the table {each.table}", column, table.columns, "sums", name, *path)
    return total(table, each)


def is_present(result: Result, direction: Direction) -> bool:
    """Return whether the network has the link and the connections that measure a direction of data."""
    has_flows = all(members(result.flows["flow"], group) for group in direction.flows)
    return has_flows and direction.link in result.links["link"]


def total(table: Table, each: Sum) -> float:
    """Sum a column, or a product of columns, over the rows whose names match; missing values count as zero.

    >>> table = Table({"link": ["a1", "a2", "b"], "sent": np.array([1.0, 2.0, 4.0])}, {})
    >>> total(table, Sum("links", ("sent",), {"link": "a*"}))
    3.0
    """
    rows = [
        index
        for index in range(len(table))
        if all(fnmatch.fnmatchcase(table[column][index], pattern) for column, pattern in each.where.items())
    ]
    return float(np.nansum(np.prod([table[column][rows] for column in each.of], axis=0)))


def payload_part(result: Result, group: str) -> float:
    """Return the fraction of user data in the bits of a full segment's cells."""
    scenario = result.provenance["scenario"]
    flow = scenario["flows"][group]
    octets = quantity.octets(flow["tcp"]["mss"])
    encapsulation = scenario["vcs"][flow["vc"]]["encapsulation"]
    cells = {name: cells for name, *_, cells in _native.overhead([octets + HEADERS])}
    return 8 * octets / (CELL_BITS * cells[encapsulation])


def with_formulas(
    values: Mapping[str, Any],
    formulas: Mapping[str, str],
    section: str,
    functions: Mapping[str, Callable[..., Any]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Add the values of formulas, computed from given and earlier values; ``nan`` is a missing value.

    Raises
    ------
    Mistake
        A formula cannot be evaluated; its path is its name below ``section``.

    >>> with_formulas({"queue": 30.0}, {"rtts": "queue / 20", "is_long": "1 if rtts > 1 else 0"}, "row_values")
    {'queue': 30.0, 'rtts': 1.5, 'is_long': 1}
    """
    result = dict(values)
    for name, formula in formulas.items():
        try:
            result[name] = Expression(formula, functions).evaluate({"nan": math.nan} | result)
        except ExpressionError as error:
            raise Mistake(f'"{formula}" cannot be computed: {error}', section, name) from error
    return result


def members(names: Sequence[str], group: str) -> list[int]:
    """Find the members of a group: its name, or its name and a number.

    >>> members(["upload1", "upload2", "uploads", "download1"], "upload")
    [0, 1]
    """
    pattern = re.compile(rf"{re.escape(group)}\d*")
    return [index for index, name in enumerate(names) if pattern.fullmatch(name)]


def point(result: Result, direction: Direction, ideal: float) -> dict[str, float]:
    """Extract the values of a point from one run.

    Parameters
    ----------
    result
        The run.
    direction
        The link and the group of connections that are measured.
    ideal
        Fraction of the line rate that TCP can use at best.
    """
    link = result.links["link"].index(direction.link)
    rate = float(result.links["mean_rate_bps"][link])
    queue_max = float(result.links["queue_max_cells"][link])
    values = {
        "mean_line_rate_bps": rate,
        "ideal_throughput_bps": rate * ideal,
        "utilization": float(result.links["utilization"][link]),
        "cells_offered": float(result.links["cells_offered"][link]),
        "cell_loss_ratio": float(result.links["cell_loss_ratio"][link]),
        "max_queue_cells": max(queue_max - 1, 0.0) if direction.waiting_only else queue_max,
        "mean_queue_cells": float(result.links["queue_mean_cells"][link]),
        **queue_parts(result.link_parts, direction.link),
    }
    flows = [flow for group in direction.flows for flow in members(result.flows["flow"], group)]
    return values | connections(result, flows, direction, rate * ideal)


def connections(result: Result, flows: Sequence[int], direction: Direction, ideal_bps: float) -> dict[str, float]:
    """Extract the connections of a direction of data from a run; without any, only their number."""
    if not flows:
        return {"n_flows": 0.0, "throughput_bps": 0.0}
    each = result.flows["throughput_bps"][flows]
    throughput = float(each.sum())
    mean, deviation = round_trips(result.flows, flows, direction)
    return {
        "n_flows": float(len(flows)),
        "throughput_bps": throughput,
        "payload_part": payload_part(result, direction.flows[0]),
        "fairness_spread_bps": float(np.ptp(each)),
        "jain_index": jain_index(each),
        "normalized_throughput": throughput / ideal_bps,
        "rtt_mean_s": mean,
        "rtt_std_s": deviation,
        "timeouts": float(result.flows["timeouts"][flows].sum()),
        "spurious_timeouts": float(result.flows["spurious_timeouts"][flows].sum()),
        "retransmitted_segments": float(result.flows["segments_retransmitted"][flows].sum()),
        "longest_idle_s": float(result.flows["longest_idle_s"][flows].max()),
        **source_queues(result, flows),
    }


def source_queues(result: Result, flows: Sequence[int]) -> dict[str, float]:
    """Extract the queues of the sending hosts: the longest, and the fraction of cells that found no room."""
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
    """Extract the queue of a link in each part of the run: ``part1_min_queue_cells`` and so on."""
    if table is None:
        return {}
    return {
        f"part{row['part']:g}_{what}_queue_cells": float(row[f"controlled_queue_{what}_cells"])
        for row in table.rows()
        if row["link"] == link
        for what in ("min", "mean", "max")
    }


def round_trips(table: Table, flows: Sequence[int], direction: Direction) -> tuple[float, float]:
    """Return mean and standard deviation of the round trips of connections; NaN if there is none."""
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
    """Divide the data cells dropped by those offered; NaN if none was offered."""
    rows = crossing(table, loss.link, loss.vcs, loss.direction)
    offered = float(table["data_offered"][rows].sum())
    return float(table["data_lost"][rows].sum()) / offered if offered else math.nan


def means(runs: Sequence[Values], prefix: str = "") -> dict[str, float]:
    """Return means over runs of the values whose names begin with ``prefix``, and half-widths of their intervals."""
    row: dict[str, float] = {}
    for name in runs[0]:
        if name.startswith(prefix):
            short = name.removeprefix(prefix)
            row[short], row[f"{short}_ci95"] = mean_and_half_width([run[name] for run in runs])
    return row | {"n_runs": float(len(runs))}
