"""``celltrain lines``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli import plotting, printing
from celltrain.cli.console import BadInput, readable_errors

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.shipped import Example

_PATH = click.Path(path_type=Path)


@click.group("lines", invoke_without_command=True)
@printing.options(columns=False)
@click.pass_context
def command(ctx: click.Context, how: How) -> None:
    """List lines that are ready to use: ADSL2+, VDSL2, cable, fibre, LTE, 5G, Starlink, a satellite far away, Wi-Fi.

    Commands that take a SCENARIO take the name of a line, too: celltrain shell starlink
    """
    from celltrain.cli.printing import How
    from celltrain.cli.shipped_files import show_list
    from celltrain.ready_lines import lines

    if ctx.invoked_subcommand is None:
        show_list(how, list(lines().values()), lambda _: "line", "is")
    elif how != How():
        raise BadInput("--format, --json and --sort are for the list of lines: leave out show and plot")


@command.command("show")
@click.argument("name")
@click.option("--out", "target", metavar="PATH", type=_PATH, help="Write it to this file, or into this folder.")
@click.option("--replace", is_flag=True, help="With --out: replace a file that exists.")
def show(name: str, target: Path | None, replace: bool) -> None:  # noqa: FBT001
    """Print the scenario of the line NAME, with its sources: what is from a standard, measured or assumed."""
    from celltrain.cli.shipped_files import show_text, write

    line = _found(name)
    if target:
        write(line, target, replace=replace)
    else:
        show_text(line, "celltrain lines show")


@command.command("plot")
@click.argument("scenario", metavar="NAME", type=_PATH)
@click.option("--out", "file", metavar="FILE", type=_PATH, required=True, help="Write a .pdf, .svg or .png file.")
@click.option("--duration", metavar="TIME", default="60 s", show_default=True, help="Length of the drawing.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all random numbers.")
@plotting.width_option
def plot(scenario: Path, file: Path, duration: str, seed: int, width: str | None) -> None:
    """Draw rate and delay of the line NAME over time, of both directions; a scenario's file is a line, too.

    The delay is that of a packet without queue and transmission. A run with the same seed has these rates.
    """
    plotting.kind(file, "--out")
    from celltrain import drawing
    from celltrain.line_figure import figure
    from celltrain.quantity import seconds
    from celltrain.scenario import load

    with readable_errors():
        network = load(scenario)
        try:
            length = seconds(duration)
        except ValueError as error:
            raise BadInput(f"--duration: {error}") from error
        if not 0.01 <= length <= 86_400:
            raise BadInput(f"--duration {duration}: expected 10 ms to 24 h")
        with drawing.page(width):
            plotting.save(file, figure(network, length, seed))


def _found(name: str) -> Example:
    from celltrain.ready_lines import find

    try:
        return find(name)
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error
