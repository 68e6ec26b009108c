"""`make bench-peers`: celltrain beside other simulators, and beside bare loops, on the same workloads."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import rich_click as click
from rich.console import Console
from rich.table import Table

from . import history, outcomes
from .outcomes import Outcome
from .program import Line, Program, ProgramError, Summary, in_rounds
from .workloads import ROOT, Runner, Workload, read

FOLDER = ROOT / "benches" / "peers"
BUILT = ROOT / "out" / "peers"
OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
ERR = Console(stderr=True, highlight=False)


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
        """Give a run of it."""
        watch = (str(int(monitored)),) if self.monitored else ()
        return Program(f"{self.name} {self.on}", (*command, f"{seconds:g}", *watch))


@dataclass(frozen=True)
class Comparison:
    """A workload on which peers are measured."""

    on: str
    says: str
    workload: Workload
    seconds: float


def plan() -> tuple[list[Comparison], list[Peer]]:
    """Read benches/peers/peers.toml."""
    data = tomllib.loads((FOLDER / "peers.toml").read_text())
    workloads, _ = read()
    comparisons = [
        Comparison(on, data[on]["says"], workloads[data[on]["workload"]], data[on]["seconds"]) for on in ("w1", "w2")
    ]
    return comparisons, [Peer(**{**table, "build": tuple(table.get("build", ()))}) for table in data["peer"]]


@dataclass(frozen=True)
class Row:
    """A program in the table."""

    name: str
    cost: Summary
    """ns of CPU time for each cell-hop (W1), or CPU seconds for each simulated second (W2)."""
    outcome: Outcome
    differs: Sequence[str] = ()


def cost_of(on: str, lines: Sequence[Line]) -> Summary:
    """Summarise what the rounds of a program cost."""
    if on == "w1":
        return Summary.of(1e9 * line["cpu"] / line["cell_hops"] for line in lines)
    return Summary.of(line["cpu"] / line["simulated_s"] for line in lines)


def compare(comparison: Comparison, peers: Sequence[Peer], runner: Runner, rounds: int, scale: float) -> list[Row]:
    """Measure our engines and the peers that are here on one workload."""
    on = comparison.on
    present: list[tuple[Peer, tuple[str, ...]]] = []
    for peer in peers:
        try:
            with ERR.status(f"preparing {peer.name}"):
                present.append((peer, peer.prepare()))
        except Missing as missing:
            ERR.print(f"note: {peer.name} is left out, since it is not installed ({missing})")
    ours = [runner.program(comparison.workload, engine, comparison.seconds * scale) for engine in runner.engines()]
    theirs = [peer.program(command, peer.seconds * scale) for peer, command in present]
    with ERR.status("") as status:
        lines = in_rounds([*ours, *theirs], rounds, status.update)
        status.update("comparing what was simulated")
        reference = outcomes.of_celltrain(on, comparison.workload.scenario(comparison.seconds * scale))
        rows = [
            Row(f"celltrain, {engine}", cost_of(on, lines[program.name]), reference)
            for engine, program in zip(runner.engines(), ours, strict=True)
        ]
        for (peer, command), program in zip(present, theirs, strict=True):
            seen = lines[program.name][0]
            if peer.monitored:
                seen = peer.program(command, peer.seconds * scale, monitored=True).run()
            outcome = outcomes.of_peer(on, seen)
            rows.append(Row(peer.name, cost_of(on, lines[program.name]), outcome, outcome.differs_from(reference)))
    return rows


def show(comparison: Comparison, rows: Sequence[Row]) -> None:
    """Print a workload's table: every program's cost over that of each of our engines."""
    w1 = comparison.on == "w1"
    engines = [row for row in rows if row.name.startswith("celltrain")]
    table = Table("program", box=None)
    headings = [
        "ns/cell-hop" if w1 else "CPU s/simulated s",
        "spread",
        *(f"x {row.name.removeprefix('celltrain, ')}" for row in engines),
        "cells/s" if w1 else "goodput Mbit/s",
        "mean delay us" if w1 else "mean queue cells",
    ]
    for heading in headings:
        table.add_column(heading, justify="right")
    table.add_column("outcome")
    for row in rows:
        throughput = f"{row.outcome.throughput:.0f}" if w1 else f"{row.outcome.throughput / 1e6:.2f}"
        waiting = "-" if row.outcome.waiting is None else f"{row.outcome.waiting:.{4 if w1 else 0}f}"
        verdict = "" if row in engines else f"other {', '.join(row.differs)}" if row.differs else "the same"
        table.add_row(
            row.name,
            f"{row.cost.median:.4g}",
            f"{100 * row.cost.spread:.0f} %",
            *(f"{row.cost.median / engine.cost.median:.3g}" for engine in engines),
            throughput,
            waiting,
            verdict,
        )
    OUT.print(f"\n{comparison.on.upper()}, {comparison.says}\n")
    OUT.print(table)
    for bare in (row for row in rows if row.name.startswith("bare")):
        for engine in engines:
            OUT.print(f"{engine.name}: {engine.cost.median / bare.cost.median:.2f} times the cost of the {bare.name}")


@click.command()
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Timed runs of each program.")
@click.option(
    "--scale", default=1.0, show_default=True, type=click.FloatRange(0, min_open=True), help="Lengthen all runs so."
)
@click.option("--only", type=click.Choice(["w1", "w2"]), help="Run one workload; default: both.")
@click.option("--profile", default="release", hidden=True, help="Profile of Cargo.")
def main(rounds: int, scale: float, only: str | None, profile: str) -> None:
    """Measure other simulators on our workloads, compare what they say, and print how many times faster we are."""
    comparisons, peers = plan()
    differing = []
    try:
        runner = Runner.build(profile)
        OUT.print(
            f"{history.origin()['cpu']}; one core; CPU time, median of {rounds} rounds in which programs take turns"
        )
        OUT.print("A column `x ENGINE` is a program's cost over that of our engine: above 1, the engine is faster.")
        for comparison in comparisons:
            if only in (None, comparison.on):
                rows = compare(comparison, [peer for peer in peers if peer.on == comparison.on], runner, rounds, scale)
                show(comparison, rows)
                differing += [f"{row.name} on {comparison.on.upper()}" for row in rows if row.differs]
    except ProgramError as error:
        ERR.print(f"error: {error}", markup=False)
        sys.exit(2)
    if differing:
        ERR.print(
            f"error: outcomes differ from ours by more than {100 * outcomes.THROUGHPUT_WITHIN:g} % in throughput "
            f"or {100 * outcomes.WAITING_WITHIN:g} % in delay or queue: {', '.join(differing)}"
        )
        sys.exit(1)


if __name__ == "__main__":
    main()
