"""The folder of ``celltrain shell --log``: what packets met on a line in real time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from celltrain.columns import COLUMNS
from celltrain.live.summary import CAUSES, MAX_LATENESS_S
from celltrain.refused import Refused
from celltrain.report import figures, grids
from celltrain.report.document import Chapter, Column, Fact, Grid, Listing, Section
from celltrain.report.network import drawing
from celltrain.report.runs import table_sections
from celltrain.report.source import ReportError, limited
from celltrain.stored.objects import member, read_object
from celltrain.stored.tables import read_parquet
from celltrain.table import Table

_DIRECTIONS = {"up": "up, from the client", "down": "down, to the client"}
#: Recorded states of the line, with their units; ``line.parquet`` has them ten times a second.
_STATES = {
    "rate_bps": "bit/s",
    "queue_cells": "cells",
    "lost_cells": "cells",
    "source_rate_bps": "bit/s",
    "source_cells": "cells",
}
_PACKET_COLUMNS = ("direction", "bytes", "came_s", "due_s", "left_s", "outcome")
#: Length of the intervals of throughput, and the most of them: longer records have longer intervals.
_INTERVAL_S = 0.1
_MOST_INTERVALS = 6000


def is_record(folder: Path) -> bool:
    """Return whether a folder has the record of a line."""
    return all((folder / f"{name}.parquet").is_file() for name in ("packets", "line"))


def is_unfinished(folder: Path) -> bool:
    """Return whether a record is being written in a folder, or its line was killed."""
    return any(folder.glob(".packets.parquet.*"))


def read(folder: Path) -> Chapter:
    """Read the record of a line.

    Raises
    ------
    OSError
        A file cannot be read.
    ReportError
        The line is still open or was killed, or a file is not what ``celltrain shell`` writes.
    """
    path = folder / "summary.json"
    if not path.is_file():
        raise unfinished(folder)
    summary = read_object(path)
    packets, states = read_parquet(folder / "packets.parquet"), read_parquet(folder / "line.parquet")
    # Records written before the column had its present name.
    packets = packets.rename_columns([{"fate": "outcome"}.get(name, name) for name in packets.column_names])
    try:
        return _chapter(folder, summary, packets, states)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, Refused):
            raise
        raise ReportError(f"{folder}: not a record as celltrain shell writes it: {error}") from error


def unfinished(folder: Path) -> ReportError:
    """Return the error of a record that is not whole."""
    return ReportError(
        f"{folder}: no summary.json: the line is still open, or was killed before it closed. Close it with Ctrl-D; "
        "the record of a killed line cannot be read"
    )


def _chapter(folder: Path, summary: dict[str, Any], packets: pa.Table, states: pa.Table) -> Chapter:
    path = folder / "summary.json"
    provenance = member(path, summary, "provenance", dict)
    scenario = provenance.get("scenario")
    ways = {name: member(path, summary, name, dict) for name in _DIRECTIONS}
    tables = {name: _network_table(name, rows) for name, rows in member(path, summary, "tables", dict).items()}
    degraded = ["The line was degraded: it did not keep its times (see below)."] if summary["degraded"] else []
    listings = [Listing("Hosts, with all settings of their kernels", _json(summary["kernels"]))]
    if scenario is not None:
        listings.insert(0, Listing("Scenario, every default written out", _json(scenario)))
    return Chapter(
        "Line in real time",
        f"Line {folder.resolve().name}",
        [
            Section("summary", "Packets", grids=[*_totals(ways), *_losses(ways)], notes=degraded),
            *_traces(packets, states, summary["duration_s"]),
            *table_sections(tables, path.name),
        ],
        _facts(summary, provenance),
        listings,
        summary=f"Real packets crossed the models of VC {provenance['vc']} for {summary['duration_s']:.4g} s.",
        drawing="" if scenario is None else _network(scenario, provenance["vc"], folder.resolve().name),
    )


def _network(scenario: Mapping[str, Any], vc: str, title: str) -> str:
    """Draw the network without the flows of the VC: real packets came in their place."""
    flows = {name: flow for name, flow in scenario["flows"].items() if flow["vc"] != vc}
    return drawing({**scenario, "flows": flows}, title)


def _totals(ways: Mapping[str, Mapping[str, Any]]) -> list[Grid]:
    """Show what each direction carried, and how long it took."""
    counts = {
        "packets": "packets",
        "packets_delivered": "delivered",
        "packets_lost": "lost",
        "packets_inside": "inside at the end",
        "packets_marked": "marked",
    }
    direction = {"direction": [_DIRECTIONS[name] for name in ways]}
    columns: dict[str, Any] = {name: np.array([way[name] for way in ways.values()]) for name in counts}
    columns["utilization"] = np.array([float(way["utilization"]) for way in ways.values()])
    units = {"direction": "", **dict.fromkeys(columns, "1")}
    headings = {"direction": "direction", **counts, "utilization": "utilization"}
    times: dict[str, Any] = {}
    of_times = {"direction": "direction"}
    for source, words in (("queueing_s", "queueing"), ("delay_s", "delay")):
        for part, ending in (("p50", "median"), ("p95", "95\u00a0%"), ("max", "longest")):
            times[f"{source}.{part}"] = np.array([_number(way[source][part]) for way in ways.values()])
            of_times[f"{source}.{part}"] = f"{words}, {ending}"
    seconds = {"direction": "", **dict.fromkeys(times, "s")}
    return [
        grids.grid("", Table(direction | columns, units), columns=headings),
        grids.grid("", Table(direction | times, seconds), columns=of_times),
    ]


def _losses(ways: Mapping[str, Mapping[str, Any]]) -> list[Grid]:
    """Show to what packets were lost, if any were."""
    rows = [
        (_DIRECTIONS[name], str(count), CAUSES.get(cause, cause))
        for name, way in ways.items()
        for cause, count in way["packets_lost_to"].items()
        if count
    ]
    heads = [
        Column("direction", "", numeric=False),
        Column("packets lost", "", numeric=True),
        Column("to", "", numeric=False),
    ]
    return [Grid("Losses by cause", heads, rows)] if rows else []


def _traces(packets: pa.Table, states: pa.Table, duration_s: float) -> list[Section]:
    every = max(_INTERVAL_S, duration_s / _MOST_INTERVALS)
    traces: dict[str, Table] = {}
    for name in _DIRECTIONS:
        traces[f"{name}.line"] = _states(states, name)
        own = _of_direction(packets.select(_PACKET_COLUMNS), name)
        traces[f"{name}.throughput"] = _throughput(own, name, every, duration_s)
        traces[f"{name}.delay"] = _delays(own, name)
    if not any(len(table) for table in traces.values()):
        return []
    figure = figures.of_traces("What was recorded, over time since the line was opened", traces)
    note = (
        f"Throughput: octets of the IP packets that left, over {every * 1e3:.4g} ms. Delay: of each packet, from its "
        "arrival to its departure by the model."
    )
    return [Section("traces", "Over time", figures=[figure], grids=[grids.of_traces(traces)], notes=[note])]


def _of_direction(table: pa.Table, name: str) -> dict[str, npt.NDArray[Any]]:
    """Return the columns of one direction."""
    own = table.column("direction").to_numpy(zero_copy_only=False) == name
    return {each: table.column(each).to_numpy(zero_copy_only=False)[own] for each in table.column_names}


def _states(states: pa.Table, name: str) -> Table:
    """Return what was recorded of a direction, without what never told anything."""
    own = _of_direction(states, name)
    told = limited(Table({state: own[state] for state in _STATES}, _STATES)).columns
    columns: dict[str, Any] = {figures.TIME: own[figures.TIME]}
    for state, values in told.items():
        if state in ("rate_bps", "queue_cells") or np.any(values):
            columns[f"{name}.{state}"] = values
    return Table(columns, {figures.TIME: "s"} | {f"{name}.{state}": unit for state, unit in _STATES.items()})


def _throughput(packets: Mapping[str, npt.NDArray[Any]], name: str, every_s: float, duration_s: float) -> Table:
    left = packets["left_s"].astype(np.float64)
    gone = (packets["outcome"] == "delivered") & np.isfinite(left)
    edges = np.arange(0.0, duration_s + every_s, every_s)
    octets, _ = np.histogram(left[gone], edges, weights=packets["bytes"][gone].astype(np.float64))
    # The last interval is cut short when the line closes; its value would be too low.
    columns = {figures.TIME: edges[:-2], f"{name}.throughput_bps": octets[:-1] * 8 / every_s}
    return Table(columns, {figures.TIME: "s", f"{name}.throughput_bps": "bit/s"})


def _delays(packets: Mapping[str, npt.NDArray[Any]], name: str) -> Table:
    came, due = packets["came_s"].astype(np.float64), packets["due_s"].astype(np.float64)
    known = np.flatnonzero(np.isfinite(due))
    known = known[np.argsort(came[known], kind="stable")]
    columns = {figures.TIME: came[known], f"{name}.delay_s": (due - came)[known]}
    return Table(columns, {figures.TIME: "s", f"{name}.delay_s": "s"})


def _network_table(name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Make a table of rows whose missing numbers are null."""
    known = COLUMNS.get(name, {})
    columns: dict[str, Any] = {}
    units = {}
    for column in rows[0] if rows else ():
        values = [row[column] for row in rows]
        units[column] = known[column].unit if column in known else ""
        if units[column] == "" or any(isinstance(value, str) for value in values):
            columns[column], units[column] = [str(value) for value in values], ""
        else:
            columns[column] = np.array([_number(value) for value in values])
    return Table(columns, units)


