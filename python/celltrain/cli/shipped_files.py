"""Files that ship with celltrain, as commands list, print and write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from rich.text import Text

from celltrain.cli.console import err, out
from celltrain.cli.new_files import write_new
from celltrain.cli.sheet import Column, Sheet

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.shipped import Example


def show_list(how: How, files: Sequence[Example], kind: Callable[[Example], str], heading: str) -> None:
    """Print the names of files, what they say of themselves and, as data, of which kind they are."""
    if how.as_json:
        from celltrain.files import json_text

        rows = [{"name": each.name, "says": each.says, "kind": kind(each)} for each in files]
        click.echo(json_text(how.rows(rows)), nl=False)
        return
    columns = [
        Column("name", [each.name for each in files]),
        Column("says", [each.says for each in files], heading=heading, kind="sentence"),
        Column("kind", [kind(each) for each in files], kind="data"),
    ]
    how.show(Sheet("", columns))


def show_text(file: Example, command: str) -> None:
    """Print a file, and how to write what it needs beside it."""
    files = file.files()
    if files:
        needs = f"it needs {', '.join(files)}, which {command} {file.name} --out FILE writes beside it"
        err().print(needs, markup=False, style="dim")
    click.echo(file.text, nl=False)


def write(file: Example, target: Path, *, replace: bool) -> None:
    """Write a file, or into a folder, with what it needs."""
    path = target / file.path.name if target.is_dir() else target
    texts = {path.name: file.text, **file.files()}
    elsewhere = f"give another {'folder' if len(texts) > 1 else 'file'} with --out"
    write_new(path.parent, texts, replace=replace, elsewhere=elsewhere)
    out().print(Text(f"wrote {', '.join(str(path.parent / name) for name in texts)}"), soft_wrap=True)
