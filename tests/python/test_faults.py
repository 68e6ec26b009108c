"""Disks that fill, break, interrupt or cut writes, and processes killed between any two system calls.

A small C library is preloaded (`faults/faults.c`) that lets one system call on the folder of results fail. Afterwards
each file is whole or absent, the same command completes the work, and what had finished is not done again.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from celltrain.stored.objects import read_object, read_toml
from celltrain.stored.tables import check, check_csv
from conftest import LINE, tables_of

#: How many faults each command meets; `make test-all` tries a hundred.
FAULTS = int(os.environ.get("CELLTRAIN_FAULTS", "4"))
KINDS = ("enospc", "eio", "eintr", "short", "kill")
SOURCE = Path(__file__).parent / "faults" / "faults.c"
COMMANDS = {
    "run": ("run", "line.toml", "--out", "out"),
    "sweep": ("sweep", "line.toml", "--set", "links.line.delay=5 ms,9 ms", "--replications", "2", "--jobs", "1"),
    "reproduce": ("reproduce", "adsl-abr/fig04", "--quick", "--jobs", "1", "--out", "out"),
    "report": ("report", "out"),
    "dbs": ("dbs", "run", "plan.toml", "--out", "out"),
    "ci": ("ci", "suite.toml", "--out", "out"),
    "export": ("results", "sweep", "--table", "flows", "--export", "out/flows.csv"),
}
#: What is written in real time: the files are the same, what they say is not.
MEASURED = frozenset({"dbs", "ci"})
PLAN = """
[hosts]
a = {}
b = {}
[flows.up]
from = "a"
to = "b"
duration = "50 ms"
"""
SUITE = """
[lines.line]
scenario = "line.toml"
[tests.model]
simulate = true
expect = ["flows.throughput_bps > 1 bit/s"]
"""
#: Writes the record of a line, as `celltrain shell --log` does while packets cross it.
LOG = """
import sys
from pathlib import Path
from types import SimpleNamespace
import numpy as np
from celltrain.files import output_folder
from celltrain.holding import held
from celltrain.live import log
log._AT_ONCE = 3
states = {"rate_bps": 1e6, "queue_cells": 1.0, "source_rate_bps": 1e6, "source_cells": 0.0, "lost_cells": 0.0}
try:
    folder = output_folder(Path("out"))
    with held(folder):
        record = log.Log(folder)
        for number in range(5):
            rows = {"is_forward": np.ones(2, bool), "bytes": [1500] * 2, "came_s": [0.1, 0.2], "due_s": [0.2, None],
                    "left_s": [0.2, None], "is_marked": [False] * 2, "outcome": ["delivered", "policer"]}
            look = {"time_s": float(number), "forward": states, "backward": states}
            record.add(rows, look, client_is_first=True)
        record.close(SimpleNamespace(to_json=lambda: {"packets": 10}))
except OSError as error:
    print(f"error: {error}", file=sys.stderr)
    sys.exit(2)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("NOT TESTED: no C compiler for the library that injects faults")
    target = tmp_path_factory.mktemp("faults") / "faults.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", target, SOURCE, "-ldl"], check=True)
    return target


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def faulty(library: Path, tmp_path: Path) -> Run:
    """Return a command line whose system calls on the folder ``out`` may fail."""
    (tmp_path / "line.toml").write_text(LINE.replace('"1 s"', '"100 ms"').replace('"3 s"', '"1 s"'))

    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "suite.toml").write_text(SUITE)

    def call(name: str, kind: str = "eio", at: int = 0) -> subprocess.CompletedProcess[str]:
        out = ("--out", "out") if name == "sweep" else ()
        command = ("-c", LOG) if name == "log" else ("-m", "celltrain", *COMMANDS[name], *out)
        return subprocess.run(
            [sys.executable, *command],
            cwd=tmp_path,
            env=os.environ
            | {
                "NO_COLOR": "1",
                "LD_PRELOAD": str(library),
                "FAULTS_BELOW": str(tmp_path / "out"),
                "FAULTS_KIND": kind,
                "FAULTS_AT": str(at),
                "FAULTS_COUNT": str(tmp_path / "count"),
            },
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )

    return call


def whole(folder: Path) -> None:
    """Expect each file of results to be whole; what a killed process left has a name with a dot."""
    for path in folder.rglob("[!.]*"):
        if path.suffix == ".parquet":
            check(path, path.name)
        elif path.name.endswith("provenance.json"):
            sums = read_object(path).get("files", {})
            for name in sums:
                if name.endswith(".csv"):
                    check_csv(path.with_name(name), path, sums)
        elif path.suffix == ".toml":
            read_toml(path)
        elif path.suffix == ".html":
            assert path.read_text().rstrip().endswith("</html>")


def unfinished(folder: Path) -> list[str]:
    """Return the names of half-written files."""
    return [path.name for path in folder.rglob(".*.*")]


def contents(folder: Path) -> dict[str, bytes]:
    """Return what must be the same after a fault and another try."""
    if (folder / "index.parquet").is_file():
        return tables_of(folder)
    names = ("*.csv", "*.html", "*.claims.json", "summary.json")
    return {str(path.relative_to(folder)): path.read_bytes() for name in names for path in sorted(folder.rglob(name))}


@pytest.mark.timeout(120 * FAULTS)
@pytest.mark.parametrize("name", [*COMMANDS, "log"])
def test_after_any_fault_files_are_whole_and_the_same_command_completes_the_work(
    faulty: Run, tmp_path: Path, name: str
) -> None:
    out = tmp_path / "out"
    former = tmp_path / "former"
    if name == "report":
        assert faulty("run").returncode == 0
        shutil.copytree(out, former)
    if name == "export":
        former.mkdir()
        out.mkdir()
        assert faulty("sweep").returncode == 0
        out.rename(tmp_path / "sweep")
        out.mkdir()
    counted = faulty(name)
    assert counted.returncode == 0, counted.stderr
    expected, calls = contents(out), int((tmp_path / "count").read_text())
    assert calls >= 4, "open, write, flush and rename"
    seed = int(os.environ.get("CELLTRAIN_FAULTS_SEED", random.randrange(2**32)))
    print(f"faults: CELLTRAIN_FAULTS_SEED={seed}")
    chance = random.Random(seed)
    for at in sorted(chance.sample(range(1, calls + 1), min(FAULTS, calls))):
        kind = chance.choice(KINDS)
        shutil.rmtree(out, ignore_errors=True)
        if former.exists():
            shutil.copytree(former, out)
        met = faulty(name, kind, at)
        allowed = {"kill": (-signal.SIGKILL,), "eintr": (0, 2), "short": (0,)}.get(kind, (0, 2))
        assert met.returncode in allowed, (kind, at, met.stderr)
        assert "Traceback" not in met.stderr, (kind, at, met.stderr)
        assert met.returncode != 2 or "error: " in met.stderr, (kind, at, met.stderr)
        whole(out)
        if kind != "kill":
            assert unfinished(out) == [], (kind, at, "nothing half-written is left")
        kept = {path.name: path.stat().st_mtime_ns for path in out.glob("records/[!.]*")}
        again = faulty(name)
        assert again.returncode == 0, (kind, at, again.stderr)
        found = contents(out)
        assert found.keys() == expected.keys(), (kind, at)
        assert name in MEASURED or found == expected, (kind, at)
        assert name != "sweep" or unfinished(out) == [], (kind, at, "the next sweep removes what a killed one left")
        for path, time in kept.items():
            assert (out / "records" / path).stat().st_mtime_ns == time, (kind, at, "a finished run is not done again")
