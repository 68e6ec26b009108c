"""``celltrain parity``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli import printing
from celltrain.cli.console import BadInput, err, folder_for_output, readable_errors
from celltrain.cli.sheet import Column, Sheet
from celltrain.extras import need

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.live.parity import Comparison, Row

_COLOURS = {"differs": "red", "agrees": "green", "not shown": "yellow"}


@click.command("parity")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the first repeat.")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a value of the scenario.")
@click.option("--vc", help="Compare only this VC; default: each VC with flows, one after the other.")
@click.option("--repeat", "repeats", type=click.IntRange(min=1), default=3, show_default=True, help="Runs of each VC.")
@click.option("--realtime", is_flag=True, help="Improve timing: SCHED_FIFO for line and programs, locked memory.")
@click.option(
    "--out", "folder", type=click.Path(path_type=Path), help="Write every run and the comparison into this folder."
)
@click.option(
    "--plot", is_flag=True, help="Draw both congestion windows and both queues in one figure, in the folder of --out."
)
@printing.options(columns=False)
def command(
    how: How,
    scenario: Path,
    seed: int,
    changes: tuple[str, ...],
    vc: str | None,
    repeats: int,
    realtime: bool,  # noqa: FBT001
    folder: Path | None,
    plot: bool,  # noqa: FBT001
) -> None:
    """Run SCENARIO with simulated TCP and with the kernel's TCP in real time, and check whether they agree.

    Each repeat of each VC takes as long as the scenario. The requirements are those of `celltrain shell`.
    """
    need("emulation", "sweeps", *(["plots"] if plot else []), by="celltrain parity")
    from celltrain.cli.settings import with_settings
    from celltrain.files import json_text
    from celltrain.holding import held
    from celltrain.live import Refused
    from celltrain.live.parity import parity
    from celltrain.live.parity.record import save_plots
    from celltrain.scenario import load

    if plot and folder is None:
        raise click.UsageError("--plot needs a folder for its figures: --out DIR")
    with readable_errors():
        network = with_settings(load(scenario), changes)
        target = folder_for_output(folder) if folder else None
        with held(target) if target else nullcontext():
            try:
                comparison = parity(
                    network, seed=seed, vc=vc, realtime=realtime, repeats=repeats, folder=target, progress=note
                )
            except (Refused, ValueError) as error:
                raise BadInput(str(error)) from error
            if target and plot:
                save_plots(target, comparison)
    if how.as_json:
        click.echo(json_text(comparison.to_json()), nl=False)
    else:
        how.show(sheet(comparison), sheet_of_runs(comparison))
    remark(comparison)
    if target:
        err().print(f"wrote {len(comparison.runs)} runs and the comparison to {target}", markup=False)


def note(what: str) -> None:
    """Print what runs now."""
    err().print(what, markup=False, style="dim")


def sheet(comparison: Comparison) -> Sheet:
    """Make the table of the comparison, the worst difference first."""
    several = len({row.vc for row in comparison.rows}) > 1
    rows = comparison.rows
    shown = list(zip(*map(cells, rows), strict=True)) or [()] * 6
    verdicts = [row.verdict.value for row in rows]
    columns = [
        Column("vc", [row.vc for row in rows], "VC", kind="" if several else "data"),
        Column("subject", [row.subject for row in rows], "flow, queue", texts=shown[0]),
        Column("quantity", [row.quantity for row in rows], texts=shown[1]),
        Column("simulated", [row.simulated for row in rows], texts=shown[2], kind="number"),
        Column("kernel", [row.kernel for row in rows], texts=shown[3], kind="number"),
        Column("difference", [row.difference for row in rows], texts=shown[4], kind="number"),
        Column(
            "verdict",
            verdicts,
            texts=[each if each in _COLOURS else "" for each in verdicts],
            styles=[_COLOURS.get(each, "") for each in verdicts],
        ),
        Column("target", [row.target.words if row.target else "" for row in rows], texts=shown[5], kind="number"),
    ]
    return Sheet("comparison", columns, keys=3 if several else 2)


def cells(row: Row) -> list[str]:
    """Format a row for display, without VC and verdict."""
    from celltrain import readable
    from celltrain.live.parity.runs import words_of

    quantity = readable.label(row.quantity, row.unit) if row.unit in ("cells", "bytes") else row.quantity
    values = [
        readable.with_interval(mean, half_width, row.unit)
        for mean, half_width in ((row.simulated, row.simulated_ci95), (row.kernel, row.kernel_ci95))
    ]
    return [words_of(row.subject), quantity, *values, difference(row), row.target.words if row.target else ""]


def difference(row: Row) -> str:
    """Format a difference in percent with its interval."""
    percent, half_width = 100 * row.difference, 100 * row.difference_ci95
    if percent != percent:
        return "-"
    if abs(percent) == float("inf"):
        return "kernel has 0"
    return f"{percent:+z.1f} %" if half_width != half_width else f"{percent:+z.1f} ± {half_width:.1f} %"


def sheet_of_runs(comparison: Comparison) -> Sheet:
    """Make the table of the goodput of each run, including runs that do not count."""
    shown = [(run, flow) for run in comparison.runs for flow in run.flows]
    counts = [run.is_valid for run, _ in shown]

    def goodput(name: str) -> Column:
        values = [getattr(run, name).sides[flow.name].goodput_bps for run, flow in shown]
        return Column(name, values, f"{name} goodput", "bit/s", kind="number")

    columns = [
        Column("vc", [run.vc for run, _ in shown], "VC"),
        Column("run", [run.number for run, _ in shown]),
        Column("flow", [flow.name for _, flow in shown]),
        goodput("simulated"),
        goodput("kernel"),
        Column("counts", counts, styles=["" if each else "yellow" for each in counts], kind="name"),
    ]
    return Sheet("runs", columns, keys=3)


def remark(comparison: Comparison) -> None:
    """Print which runs do not count and why, and what was not compared."""
    from celltrain.live.parity.targets import FEWEST_RUNS

    console = err()
    console.print(f"{comparison.valid} of {len(comparison.runs)} runs are valid", markup=False)
    for run in comparison.runs:
        if run.reasons:
            told = f"not valid: run {run.number} of VC {run.vc}, left out of means: {'; '.join(run.reasons)}"
            console.print(told, style="yellow", markup=False)
    for vc in dict.fromkeys(run.vc for run in comparison.runs):
        valid = sum(run.is_valid for run in comparison.runs if run.vc == vc)
        if valid < FEWEST_RUNS:
            told = f"VC {vc}: nothing is shown by fewer than {FEWEST_RUNS} valid runs, and it has {valid} (--repeat)"
            console.print(told, style="bold yellow", markup=False)
    if not comparison.provenance["realtime"] and any(
        "degraded" in reason for run in comparison.runs for reason in run.reasons
    ):
        console.print("other programs want the same cores: try --realtime, or fewer of them", style="yellow")
    for problem in {run.kernel.summary.realtime_problem for run in comparison.runs} - {None}:
        console.print(f"--realtime: {problem}", style="yellow", markup=False)
    for vc, reason in comparison.left_out.items():
        console.print(f"not compared: VC {vc}: {reason}", style="yellow", markup=False)
