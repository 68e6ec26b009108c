"""The folder of ``celltrain reproduce --out``: experiments of one study or more, with verdicts on their claims."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from celltrain import readable
from celltrain.files import sha256
from celltrain.papers.extent import COLUMN as EXTENT
from celltrain.papers.live.sources import COLUMN, SOURCES, side_by_side
from celltrain.papers.plot import Plot
from celltrain.papers.reading import Mistake
from celltrain.report import figures, grids, spread
from celltrain.report.document import Chapter, Claim, Fact, Grid, Listing, Section
from celltrain.report.network import drawing
from celltrain.report.runs import readable_time
from celltrain.report.source import ReportError, natural, read_table, units_of
from celltrain.stored.objects import member, read_object, read_objects
from celltrain.table import Table

_SUFFIX = ".provenance.json"
_MEASURED = "measured_"
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
    drawn: dict[str, Any] = next(
        (each["scenario"] for each in provenances if isinstance(each.get("scenario"), dict)), {}
    )
    return Chapter(
        f"Study {name}",
        title or name,
        sections,
        _facts(paths[0], provenances),
        _listings(paths[0], first),
        summary=_summary(paths[0], provenances),
        drawing=drawing(drawn, name) if drawn else "",
    )


def _summary(path: Path, provenances: list[dict[str, Any]]) -> str:
    runs = _runs(path, provenances)
    experiments = "1 experiment" if len(provenances) == 1 else f"{len(provenances)} experiments"
    return f"{experiments}, {len(runs)} scenarios, {sum(runs.values())} runs. The network is that of the first."


def _runs(path: Path, provenances: list[dict[str, Any]]) -> dict[str, int]:
    """Return the number of runs of each scenario."""
    points = [point for provenance in provenances for point in _points(path, provenance)]
    found = {str(point.get("scenario_hash")): point.get("runs") for point in points if point.get("scenario_hash")}
    return {scenario: runs for scenario, runs in found.items() if isinstance(runs, int)}


def _facts(path: Path, provenances: list[dict[str, Any]]) -> list[Fact]:
    first = provenances[0]
    base = member(path, first, "base_scenario", dict)
    points = [point for provenance in provenances for point in _points(path, provenance)]
    runs = _runs(path, provenances)
    found = [
        Fact("celltrain", ", ".join(dict.fromkeys(str(each.get("celltrain", "?")) for each in provenances))),
        Fact("Experiments", str(len(provenances))),
        Fact("Different scenarios", str(len(runs))),
        Fact("Runs", str(sum(runs.values()))),
        Fact("Cross-checks of the engines", _checked(provenances)),
        Fact("Extent", "; ".join(dict.fromkeys(filter(None, map(_extent, provenances))))),
        Fact("Duration of a run", _times(points, base, "duration")),
        Fact("Warm-up, not measured", _times(points, base, "warm_up")),
        Fact("Seeds", str(first.get("seeds", "not stated"))),
        Fact("Clock", str(first.get("clock", "not stated"))),
    ]
    return [fact for fact in found if fact.value]


def _times(points: list[dict[str, Any]], base: dict[str, Any], key: str) -> str:
    """List the different values of a time of the runs; versions that did not record it have that of the base."""
    measures = [point.get("measure") or base.get("measure") for point in points if point.get("runs")]
    times = [readable_time(measure.get(key)) for measure in measures if isinstance(measure, dict)]
    return ", ".join(dict.fromkeys(filter(None, times)))


def _checked(provenances: list[dict[str, Any]]) -> str:
    """Describe which structures were cross-checked; empty if no provenance says so."""
    told = [each["cross_checks"] for each in provenances if isinstance(each.get("cross_checks"), dict)]
    lists = [each["checks"] for each in told if isinstance(each.get("checks"), list)]
    done = {check.get("structure") for checks in lists for check in checks if isinstance(check, dict)}
    if not told:
        return ""
    complete = all(each.get("structures") == each.get("structures_cross_checked") for each in told)
    if complete:
        return "its only structure" if len(done) == 1 else f"all {len(done)} structures"
    return f"{len(done)} structures, not all of them"


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
    table = _without_extent(read_table(csv, units_of(path, provenance.get("units"))))
    says = str(provenance.get("says", stem))
    plot = _plot(path, provenance)
    claims = path.with_name(f"{stem}.claims.json")
    points = _points(path, provenance)
    entries = _of_table(claims, csv)
    return Section(
        stem,
        says,
        figures=[] if plot is None else [_figure(path, plot, table, provenance)],
        claims=[_claim(claims, entry) for entry in entries],
        grids=[*_comparison(path, stem, provenance), *_grids(plot, table, csv.name, points)],
        notes=[*_changed_since(path, provenance, stale=claims.is_file() and not entries), *_notes(plot, points)],
        warning=_extent(provenance),
    )


def _without_extent(table: Table) -> Table:
    """Leave out the column that says of each row what the section's warning says of all."""
    return Table({name: values for name, values in table.columns.items() if name != EXTENT}, table.units)


