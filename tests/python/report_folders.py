"""Folders of results for reports: a run, a study with claims, hostile names, a million points."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from celltrain import Scenario
from celltrain.papers import catalog
from celltrain.papers.claims import Verdict
from celltrain.papers.reproduce import Options, run
from celltrain.progress import Progress
from celltrain.sweeps import Design, Replications, Sweep
from conftest import LINE
from pyarrow import csv

HOSTILE = "</script><script>window.pwned = 1</script><img src=x onerror='window.pwned = 1'>"

#: A few experiments with every kind of plot, as the tests must be quick.
STUDY = "adsl-abr"
EXPERIMENTS = ("fig04", "fig05", "fig08", "fig12", "fig16", "fig20", "tab01", "tab04")

#: Points of the long trace, its step, and the position of its single peak.
POINTS, STEP, PEAK_AT, PEAK = 1_000_000, 1e-3, 654_321, 5000.0


def a_run(folder: Path) -> Path:
    """Write the output of `celltrain run --out`."""
    Scenario.from_toml(LINE, "line.toml").run(seed=1).save(folder)
    return folder


def a_study(folder: Path) -> Path:
    """Write the output of `celltrain reproduce --out` from quick runs, with made-up verdicts of each kind."""
    study = catalog.paper(STUDY)
    outcomes = list(run(study, [study.experiments[each] for each in EXPERIMENTS], Options(quick=True), Progress()))
    for outcome in outcomes:
        outcome.write(folder)
    verdicts = [
        Verdict(f"{STUDY}.fig04.{word}", "fig04", f"It {word}.", "Sect. 1", "v('x') > 1", holds, "", 2.0, 2.5, (2.5,))
        for word, holds in (("holds", True), ("fails", False), ("is open", None))
    ]
    next(outcome for outcome in outcomes if outcome.experiment.id == "fig04").write_verdicts(folder, verdicts)
    return folder


def a_sweep(folder: Path) -> Path:
    """Write the output of `celltrain sweep --out`; three of its six points cannot be run."""
    design = Design(
        grid={"links.line.rate.every": ["10 ms", "1 s"], "links.line.buffer": ["500 cells", "9 cells", "x"]}
    )
    base = Scenario.from_toml(LINE, "line.toml")
    Sweep(base, design, Replications(2)).run(folder)
    return folder


def a_long_sweep(folder: Path) -> Path:
    """Write a sweep of two points, whose traces together have a million instants of five quantities."""
    text = LINE.replace('duration = "3 s"', 'duration = "501 s"').replace('every = "100 ms"', 'every = "1 ms"')
    others = '"links.line2.queue_cells", "links.line1.rate_bps", "flows.upload2.cwnd_bytes"'
    text = text.replace('"flows.upload1.cwnd_bytes"', f'"flows.upload1.cwnd_bytes", {others}')
    design = Design(grid={"links.line.buffer": ["100 cells", "500 cells"]})
    Sweep(Scenario.from_toml(text, "line.toml"), design, Replications(1)).run(folder)
    return folder


def tables(folder: Path, columns: dict[str, dict[str, Any]], units: dict[str, dict[str, str]]) -> Path:
    """Write the folder of a run by hand."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, own in columns.items():
        csv.write_csv(pa.table(own), folder / f"{name}.csv")
    provenance = {
        "celltrain": "0.1.0",
        "seed": 1,
        "scenario_hash": "0" * 64,
        "scenario": {"measure": {"duration": "1 s", "warm_up": "0 s"}},
        "units": units,
    }
    (folder / "provenance.json").write_text(json.dumps(provenance))
    return folder


def hostile_run(folder: Path) -> Path:
    """Write a run whose names try to be HTML and scripts."""
    tables(
        folder,
        {
            "flows": {"flow": [HOSTILE, "b"], "throughput_bps": [1e6, 2e6]},
            "probe": {"time_s": [0.0, 1.0], f"{HOSTILE}.queue_cells": [1.0, 2.0]},
        },
        {
            "flows": {"flow": "", "throughput_bps": "bit/s"},
            "probe": {"time_s": "s", f"{HOSTILE}.queue_cells": HOSTILE},
        },
    )
    path = folder / "provenance.json"
    provenance = json.loads(path.read_text())
    path.write_text(json.dumps(provenance | {"celltrain": HOSTILE, "scenario": {HOSTILE: HOSTILE}}))
    return folder


def a_long_run(folder: Path) -> Path:
    """Write traces of a million instants of five quantities, one of them flat except for one peak."""
    steps = np.arange(POINTS)
    queue = np.full(POINTS, 100.0)
    queue[PEAK_AT] = PEAK
    columns = {
        "time_s": steps * STEP,
        "links.up.queue_cells": queue,
        "vcs.a.forward.acr_bps": 5e5 + 4e5 * np.sin(steps * 1e-4) + steps % 977,
        "flows.a.cwnd_bytes": 536.0 * (steps // 500 % 60),
        "flows.a.rtt_s": 0.05 + 0.01 * np.sin(steps * 1e-3) + steps % 31 * 1e-5,
        "links.up.rate_bps": 1e5 * (1 + steps // 3000 % 10),
    }
    units = dict(zip(columns, ("s", "cells", "bit/s", "bytes", "s", "bit/s"), strict=True))
    return tables(folder, {"line": columns}, {"line": units})
