"""The folder of ``celltrain run --out``: tables, traces and the provenance of one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from celltrain.columns import COLUMNS
from celltrain.report import figures, grids, stage
from celltrain.report.document import Chapter, Fact, Grid, Listing, Section
from celltrain.report.network import drawing
from celltrain.report.source import ReportError, limited, read_table, units_of
from celltrain.stored.objects import member, read_object
from celltrain.stored.tables import check_csv
from celltrain.table import Table

PROVENANCE = "provenance.json"

#: Columns that are shown at once; the others can be unfolded.
_MAIN = {
    "flows": (
        "flow",
        "from",
        "to",
        "variant",
        "throughput_bps",
        "rtt_mean_s",
        "delay_mean_s",
        "segments_sent",
        "segments_retransmitted",
        "timeouts",
    ),
    "links": (
        "link",
        "from",
        "to",
        "mean_rate_bps",
        "utilization",
        "cells_offered",
        "cell_loss_ratio",
        "queue_mean_cells",
        "queue_max_cells",
    ),
    "vcs": (
        "vc",
        "direction",
        "from",
        "to",
        "service",
        "cells_sent",
        "cells_delivered",
        "cells_lost",
        "pdus_sent",
        "pdus_damaged",
    ),
    "cell_delays": (
        "vc",
        "direction",
        "cells",
        "delay_min_s",
        "delay_mean_s",
        "delay_p50_s",
        "delay_p99_s",
        "delay_p999_s",
        "delay_max_s",
        "peak_to_peak_cdv_s",
    ),
    "cell_errors": ("link", "vc", "direction", "cells", "cells_corrupted", "cell_error_ratio", "cells_misinserted"),
    "frames": (
        "link",
        "from",
        "to",
        "ip_rate_bps",
        "line_bytes",
        "lost_bytes",
        "queue_mean_bytes",
        "queue_max_bytes",
    ),
    "responses": ("flow", "messages", "responses", "response_mean_s", "response_max_s"),
    "shapers": (
        "connection",
        "kind",
        "direction",
        "at",
        "cells_offered",
        "cells_dropped",
        "queue_mean_cells",
        "queue_max_cells",
        "delay_mean_s",
    ),
    "admission": ("vc", "reason", "refused_by", "direction", "needed_bps", "left_bps"),
}
_TITLES = {
    "flows": "TCP connections and packet flows",
    "fairness": "Shares of the flows of each group",
    "links": "Links and their queues",
    "vcs": "Virtual connections",
    "link_vcs": "Cells of each connection at each link",
    "link_parts": "Queues in parts of the measured interval",
    "cell_delays": "Delays of single cells",
    "cell_errors": "Corrupted and misinserted cells",
    "frames": "Octets on links that carry frames",
    "responses": "Messages and their responses",
    "shapers": "Shapers within the network",
    "admission": "Connection admission",
}
_MOST_WARNINGS = 5
#: Tables are in this order; traces, which have no title, follow.
_ORDER = (
    "flows",
    "fairness",
    "links",
    "vcs",
    "link_vcs",
    "link_parts",
    "cell_delays",
    "cell_errors",
    "frames",
    "responses",
    "shapers",
    "admission",
)


def is_run(folder: Path) -> bool:
    """Return whether a folder has the provenance of a run."""
    return (folder / PROVENANCE).is_file()


def read(folder: Path) -> Chapter:
    """Read a run.

    Raises
    ------
    OSError
        A file cannot be read.
    ReportError
        A file is not what ``celltrain run`` writes.
    """
    path = folder / PROVENANCE
    provenance = read_object(path)
    units = member(path, provenance, "units", dict)
    scenario = member(path, provenance, "scenario", dict)
    tables = {
        name: _table(path, name, own, provenance.get("files"))
        for name, own in units.items()
        if _is_file_name(path, name)
    }
    recorded = {name: table for name, table in tables.items() if figures.TIME in table.columns and name not in _TITLES}
    traces = {name: limited(table) for name, table in recorded.items()}
    return Chapter(
        "Run",
        f"Run {folder.resolve().name}, seed {provenance.get('seed', 'not stated')}",
        [*_trace_sections(traces, scenario), *table_sections(tables)],
        facts(provenance, scenario),
        [Listing("Scenario, every default written out", json.dumps(scenario, indent=2, ensure_ascii=False))],
        summary=" ".join(filter(None, (simulated(scenario), in_part(provenance)))),
        drawing=drawing(scenario, folder.resolve().name),
    )


def _table(path: Path, name: str, units: object, sums: object) -> Table:
    """Read a table of a run, after its checksum."""
    file = path.with_name(f"{name}.csv")
    check_csv(file, path, sums)
    return read_table(file, units_of(path, units))


def simulated(scenario: dict[str, Any]) -> str:
    """Describe a run in one line."""
    measure = scenario.get("measure")
    interval = measure if isinstance(measure, dict) else {}
    duration, warm_up = readable_time(interval.get("duration")), readable_time(interval.get("warm_up"))
    if not duration:
        return ""
    return f"{duration} were simulated" + (f"; the first {warm_up} were not measured." if warm_up else ".")


def in_part(provenance: dict[str, Any]) -> str:
    """Say that a run was stopped before its end; empty if it was not."""
    where = stopped(provenance)
    return f"The run was stopped before its end, at {where}." if where else ""


def _is_file_name(path: Path, name: str) -> bool:
    """Check that a table's file is in the folder itself."""
    if not name or Path(name).name != name or "\0" in name:
        raise ReportError(f"{path}: units: {name!r} names no table")
    return True