def _extent(provenance: dict[str, Any]) -> str:
    """Return what distinguishes results from the study's; empty for the study, and for versions that did not say."""
    extent = provenance.get("extent")
    return str(extent.get("says", "")) if isinstance(extent, dict) else ""


def _of_table(claims: Path, csv: Path) -> list[dict[str, Any]]:
    """Read the verdicts on a table; none if they belong to another table than the present one."""
    if not claims.is_file():
        return []
    entries, present = read_objects(claims), sha256(csv.read_bytes())
    return [entry for entry in entries if entry.get("table_sha256", present) == present]


def _changed_since(path: Path, provenance: dict[str, Any], *, stale: bool) -> list[str]:
    """Say which files are not those that the provenance belongs to."""
    notes = []
    if stale:
        notes.append("The claims in the folder were checked against another table; they are not shown.")
    digests = provenance.get("files")
    for name, digest in digests.items() if isinstance(digests, dict) else ():
        file = path.with_name(str(name))
        if not file.is_file():
            notes.append(f"{file.name} is missing.")
        elif sha256(file.read_bytes()) != digest:
            notes.append(f"{file.name} was changed after the run.")
    return notes


def _plot(path: Path, provenance: dict[str, Any]) -> Plot | None:
    """Read the plot of the experiment; versions before 0.1 did not write it."""
    if "plot" not in provenance:
        return None
    entry = dict(member(path, provenance, "plot", dict))
    try:
        return Plot.read(entry | {"panel": entry.pop("panels")})
    except (KeyError, Mistake) as error:
        raise ReportError(f"{path}: plot: not as celltrain writes it: {error}") from error


def _figure(path: Path, plot: Plot, table: Table, provenance: dict[str, Any]) -> figures.Figure:
    drawn = {f"{panel.y}_ci95" for panel in plot.panels} & set(table.columns)
    title = spread.caption(_has_intervals(table, drawn)) if drawn else ""
    if plot.kind == "trace":
        title = "The run with seed 1"
    published = None
    compared = _beside(path, provenance)
    if compared is not None:
        plot, table, title = side_by_side(plot), _by_source(compared), "Published, simulated and live"
    else:
        published = _published(path, table)
    try:
        return figures.of_experiment(title, plot, table, published)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ReportError(f"{path}: plot: does not fit the table: {error}") from error


def _has_intervals(table: Table, names: Iterable[str]) -> bool:
    """Return whether a point has an interval: that of a single run is not known."""
    return any(bool(np.isfinite(table[name]).any()) for name in names)


def _published(path: Path, table: Table) -> Table | None:
    """Read the published values beside a table, each in the column of the simulated one; None if there are none."""
    csv = path.with_name(f"{path.name.removesuffix(_SUFFIX)}.measured.csv")
    if not csv.is_file():
        return None
    found = read_table(csv, table.units)
    columns = dict(found.columns)
    for name in [name for name in columns if name.startswith(_MEASURED)]:
        columns[name.removeprefix(_MEASURED)] = columns.pop(name)
    return Table(columns, {name: table.units.get(name, "1") for name in columns})


