"""``celltrain init``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from rich.text import Text

from celltrain.cli.console import BadInput, out

if TYPE_CHECKING:
    from celltrain.starts import Start, Step


@click.command("init")
@click.argument("kind", required=False)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace files that exist.")
def command(kind: str | None, path: Path | None, replace: bool) -> None:  # noqa: FBT001
    """Write a commented file to start from, and print what to type next; without KIND, list the kinds.

    KIND: two-hosts, adsl, cellular, study or dbs. PATH: the file, or a folder for it; a study is a folder.
    Files that exist are kept.
    """
    from celltrain._native import nearest
    from celltrain.cli.new_files import write_new
    from celltrain.starts import STARTS

    if kind is None:
        _list(list(STARTS.values()))
        return
    start = STARTS.get(kind)
    if start is None:
        raise BadInput(f"there is no kind {kind!r}{nearest(kind, [*STARTS])}")
    texts = start.texts()
    target = path or Path(start.default)
    if start.is_folder:
        folder = target
    else:
        target = target / start.default if target.is_dir() else target
        folder, (text,) = target.parent, texts.values()
        texts = {target.name: text}
    write_new(folder, texts, replace=replace, elsewhere=f"name another {_kind_of_path(start)}")
    wrote = f"{target}: {', '.join(texts)}" if start.is_folder else str(target)
    out().print(Text(f"wrote {wrote}"), soft_wrap=True)
    out().print()
    _show_steps(start.next_steps(target))


def _kind_of_path(start: Start) -> str:
    form = "FOLDER" if start.is_folder else "FILE"
    return f"{form.lower()}, as in celltrain init {start.kind} {form}"


def _list(starts: Sequence[Start]) -> None:
    from celltrain.cli.printing import print_sheet
    from celltrain.cli.sheet import Column, Sheet

    kinds = Column("kind", [start.kind for start in starts])
    writes = Column("writes", [f"{start.default}{'/' if start.is_folder else ''}" for start in starts])
    print_sheet(Sheet("", [kinds, writes, Column("content", [start.says for start in starts], kind="sentence")]))
    out().print()
    out().print("celltrain init KIND writes it; complete examples: celltrain examples", soft_wrap=True, markup=False)


def _show_steps(steps: Sequence[Step]) -> None:
    """Print commands after what they are for."""
    width = max(len(step.does) for step in steps)
    for step in steps:
        out().print(Text.assemble((f"{step.does:{width}}  ", "dim"), step.command), soft_wrap=True)
