"""``celltrain columns``."""

from __future__ import annotations

from dataclasses import asdict

import rich_click as click
from rich.text import Text

from celltrain import _native
from celltrain.cli.console import BadInput, out
from celltrain.columns import COLUMNS, Column, Registry

#: Prefix of the tables of `celltrain dbs run`, because some share their names with tables of runs.
MEASURED = "dbs."


def tables() -> Registry:
    """Return the columns of all tables, those of measurements between hosts last."""
    from celltrain.dbs import columns

    return {**COLUMNS, **{f"{MEASURED}{table}": known for table, known in columns.COLUMNS.items()}}


@click.command("columns")
@click.argument("names", metavar="[TABLE]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def command(names: tuple[str, ...], as_json: bool) -> None:  # noqa: FBT001
    """List the columns of TABLE, or of all tables, with unit, type and meaning.

    Quantities of probes are under links.NAME, vcs.NAME.DIRECTION and flows.NAME, after the columns of `every row`,
    and of `events` if a probe has them. Tables of `celltrain dbs run` begin with "dbs.".
    """
    from celltrain.files import json_text

    known = tables()
    for name in names:
        if name not in known:
            raise BadInput(f"there is no table {name!r}{_native.nearest(name, [*known])}")
    shown = {name: known[name] for name in names or known}
    if as_json:
        plain = {table: [asdict(column) for column in columns.values()] for table, columns in shown.items()}
        click.echo(json_text(plain), nl=False)
        return
    for table, columns in shown.items():
        _print(table, list(columns.values()))


def _print(table: str, columns: list[Column]) -> None:
    from rich import box
    from rich.table import Table as Shown

    shown = Shown(box=box.SIMPLE_HEAD, title=table, title_justify="left", title_style="bold", pad_edge=False)
    shown.add_column("column", no_wrap=True)
    for heading in ("unit", "type", "meaning"):
        shown.add_column(heading)
    for column in columns:
        shown.add_row(*map(Text, (column.name, column.unit, column.kind, column.meaning)))
    out().print(shown)
