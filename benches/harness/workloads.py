"""The workloads: scenarios with the lengths at which they are measured, read from ``benches/workloads.toml``."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import celltrain

from .program import Program, ProgramError
from .targets import Bound

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "benches" / "workloads"


@dataclass(frozen=True)
class Workload:
    """A scenario, and for how long it is simulated."""

    name: str
    file: str
    seconds: float
    counted_s: tuple[float, float]
    changes: Mapping[str, Any] = field(default_factory=dict)

    def scenario(self, seconds: float) -> celltrain.Scenario:
        """Return its scenario with this length."""
        base = celltrain.load(FOLDER / self.file)
        return base.with_changes(self.changes).with_value("measure.duration", f"{seconds:.6f} s")


@dataclass(frozen=True)
class Ratio:
    """The cost of a cell-hop in one workload over that in another, and what it may be."""

    says: str
    of: str
    to: str
    bound: Bound


@dataclass(frozen=True)
class Asked:
    """What is asked of one engine on one workload: a bound of a figure, which is a key of its records."""

    says: str
    workload: str
    engine: str
    figure: str
    bound: Bound


@dataclass(frozen=True)
class Plan:
    """What is measured, and what is asked."""

    workloads: Mapping[str, Workload]
    ratios: tuple[Ratio, ...]
    asked: tuple[Asked, ...]

    @classmethod
    def read(cls) -> Plan:
        """Read ``benches/workloads.toml``."""
        data = tomllib.loads((ROOT / "benches" / "workloads.toml").read_text())
        workloads = {
            name: Workload(name, **{**table, "counted_s": tuple(table["counted_s"])})
            for name, table in data["workload"].items()
        }
        ratios = (Ratio(**{**table, "bound": Bound(**table["bound"])}) for table in data["ratio"])
        asked = (Asked(**{**table, "bound": Bound(**table["bound"])}) for table in data["target"])
        return cls(workloads, tuple(ratios), tuple(asked))


@dataclass(frozen=True)
class Runner:
    """The program that runs a scenario with one engine: ``benches/src``."""

    executable: Path

    @classmethod
    def build(cls, profile: str = "release") -> Runner:
        """Compile it; for release as the package is, with a profile of these sources.

        Raises
        ------
        ProgramError
            It does not compile.
        """
        command = ["cargo", "build", "--locked", "--quiet", "--profile", profile, "-p", "celltrain-benches"]
        guided = []
        if profile == "release":
            guided = [sys.executable, str(ROOT / "tools" / "pgo.py"), "--fresh"]
            command += ["-p", "celltrain-py", "--bin", "celltrain-benches"]  # as the tool does, which says why
        # Standard error is the user's: a profile takes its time, or cannot be made.
        done = subprocess.run(
            [*guided, *command, "--message-format=json"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
        )
        if done.returncode:
            raise ProgramError(f"cannot compile the runner; see: {' '.join(command)}")
        messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        return cls(next(Path(message["executable"]) for message in messages if message.get("executable")))

    def engines(self) -> list[str]:
        """Name the engines, the reference first."""
        done = subprocess.run([self.executable, "--engines"], capture_output=True, text=True, check=True)
        return done.stdout.split()

    def program(self, workload: Workload, engine: str, seconds: float) -> Program:
        """Return the command that runs a workload with an engine."""
        return Program(
            f"{workload.name}/{engine}", (str(self.executable), engine), workload.scenario(seconds).to_json()
        )
