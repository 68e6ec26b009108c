"""``celltrain report``."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli import damaged
from celltrain.cli.console import BadInput, err, out, readable_errors
from celltrain.cli.numbers import import_numpy
from celltrain.extras import install, missing, need

if TYPE_CHECKING:
    from celltrain.report.document import Report


@click.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--out",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The page to write, instead of report.html in DIR.",
)
@click.option("--open", "shown", is_flag=True, help="Show the page in the browser.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written, and how many claims hold, as JSON.")
def command(folder: Path, file: Path | None, shown: bool, as_json: bool) -> None:  # noqa: FBT001
    """Write one HTML page with the results in DIR.

    DIR is what `run`, `sweep`, `reproduce` or `dbs run` wrote with --out, or `shell` with --log.

    The page needs no other file and no network: open it in a browser, print it or share it.
    """
    target = file or folder / "report.html"
    with readable_errors():
        report, octets = write(folder, target)
    claims, holding = (sum(getattr(chapter, name) for chapter in report.chapters) for name in ("claims", "holding"))
    if as_json:
        told = {"file": str(target), "bytes": octets, "claims": claims, "claims_holding": holding}
        click.echo(json.dumps(told, indent=2))
    else:
        verdict = f", {holding} of {claims} claims hold" if claims else ""
        out().print(f"wrote {target} ({size(octets)}{verdict})", markup=False)
    if missing("drawing"):
        err().print(f"without a drawing of the network, which needs: {install('drawing')}", style="dim", markup=False)
    for chapter in report.chapters:
        damaged.refuse(chapter.damaged)
    if shown and not webbrowser.open(target.resolve().as_uri()):
        raise BadInput(f"no browser could be started here: open {target} yourself")


def write(folder: Path, target: Path, every: str | None = None) -> tuple[Report, int]:
    """Write the page of a folder; return its content and its size in octets.

    ``every`` is the length of the intervals of measurements; by default, those recorded.
    """
    need("reports", by="a page")
    import_numpy()
    from celltrain.files import atomic_write
    from celltrain.report import folder as results
    from celltrain.report.page import render

    report = results.read(folder, every)
    octets = render(report).encode()
    atomic_write(target, octets)
    return report, len(octets)


def size(octets: int) -> str:
    """Format the size of a file.

    >>> size(2_340_000), size(12_300)
    ('2.3 MB', '12 kB')
    """
    return f"{octets / 1e6:.1f} MB" if octets >= 1e6 else f"{octets / 1e3:.0f} kB"
