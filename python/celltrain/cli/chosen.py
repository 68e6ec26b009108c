"""What ``--columns`` chooses: columns of tables, by their names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import rich_click as click

from celltrain import _native
from celltrain.cli.console import BadInput
from celltrain.columns import COLUMNS, tables_of_run

if TYPE_CHECKING:
    from celltrain.checked import CheckedScenario

#: The names of the columns of each table.
Names: TypeAlias = Mapping[str, Sequence[str]]

option = click.option(
    "--columns",
    "columns",
    metavar="NAME,...",
    multiple=True,
    help="Print these columns, as flows.throughput_bps, or all of a table, as links; `celltrain columns` lists them.",
)


def chosen(texts: Sequence[str], known: Names) -> dict[str, list[str]]:
    """Read ``--columns``: by table, in the order given, the columns that are printed.

    >>> tables = {"flows": ["flow", "rtt_mean_s"], "links": ["link", "queue_max_cells"]}
    >>> chosen(["links,flows.rtt_mean_s"], tables)
    {'links': ['link', 'queue_max_cells'], 'flows': ['rtt_mean_s']}
    """
    columns: dict[str, list[str]] = {}
    for text in ",".join(texts).split(","):
        table, dot, column = text.strip().partition(".")
        if table not in known:
            raise BadInput(f"--columns: there is no table {table!r}{_hint(table, known, is_column=not dot)}")
        names = columns.setdefault(table, [])
        names += [_known_column(table, column, known)] if dot else known[table]
    return {table: list(dict.fromkeys(names)) for table, names in columns.items()}


def tables_of(scenario: CheckedScenario) -> Names:
    """Return the columns of all tables that a run of a scenario has."""
    canonical = json.loads(scenario.to_json())
    fixed = {table: list(COLUMNS[table]) for table in tables_of_run(canonical)}
    return fixed | {name: _trace(probe) for name, probe in canonical.get("probes", {}).items()}


def _trace(probe: Mapping[str, Any]) -> list[str]:
    events = COLUMNS["events"] if probe.get("events_of") else ()
    return [*COLUMNS["every row"], *events, *probe["record"]]


def of_json(plain: dict[str, Any], columns: Names | None) -> dict[str, Any]:
    """Leave the chosen columns in a result in plain data, and all without a choice."""
    if columns is None:
        return plain
    tables = {
        table: [{name: row[name] for name in names} for row in plain["tables"][table]]
        for table, names in columns.items()
    }
    return plain | {"tables": tables}


def _hint(name: str, known: Names, *, is_column: bool) -> str:
    """Say what a name may stand for that is no table: a column of one, or the nearest table."""
    having = [table for table, columns in known.items() if is_column and name in columns]
    return f"; expected TABLE.COLUMN, such as {having[0]}.{name}" if having else _native.nearest(name, [*known])


def _known_column(table: str, name: str, known: Names) -> str:
    if name not in known[table]:
        raise BadInput(f"--columns: {table} has no column {name!r}{_native.nearest(name, [*known[table]])}")
    return name
