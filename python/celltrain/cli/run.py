"""``celltrain run``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from celltrain.cli.console import BadInput, err, folder_for_output, out, readable_errors
from celltrain.values import value_of

if TYPE_CHECKING:
    from celltrain.results import Result, Table
    from celltrain.scenario import Scenario

#: Columns of the summary: table, then column and heading.
SUMMARY = {
    "flows": {
        "flow": "flow",
        "from": "from",
        "to": "to",
        "throughput_bps": "throughput",
        "rtt_mean_s": "mean RTT",
        "segments_retransmitted": "resent",
        "timeouts": "time-outs",
    },
    "vcs": {
        "vc": "VC",
        "from": "from",
        "to": "to",
        "service": "service",
        "cells_sent": "cells sent",
        "cells_delivered": "delivered",
        "cells_lost": "lost",
        "cells_errored": "errored",
        "cells_tagged": "tagged",
        "cells_policed": "policed",
    },
    "links": {
        "link": "link",
        "from": "from",
        "to": "to",
        "mean_rate_bps": "mean rate",
        "utilization": "utilization",
        "cell_loss_ratio": "loss",
        "queue_mean_cells": "mean queue",
        "queue_max_cells": "longest",
    },
}


@click.command("run")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Chooses all random numbers.")
@click.option(
    "--set",
    "settings",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change a value, as in --set links.up.rate.every='10 ms'.",
)
@click.option(
    "--out",
    "folder",
    type=click.Path(path_type=Path),
    help="Write every table as CSV, and the provenance, here.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print tables and provenance as JSON, and nothing else, on stdout.",
)
@click.option(
    "--cell-by-cell",
    is_flag=True,
    help="Move each cell by itself, not in trains: slower, with the same result; to check the one by the other.",
)
@click.option(
    "--pcap",
    type=click.Path(path_type=Path),
    help="Write the packets of all hosts, and the AAL5 PDUs and cells on all lines, to this file (pcapng).",
)
def command(
    scenario: Path,
    seed: int,
    settings: tuple[str, ...],
    folder: Path | None,
    as_json: bool,  # noqa: FBT001
    cell_by_cell: bool,  # noqa: FBT001
    pcap: Path | None,
) -> None:
    """Run SCENARIO and print what it measured."""
    from celltrain.files import json_text
    from celltrain.scenario import load

    with readable_errors():
        network = load(scenario)
        for setting in settings:
            network = network.with_value(*parse_setting(setting))
        target = folder_for_output(folder) if folder else None
        result = captured(network, seed, pcap) if pcap else network.run(seed, cell_by_cell=cell_by_cell)
        if target:
            result.save(target)
            err().print(f"wrote {len(result.tables) + 1} files to {target}", markup=False)
    if as_json:
        click.echo(json_text(result.to_json()), nl=False)
    else:
        show(result)


def captured(network: Scenario, seed: int, file: Path) -> Result:
    """Run a scenario, and write what passes."""
    from celltrain.live.capture import run_captured

    result, is_cut = run_captured(network, seed, file)
    if is_cut:
        err().print("the capture reached its limit of 2 GiB; the rest is missing", style="yellow")
    err().print(f"wrote {file}", markup=False)
    return result


def parse_setting(text: str) -> tuple[str, Any]:
    """Split ``KEY=VALUE``; a value that is not TOML is taken as a string.

    >>> parse_setting("links.up.rate.every=10 ms")
    ('links.up.rate.every', '10 ms')
    >>> parse_setting("hosts.P.count=4")
    ('hosts.P.count', 4)
    """
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise BadInput(f"--set {text!r}: expected KEY=VALUE, such as links.up.rate.every='10 ms'")
    return key, value_of(value)


def show(result: Result) -> None:
    """Print the summary."""
    from rich import box
    from rich.table import Table as Shown

    console = out()
    for name, headings in SUMMARY.items():
        table = result.tables[name]
        rows = [row for row in table.rows() if worth_showing(name, row)]
        # Flows say more of their VCs than these do, but for contracts and errors of lines.
        if not rows or (name == "vcs" and len(result.tables["flows"]) and not any(map(has_faults, rows))):
            continue
        shown = Shown(box=box.SIMPLE_HEAD, title=name, title_justify="left", title_style="bold", pad_edge=False)
        for column, heading in headings.items():
            shown.add_column(heading, justify="left" if table.units[column] == "" else "right")
        for row in rows:
            shown.add_row(*(readable(row[column], column, table) for column in headings))
        console.print(shown)
    console.print(f"seed {result.seed}, {result!r}", style="dim", markup=False)


def worth_showing(name: str, row: dict[str, Any]) -> bool:
    """Tell links with a line, and VCs with cells of their own, from the others."""
    if name == "links":
        return bool(row["mean_rate_bps"] == row["mean_rate_bps"])
    return name != "vcs" or row["cells_sent"] > 0


def has_faults(row: dict[str, Any]) -> bool:
    """Tell whether a VC lost cells otherwise than in a queue."""
    return any(row[column] > 0 for column in ("cells_errored", "cells_tagged", "cells_policed"))


def readable(value: float | str, column: str, table: Table) -> str:
    """Write a number with its unit, for people."""
    from celltrain.readable import amount

    if isinstance(value, str):
        return value
    if column in ("utilization", "cell_loss_ratio", "loss_ratio") and value == value:
        return f"{100 * value:.3g} %"
    return amount(value, table.units[column])
