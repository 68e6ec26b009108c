"""The folder of ``celltrain dbs run --out``: the traffic of real hosts, over time and in total."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from celltrain import readable
from celltrain.dbs import describe, rates, result
from celltrain.dbs.columns import heading
from celltrain.dbs.series import Quantity, quantities, unit_for
from celltrain.refused import Refused
from celltrain.report import grids, intervals
from celltrain.report.document import Chapter, Column, Fact, Grid, Listing, Section
from celltrain.report.figures import COLOURS, FIRST_BRIGHT, Figure, Panel, Series, XAxis
from celltrain.report.source import ReportError
from celltrain.table import Table

#: Maximum number of repetitions with a figure: nobody would read a page with a hundred.
_MOST_REPETITIONS = 10
#: More lines than this cannot be distinguished in one panel.
_MOST_LINES = 32

#: The columns that are shown.
_SUMMARY = ("flow", "from", "to", "connections", "n_runs", "throughput_bps", "rtt_mean_s", "loss_ratio")
_CONNECTIONS = (
    "repetition",
    "flow",
    "from",
    "to",
    "connection",
    "state",
    "throughput_bps",
    "retransmits",
    "rtt_mean_s",
    "loss_ratio",
    "delay_mean_s",
    "jitter_s",
)


_ROUND_TRIPS = ("probe", "from", "to", "asked", "lost", "median", "95 %", "longest")


def _in_words(row: describe.RoundTrips) -> list[str]:
    times = ["-" if time != time else f"{1e3 * time:.4g} ms" for time in (row.median_s, row.p95_s, row.longest_s)]
    return [row.probe, row.start, row.end, str(row.asked), str(row.lost), *times]


def is_measurement(folder: Path) -> bool:
    """Return whether a folder has the tables of a measurement."""
    return all((folder / f"{name}.parquet").is_file() for name in ("hosts", "intervals", "missing"))


def read(folder: Path, every: str | None = None) -> Chapter:
    """Read a measurement; throughput is that of intervals of this length, by default of those recorded.

    Raises
    ------
    OSError
        A file cannot be read.
    ReportError
        A file is not what ``celltrain dbs run`` writes.
    """
    try:
        measured = result.read(folder)
        return _chapter(folder, measured, every)
    except Refused:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"{folder}: not a measurement as `celltrain dbs run` writes it: {error}") from error


def _chapter(folder: Path, measured: result.Measurement, every: str | None) -> Chapter:
    tables, provenance = measured.tables, measured.provenance
    plan = Listing("Plan, every default written out", json.dumps(provenance["plan"], indent=2, ensure_ascii=False))
    sections = [_summary(measured), *_over_time(measured, every), *_tables(tables)]
    return Chapter("Measurement", f"Measurement {folder.resolve().name}", sections, _facts(measured), [plan])


def _facts(measured: result.Measurement) -> list[Fact]:
    provenance = measured.provenance
    state = "interrupted" if provenance["interrupted"] else "complete" if measured.is_complete else "parts are missing"
    return [
        Fact("celltrain", str(provenance["celltrain"])),
        Fact("State", state),
        Fact("Repetitions", str(provenance["repetitions"])),
        Fact("Hosts", ", ".join(provenance["plan"]["hosts"])),
        Fact("Plan, SHA-256", str(provenance["plan_hash"]), code=True),
        Fact("Form of the tables", f"version {provenance['schema_version']}"),
    ]


def _summary(measured: result.Measurement) -> Section:
    tables = measured.tables
    shown = []
    if len(tables["summary"]):
        title = "Means over repetitions, with 95 % confidence intervals from two on"
        headings = {name: heading("summary", name) for name in _SUMMARY}
        shown.append(grids.grid(title, tables["summary"], columns=headings, file="summary.csv"))
    if probes := describe.round_trips(tables["latency"]):
        heads = [Column(name, "", numeric=place > 2) for place, name in enumerate(_ROUND_TRIPS)]
        shown.append(Grid("Round trips of probes", heads, [_in_words(probe) for probe in probes]))
    if rows := [[str(row["host"]), str(row["flow"]), str(row["why"])] for row in tables["missing"].rows()]:
        heads = [Column(name, "", numeric=False) for name in ("host", "flow", "why")]
        left_out = max(0, len(rows) - grids.MOST_ROWS)
        shown.append(Grid("Missing", heads, rows[: grids.MOST_ROWS], left_out, "missing.csv"))
    notes = [*describe.clocks(tables["hosts"]), *rates.notes(measured)]
    return Section("summary", "What was measured", grids=shown, notes=notes)


def _over_time(measured: result.Measurement, every: str | None) -> list[Section]:
    tables = measured.tables
    every_ns = rates.nanoseconds(every or measured.provenance["plan"]["measure"]["interval"])
    chosen = rates.chosen(measured, every)
    left = intervals.MOST_ENTRIES
    found = np.unique(np.concatenate([tables[name]["repetition"] for name in ("intervals", "tcp_info", "latency")]))
    sections = []
    for number in found[:_MOST_REPETITIONS].astype(int):
        drawn = quantities(tables, int(number), chosen)
        if not drawn:
            continue
        notes = [
            f"{quantity.title}: {len(quantity.lines) - _MOST_LINES} more lines than are drawn"
            for quantity in drawn
            if len(quantity.lines) > _MOST_LINES
        ]
        if len(found) > _MOST_REPETITIONS and number == found[_MOST_REPETITIONS - 1]:
            notes.append(f"{len(found) - _MOST_REPETITIONS} more repetitions are in the tables of the folder.")
        figure = _figure(drawn)
        logs = intervals.logs_of(measured, int(number), drawn)
        if intervals.count(logs) <= left:
            left -= intervals.count(logs)
            lines = {place: drawn[place].lines[:_MOST_LINES] for place in logs}
            intervals.offer(figure, logs, lines, every_ns)
        else:
            notes.append(
                "The log of writes and reads is too long for a page: choose other intervals with "
                "`celltrain dbs view --every`."
            )
        title = f"Repetition {number} over time" if len(found) > 1 else "Over time"
        sections.append(Section(f"run {number}", title, figures=[figure], notes=notes))
    return sections


def _figure(drawn: Sequence[Quantity]) -> Figure:
    """Draw all quantities in stacked panels: one colour for each connection, dashes for its lines."""
    figure = Figure("All connections", "trace", XAxis("time from the common start [s]", unit="s"))
    colours: dict[str, int] = {}
    for quantity in drawn:
        # Lines without a name come first, and are drawn without dashes.
        whats = sorted(dict.fromkeys(line.what for line in quantity.lines), key=bool)
        lines = quantity.lines[:_MOST_LINES]
        series = [
            Series(
                line.name,
                figure.add(line.times, exact=True),
                figure.add(line.values),
                None,
                colours.setdefault(line.of, (FIRST_BRIGHT + len(colours)) % COLOURS) + COLOURS * whats.index(line.what),
            )
            for line in lines
        ]
        factor, unit = unit_for(np.concatenate([line.values for line in lines]), quantity.unit)
        label = readable.label(quantity.title, unit)
        figure.panels.append(Panel(label, series, factor, unit, steps=quantity.holds))
    return figure


def _tables(tables: Mapping[str, Table]) -> list[Section]:
    flows, hosts = tables["flows"], tables["hosts"]
    every = f"All {len(flows.columns)} columns"
    chosen = {name: heading("flows", name) for name in _CONNECTIONS if _says_something(flows, name)}
    connections = [
        grids.grid("", flows, columns=chosen, file="flows.csv"),
        grids.grid(every, flows, file="flows.csv", unfolded=False),
    ]
    return [
        *([Section("flows", "Connections", grids=connections)] if len(flows) else []),
        Section("hosts", "Hosts and their clocks", grids=[grids.grid("", hosts, file="hosts.csv")]),
    ]


def _says_something(table: Table, name: str) -> bool:
    values = table[name]
    return not isinstance(values, np.ndarray) or bool(np.isfinite(values).any())
