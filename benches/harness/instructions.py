"""Instructions for each cell-hop, counted by callgrind: repeatable, whatever else the machine does."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from .program import Line, Program, ProgramError
from .workloads import Runner, Workload

MISSING = "valgrind is not installed (Debian: apt-get install valgrind): instructions are not counted"


def available() -> bool:
    """Return whether callgrind is there."""
    return shutil.which("valgrind") is not None


def per_cell_hop(runner: Runner, workload: Workload, engine: str, scale: float = 1.0) -> float:
    """Count two runs, one longer than the other: what is in both, set-up above all, drops out of the difference.

    Raises
    ------
    ProgramError
        callgrind failed, or the longer run had no more cell-hops.
    """
    (short, short_hops), (long, long_hops) = (
        _count(runner.program(workload, engine, seconds * scale)) for seconds in workload.counted_s
    )
    if long_hops <= short_hops:
        raise ProgramError(f"{workload.name}: the longer run under callgrind has no more cell-hops than the shorter")
    return (long - short) / (long_hops - short_hops)


def _count(program: Program) -> tuple[int, float]:
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "profile"
        line: Line = program.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}"])
        return total(profile.read_text()), line["cell_hops"]


def total(profile: str) -> int:
    """Read the total of a profile that callgrind wrote.

    Raises
    ------
    ProgramError
        It has none.
    """
    found = re.search(r"^(?:totals|summary): (\d+)", profile, re.MULTILINE)
    if found is None:
        raise ProgramError("callgrind's profile has no total")
    return int(found[1])
