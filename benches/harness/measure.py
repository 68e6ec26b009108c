"""What our engines cost on the workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import instructions
from .program import Line, Program, ProgramError, Summary, in_rounds
from .targets import Bound, Target
from .workloads import Plan, Ratio, Runner, Workload

Progress = Callable[[str], None]

#: Both ends of the comparison of memory, in VCs and by workload, and a run so short that a VC sends but a few cells.
IDLE_VCS = {"many": 10_000, "many-10": 10}
IDLE_S = 1e-3


@dataclass(frozen=True)
class Cost:
    """One workload with one engine."""

    workload: str
    engine: str
    simulated_s: float
    cell_hops: float
    ns_per_cell_hop: Summary
    peak_mib: float | None
    digest: str
    instructions_per_cell_hop: float | None

    @property
    def mcell_hops_per_s(self) -> float:
        """Million cell-hops in a second of CPU time."""
        return 1e3 / self.ns_per_cell_hop.median

    @property
    def simulated_s_per_s(self) -> float:
        """Simulated seconds in a second of CPU time."""
        return self.simulated_s / (self.cell_hops * self.ns_per_cell_hop.median * 1e-9)

    def record(self) -> dict[str, Any]:
        """Return its line of the history."""
        return {
            "workload": self.workload,
            "engine": self.engine,
            "simulated_s": self.simulated_s,
            "cell_hops": self.cell_hops,
            "ns_per_cell_hop": round(self.ns_per_cell_hop.median, 3),
            "spread": round(self.ns_per_cell_hop.spread, 3),
            "mcell_hops_per_s": round(self.mcell_hops_per_s, 3),
            "simulated_s_per_s": round(self.simulated_s_per_s, 3),
            "peak_mib": self.peak_mib,
            "instructions_per_cell_hop": self.instructions_per_cell_hop,
        }

    @classmethod
    def of(cls, workload: str, engine: str, lines: Sequence[Line], counted: float | None) -> Cost:
        """Summarise the rounds of one workload and engine.

        Raises
        ------
        ProgramError
            The runs of one scenario differ in their results, or there were no cells.
        """
        if len({line["digest"] for line in lines}) > 1:
            raise ProgramError(f"{workload}/{engine}: runs of one scenario and seed gave different results")
        hops = lines[0]["cell_hops"]
        if not hops:
            raise ProgramError(f"{workload}/{engine}: no cell came to a queue; simulate for longer")
        peaks = [line["peak_kib"] / 1024 for line in lines if line["peak_kib"] is not None]
        return cls(
            workload=workload,
            engine=engine,
            simulated_s=lines[0]["simulated_s"],
            cell_hops=hops,
            ns_per_cell_hop=Summary.of(1e9 * line["cpu"] / hops for line in lines),
            peak_mib=round(max(peaks), 2) if peaks else None,
            digest=lines[0]["digest"],
            instructions_per_cell_hop=None if counted is None else round(counted, 2),
        )


def costs(
    runner: Runner,
    workloads: Iterable[Workload],
    engines: Sequence[str],
    rounds: int,
    scale: float,
    count: bool,  # noqa: FBT001
    progress: Progress,
) -> list[Cost]:
    """Measure every workload with every engine; ``scale`` shortens all runs alike."""
    pairs = [(workload, engine) for workload in workloads for engine in engines]
    programs: list[Program] = [runner.program(w, engine, w.seconds * scale) for w, engine in pairs]
    lines = in_rounds(programs, rounds, progress)
    measured = []
    for (workload, engine), program in zip(pairs, programs, strict=True):
        counted = None
        if count:
            progress(f"counting instructions: {program.name}")
            counted = instructions.per_cell_hop(runner, workload, engine, scale)
        measured.append(Cost.of(workload.name, engine, lines[program.name], counted))
    return measured


def disagreements(measured: Sequence[Cost]) -> list[str]:
    """Name the workloads on which engines differ in their results; they must agree bit for bit."""
    digests: dict[str, set[str]] = {}
    for cost in measured:
        digests.setdefault(cost.workload, set()).add(cost.digest)
    return [workload for workload, found in digests.items() if len(found) > 1]


def idle_vc(runner: Runner, workloads: Mapping[str, Workload], engine: str) -> Target:
    """Measure the memory of a VC that sends nothing: what 10,000 take more than ten, for each."""
    (large, small) = (runner.program(workloads[name], engine, IDLE_S).run()["peak_kib"] for name in IDLE_VCS)
    (most, fewest) = IDLE_VCS.values()
    told = large is not None and small is not None
    return Target(
        "memory of an idle VC, bytes",
        engine,
        Bound(at_most=1000),
        (large - small) * 1024 / (most - fewest) if told else None,
        "" if told else "this system does not tell",
    )


def targets(plan: Plan, measured: Sequence[Cost]) -> list[Target]:
    """Compare what was measured with what the plan asks: figures of workloads, then ratios of two."""
    by_name = {(cost.workload, cost.engine): cost for cost in measured}
    found = []
    for asked in plan.asked:
        cost = by_name.get((asked.workload, asked.engine))
        if cost is not None:
            note = f"spread {100 * cost.ns_per_cell_hop.spread:.0f} %"
            found.append(Target(asked.says, asked.engine, asked.bound, cost.record()[asked.figure], note))
    for ratio in plan.ratios:
        for engine in dict.fromkeys(cost.engine for cost in measured):
            over, under = by_name.get((ratio.of, engine)), by_name.get((ratio.to, engine))
            if over is not None and under is not None:
                found.append(_ratio(ratio, engine, over, under))
    return found


def _ratio(ratio: Ratio, engine: str, over: Cost, under: Cost) -> Target:
    note = ""
    if over.instructions_per_cell_hop and under.instructions_per_cell_hop:
        note = f"instructions {over.instructions_per_cell_hop / under.instructions_per_cell_hop:.2f}"
    return Target(ratio.says, engine, ratio.bound, over.ns_per_cell_hop.median / under.ns_per_cell_hop.median, note)
