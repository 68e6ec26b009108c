"""``celltrain run``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli import chosen, plotting, printing
from celltrain.cli.checks import engines_agree, show_warnings
from celltrain.cli.console import AtLimit, BadInput, err, folder_for_output, readable_errors
from celltrain.cli.numbers import import_numpy
from celltrain.cli.settings import with_settings
from celltrain.cli.waiting import sign_of_life
from celltrain.limits import LimitPassed

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.plan import Stage
    from celltrain.results import Result
    from celltrain.scenario import Scenario


@click.command("run")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all random numbers.")
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
    help="Write every table as CSV, and the provenance, into this folder.",
)
@click.option(
    "--plot",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw what the probes recorded: .pdf, .svg or .png.",
)
@plotting.width_option
@chosen.option
@printing.options(columns=False)
@click.option(
    "--cell-by-cell",
    is_flag=True,
    help="Move each cell by itself, not in trains: slower, with the same result; for checking.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Run it completely in trains and cell by cell, and compare every value; exit with 1 if one differs.",
)
@click.option(
    "--no-cross-check",
    is_flag=True,
    help="Skip the short comparison of both ways for a new structure.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run unconnected parts of the network on up to N threads; default: one for each core.",
)
@click.option(
    "--explain-plan",
    is_flag=True,
    help="Print how each link and each source is evaluated, in trains or cell by cell, and why, without running.",
)
@click.option(
    "--pcap",
    type=click.Path(path_type=Path),
    help="Write the packets of all hosts, and PDUs and cells, or frames, on all lines, to this file (pcapng).",
)
@click.option(
    "--pcap-layer",
    "layer",
    type=click.Choice(["ip", "pdus", "cells", "frames"]),
    help="With --pcap: only this layer, a file for each host (ip) or line (pdus, cells, frames).",
)
def command(
    how: How,
    scenario: Path,
    seed: int,
    settings: tuple[str, ...],
    folder: Path | None,
    columns: tuple[str, ...],
    cell_by_cell: bool,  # noqa: FBT001
    verify: bool,  # noqa: FBT001
    no_cross_check: bool,  # noqa: FBT001
    threads: int | None,
    explain_plan: bool,  # noqa: FBT001
    pcap: Path | None,
    layer: str | None,
    plot: Path | None,
    width: str | None,
) -> None:
    """Run SCENARIO and print what it measured.

    A run that needs more than its [limits] allow is stopped: it prints what it has measured by then, and exits with 3.
    """
    import_numpy()
    from celltrain.scenario import load

    if verify and (cell_by_cell or pcap):
        raise BadInput("--verify runs both engines: without --cell-by-cell and --pcap")
    if layer and not pcap:
        raise BadInput("--pcap-layer chooses what --pcap writes; give --pcap, too")
    with readable_errors(), engines_agree(folder, scenario.stem):
        network = with_settings(load(scenario), settings)
        if explain_plan:
            return show_plan(network.plan(), how)
        if plot:
            check_plot(network, plot)
        if how.sort:
            how.check(f"{table}.{name}" for table, names in chosen.tables_of(network).items() for name in names)
        printed = chosen.chosen(columns, chosen.tables_of(network)) if columns else None
        target = folder_for_output(folder) if folder else None
        kind = Kind(seed, cell_by_cell, verify, no_cross_check, threads, pcap, layer)
        result, stopped = run_of_kind(network, kind)
        if target:
            result.save(target)
            err().print(f"wrote {len(result.tables) + 1} files to {target}", markup=False)
        if plot:
            plotting.save(plot, result.plot(width=width))
    show(result, printed, how)
    show_warnings(result.warnings)
    if stopped:
        raise AtLimit(f"{stopped}; the result is that of the run up to then")


@dataclass(frozen=True)
class Kind:
    """How a scenario is run; see the options of the command."""

    seed: int
    cell_by_cell: bool
    verify: bool
    no_cross_check: bool
    threads: int | None
    pcap: Path | None
    layer: str | None


def run_of_kind(network: Scenario, kind: Kind) -> tuple[Result, LimitPassed | None]:
    """Run a scenario; also return the error if it was stopped at a limit after it had measured something."""
    try:
        if kind.verify:
            return network.verify(kind.seed), None
        if kind.pcap:
            return captured(network, kind.seed, kind.pcap, kind.layer), None
        check = not kind.no_cross_check
        with sign_of_life() as progress:
            result = network.run(
                kind.seed,
                cell_by_cell=kind.cell_by_cell,
                cross_check=check,
                threads=kind.threads,
                progress=progress,
            )
    except LimitPassed as error:
        if error.result is None:
            raise
        return error.result, error
    return result, None


def check_plot(network: Scenario, file: Path) -> None:
    """Refuse a figure that nothing would be drawn in, before the run."""
    plotting.kind(file)
    data = network.data
    if not data.get("probes"):
        link = next(iter(data.get("links", {"NAME": None})))
        raise BadInput(
            f"--plot {file}: {network.origin} records nothing; give it a probe, such as "
            f'--set \'probes.line={{ every = "100 ms", record = ["links.{link}.queue_cells"] }}\''
        )


def show(result: Result, columns: Mapping[str, Sequence[str]] | None, how: How) -> None:
    """Print chosen columns; without them all tables as JSON, or the summary."""
    from celltrain.cli import summary
    from celltrain.files import json_text

    if how.as_json:
        click.echo(json_text(chosen.of_json(result.to_json(), columns)), nl=False)
    elif columns:
        summary.show_columns(result.tables, columns, how)
    else:
        summary.show(result, how)


def show_plan(plan: list[Stage], how: How) -> None:
    """Print how each stage is evaluated."""
    from celltrain.cli.sheet import Column, Sheet
    from celltrain.files import json_text

    if how.as_json:
        click.echo(json_text([asdict(stage) for stage in plan]), nl=False)
        return
    styles = ["yellow" if stage.mode == "cell by cell" else "" for stage in plan]
    how.show(
        Sheet(
            "",
            [
                Column("names", [stage.names for stage in plan], "stage", kind="sentence", styles=styles),
                Column("mode", [stage.mode for stage in plan], "evaluated", styles=styles),
                Column("why", [stage.why for stage in plan], "because", kind="sentence", styles=styles),
            ],
            most=10_000,
        )
    )


def captured(network: Scenario, seed: int, file: Path, layer: str | None) -> Result:
    """Run a scenario, and write its packets and cells to a file, or one layer of them to several."""
    from celltrain.live.capture import run_captured
    from celltrain.live.layers import split

    result, is_cut = run_captured(network, seed, file)
    if is_cut:
        err().print("the capture reached its limit of 2 GiB; the rest is missing", style="yellow")
    for written in split(file, layer) if layer else [file]:
        err().print(f"wrote {written}", markup=False)
    return result
