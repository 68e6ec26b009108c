"""`make bench`: what our engines cost on the workloads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import rich_click as click
from rich.console import Console
from rich.table import Table

from . import history, instructions, measure, scaling, targets
from .program import ProgramError
from .workloads import Plan, Runner, Workload

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
ERR = Console(stderr=True, highlight=False)

#: What each of many runs simulates of the chain, in s: long enough for their threads' start to be little.
_MANY_S = 20.0

#: What a run simulates whose parts are on two cores, in s: long enough for the making of the network to be little.
_PARTS_S = {"many": 8.0, "lines": 8.0}


def _names(_context: click.Context, _parameter: click.Parameter, text: str | None) -> list[str]:
    known = list(Plan.read().workloads)
    if text is None:
        return known
    names = text.split(",")
    for name in names:
        if name not in known:
            raise click.BadParameter(f"there is no workload {name!r}; there are {', '.join(known)}")
    return names


@click.command()
@click.option("--only", "names", callback=_names, metavar="NAME,...", help="Measure these workloads; default: all.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1), help="Timed runs of each workload.")
@click.option(
    "--scale", default=1.0, show_default=True, type=click.FloatRange(0, min_open=True), help="Lengthen all runs so."
)
@click.option("--record", is_flag=True, help="Add the figures to benches/history.jsonl.")
@click.option(
    "--check",
    is_flag=True,
    help=f"Only count instructions, and fail where they exceed the last record by {100 * history.TOLERANCE:g} %.",
)
@click.option("--profile", default="release", hidden=True, help="Profile of Cargo.")
@click.option("--history", "file", default=history.FILE, hidden=True, type=click.Path(path_type=Path))
def main(
    names: list[str],
    rounds: int,
    scale: float,
    record: bool,  # noqa: FBT001
    check: bool,  # noqa: FBT001
    profile: str,
    file: Path,
) -> None:
    """Measure the engines on the workloads of benches/workloads.toml."""
    plan = Plan.read()
    workloads = [plan.workloads[name] for name in names]
    try:
        runner = Runner.build(profile)
        if check:
            sys.exit(_check(runner, workloads, file))
        count = instructions.available()
        if not count:
            ERR.print(f"NOT MEASURED: {instructions.MISSING}")
        with ERR.status("") as status:
            measured = measure.costs(runner, workloads, runner.engines(), rounds, scale, count, status.update)
            _print_costs(measured, rounds)
            asked = measure.targets(plan, measured)
            if set(measure.IDLE_VCS) <= set(names):
                asked += [measure.idle_vc(runner, plan.workloads, engine) for engine in runner.engines()]
            if "chain" in names:
                status.update("run_many on one core and on two")
                chain = plan.workloads["chain"].scenario(_MANY_S * scale)
                asked.append(scaling.measure(chain, runs=8, rounds=5).target)
            for name, seconds in _PARTS_S.items():
                if name in names:
                    status.update(f"parts of {name} on one core and on two")
                    parts = plan.workloads[name].scenario(seconds * scale)
                    asked.append(scaling.measure_parts(name, parts, rounds=5).target)
        targets.show(asked, OUT, scale)
    except ProgramError as error:
        ERR.print(f"error: {error}", markup=False)
        sys.exit(2)
    differing = measure.disagreements(measured)
    if differing:
        kept = "; nothing was recorded" if record else ""
        ERR.print(f"error: engines give different results on {', '.join(differing)}{kept}")
        sys.exit(1)
    if record:
        origin = history.origin() | {"scale": scale}
        history.append((origin | cost.record() for cost in measured), file)
        unused = "" if scale == 1 else ", with which --check compares nothing: runs were not of full length"
        ERR.print(f"added {len(measured)} lines to {file}{unused}")


def _check(runner: Runner, workloads: Sequence[Workload], file: Path) -> int:
    """Compare instructions with the last record."""
    if not instructions.available():
        ERR.print(f"error: {instructions.MISSING}, so there is nothing to check")
        return 2
    last = history.last_instructions(file)
    table = Table("workload", "engine", box=None)
    for heading in ("recorded", "now", "change"):
        table.add_column(heading, justify="right")
    pairs = [(workload, engine) for workload in workloads for engine in runner.engines()]
    worse, unknown = 0, []
    for workload, engine in pairs:
        before = last.get((workload.name, engine))
        if before is None:
            unknown.append(f"{workload.name}/{engine}")
            continue
        with ERR.status(f"counting instructions: {workload.name}/{engine}"):
            now = instructions.per_cell_hop(runner, workload, engine)
        change = now / before - 1
        worse += change > history.TOLERANCE
        table.add_row(workload.name, engine, f"{before:.1f}", f"{now:.1f}", f"{100 * change:+.1f} %")
    if table.row_count:
        OUT.print("Instructions for each cell-hop\n", table)
    if unknown:
        ERR.print(f"NOT CHECKED, for want of a record (make bench ARGS=--record adds it): {', '.join(unknown)}")
    if worse:
        ERR.print(f"error: {worse} above the record by more than {100 * history.TOLERANCE:g} %; fix it or --record it")
    if len(unknown) == len(pairs):
        return 2
    return 1 if worse else 0


def _print_costs(measured: Sequence[measure.Cost], rounds: int) -> None:
    table = Table("workload", "engine", box=None)
    for heading in (
        "Mcell-hops",
        "ns/cell-hop",
        "spread",
        "Mcell-hops/s",
        "simulated s/s",
        "peak MiB",
        "instr./cell-hop",
    ):
        table.add_column(heading, justify="right")
    for cost in measured:
        table.add_row(
            cost.workload,
            cost.engine,
            f"{cost.cell_hops / 1e6:.2f}",
            f"{cost.ns_per_cell_hop.median:.1f}",
            f"{100 * cost.ns_per_cell_hop.spread:.0f} %",
            f"{cost.mcell_hops_per_s:.1f}",
            f"{cost.simulated_s_per_s:.3g}",
            "-" if cost.peak_mib is None else f"{cost.peak_mib:.1f}",
            "-" if cost.instructions_per_cell_hop is None else f"{cost.instructions_per_cell_hop:.1f}",
        )
    OUT.print(f"One core; CPU time, median of {rounds} rounds; spread is (largest - smallest) / median\n")
    OUT.print(table)


if __name__ == "__main__":
    main()
