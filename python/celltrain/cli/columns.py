"""``celltrain columns``."""

from __future__ import annotations

from dataclasses import asdict

import rich_click as click

from celltrain import _native
from celltrain.cli import printing
from celltrain.cli.console import BadInput
from celltrain.cli.printing import How
from celltrain.cli.sheet import Column as SheetColumn
from celltrain.cli.sheet import Sheet
from celltrain.columns import COLUMNS, Column, Registry

#: Prefix of the tables of `celltrain dbs run`, because some share their names with tables of runs.
MEASURED = "dbs."


def tables() -> Registry:
    """Return the columns of all tables, those of measurements between hosts last."""
    from celltrain.dbs import columns

    return {**COLUMNS, **{f"{MEASURED}{table}": known for table, known in columns.COLUMNS.items()}}


@click.command("columns")
@click.argument("names", metavar="[TABLE]...", nargs=-1)
@printing.options(columns=False)
def command(how: How, names: tuple[str, ...]) -> None:
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
    if how.as_json:
        plain = {table: [asdict(column) for column in columns.values()] for table, columns in shown.items()}
        click.echo(json_text(plain), nl=False)
        return
    how.show(*(_sheet(table, list(columns.values())) for table, columns in shown.items()))


def _sheet(table: str, columns: list[Column]) -> Sheet:
    def shown(name: str, values: list[str], kind: str = "") -> SheetColumn:
        return SheetColumn(name, values, kind=kind)

    return Sheet(
        table,
        [
            shown("column", [column.name for column in columns]),
            shown("unit", [column.unit for column in columns]),
            shown("type", [column.kind for column in columns]),
            shown("meaning", [column.meaning for column in columns], "sentence"),
        ],
    )
