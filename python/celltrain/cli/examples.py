"""``celltrain examples``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli import printing
from celltrain.cli.console import BadInput
from celltrain.cli.printing import How

if TYPE_CHECKING:
    from celltrain.shipped import Example


@click.command("examples")
@click.argument("name", required=False)
@click.option(
    "--out",
    "target",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write NAME to this file, or into this folder, with the files that it needs.",
)
@click.option("--replace", is_flag=True, help="With --out: replace files that exist.")
@printing.options(columns=False)
def command(how: How, *, name: str | None, target: Path | None, replace: bool) -> None:
    """List the examples that ship with celltrain, or print the file of NAME.

    For example: celltrain examples adsl > my.toml
    """
    from celltrain.cli.shipped_files import show_list, show_text, write
    from celltrain.shipped import examples, find

    if name is None:
        if target:
            raise BadInput("--out writes one example: give its NAME, as in celltrain examples adsl --out my.toml")
        show_list(how, list(examples().values()), _kind, "shows")
        return
    if how != How():
        raise BadInput("--format, --json and --sort are for the list of examples: leave out NAME")
    try:
        example = find(name)
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error
    if target:
        write(example, target, replace=replace)
    else:
        show_text(example, "celltrain examples")


def _kind(example: Example) -> str:
    return "plan" if example.is_plan else "suite" if example.is_suite else "scenario"
