"""The folder of ``celltrain sweep --out``: means of its runs at every point, traces, and failures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from celltrain import readable
from celltrain.refused import Refused
from celltrain.report import grids, spread, sweep_traces
from celltrain.report.document import Chapter, Column, Fact, Grid, Listing, Section
from celltrain.report.figures import Figure, Panel, Series, XAxis
from celltrain.report.network import drawing
from celltrain.report.runs import readable_time, simulated
from celltrain.report.source import ReportError
from celltrain.sweeps import Metric, MetricError, SweepResults
from celltrain.sweeps.checks import in_words
from celltrain.sweeps.parameters import Parameter, parameter
from celltrain.sweeps.summary import summary
from celltrain.table import Table

#: Metrics to show, if the tables have them; the metric of the stopping rule comes first.
METRICS = {
    "flows.throughput_bps": "throughput of a connection",
    "flows.rtt_mean_s": "mean RTT",
    "max(links.utilization)": "utilization of the busiest link",
    "max(links.queue_mean_cells)": "longest mean queue",
    "max(links.queue_max_cells)": "longest queue",
    "sum(links.cells_lost)": "cells lost at queues",
}
#: More lines than this cannot be distinguished in one figure: the points are averaged instead.
_MOST_SERIES = 12
#: Maximum number of parameters with their own figure.
_MOST_FIGURES = 6


def is_sweep(folder: Path) -> bool:
    """Return whether a folder contains a sweep."""
    return (folder / "sweep.toml").is_file()


def read(folder: Path) -> Chapter:
    """Read a sweep, even if it is still running or was interrupted.

    Raises
    ------
    OSError
        A file cannot be read.
    ReportError
        A file is not what ``celltrain sweep`` writes.
    """
    try:
        results = SweepResults(folder)
        return _chapter(folder, results)
    except Refused:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"{folder}: not a sweep as celltrain writes it: {error}") from error


def _chapter(folder: Path, results: SweepResults) -> Chapter:
    parameters = [parameter(key, results.points[key].to_pylist()) for key in results.keys]
    metrics = _metrics(results)
    listings = [Listing("Base scenario", json.dumps(results.scenario, indent=2, ensure_ascii=False))]
    listings.append(Listing("What was asked", json.dumps(results.plan, indent=2, ensure_ascii=False, default=str)))
    sections = [
        *_figure_sections(results, metrics, parameters),
        _table(results, metrics),
        *sweep_traces.sections(results),
        *_failures(results),
    ]
    counts = results.counts()
    return Chapter(
        "Sweep",
        f"Sweep {folder.resolve().name}",
        sections,
        _facts(results),
        listings,
        summary=f"{len(results.points)} points, {counts['done']} runs. {simulated(results.scenario)}",
        drawing=drawing(results.scenario, folder.resolve().name),
        damaged=results.damaged,
    )


def _facts(results: SweepResults) -> list[Fact]:
    plan, counts, checks = results.plan, results.counts(), results.cross_checks
    measure = results.scenario.get("measure")
    interval = measure if isinstance(measure, dict) else {}
    first, count = plan["first_seed"], plan["replications"]
    until = plan.get("until")
    rule = f"{count} each" if until is None else f"{count} or more each, until ± {until['precision']:.3g} of the mean"
    found = [
        Fact("celltrain", str(plan.get("celltrain", "not stated"))),
        Fact("Points", str(len(results.points))),
        Fact("Runs done", str(counts["done"])),
        Fact("Runs failed", str(counts["failed"])),
        Fact("Runs missing", str(counts["missing"])),
        Fact("Records damaged, whose runs count as missing", ", ".join(path.name for path in results.damaged)),
        Fact("Cross-checks of the engines", in_words(checks) if checks else "not stated"),
        Fact("Replications", rule),
        Fact("Seeds", f"from {first}, alike for all points"),
        Fact("Duration of a run", readable_time(interval.get("duration"))),
        Fact("Warm-up, not measured", readable_time(interval.get("warm_up"))),
        Fact("Base scenario, SHA-256", str(plan.get("scenario_hash", "not stated")), code=True),
    ]
    return [fact for fact in found if fact.value]


def _metrics(results: SweepResults) -> dict[str, Metric]:
    """Choose the metrics that the tables have, each with its name."""
    until = results.plan.get("until")
    asked = {until["metric"]: until["metric"]} if until else {}
    found = {}
    for text, name in (asked | METRICS).items():
        try:
            metric = Metric.parse(text)
            values = list(results.values(metric).values())
        except MetricError:
            continue
        if np.isfinite(values).any():
            found[name] = metric
    return found


def _figure_sections(results: SweepResults, metrics: dict[str, Metric], parameters: list[Parameter]) -> list[Section]:
    if not metrics or not parameters:
        return []
    # Metrics that are zero in all runs are only in the table.
    metrics = {name: metric for name, metric in metrics.items() if any(results.values(metric).values())} or metrics
    numeric = [each for each in parameters if not isinstance(each.values, list)]
    shown = [each for each in (numeric or parameters) if len(set(each.values)) > 1][:_MOST_FIGURES]
    return [
        Section(f"fig {place + 1}", f"Against {each.key}", figures=[_figure(results, metrics, each, parameters)])
        for place, each in enumerate(shown)
    ]


def _figure(
    results: SweepResults, metrics: dict[str, Metric], across: Parameter, parameters: list[Parameter]
) -> Figure:
    """Draw all metrics against a parameter, with a series for each combination of the others, if there are few."""
    others = [each.key for each in parameters if each.key != across.key]
    combinations = len(set(zip(*(results.points[key].to_pylist() for key in others), strict=True))) if others else 1
    averaged = combinations > _MOST_SERIES
    by = [across.key] if averaged else [across.key, *others]
    rows = summary(results, list(metrics.values()), by)
    rows = [row for row in rows if row["runs"]]
    own = parameter(across.key, [row[across.key] for row in rows])
    caption = spread.caption(any(row["runs"] > 1 for row in rows))
    drawn = averaged and len(rows) == len(results.points)
    if drawn:
        caption += f"; each is one point, with its own {', '.join(others)}"
    elif averaged:
        caption += f"; each is over all values of {', '.join(others)}"
    figure = _empty(caption, own, joined=not drawn)
    places = _places(own)
    groups = _groups(rows, [] if averaged else others)
    groups = {name: chosen[np.argsort(places[chosen], kind="stable")] for name, chosen in groups.items()}
    x = {name: figure.add(places[own_rows], exact=True) for name, own_rows in groups.items()}
    for name, metric in metrics.items():
        figure.panels.append(_panel(figure, name, results.unit(metric), metric.text, rows, groups, x))
    return figure


def _empty(caption: str, across: Parameter, *, joined: bool) -> Figure:
    if isinstance(across.values, list):
        return Figure(caption, "bar", XAxis(across.key, names=list(dict.fromkeys(across.values))))
    return Figure(caption, "line" if joined else "dots", XAxis(across.label, unit=across.unit, scale=across.scale))


def _places(across: Parameter) -> Any:  # noqa: ANN401 - an array of numbers
    if isinstance(across.values, list):
        names = list(dict.fromkeys(across.values))
        return np.array([float(names.index(value)) for value in across.values])
    return across.values


def _groups(rows: Sequence[dict[str, Any]], others: Sequence[str]) -> dict[str, Any]:
    """Find the rows of each combination of the other parameters."""
    found: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        name = ", ".join(f"{key.rpartition('.')[2]} {row[key]}" for key in others)
        found.setdefault(name or "mean", []).append(place)
    return {name: np.array(places) for name, places in found.items()}


def _panel(
    figure: Figure,
    name: str,
    unit: str,
    column: str,
    rows: Sequence[dict[str, Any]],
    groups: dict[str, Any],
    x: dict[str, int],
) -> Panel:
    values, halves = (np.array([row[each] for row in rows]) for each in (column, f"{column}_ci95"))
    factor, shown = readable.unit_for(values, unit)
    series = [
        Series(group, x[group], figure.add(values[own]), figure.add(halves[own]), place)
        for place, (group, own) in enumerate(groups.items())
    ]
    return Panel(readable.label(name, shown), series, factor, "" if shown == "1" else shown)


def _table(results: SweepResults, metrics: dict[str, Metric]) -> Section:
    rows = summary(results, list(metrics.values()))
    columns: dict[str, Any] = {"point": np.arange(float(len(rows)))}
    units = {"point": "1"}
    for key in results.keys:
        columns[key] = ["" if row[key] is None else str(row[key]) for row in rows]
        units[key] = ""
    for name in ("runs", "failed"):
        if name == "runs" or any(row[name] for row in rows):
            columns[name], units[name] = np.array([float(row[name]) for row in rows]), "1"
    for name, metric in metrics.items():
        for column, source in ((name, metric.text), (f"{name}_ci95", f"{metric.text}_ci95")):
            columns[column] = np.array([row[source] for row in rows], dtype=np.float64)
            units[column] = results.unit(metric)
    title = f"{len(rows)} points" + (f"; {spread.IN_TABLES}" if any(row["runs"] > 1 for row in rows) else "")
    headings = {name: name for name in columns}
    return Section("points", "All points", grids=[grids.grid(title, Table(columns, units), columns=headings)])


def _failures(results: SweepResults) -> list[Section]:
    points = results.points.select(["point", "error"]).to_pylist()
    refused = [(str(row["point"]), "all", row["error"]) for row in points if row["error"] is not None]
    failed = [
        (str(row["point"]), str(row["seed"]), row["error"] or "")
        for row in results.index.select(["point", "seed", "status", "error"]).to_pylist()
        if row["status"] == "failed" and str(row["point"]) not in {point for point, _, _ in refused}
    ]
    rows = [*refused, *failed]
    if not rows:
        return []
    columns = [
        Column("point", "", numeric=False),
        Column("seed", "", numeric=False),
        Column("error", "", numeric=False),
    ]
    shown = rows[: grids.MOST_ROWS]
    return [Section("failed", "Runs that failed", grids=[Grid("", columns, shown, len(rows) - len(shown))])]
