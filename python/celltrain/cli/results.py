"""``celltrain results``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.exceptions import Exit

from celltrain._native import nearest
from celltrain.cli import damaged, plotting, printing
from celltrain.cli.console import BadInput, err, readable_errors
from celltrain.cli.numbers import import_numpy
from celltrain.cli.sheet import Column, Sheet
from celltrain.extras import need

if TYPE_CHECKING:
    import pyarrow as pa

    from celltrain.cli.printing import How
    from celltrain.sweeps import Metric, SweepResults

#: Metrics printed by default.
METRICS = ("flows.throughput_bps", "flows.rtt_mean_s", "max(links.queue_max_cells)", "sum(links.cells_lost)")
_INSTANT = re.compile(r"was stopped at \d+ \w+")
#: Maximum number of errors and of constants printed; the index has all.
_SHOWN_ERRORS, _SHOWN_CONSTANTS = 5, 10

PATH = click.Path(path_type=Path)


@click.command("results")
@click.argument("folder", metavar="DIR", type=PATH)
@click.option("--metric", "metrics", multiple=True, help=f"What to summarise.  [default: {', '.join(METRICS)}]")
@click.option("--by", "keys", metavar="KEY", multiple=True, help="Distinguish only these parameters; default: all.")
@click.option(
    "--compare",
    "other",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Compare with another sweep, point by point.",
)
@click.option("--check", is_flag=True, help="With --compare: exit with 1 if a point differs significantly.")
@click.option(
    "--export", "target", metavar="FILE", type=click.Path(path_type=Path), help="Write a .csv, .parquet or .json file."
)
@click.option(
    "--table", metavar="NAME", help="Print or export a table (index, flows, ... or a probe) instead of the summary."
)
@click.option(
    "--plot",
    metavar="x=KEY,y=METRIC,by=KEY",
    help="Draw metrics against a key, with lines by other keys, in DIR/plot.svg or a FILE.pdf, .svg or .png before x=.",
)
@plotting.width_option
@printing.options()
def command(
    how: How,
    folder: Path,
    metrics: tuple[str, ...],
    keys: tuple[str, ...],
    other: Path | None,
    check: bool,  # noqa: FBT001
    target: Path | None,
    table: str | None,
    plot: str | None,
    width: str | None,
) -> None:
    """Summarise the sweep in DIR, export it, or compare it with another.

    For example: celltrain results results/adsl --by links.up.rate.every --metric 'max(links.queue_max_cells)'
    """
    need("sweeps", by="celltrain results")
    import_numpy()
    from celltrain.sweeps import Metric, SweepResults

    if check and not other:
        raise BadInput("--check looks at a comparison; give the other sweep with --compare")
    drawn = plotting.Asked.parse(plot, folder) if plot else None
    differs = False
    with readable_errors():
        results, compared = SweepResults(folder), SweepResults(other) if other else None
        refresh(results)
        chosen = [Metric.parse(text) for text in metrics or METRICS]
        if compared:
            differs = show_comparison(results, compared, chosen, target, how)
        elif table and target:
            export(target, exported(results, table, how.columns))
        elif table:
            show_table(exported(results, table, how.columns), how)
        else:
            show(results, chosen, keys or None, target, how)
        if drawn:
            drawn.draw(results, tuple(metrics), width)
    for each in filter(None, (results, compared)):
        show_failures(each, f" of {each.folder}" if compared else "")
    damaged.refuse(results.damaged | (compared.damaged if compared else {}))
    if check and differs:
        raise Exit(1)


def refresh(results: SweepResults) -> None:
    """Write index and tables if they are out of date, as after ``kill -9``; reading works without them."""
    from celltrain.sweeps import Busy, collect
    from celltrain.sweeps.store import Store

    store = Store(results.folder)
    if collect.written(store):
        return
    try:
        with store.writing():
            collect.write(store)
    except Busy:
        err().print("a sweep is running in this folder; these are its results so far", style="dim", markup=False)
    except OSError as error:
        err().print(f"index and tables were not written: {error.strerror or error}", style="yellow", markup=False)


def exported(results: SweepResults, name: str, columns: Sequence[str]) -> pa.Table:
    """Find a table by its name, add the swept keys, and keep only the chosen columns beside them."""
    if name == "index":
        return with_columns(results.index, columns, always=("point", "seed"))
    try:
        table = results.table(name) if name in results.tables else results.trace(name)
        return with_columns(results.with_keys(table), columns, always=("point", "seed", *results.keys))
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error


def with_columns(table: pa.Table, columns: Sequence[str], always: Sequence[str]) -> pa.Table:
    """Keep the chosen columns, after those that identify a row."""
    if not columns:
        return table
    for name in columns:
        if name not in table.column_names:
            raise BadInput(f"--columns: the table has no column {name!r}{nearest(name, table.column_names)}")
    return table.select(list(dict.fromkeys([*always, *columns])))


def export(target: Path, table: pa.Table) -> None:
    """Write a table in the format of the file's suffix."""
    from celltrain.files import atomic_write, csv_text, json_text
    from celltrain.stored.tables import write_parquet

    if target.suffix == ".parquet":
        write_parquet(target, table)
    elif target.suffix == ".csv":
        atomic_write(target, csv_text(table.column_names, table.to_pylist()))
    elif target.suffix == ".json":
        atomic_write(target, json_text(table.to_pylist()))
    else:
        raise BadInput(f"{target}: expected a name that ends with .csv, .parquet or .json")
    err().print(f"wrote {len(table)} rows to {target}", style="dim", markup=False)


