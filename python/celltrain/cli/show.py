"""``celltrain show``."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli.console import BadInput, err, out, readable_errors
from celltrain.cli.settings import with_settings

if TYPE_CHECKING:
    from celltrain.topology.text import Line

#: Suffixes of files, which determine what is written.
SUFFIXES = (".svg", ".dot", ".gv", ".txt")


@click.command("show")
@click.argument("scenario", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a picture (.svg), Graphviz's DOT language (.dot) or text (.txt) instead of printing text.",
)
@click.option("--vc", metavar="NAME", help="Highlight the path of this VC.")
@click.option("--expand", is_flag=True, help="Draw each member of a group.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Use only ASCII characters.")
@click.option("--json", "as_json", is_flag=True, help="Print nodes, cables, paths of VCs and traffic as JSON instead.")
@click.option("--set", "settings", metavar="KEY=VALUE", multiple=True, help="Change a value first, as in `run`.")
def command(
    scenario: Path,
    file: Path | None,
    vc: str | None,
    expand: bool,  # noqa: FBT001
    ascii_only: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    settings: tuple[str, ...],
) -> None:
    """Draw the topology of SCENARIO: nodes, links, the paths of VCs, and their traffic."""
    from celltrain.files import atomic_write, json_text
    from celltrain.scenario import load
    from celltrain.topology import DrawingError

    if file is not None and as_json:
        raise BadInput("--json is printed: leave out --out, or send it to a file with >")
    if file is not None and file.suffix.lower() not in SUFFIXES:
        raise BadInput(f"cannot draw {file}: expected a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")
    with readable_errors():
        network = with_settings(load(scenario), settings)
    try:
        topology = network.topology(expand=expand, vc=vc)
        if as_json:
            # Sets have no form in JSON.
            plain = json.loads(json.dumps(asdict(topology.network), default=sorted))
            click.echo(json_text(plain), nl=False)
            return
        if file is None:
            _print(topology.lines(_width(), ascii_only=ascii_only or not _prints_unicode()))
            return
        match file.suffix.lower():
            case ".svg":
                drawn = topology.svg()
            case ".txt":
                drawn = topology.text(ascii_only=ascii_only)
            case _:
                drawn = topology.dot()
    except DrawingError as error:
        raise BadInput(f"{scenario}: {error}") from error
    try:
        atomic_write(file, drawn)
    except OSError as error:
        raise BadInput(f"cannot write {file}: {error.strerror or error}") from error
    err().print(f"wrote {file}", markup=False, soft_wrap=True)


def _print(lines: list[Line]) -> None:
    from rich.text import Text

    console = out()
    for line in lines:
        text = Text.assemble(*((span.text, span.style) for span in line))
        text.rstrip()
        console.print(text, soft_wrap=True)


def _width() -> int:
    """Return the columns of the terminal or of the variable COLUMNS; 80 if there is neither."""
    return shutil.get_terminal_size((80, 24)).columns


def _prints_unicode() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")
