"""`make bench-peers`: celltrain compared with other simulators and with bare loops, on the same workloads."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import rich_click as click
from rich.console import Console
from rich.table import Table

from . import history, outcomes, targets
from .outcomes import Deviation, Outcome
from .peer import FOLDER, Missing, Peer
from .program import Line, ProgramError, Summary, in_rounds
from .targets import Bound, Target
from .workloads import Plan, Runner, Workload

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
ERR = Console(stderr=True, highlight=False)


@dataclass(frozen=True)
class Asked:
    """A bound on an engine compared with a peer: on its ``cost`` over the peer's, or on its ``speedup``."""

    on: str
    says: str
    peer: str
    engine: str
    figure: str
    bound: Bound


@dataclass(frozen=True)
class Comparison:
    """A workload on which peers are measured, and what is asked there."""

    on: str
    says: str
    short: str
    workload: Workload
    seconds: float
    peers: tuple[Peer, ...]
    asked: tuple[Asked, ...]


def plan() -> list[Comparison]:
    """Read benches/peers/peers.toml."""
    data = tomllib.loads((FOLDER / "peers.toml").read_text())
    workloads = Plan.read().workloads
    peers = [Peer(**{**table, "build": tuple(table.get("build", ()))}) for table in data["peer"]]
    asked = [Asked(**{**table, "bound": Bound(**table["bound"])}) for table in data["target"]]
    return [
        Comparison(
            on,
            data[on]["says"],
            data[on]["short"],
            workloads[data[on]["workload"]],
            data[on]["seconds"],
            tuple(peer for peer in peers if peer.on == on),
            tuple(each for each in asked if each.on == on),
        )
        for on in ("w1", "w2")
    ]


@dataclass(frozen=True)
class Row:
    """A program in the table."""

    name: str
    cost: Summary
    """ns of CPU time for each cell-hop (W1), or CPU seconds for each simulated second (W2)."""
    outcome: Outcome
    beside: Deviation
    """How far its outcome lies from ours."""


@dataclass(frozen=True)
class Compared:
    """What was measured on a workload: our engines by name, the peers that are here, and how to get the others."""

    comparison: Comparison
    engines: Mapping[str, Row]
    peers: Sequence[Row]
    missing: Mapping[str, str]

    @property
    def differing(self) -> list[str]:
        """The peers whose outcome lies too far from ours."""
        return [f"{row.name} on {self.comparison.on.upper()}" for row in self.peers if not row.beside.within_bounds]

    @property
    def targets(self) -> list[Target]:
        """What is required of our engines compared with peers, then of the outcomes of all."""
        return [self._target(asked) for asked in self.comparison.asked] + self._outcomes()

    def _target(self, asked: Asked) -> Target:
        peer = next((row.cost for row in self.peers if row.name == asked.peer), None)
        if peer is None:
            return Target(asked.says, asked.engine, asked.bound, None, f"{asked.peer} is not installed")
        ours = self.engines[asked.engine].cost
        over, under = (peer, ours) if asked.figure == "speedup" else (ours, peer)
        note = f"spreads {100 * ours.spread:.0f} %, {100 * peer.spread:.0f} %"
        return Target(asked.says, asked.engine, asked.bound, over.median / under.median, note)

    def _outcomes(self) -> list[Target]:
        short, found = self.comparison.short, []
        throughputs = {row.name: abs(row.beside.throughput) for row in self.peers}
        waitings = {row.name: abs(row.beside.waiting) for row in self.peers if row.beside.waiting is not None}
        for says, apart, bound in (
            (f"{short}: throughput, farthest from ours, %", throughputs, outcomes.THROUGHPUT_WITHIN),
            (f"{short}: mean {_WAITING[self.comparison.on]}, farthest from ours, %", waitings, outcomes.WAITING_WITHIN),
        ):
            farthest = max(apart, key=apart.__getitem__, default=None)
            value = None if farthest is None else 100 * apart[farthest]
            found.append(Target(says, "both", Bound(at_most=100 * bound), value, farthest or "no peer is installed"))
        return found


#: What waiting is on each workload.
_WAITING = {"w1": "delay", "w2": "queue"}


def cost_of(on: str, lines: Sequence[Line]) -> Summary:
    """Summarise what the rounds of a program cost."""
    if on == "w1":
        return Summary.of(1e9 * line["cpu"] / line["cell_hops"] for line in lines)
    return Summary.of(line["cpu"] / line["simulated_s"] for line in lines)


def prepare(peers: Sequence[Peer]) -> tuple[dict[str, tuple[str, ...]], dict[str, str]]:
    """Make the peers ready: the command of each that is here, and what the others need."""
    commands, missing = {}, {}
    for peer in peers:
        try:
            with ERR.status(f"preparing {peer.name}"):
                commands[peer.name] = peer.prepare()
        except Missing as error:
            missing[peer.name] = str(error)
    return commands, missing


