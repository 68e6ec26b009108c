"""``celltrain trust``."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.exceptions import Exit

from celltrain.cli.console import BadInput, err, folder_for_output, out, readable_errors
from celltrain.cli.progress import Display
from celltrain.cli.results import PATH
from celltrain.extras import need

if TYPE_CHECKING:
    from celltrain.trust import RowResult

#: Maximum number of differing cases printed for a row; ``--out`` has all.
_MOST = 5


@click.command("trust")
@click.option("--row", "names", metavar="NAME", multiple=True, help="Run only this row; may be repeated.")
@click.option("--quick", is_flag=True, help="Run only parts that take seconds; this only shows that the checks work.")
@click.option("--out", "folder", type=PATH, help="Write trust.json and the page trust.md into this folder.")
@click.option("--scripts", type=PATH, help="A folder of packetdrill scripts that you have fetched.")
@click.option(
    "--kernel-lines",
    type=click.IntRange(0),
    default=0,
    help="Also run N of 30 lines between kernels: 5 minutes of real time each, 6 more for shares; default: none.",
)
@click.option(
    "--kernel-repeats", type=click.IntRange(3), default=5, show_default=True, help="Runs of each line between kernels."
)
@click.option(
    "--kernel-jobs", type=click.IntRange(1), default=1, show_default=True, help="Lines between kernels at a time."
)
@click.option(
    "--kernel-runs",
    "kernel_folder",
    type=PATH,
    help="A folder that keeps runs between kernels: only missing ones are run, all are compared.",
)
@click.option("--jobs", type=click.IntRange(1), help="Cores to use; default: all.")
@click.option("--json", "as_json", is_flag=True, help="Print only the table on stdout, as JSON.")
def command(
    names: tuple[str, ...],
    quick: bool,  # noqa: FBT001
    folder: Path | None,
    scripts: Path | None,
    kernel_lines: int,
    kernel_repeats: int,
    kernel_jobs: int,
    kernel_folder: Path | None,
    jobs: int | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Compare our TCP with other implementations, formulas and rules; exits with 1 if a target is missed.

    Comparisons with programs that are not installed, such as ns-2, are reported as not run.
    """
    need("packetdrill", "sweeps", by="celltrain trust")
    from celltrain.files import atomic_write, json_text
    from celltrain.holding import held
    from celltrain.trust import ROWS, Context, row
    from celltrain.trust.table import to_json, to_markdown, worst_first

    known = [one.name for one in ROWS]
    if unknown := [name for name in names if name not in known]:
        raise BadInput(f'no row "{unknown[0]}"; there are {", ".join(known)}')
    if scripts is not None and not scripts.is_dir():
        raise BadInput(f"{scripts}: no such folder; give one with packetdrill scripts (*.pkt)")
    place = folder_for_output(folder) if folder is not None else None
    kept = folder_for_output(kernel_folder) if kernel_folder is not None else None
    results: list[RowResult] = []
    with readable_errors(), held(kept) if kept else nullcontext():
        for name in known:
            if not names or name in names:
                with Display(name) as display:
                    results.append(
                        row(name).carry_out(
                            Context(quick, jobs, display, scripts, kernel_lines, kernel_jobs, kernel_repeats, kept)
                        )
                    )
        data = json_text(to_json(results, quick=quick))
        if place is not None:
            atomic_write(place / "trust.json", data)
            atomic_write(place / "trust.md", to_markdown(results, quick=quick))
    if as_json:
        click.echo(data, nl=False)
    else:
        show(worst_first(results))
        if place is not None:
            err().print(f"wrote {place / 'trust.json'} and {place / 'trust.md'}", markup=False, soft_wrap=True)
    if any(result.differing for result in results):
        raise Exit(1)


def show(results: list[RowResult]) -> None:
    """Print a line for each row, and the worst cases that miss their targets."""
    from celltrain.trust.table import difference, quantity

    console, styles = out(), {"agrees": "green", "differs": "red", "not run": "yellow"}
    for result in results:
        met = f"{len(result.binding) - len(result.differing)} of {len(result.binding)} cases meet their target"
        console.print(f"{result.verdict:<8}", style=styles[result.verdict], end=" ")
        console.print(f"{result.name}: {result.why_not or met}", markup=False, soft_wrap=True)
        for case in result.differing[:_MOST]:
            sides = f"{quantity(case.value, case.unit)}, not {quantity(case.reference, case.unit) or 'none'}"
            far = f" ({difference(case)})" if difference(case) else ""
            console.print(
                f"  {case.miss:>6.1f}  {case.name}: {case.quantity} {sides}{far}", markup=False, soft_wrap=True
            )
        if (left := len(result.differing) - _MOST) > 0:
            console.print(f"          and {left} more; --out DIR and --json have all", style="dim", markup=False)
