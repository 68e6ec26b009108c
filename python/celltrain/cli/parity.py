"""``celltrain parity``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli.console import BadInput, err, out, readable_errors

if TYPE_CHECKING:
    from celltrain.live.parity import Pair, Side


@click.command("parity")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Chooses all random numbers.")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a value of the scenario.")
@click.option("--vc", help="The VC whose flows are compared, where there are several.")
@click.option("--realtime", is_flag=True, help="Keep better time: SCHED_FIFO, locked memory, short waits awake.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON, and nothing else, on stdout.")
def command(
    scenario: Path,
    seed: int,
    changes: tuple[str, ...],
    vc: str | None,
    realtime: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Run SCENARIO both ways, simulated TCP and the kernel's TCP in real time, and print them side by side.

    It takes as long as the scenario is, and what `celltrain shell` takes.
    """
    from celltrain.cli.settings import with_settings
    from celltrain.files import json_text
    from celltrain.live import Refused
    from celltrain.live.parity import parity
    from celltrain.scenario import load

    with readable_errors():
        network = with_settings(load(scenario), changes)
        try:
            pairs, summary = parity(network, seed=seed, vc=vc, realtime=realtime)
        except (Refused, ValueError) as error:
            raise BadInput(str(error)) from error
    if as_json:
        from dataclasses import asdict

        told = {"flows": [asdict(pair) for pair in pairs], "line": summary.to_json()}
        click.echo(json_text(told), nl=False)
        return
    show(pairs)
    if summary.degraded:
        err().print("degraded: the line was late; see `celltrain shell --realtime`", style="bold yellow")


def show(pairs: list[Pair]) -> None:
    """Print the flows, two rows each."""
    from rich import box
    from rich.table import Table

    has_files = any(pair.simulated.transfers or pair.live.transfers for pair in pairs)
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    headings = ["flow", "TCP", "throughput", "RTT p50", "p95", "p99", "resent", *["files", "mean time"] * has_files]
    for index, heading in enumerate(headings):
        shown.add_column(heading, justify="left" if index < 2 else "right")
    for pair in pairs:
        sides = [[*cells(side), *transfers(side) * has_files] for side in (pair.simulated, pair.live)]
        shown.add_row(pair.flow, f"simulated {pair.variant}", *sides[0])
        shown.add_row("", f"kernel's {pair.congestion}", *sides[1], end_section=True)
    out().print(shown)


def cells(side: Side) -> list[str]:
    """Write one side for people."""
    from celltrain.cli.shell import duration, rate

    return [rate(side.throughput_bps), *map(duration, side.rtt_s), f"{100 * side.resent:.2f} %"]


def transfers(side: Side) -> list[str]:
    """Write what became of its files."""
    from celltrain.cli.shell import duration

    return [str(side.transfers), duration(side.transfer_mean_s)]