def facts(provenance: dict[str, Any], scenario: dict[str, Any]) -> list[Fact]:
    """Return the facts about a run from its provenance."""
    measure = scenario.get("measure")
    interval = measure if isinstance(measure, dict) else {}
    found = [
        Fact("celltrain", str(provenance.get("build", provenance.get("celltrain", "not stated")))),
        Fact("Seed", str(provenance.get("seed", "not stated"))),
        Fact("Stopped at a limit", stopped(provenance)),
        Fact("Duration", readable_time(interval.get("duration"))),
        Fact("Warm-up, not measured", readable_time(interval.get("warm_up"))),
        Fact("Clock", str(provenance.get("clock", "not stated"))),
        Fact("Scenario, SHA-256", str(provenance.get("scenario_hash", "not stated")), code=True),
        Fact("Tables, SHA-256", str(provenance.get("result_digest", "not stated")), code=True),
        Fact("Cross-check of the engines", cross_check(provenance)),
        Fact("Warnings", warnings(provenance)),
        Fact("Form of the tables", f"version {provenance.get('schema_version', 'not stated')}"),
    ]
    return [fact for fact in found if fact.value]


def stopped(provenance: dict[str, Any]) -> str:
    """Say where the run was stopped that passed a limit; empty if it was not."""
    found = provenance.get("stopped")
    if not isinstance(found, dict):
        return ""
    what = f"limits.{found['limit']}" if found.get("limit") else "the memory of the system"
    at_s = found.get("at_s")
    until = f"{at_s:.6g} s" if isinstance(at_s, int | float) else "then"
    return f"{what}: these are the results of the run until {until}"


def cross_check(provenance: dict[str, Any]) -> str:
    """Describe the cross-check of both engines; empty if the provenance has none."""
    found = provenance.get("cross_checked")
    if not isinstance(found, dict):
        return ""
    if not isinstance(found.get("simulated_s"), int | float):
        return f"{found.get('state')}: {found.get('why')}"
    over = "all of it" if found.get("whole") is True else f"{found['simulated_s']:.3g} s"
    if found.get("members"):
        over += f", with {found['members']} members of each group"
    return f"{found.get('state')}: both engines agree over {over}"


def warnings(provenance: dict[str, Any]) -> str:
    """List what delivered nothing; empty if there is none."""
    found = provenance.get("warnings")
    told = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    shown = [f"{each.get('kind')} {each.get('name')}: {each.get('code')}" for each in told[:_MOST_WARNINGS]]
    rest = len(told) - len(shown)
    return ", ".join([*shown, f"and {rest} more"] if rest else shown)


def readable_time(value: object) -> str:
    """Format a time of a scenario, which is text with a unit or a number of seconds."""
    return "" if value is None else value if isinstance(value, str) else f"{value} s"


def _trace_sections(traces: dict[str, Table], scenario: dict[str, Any]) -> list[Section]:
    if not traces:
        return []
    figure = figures.of_traces("Everything that was recorded, over time", traces)
    own = grids.of_traces(traces)
    return [Section("traces", "Traces", figures=[figure], stage=stage.of_run(scenario, figure), grids=[own])]


def table_sections(tables: dict[str, Table], file: str = "") -> list[Section]:
    """Show the tables of a network, each in a section; ``file`` has all rows, by default a file for each table."""
    return [
        Section(name, _TITLES[name], grids=_grids(name, _worth_showing(name, tables[name]), file or f"{name}.csv"))
        for name in _ORDER
        if name in tables and len(tables[name])
    ]


def _grids(name: str, table: Table, file: str) -> list[Grid]:
    if name not in _MAIN:
        return [grids.grid(f"{len(table)} rows", table, file=file, unfolded=False)]
    every = f"All {len(table.columns)} columns"
    return [
        grids.grid("", table, columns={column: COLUMNS[name][column].heading for column in _MAIN[name]}, file=file),
        grids.grid(every, table, file=file, unfolded=False),
    ]


def _worth_showing(name: str, table: Table) -> Table:
    """Leave out links without a rate, which have no queue and never fill."""
    if name != "links" or "mean_rate_bps" not in table.columns:
        return table
    kept = np.flatnonzero(np.isfinite(table["mean_rate_bps"]))
    columns = {
        column: values[kept] if isinstance(values, np.ndarray) else [values[index] for index in kept]
        for column, values in table.columns.items()
    }
    return Table(columns, table.units)
