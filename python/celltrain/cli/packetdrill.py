"""``celltrain packetdrill``."""

from __future__ import annotations

from pathlib import Path

import rich_click as click
from click.exceptions import Exit

from celltrain.cli.console import BadInput, out, readable_errors
from celltrain.cli.results import PATH
from celltrain.extras import need

_STYLES = {"passed": "green", "failed": "red", "not supported": "yellow"}


@click.command("packetdrill")
@click.argument("paths", type=PATH, nargs=-1, required=True, metavar="FILE_OR_FOLDER...")
@click.option("--tcp", "preset", default="linux", show_default=True, help="The TCP under test: a preset of scenarios.")
@click.option("--define", "-D", "defines", metavar="WORD=VALUE", multiple=True, help="Define a word for a value.")
@click.option("--json", "as_json", is_flag=True, help="Print only the outcomes on stdout, as JSON.")
@click.option("--notes", "with_notes", is_flag=True, help="Print which settings of a script have no effect, and why.")
def command(
    paths: tuple[Path, ...],
    preset: str,
    defines: tuple[str, ...],
    as_json: bool,  # noqa: FBT001
    with_notes: bool,  # noqa: FBT001
) -> None:
    """Run packetdrill scripts against our TCP in virtual time; exits with 1 if one fails.

    A folder means all *.pkt in it. A script that needs an unsupported feature is "not supported", and never passes.
    """
    need("packetdrill", by="celltrain packetdrill")
    from dataclasses import asdict

    from celltrain.files import json_text
    from celltrain.packetdrill import Options, Result, run_file, scripts_in

    words = [define.partition("=") for define in defines]
    if wrong := [word for word, equals, _ in words if not (word and equals)]:
        raise BadInput(f"--define {wrong[0]}: expected WORD=VALUE")
    scripts = [script for path in paths for script in scripts_in(path)]
    if not scripts:
        raise BadInput(f"{paths[0]}: no scripts (*.pkt) there")
    with readable_errors():
        options = Options(preset, {word: value for word, _, value in words})
        outcomes = [run_file(script, options) for script in scripts]
    if as_json:
        click.echo(json_text([asdict(outcome) for outcome in outcomes]), nl=False)
    else:
        console = out()
        for outcome in outcomes:
            console.print(f"{outcome.result:<13}", style=_STYLES[outcome.result], end=" ")
            place = f":{outcome.line}" if outcome.line else ""
            told = f": {outcome.message}" if outcome.message else ""
            console.print(f"{outcome.script}{place}{told}", markup=False, soft_wrap=True)
            for note in outcome.notes if with_notes else ():
                console.print(f"              {note}", style="dim", markup=False, soft_wrap=True)
        if len(outcomes) > 1:
            counts = [f"{sum(one.result is each for one in outcomes)} {each}" for each in Result]
            console.print(", ".join(counts), markup=False)
    if any(outcome.result is Result.FAILED for outcome in outcomes):
        raise Exit(1)
