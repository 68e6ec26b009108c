"""What was measured before: ``benches/history.jsonl``, one line for each workload and engine."""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import celltrain

from .workloads import ROOT

FILE = ROOT / "benches" / "history.jsonl"

#: So much more instructions for each cell-hop than at the last record are no regression: the compiler's release, and
#: branches that depend on the system's memory, move them by less.
TOLERANCE = 0.02


def origin() -> dict[str, str]:
    """Say what is measured, and on what: version, commit, compiler, processor."""
    return {
        "version": celltrain.__version__,
        "commit": _output("git", "describe", "--always", "--dirty", "--exclude=*"),
        "rustc": _output("rustc", "--version"),
        "cpu": _processor(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def append(lines: Iterable[Mapping[str, Any]], file: Path = FILE) -> None:
    """Add lines in one write."""
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    with file.open("a", encoding="utf-8") as out:
        out.write(text)


def last_instructions(file: Path = FILE) -> dict[tuple[str, str], float]:
    """Give, by workload and engine, the instructions for each cell-hop of the last record of runs at full length."""
    last = {}
    for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        if line.get("instructions_per_cell_hop") is not None and line.get("scale", 1) == 1:
            last[line["workload"], line["engine"]] = line["instructions_per_cell_hop"]
    return last


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return "unknown"


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or "unknown"
    models = (line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name"))
    return next(models, "unknown")
