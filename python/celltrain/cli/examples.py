"""``celltrain examples``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from rich.text import Text

from celltrain.cli import printing
from celltrain.cli.console import BadInput, err, out
from celltrain.cli.printing import How
from celltrain.cli.sheet import Column, Sheet

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
    from celltrain.shipped import examples, find

    if name is None:
        if target:
            raise BadInput("--out writes one example: give its NAME, as in celltrain examples adsl --out my.toml")
        _list(how, list(examples().values()))
        return
    if how != How():
        raise BadInput("--format, --json and --sort are for the list of examples: leave out NAME")
    try:
        example = find(name)
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error
    if target:
        _write(example, target, replace=replace)
    else:
        _print(example)


def _list(how: How, examples: list[Example]) -> None:
    if how.as_json:
        from celltrain.files import json_text

        rows = [{"name": each.name, "says": each.says, "kind": _kind(each)} for each in examples]
        click.echo(json_text(how.rows(rows)), nl=False)
        return
    columns = [
        Column("name", [each.name for each in examples]),
        Column("says", [each.says for each in examples], heading="shows", kind="sentence"),
        Column("kind", [_kind(each) for each in examples], kind="data"),
    ]
    how.show(Sheet("", columns))


def _kind(example: Example) -> str:
    return "plan" if example.is_plan else "suite" if example.is_suite else "scenario"


def _print(example: Example) -> None:
    files = example.files()
    if files:
        needs = f"it needs {', '.join(files)}, which celltrain examples {example.name} --out FILE writes beside it"
        err().print(needs, markup=False, style="dim")
    click.echo(example.text, nl=False)


def _write(example: Example, target: Path, *, replace: bool) -> None:
    from celltrain.cli.new_files import write_new

    file = target / example.path.name if target.is_dir() else target
    texts = {file.name: example.text, **example.files()}
    elsewhere = f"give another {'folder' if len(texts) > 1 else 'file'} with --out"
    write_new(file.parent, texts, replace=replace, elsewhere=elsewhere)
    out().print(Text(f"wrote {', '.join(str(file.parent / name) for name in texts)}"), soft_wrap=True)
