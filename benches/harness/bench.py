"""`make bench`: what our engines cost on the workloads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import rich_click as click
from rich.console import Console
from rich.table import Table

from . import history, instructions, measure, scaling
from .program import ProgramError
from .workloads import Ratio, Runner, Workload, read

OUT = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
ERR = Console(stderr=True, highlight=False)


def _names(_context: click.Context, _parameter: click.Parameter, text: str | None) -> list[str]:
    known = list(read()[0])
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
    everything, wanted = read()
    workloads = [everything[name] for name in names]
    try:
        runner = Runner.build(profile)
        if check:
            sys.exit(_check(runner, workloads, file))
        count = instructions.available()
        if not count:
            ERR.print(f"note: {instructions.MISSING}")
        with ERR.status("") as status:
            measured = measure.costs(runner, workloads, runner.engines(), rounds, scale, count, status.update)
        _print_costs(measured, rounds)
        _print_ratios(wanted, measured)
        _print_memory(runner, everything, names)
        _print_scaling(everything["chain"], scale, names)
    except ProgramError as error:
        ERR.print(f"error: {error}", markup=False)
        sys.exit(2)
    if record:
        origin = history.origin()
        history.append((origin | cost.record() for cost in measured), file)
        ERR.print(f"added {len(measured)} lines to {file}")
    differing = measure.disagreements(measured)
    if differing:
        ERR.print(f"error: engines give different results on {', '.join(differing)}")
        sys.exit(1)


def _check(runner: Runner, workloads: Sequence[Workload], file: Path) -> int:
    """Compare instructions with the last record."""
    if not instructions.available():
        ERR.print(f"error: {instructions.MISSING}, so there is nothing to check")
        return 2
    last = history.last_instructions(file)
    table = Table("workload", "engine", box=None)
    for heading in ("recorded", "now", "change"):
        table.add_column(heading, justify="right")
    worse = 0
    for workload in workloads:
        for engine in runner.engines():
            before = last.get((workload.name, engine))
            if before is None:
                table.add_row(workload.name, engine, "none", "", "")
                continue
            with ERR.status(f"counting instructions: {workload.name}/{engine}"):
                now = instructions.per_cell_hop(runner, workload, engine)
            change = now / before - 1
            worse += change > history.TOLERANCE
            table.add_row(workload.name, engine, f"{before:.1f}", f"{now:.1f}", f"{100 * change:+.1f} %")
    OUT.print("Instructions for each cell-hop\n", table)
    if worse:
        ERR.print(f"error: {worse} above the record by more than {100 * history.TOLERANCE:g} %; mend it or --record it")
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


def _print_ratios(wanted: Sequence[Ratio], measured: Sequence[measure.Cost]) -> None:
    compared = measure.ratios(wanted, measured)
    if not compared:
        return
    table = Table("ratio", "engine", box=None)
    for heading in ("CPU time", "instructions", "at most"):
        table.add_column(heading, justify="right")
    for one in compared:
        counted = "-" if one.instructions is None else f"{one.instructions:.2f}"
        table.add_row(one.ratio.says, one.engine, f"{one.cpu:.2f}", counted, f"{one.ratio.at_most:g}")
    OUT.print()
    OUT.print(table)


def _print_memory(runner: Runner, workloads: dict[str, Workload], names: Sequence[str]) -> None:
    if not set(measure.IDLE_VCS) <= set(names):
        return
    for engine in runner.engines():
        octets = measure.idle_vc_bytes(runner, workloads, engine)
        text = "unknown: this system does not tell" if octets is None else f"{octets:.0f} bytes"
        OUT.print(f"\nMemory of an idle VC ({engine}): {text}; at most 1000")


def _print_scaling(chain: Workload, scale: float, names: Sequence[str]) -> None:
    if chain.name not in names:
        return
    with ERR.status("run_many on one core and on two"):
        found = scaling.measure(chain.scenario(2 * scale), runs=8, rounds=3)
    OUT.print(
        f"\nrun_many on two cores over one: {found.speedup.median:.2f} times as fast by elapsed time "
        f"(spread {100 * found.speedup.spread:.0f} %; at least 1.9 on an idle machine), "
        f"CPU time {found.cpu_growth.median:.2f} times as much"
    )


if __name__ == "__main__":
    main()
