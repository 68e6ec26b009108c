"""One program of benches/peers: another simulator, or a bare loop."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .program import Program, ProgramError
from .workloads import ROOT

FOLDER = ROOT / "benches" / "peers"
BUILT = ROOT / "out" / "peers"


class Missing(Exception):
    """What a peer needs is not there; the message says how to get it."""


@dataclass(frozen=True)
class Peer:
    """A program of benches/peers."""

    name: str
    on: str
    source: str
    seconds: float
    needs: str = ""
    build: tuple[str, ...] = ()
    monitored: bool = False

    def prepare(self) -> tuple[str, ...]:
        """Compile it where it must be, and give the command.

        Raises
        ------
        Missing
            Its simulator, or a compiler, is not installed.
        """
        source = FOLDER / self.source
        if source.suffix == ".tcl":
            if shutil.which("ns") is None:
                raise Missing(self.needs)
            return ("ns", str(source))
        if source.suffix == ".py":
            if importlib.util.find_spec("simpy") is None:
                raise Missing(self.needs)
            return (sys.executable, str(source))
        return (str(self._compiled(source)),)

    def _compiled(self, source: Path) -> Path:
        program = BUILT / source.stem
        if program.exists() and program.stat().st_mtime > max(file.stat().st_mtime for file in FOLDER.iterdir()):
            return program
        if shutil.which("g++") is None:
            raise Missing("Debian: apt-get install g++")
        BUILT.mkdir(parents=True, exist_ok=True)
        command = ["g++", "-O3", "-std=c++17", str(source), "-o", str(program), *self.build]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode and "No such file or directory" in done.stderr and self.needs:
            raise Missing(self.needs)
        if done.returncode:
            raise ProgramError(f"{self.name}: cannot compile {source.name}:\n{done.stderr}")
        return program

    def program(self, command: Sequence[str], seconds: float, monitored: bool = False) -> Program:  # noqa: FBT001
        """Return a run of this program."""
        watch = (str(int(monitored)),) if self.monitored else ()
        return Program(f"{self.name} {self.on}", (*command, f"{seconds:g}", *watch))