def _by_source(compared: Table) -> Table:
    """Make a row of each value of a comparison: published, simulated, live."""
    count = len(compared)
    columns: dict[str, Any] = {
        name: np.tile(values, len(SOURCES)) if isinstance(values, np.ndarray) else list(values) * len(SOURCES)
        for name, values in compared.columns.items()
        if name not in SOURCES.values()
    }
    columns["source"] = [source for source in SOURCES for _ in range(count)]
    columns[COLUMN] = np.concatenate([compared[column] for column in SOURCES.values()])
    none = np.full(count, np.nan)
    halves = [compared["simulated_bps_ci95"] if source == "simulated" else none for source in SOURCES]
    columns[f"{COLUMN}_ci95"] = np.concatenate(halves)
    return Table(columns, {**compared.units, "source": "", COLUMN: "bit/s", f"{COLUMN}_ci95": "bit/s"})


def _grids(plot: Plot | None, table: Table, file: str, points: list[dict[str, Any]]) -> list[Grid]:
    provenance = grids.grid("Scenario and runs of each point", _point_table(points), unfolded=False)
    if plot is not None and plot.kind == "trace":
        return [provenance]
    title = f"Table, {len(table)} rows"
    if _has_intervals(table, (name for name in table.columns if name.endswith("_ci95"))):
        title += f"; {spread.IN_TABLES}"
    return [grids.grid(title, table, file=file, unfolded=len(table) <= _SHORT), provenance]


def _comparison(path: Path, stem: str, provenance: dict[str, Any]) -> list[Grid]:
    """Show published and simulated values beside those of a live experiment."""
    table = _beside(path, provenance)
    return [] if table is None else [grids.grid("Published, simulated and live", table, file=f"{stem}.comparison.csv")]


def _beside(path: Path, provenance: dict[str, Any]) -> Table | None:
    """Read the comparison of a live experiment; None for other experiments."""
    csv = path.with_name(f"{path.name.removesuffix(_SUFFIX)}.comparison.csv")
    return read_table(csv, units_of(path, provenance.get("comparison_units"))) if csv.is_file() else None


def _point_table(points: list[dict[str, Any]]) -> Table:
    axes = dict.fromkeys(name for point in points for name in point["axes"])
    columns: dict[str, Any] = {name: [_plain(point["axes"].get(name, "")) for point in points] for name in axes}
    columns["runs"] = [_plain(point.get("runs", "")) for point in points]
    columns["precise enough"] = ["yes" if point.get("precise_enough") else "no" for point in points]
    columns["scenario, SHA-256"] = [str(point.get("scenario_hash", "")) for point in points]
    return Table(columns, dict.fromkeys(columns, ""))


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _notes(plot: Plot | None, points: list[dict[str, Any]]) -> list[str]:
    wide = sum(not point.get("precise_enough", True) for point in points)
    notes = []
    if wide:
        notes.append(
            f"{wide} of {len(points)} points have a wider interval than the study's rule allows, after all runs."
        )
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
    sides = str(entry.get("measured") or "")
    published, ours = _compared(entry)
    return Claim(
        id=entry["id"].split(".", 2)[-1],
        says=entry["says"],
        source=entry["source"],
        holds=holds,
        published=published,
        ours=ours,
        # Earlier files do not say so.
        origin="live" if entry.get("origin") == "live" else "simulated",
        detail=problem or (f"{entry['check'].strip()}\n{sides}" if sides else entry["check"].strip()),
    )


def _compared(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Format the published number of a claim and ours, or the range of several, with their unit."""
    published, numbers = entry.get("published"), entry.get("values")
    if not isinstance(published, int | float) or not isinstance(numbers, list) or not numbers:
        return "", ""
    if not all(map(_is_number, [published, *numbers])):
        return "", ""
    factor, unit = readable.unit_for(np.array([published, *numbers]), str(entry.get("unit", "1")))
    ends = list(dict.fromkeys(f"{factor * end:.4g}" for end in (min(numbers), max(numbers))))
    name = "" if unit == "1" else f" {unit}"
    return f"{factor * published:.4g}{name}", " to ".join(ends) + name


def _is_number(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    return isinstance(value, int | float) and not isinstance(value, bool) and bool(np.isfinite(value))
