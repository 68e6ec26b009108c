"""``celltrain parity``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli.console import BadInput, err, folder_for_output, out, readable_errors

if TYPE_CHECKING:
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
@click.option("--json", "as_json", is_flag=True, help="Print only the comparison on stdout, as JSON.")
def command(
    scenario: Path,
    seed: int,
    changes: tuple[str, ...],
    vc: str | None,
    repeats: int,
    realtime: bool,  # noqa: FBT001
    folder: Path | None,
    plot: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Run SCENARIO with simulated TCP and with the kernel's TCP in real time, and check whether they agree.

    Each repeat of each VC takes as long as the scenario. The requirements are those of `celltrain shell`.
    """
    from celltrain.cli.settings import with_settings
    from celltrain.files import json_text
    from celltrain.live import Refused
    from celltrain.live.parity import parity
    from celltrain.live.parity.record import save_plots
    from celltrain.scenario import load

    if plot and folder is None:
        raise click.UsageError("--plot needs a folder for its figures: --out DIR")
    with readable_errors():
        network = with_settings(load(scenario), changes)
        target = folder_for_output(folder) if folder else None
        try:
            comparison = parity(
                network, seed=seed, vc=vc, realtime=realtime, repeats=repeats, folder=target, progress=note
            )
        except (Refused, ValueError) as error:
            raise BadInput(str(error)) from error
        if target and plot:
            save_plots(target, comparison)
    if as_json:
        click.echo(json_text(comparison.to_json()), nl=False)
    else:
        show(comparison)
        show_runs(comparison)
    remark(comparison)
    if target:
        err().print(f"wrote {len(comparison.runs)} runs and the comparison to {target}", markup=False)


def note(what: str) -> None:
    """Print what runs now."""
    err().print(what, markup=False, style="dim")


def show(comparison: Comparison) -> None:
    """Print the rows, the worst difference first."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    several = len({row.vc for row in comparison.rows}) > 1
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = [
        *["VC"] * several,
        "flow, queue",
        "quantity",
        "simulated",
        "kernel",
        "difference",
        "target",
        "verdict",
    ]
    left = ("VC", "flow, queue", "quantity", "verdict")
    for heading in headings:
        shown.add_column(heading, justify="left" if heading in left else "right")
    for row in comparison.rows:
        verdict = row.verdict.value
        told = Text(verdict, _COLOURS[verdict]) if verdict in _COLOURS else Text()
        shown.add_row(*map(Text, [*[row.vc] * several, *cells(row)]), told)
    out().print(shown)


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
    return f"{percent:+.1f} %" if half_width != half_width else f"{percent:+.1f} ± {half_width:.1f} %"


def show_runs(comparison: Comparison) -> None:
    """Print the goodput of each run, including runs that do not count."""
    from rich import box
    from rich.table import Table

    from celltrain import readable

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = ["VC", "run", "flow", "simulated", "kernel", "counts"]
    for heading in headings:
        shown.add_column(heading, justify="right" if heading in ("run", "simulated", "kernel") else "left")
    for run in comparison.runs:
        for flow in run.flows:
            sides = [side.sides[flow.name].goodput_bps for side in (run.simulated, run.kernel)]
            counts = "yes" if run.is_valid else "[yellow]no[/]"
            rates = [readable.amount(rate, "bit/s") for rate in sides]
            shown.add_row(run.vc, str(run.number), flow.name, *rates, counts)
    out().print(shown)


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
