"""``celltrain trace``."""

from __future__ import annotations

from pathlib import Path

import rich_click as click

from celltrain.cli.console import BadInput, echo, readable_errors


@click.command("trace")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.argument("link")
@click.option("--duration", metavar="TIME", default="60 s", show_default=True, help="Length of the trace.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all random numbers.")
@click.option("--set", "changes", metavar="KEY=VALUE", multiple=True, help="Change a value of the scenario.")
@click.option("--out", "file", type=click.Path(path_type=Path), help="Write the trace to this file instead of stdout.")
@click.option("--json", "as_json", is_flag=True, help="Print the milliseconds as JSON, with link and seed.")
def command(
    scenario: Path,
    link: str,
    duration: str,
    seed: int,
    changes: tuple[str, ...],
    file: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Write the rate of LINK as a Mahimahi packet-delivery trace.

    Each line is the millisecond at which the line has carried the cells of another packet of 1500 octets.
    """
    from celltrain.cli.settings import with_settings
    from celltrain.files import atomic_write, json_text
    from celltrain.quantity import seconds
    from celltrain.scenario import load

    with readable_errors():
        network = with_settings(load(scenario), changes)
        try:
            trace = network.native.delivery_trace(link, seed, round(seconds(duration) * 1000))
        except ValueError as error:
            raise BadInput(str(error)) from error
        if as_json:
            told = {"link": link, "seed": seed, "opportunities_ms": [int(line) for line in trace.split()]}
            trace = json_text(told)
        if file is None:
            echo(trace)
        else:
            atomic_write(file, trace)