def show_table(table: pa.Table, how: How) -> None:
    """Print a table of all runs."""
    from celltrain.files import json_text

    if how.as_json:
        click.echo(json_text(replace(how, columns=()).rows(table.to_pylist())), nl=False)
        return
    units = {field.name: (field.metadata or {}).get(b"unit", b"").decode() for field in table.schema}
    columns = [Column(name, table[name].to_pylist(), unit=units[name]) for name in table.column_names]
    replace(how, columns=()).show(Sheet("", columns, keys=2))


def show(
    results: SweepResults, metrics: Sequence[Metric], keys: Sequence[str] | None, target: Path | None, how: How
) -> None:
    """Print or export means and intervals."""
    import pyarrow as pa

    from celltrain.cli import sweep_table
    from celltrain.files import json_text
    from celltrain.sweeps.summary import summary

    if not results.counts()["done"]:
        err().print("no run is done yet", style="yellow", markup=False)
        return
    rows = summary(results, metrics, keys)
    if target:
        export(target, pa.Table.from_pylist(rows))
    elif how.as_json:
        click.echo(json_text(how.rows(rows)), nl=False)
    else:
        how.show(sweep_table.of_means(rows, results, metrics))


def show_comparison(
    first: SweepResults, second: SweepResults, metrics: Sequence[Metric], target: Path | None, how: How
) -> bool:
    """Print or export the comparison of two sweeps; return whether a point differs."""
    import pyarrow as pa

    from celltrain.cli import sweep_table
    from celltrain.files import json_text
    from celltrain.sweeps.alignment import aligned
    from celltrain.sweeps.summary import compare

    rows, sheets, differs = [], [], False
    show_constants(aligned(first, second).constants)
    for metric in metrics:
        found, alone = compare(first, second, metric)
        differs |= any(each.significant() for each in found)
        rows += [{"metric": metric.text, **each.to_json()} for each in found]
        sheets.append(sweep_table.of_comparison(metric, found, first.unit(metric)))
    if alone:
        err().print(f"{len(alone)} points are in only one of the two", style="yellow", markup=False)
    if target:
        export(target, pa.Table.from_pylist(rows))
    elif how.as_json:
        click.echo(json_text(how.rows(rows)), nl=False)
    else:
        how.show(*sheets)
    return differs


def show_constants(constants: Mapping[str, tuple[Any, Any]]) -> None:
    """Print which constants differ between two sweeps."""
    if not constants:
        return
    err().print("constants that differ (first, second):", style="dim", markup=False)
    for key, (one, other) in list(constants.items())[:_SHOWN_CONSTANTS]:
        err().print(f"  {key}: {one}, {other}", style="dim", markup=False)
    if len(constants) > _SHOWN_CONSTANTS:
        err().print(f"  ... and {len(constants) - _SHOWN_CONSTANTS} more", style="dim", markup=False)


def show_failures(results: SweepResults, of: str = "") -> None:
    """Print failures, equal reasons once, and how many runs are missing; ``of`` names one of several sweeps."""
    counts, total = results.counts(), f"{len(results.index)} runs{of}"
    if counts["missing"]:
        note = f"{counts['missing']} of {total} are missing; the same sweep command again runs them"
        err().print(note, style="yellow", markup=False)
    if not counts["failed"]:
        return
    points: dict[str, set[int]] = {}
    for row in results.index.select(["point", "status", "error"]).to_pylist():
        if row["status"] == "failed":
            points.setdefault(_reason(row["error"]), set()).add(row["point"])
    err().print(f"{counts['failed']} of {total} failed, and no mean has them:", style="bold red", markup=False)
    for reason, numbers in list(points.items())[:_SHOWN_ERRORS]:
        some = ", ".join(map(str, sorted(numbers)[:_SHOWN_ERRORS])) + (", ..." if len(numbers) > _SHOWN_ERRORS else "")
        err().print(f"  point{'s' * (len(numbers) > 1)} {some}: {reason}", markup=False)
    if len(points) > _SHOWN_ERRORS:
        err().print(f"  ... and {len(points) - _SHOWN_ERRORS} other errors, in index.parquet", markup=False)


def _reason(error: str) -> str:
    """Leave out of an error at which instant a run was stopped: each seed has its own.

    >>> _reason("the run needed more than limits.cells = 1.000e2 and was stopped at 1234 ps; make it shorter")
    'the run needed more than limits.cells = 1.000e2 and was stopped; make it shorter'
    """
    return _INSTANT.sub("was stopped", error)
