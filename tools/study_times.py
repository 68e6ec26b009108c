#!/usr/bin/env python3
"""Measures how long the experiments of studies take, for `celltrain reproduce --list`.

Each experiment runs alone, on one core, into an empty folder, as for a user who runs it for the first time. Its
processor time, which hardly depends on what else runs, goes to ``python/celltrain/papers/times.json`` as soon as it is
known; experiments that are there already are left out, unless they are named.

Usage: tools/study_times.py [PAPER | PAPER/EXPERIMENT]...
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from celltrain.files import atomic_write, json_text
from celltrain.papers import catalog
from celltrain.papers.times import FILE

RECORD = Path(__file__).parent.parent / "python" / "celltrain" / "papers" / FILE


def names() -> list[str]:
    """Return the full names of all experiments."""
    return [f"{paper}/{each}" for paper in catalog.names() for each in catalog.paper(paper).experiments]


def processor_time(name: str) -> float:
    """Run an experiment; return the processor time that it and its workers took, in s.

    Raises
    ------
    SystemExit
        It failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"CELLTRAIN_CACHE": f"{folder}/cache"}
        command = [sys.executable, "-m", "celltrain", "reproduce", name, "--jobs", "1", "--out", f"{folder}/results"]
        started = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
    if started.returncode != 0:
        raise SystemExit(f"{name}: `{' '.join(command[1:])}` ended with {started.returncode}")
    return used.ru_utime + used.ru_stime


def main(asked: list[str]) -> None:
    """Measure what was asked, by default what has no record."""
    every = names()
    for name in asked:
        if name not in every and name not in catalog.names():
            raise SystemExit(f"{name}: no such study or experiment; `celltrain reproduce --list` lists them")
    record = read()
    chosen = [name for name in every if name in asked or (name not in record and _is_of(name, asked))]
    for place, name in enumerate(chosen, 1):
        taken = round(processor_time(name), 1)
        # Read again: studies may be measured side by side. In their order, without experiments that are no more.
        record = read() | {name: taken}
        atomic_write(RECORD, json_text({each: record[each] for each in every if each in record}))
        print(f"{place} of {len(chosen)}: {name} {taken} s", flush=True)


def read() -> dict[str, float]:
    """Return what was measured before."""
    record: dict[str, float] = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {}
    return record


def _is_of(name: str, asked: list[str]) -> bool:
    return not asked or name.partition("/")[0] in asked


if __name__ == "__main__":
    main(sys.argv[1:])