def _facts(summary: Mapping[str, Any], provenance: Mapping[str, Any]) -> list[Fact]:
    late, settings = summary["lateness"], provenance.get("settings", {})
    found = [
        Fact("celltrain", str(provenance.get("celltrain", "not stated"))),
        Fact("Clock", "real time"),
        Fact("Duration", f"{summary['duration_s']:.4g} s"),
        Fact("Kernel", str(summary["kernels"].get("kernel", "not stated"))),
        Fact("Congestion control", str(settings.get("congestion", "not stated"))),
        Fact("MTU", f"{settings.get('mtu', 'not stated')} bytes"),
        Fact("Packets left later than in the model, median", _micros(late["p50"])),
        Fact(f"95 % (degraded above {_micros(MAX_LATENESS_S)})", _micros(late["p95"])),
        Fact("At most", _micros(late["max"])),
        Fact("Times overslept by 5 ms or more", str(summary["stalls"])),
        Fact("Priority", str(summary["realtime_problem"] or "")),
        Fact("Scenario, SHA-256", str(provenance.get("scenario_hash", "not stated")), code=True),
    ]
    return [fact for fact in found if fact.value]


def _number(value: float | None) -> float:
    """Return a number of the summary, in which what is not known is null: the delay where no packet came."""
    return math.nan if value is None else float(value)


def _micros(value: float | None) -> str:
    return "" if value is None else f"{round(1e6 * value)} us"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
