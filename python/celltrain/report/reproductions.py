"""The folder of ``celltrain reproduce --out``: experiments of one study or more, with verdicts on their claims."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from celltrain.papers.plot import Plot
from celltrain.papers.reading import Mistake
from celltrain.report import figures, grids
from celltrain.report.document import Chapter, Claim, Fact, Grid, Listing, Section
from celltrain.report.runs import readable_time
from celltrain.report.source import ReportError, member, natural, read_object, read_objects, read_table, units_of
from celltrain.table import Table

_SUFFIX = ".provenance.json"
#: Tables with at most this many rows are shown at once: they correspond to printed tables of a study.
_SHORT = 12


def read(folder: Path) -> list[Chapter]:
    """Read all studies in a folder, or the one whose folder it is; an empty list if there are none.

    Raises
    ------
    OSError
        A file cannot be read.
    ReportError
        A file is not what ``celltrain reproduce`` writes.
    """
    found: dict[Path, list[Path]] = {}
    for path in sorted({*folder.glob(f"*{_SUFFIX}"), *folder.glob(f"*/*{_SUFFIX}")}):
        found.setdefault(path.parent, []).append(path)
    return [_chapter(paths) for _, paths in sorted(found.items())]


def _chapter(paths: list[Path]) -> Chapter:
    paths.sort(key=lambda path: natural(path.name))
    provenances = [read_object(path) for path in paths]
    first = provenances[0]
    name = str(first.get("paper", paths[0].parent.name))
    title = str(first.get("title", ""))
    sections = [_section(path, provenance) for path, provenance in zip(paths, provenances, strict=True)]
    return Chapter(f"Study {name}", title or name, sections, _facts(paths[0], provenances), _listings(paths[0], first))


def _facts(path: Path, provenances: list[dict[str, Any]]) -> list[Fact]:
    first = provenances[0]
    base = member(path, first, "base_scenario", dict)
    measure = base.get("measure")
    interval = measure if isinstance(measure, dict) else {}
    points = [point for provenance in provenances for point in _points(path, provenance)]
    runs = {point.get("scenario_hash"): point.get("runs") for point in points}
    total = sum(count for count in runs.values() if isinstance(count, int))
    found = [
        Fact("celltrain", ", ".join(dict.fromkeys(str(each.get("celltrain", "?")) for each in provenances))),
        Fact("Experiments", str(len(provenances))),
        Fact("Different scenarios", str(len(runs.keys() - {""}))),
        Fact("Runs", str(total)),
        Fact("Cross-checks of the engines", _checked(provenances)),
        Fact("Duration of a run", readable_time(interval.get("duration"))),
        Fact("Warm-up, not measured", readable_time(interval.get("warm_up"))),
        Fact("Seeds", str(first.get("seeds", "not stated"))),
        Fact("Clock", str(first.get("clock", "not stated"))),
    ]
    return [fact for fact in found if fact.value]


def _checked(provenances: list[dict[str, Any]]) -> str:
    """Describe which structures were cross-checked; empty if no provenance says so."""
    told = [each["cross_checks"] for each in provenances if isinstance(each.get("cross_checks"), dict)]
    lists = [each["checks"] for each in told if isinstance(each.get("checks"), list)]
    done = {check.get("structure") for checks in lists for check in checks if isinstance(check, dict)}
    if not told:
        return ""
    complete = all(each.get("structures") == each.get("structures_cross_checked") for each in told)
    return f"{len(done)} structures, {'all' if complete else 'not all'} of them"


def _points(path: Path, provenance: dict[str, Any]) -> list[dict[str, Any]]:
    points = member(path, provenance, "points", list)
    if not all(isinstance(point, dict) and isinstance(point.get("axes"), dict) for point in points):
        raise ReportError(f"{path}: points: expected a list of objects with axes")
    return list(points)


def _listings(path: Path, provenance: dict[str, Any]) -> list[Listing]:
    base = member(path, provenance, "base_scenario", dict)
    overlays = member(path, provenance, "overlays", dict)
    return [
        Listing("Base scenario", json.dumps(base, indent=2, ensure_ascii=False)),
        Listing(f"{len(overlays)} overlays", json.dumps(overlays, indent=2, ensure_ascii=False)),
    ]


def _section(path: Path, provenance: dict[str, Any]) -> Section:
    stem = path.name.removesuffix(_SUFFIX)
    csv = path.with_name(f"{stem}.csv")
    table = read_table(csv, units_of(path, provenance.get("units")))
    says = str(provenance.get("says", stem))
    plot = _plot(path, provenance)
    claims = path.with_name(f"{stem}.claims.json")
    points = _points(path, provenance)
    return Section(
        stem,
        says,
        figures=[] if plot is None else [_figure(path, plot, table)],
        claims=[_claim(claims, entry) for entry in read_objects(claims)] if claims.is_file() else [],
        grids=[*_comparison(path, stem, provenance), *_grids(plot, table, csv.name, points)],
        notes=_notes(plot, points, checked=claims.is_file()),
    )


def _plot(path: Path, provenance: dict[str, Any]) -> Plot | None:
    """Read the plot of the experiment; versions before 0.1 did not write it."""
    if "plot" not in provenance:
        return None
    entry = dict(member(path, provenance, "plot", dict))
    try:
        return Plot.read(entry | {"panel": entry.pop("panels")})
    except (KeyError, Mistake) as error:
        raise ReportError(f"{path}: plot: not as celltrain writes it: {error}") from error


def _figure(path: Path, plot: Plot, table: Table) -> figures.Figure:
    has_intervals = any(f"{panel.y}_ci95" in table.columns for panel in plot.panels)
    title = "Means with 95 % confidence intervals" if has_intervals else ""
    if plot.kind == "trace":
        title = "The run with seed 1"
    try:
        return figures.of_experiment(title, plot, table)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReportError(f"{path}: plot: does not fit the table: {error}") from error


def _grids(plot: Plot | None, table: Table, file: str, points: list[dict[str, Any]]) -> list[Grid]:
    provenance = grids.grid("Scenario and runs of each point", _point_table(points), unfolded=False)
    if plot is not None and plot.kind == "trace":
        return [provenance]
    title = f"Table, {len(table)} rows; mean ± half-width of the 95 % confidence interval"
    return [grids.grid(title, table, file=file, unfolded=len(table) <= _SHORT), provenance]


def _comparison(path: Path, stem: str, provenance: dict[str, Any]) -> list[Grid]:
    """Show published and simulated values beside those of a live experiment."""
    csv = path.with_name(f"{stem}.comparison.csv")
    if not csv.is_file():
        return []
    table = read_table(csv, units_of(path, provenance.get("comparison_units")))
    return [grids.grid("Published, simulated and live", table, file=csv.name)]


def _point_table(points: list[dict[str, Any]]) -> Table:
    axes = dict.fromkeys(name for point in points for name in point["axes"])
    columns: dict[str, Any] = {name: [_plain(point["axes"].get(name, "")) for point in points] for name in axes}
    columns["runs"] = [_plain(point.get("runs", "")) for point in points]
    columns["precise enough"] = ["yes" if point.get("precise_enough") else "no" for point in points]
    columns["scenario, SHA-256"] = [str(point.get("scenario_hash", "")) for point in points]
    return Table(columns, dict.fromkeys(columns, ""))


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _notes(plot: Plot | None, points: list[dict[str, Any]], *, checked: bool) -> list[str]:
    wide = sum(not point.get("precise_enough", True) for point in points)
    notes = []
    if wide:
        notes.append(
            f"{wide} of {len(points)} points have a wider interval than the study's rule allows, after all runs."
        )
    if not checked:
        notes.append("No claims were checked: this was a quick run, or there are none.")
    if plot is None:
        notes.append("The folder does not contain the plot: reproduce it again for a figure.")
    return notes


def _claim(path: Path, entry: Mapping[str, Any]) -> Claim:
    for key in ("id", "says", "source", "check"):
        member(path, entry, key, str)
    holds = entry.get("holds")
    if holds not in (True, False, None):
        raise ReportError(f"{path}: holds: expected true, false or null, found {holds!r}")
    problem = str(entry.get("problem") or "")
    measured = str(entry.get("measured") or "")
    return Claim(
        id=entry["id"].split(".", 2)[-1],
        says=entry["says"],
        source=entry["source"],
        holds=holds,
        published=_number(entry.get("published")),
        measured=_number(entry.get("value")),
        detail=problem or (f"{entry['check'].strip()}\n{measured}" if measured else entry["check"].strip()),
    )


def _number(value: object) -> str:
    """Format a number of a claim."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
        return ""
    return f"{value:.5g}"