def compare(comparison: Comparison, runner: Runner, rounds: int, scale: float) -> Compared:
    """Measure our engines and the peers that are here on one workload.

    Raises
    ------
    ProgramError
        A program failed, or our engines differ in their results.
    """
    on, engines, seconds = comparison.on, runner.engines(), comparison.seconds * scale
    commands, missing = prepare(comparison.peers)
    present = [peer for peer in comparison.peers if peer.name in commands]
    ours = [runner.program(comparison.workload, engine, seconds) for engine in engines]
    theirs = [peer.program(commands[peer.name], peer.seconds * scale) for peer in present]
    with ERR.status("") as status:
        lines = in_rounds([*ours, *theirs], rounds, status.update)
        status.update("comparing what was simulated")
        result = comparison.workload.scenario(seconds).run()
        if {line["digest"] for program in ours for line in lines[program.name]} != {result.digest}:
            raise ProgramError(f"{comparison.workload.name}: our engines give different results")
        reference = outcomes.of_celltrain(on, result)
        own = {
            engine: Row(f"celltrain, {engine}", cost_of(on, lines[program.name]), reference, Deviation(0.0, 0.0))
            for engine, program in zip(engines, ours, strict=True)
        }
        rows = []
        for peer, program in zip(present, theirs, strict=True):
            seen = lines[program.name][0]
            if peer.monitored:
                seen = peer.program(commands[peer.name], peer.seconds * scale, monitored=True).run()
            outcome = outcomes.of_peer(on, seen)
            rows.append(Row(peer.name, cost_of(on, lines[program.name]), outcome, outcome.beside(reference)))
    return Compared(comparison, own, rows, missing)


def show(compared: Compared) -> None:
    """Print a workload's table: every program's cost over that of each of our engines, and what it simulated."""
    comparison, engines = compared.comparison, compared.engines
    w1 = comparison.on == "w1"
    table = Table("program", box=None)
    headings = [
        "ns/cell-hop" if w1 else "CPU s/simulated s",
        "spread",
        *(f"x {engine}" for engine in engines),
        "cells/s" if w1 else "goodput Mbit/s",
        "mean delay us" if w1 else "mean queue cells",
        "differences",
    ]
    for heading in headings:
        table.add_column(heading, justify="right")
    for row in (*engines.values(), *compared.peers):
        throughput = f"{row.outcome.throughput:.0f}" if w1 else f"{row.outcome.throughput / 1e6:.2f}"
        waiting = "-" if row.outcome.waiting is None else f"{row.outcome.waiting:.{4 if w1 else 0}f}"
        beside = str(row.beside) if row.beside.within_bounds else f"OTHER: {row.beside}"
        table.add_row(
            row.name,
            f"{row.cost.median:.4g}",
            f"{100 * row.cost.spread:.0f} %",
            *(f"{row.cost.median / engine.cost.median:.3g}" for engine in engines.values()),
            throughput,
            waiting,
            "none, bit for bit" if row in engines.values() else beside,
        )
    for name, needs in compared.missing.items():
        table.add_row(name, "NOT MEASURED", *("-" for _ in headings[2:]), needs)
    OUT.print(f"\n{comparison.on.upper()}, {comparison.says}\n")
    OUT.print(table)


@click.command()
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Timed runs of each program.")
@click.option(
    "--scale", default=1.0, show_default=True, type=click.FloatRange(0, min_open=True), help="Lengthen all runs so."
)
@click.option("--only", type=click.Choice(["w1", "w2"]), help="Run one workload; default: both.")
@click.option("--profile", default="release", hidden=True, help="Profile of Cargo.")
def main(rounds: int, scale: float, only: str | None, profile: str) -> None:
    """Measure other simulators on our workloads, compare what they say, and print how many times faster we are."""
    try:
        runner = Runner.build(profile)
        OUT.print(
            f"{history.origin()['cpu']}; one core; CPU time, median of {rounds} rounds in which programs take turns.\n"
            "celltrain has two engines: trains, which runs use, and cells, which it is checked against.\n"
            "A column `x ENGINE` is a program's cost over that of our engine: above 1, the engine is faster."
        )
        found = []
        for comparison in plan():
            if only in (None, comparison.on):
                found.append(compare(comparison, runner, rounds, scale))
                show(found[-1])
    except ProgramError as error:
        ERR.print(f"error: {error}", markup=False)
        sys.exit(2)
    targets.show([target for compared in found for target in compared.targets], OUT, scale)
    _conclude(found, scale)


def _conclude(found: Sequence[Compared], scale: float) -> None:
    """Say what was missing and what differs, and exit with 1 if something does."""
    missing = {name: needs for compared in found for name, needs in compared.missing.items()}
    if missing:
        ERR.print("\nNOT MEASURED, since they are not installed:")
        for name, needs in missing.items():
            ERR.print(f"  {name:8} {needs}")
    differing = [name for compared in found for name in compared.differing]
    if differing:
        short = "; runs this short begin differently, leave --scale out" if scale < 1 else ""
        ERR.print(
            f"\nerror: outcomes differ from ours by more than {100 * outcomes.THROUGHPUT_WITHIN:g} % in throughput "
            f"or {100 * outcomes.WAITING_WITHIN:g} % in delay or queue: {', '.join(differing)}{short}"
        )
        sys.exit(1)


if __name__ == "__main__":
    main()
