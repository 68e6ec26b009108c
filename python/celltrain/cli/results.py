"""``celltrain results``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click
from click.exceptions import Exit
from rich.text import Text

from celltrain._native import nearest
from celltrain.cli.console import BadInput, err, out, readable_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table as Shown

    from celltrain.sweeps import Metric, SweepResults
    from celltrain.sweeps.summary import Comparison

#: Metrics printed by default.
METRICS = ("flows.throughput_bps", "flows.rtt_mean_s", "max(links.queue_max_cells)", "sum(links.cells_lost)")
#: Maximum number of errors and rows printed; the index and an export have all.
_SHOWN_ERRORS, _SHOWN_ROWS, _SHOWN_CONSTANTS = 5, 100, 10

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
@click.option("--table", metavar="NAME", help="Export a table (index, flows, ... or a probe), instead of the summary.")
@click.option(
    "--columns", metavar="NAME,...", help="With --table: export these columns of it, after point, seed and the keys."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on stdout.")
def command(
    folder: Path,
    metrics: tuple[str, ...],
    keys: tuple[str, ...],
    other: Path | None,
    check: bool,  # noqa: FBT001
    target: Path | None,
    table: str | None,
    columns: str | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Summarise the sweep in DIR, export it, or compare it with another.

    For example: celltrain results results/adsl --by links.up.rate.every --metric 'max(links.queue_max_cells)'
    """
    from celltrain.sweeps import Metric, SweepResults

    if table and not target:
        raise BadInput("--table says what to export; give the file with --export")
    if columns and not table:
        raise BadInput("--columns says what to export of a table; name it with --table")
    if check and not other:
        raise BadInput("--check looks at a comparison; give the other sweep with --compare")
    differs = False
    with readable_errors():
        results = SweepResults(folder)
        refresh(results)
        chosen = [Metric.parse(text) for text in metrics or METRICS]
        if other:
            differs = show_comparison(results, SweepResults(other), chosen, target, as_json=as_json)
        elif table and target:
            export(target, exported(results, table, columns))
        else:
            show(results, chosen, keys or None, target, as_json=as_json)
    show_failures(results)
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


def exported(results: SweepResults, name: str, columns: str | None) -> pa.Table:
    """Find a table by its name, add the swept keys, and keep only the chosen columns beside them."""
    if name == "index":
        return with_columns(results.index, columns, always=("point", "seed"))
    try:
        table = results.table(name) if name in results.tables else results.trace(name)
        return with_columns(results.with_keys(table), columns, always=("point", "seed", *results.keys))
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error


def with_columns(table: pa.Table, columns: str | None, always: Sequence[str]) -> pa.Table:
    """Keep the chosen columns, after those that identify a row."""
    if columns is None:
        return table
    chosen = [name.strip() for name in columns.split(",")]
    for name in chosen:
        if name not in table.column_names:
            raise BadInput(f"--columns: the table has no column {name!r}{nearest(name, table.column_names)}")
    return table.select(list(dict.fromkeys([*always, *chosen])))


def export(target: Path, table: pa.Table) -> None:
    """Write a table in the format of the file's suffix."""
    from celltrain.files import atomic_write, csv_text, json_text
    from celltrain.sweeps.collect import write_table

    if target.suffix == ".parquet":
        write_table(target, table)
    elif target.suffix == ".csv":
        atomic_write(target, csv_text(table.column_names, table.to_pylist()))
    elif target.suffix == ".json":
        atomic_write(target, json_text(table.to_pylist()))
    else:
        raise BadInput(f"{target}: expected a name that ends with .csv, .parquet or .json")
    err().print(f"wrote {len(table)} rows to {target}", style="dim", markup=False)


def show(
    results: SweepResults,
    metrics: Sequence[Metric],
    keys: Sequence[str] | None,
    target: Path | None = None,
    *,
    as_json: bool = False,
) -> None:
    """Print or export means and intervals."""
    import pyarrow as pa

    from celltrain.files import json_text
    from celltrain.sweeps.summary import summary

    if not results.counts()["done"]:
        err().print("no run is done yet", style="yellow", markup=False)
        return
    rows = summary(results, metrics, keys)
    if target:
        export(target, pa.Table.from_pylist(rows))
    elif as_json:
        click.echo(json_text(rows), nl=False)
    else:
        print_summary(rows, results, metrics)


def print_summary(rows: Sequence[Mapping[str, Any]], results: SweepResults, metrics: Sequence[Metric]) -> None:
    """Print a row for each combination of keys."""
    from celltrain.readable import with_interval

    names = {metric.text: results.unit(metric) for metric in metrics}
    intervals = {f"{name}_ci95" for name in names}
    headings = [name for name in rows[0] if name not in intervals]
    if all(row["points"] == 1 for row in rows):
        headings.remove("points")
    shown = table_of("mean ± half-width of the 95 % interval", {name: name not in results.keys for name in headings})
    for row in rows[:_SHOWN_ROWS]:
        shown.add_row(
            *(
                with_interval(row[name], row[f"{name}_ci95"], names[name]) if name in names else text(row[name])
                for name in headings
            )
        )
    out().print(shown)
    if len(rows) > _SHOWN_ROWS:
        out().print(f"... {len(rows) - _SHOWN_ROWS} more rows; --export FILE.csv has all", style="dim", markup=False)


def show_comparison(
    first: SweepResults, second: SweepResults, metrics: Sequence[Metric], target: Path | None, *, as_json: bool
) -> bool:
    """Print or export the comparison of two sweeps; return whether a point differs."""
    import pyarrow as pa

    from celltrain.files import json_text
    from celltrain.sweeps.alignment import aligned
    from celltrain.sweeps.summary import compare

    rows, differs = [], False
    show_constants(aligned(first, second).constants)
    for metric in metrics:
        found, alone = compare(first, second, metric)
        differs |= any(each.significant() for each in found)
        rows += [{"metric": metric.text, **each.to_json()} for each in found]
        if not (as_json or target):
            print_comparison(metric.text, found, first.unit(metric))
    if alone:
        err().print(f"{len(alone)} points are in only one of the two", style="yellow", markup=False)
    if target:
        export(target, pa.Table.from_pylist(rows))
    elif as_json:
        click.echo(json_text(rows), nl=False)
    return differs


def show_constants(constants: Mapping[str, tuple[Any, Any]]) -> None:
    """Print which constants differ between two sweeps."""
    if not constants:
        return
    err().print("constants that differ (first, second):", style="dim", markup=False)
    for key, (one, other) in list(constants.items())[:_SHOWN_CONSTANTS]:
        err().print(f"  {key}: {text(one)}, {text(other)}", style="dim", markup=False)
    if len(constants) > _SHOWN_CONSTANTS:
        err().print(f"  ... and {len(constants) - _SHOWN_CONSTANTS} more", style="dim", markup=False)


def print_comparison(title: str, found: Sequence[Comparison], unit: str) -> None:
    """Print a row for each point that both sweeps have."""
    from celltrain.readable import with_interval

    keys = list(found[0].values) if found else []
    columns = ("first", "second", "second - first", "test", "runs", "p", "")
    sides = dict.fromkeys(keys, False) | dict.fromkeys(columns, True)
    shown = table_of(f"{title}: difference ± half-width of its 95 % interval", sides)
    for each in found[:_SHOWN_ROWS]:
        shown.add_row(
            *(text(each.values[key]) for key in keys),
            with_interval(each.first, math.nan, unit),
            with_interval(each.second, math.nan, unit),
            with_interval(each.difference, each.difference_ci95, unit),
            each.test,
            str(each.runs),
            "-" if math.isnan(each.p_adjusted) else f"{each.p_adjusted:.2g}",
            "differs" if each.significant() else "",
        )
    out().print(shown)
    if len(found) > _SHOWN_ROWS:
        out().print(f"... {len(found) - _SHOWN_ROWS} more rows; --export FILE.csv has all", style="dim", markup=False)


def table_of(caption: str, columns: Mapping[str, bool]) -> Shown:
    """Make a table for the terminal; columns with the value true hold numbers and are right-aligned."""
    from rich import box
    from rich.table import Table as Shown

    shown = Shown(box=box.SIMPLE_HEAD, pad_edge=False, caption=caption, caption_justify="left")
    for name, number in columns.items():
        shown.add_column(Text(name), justify="right" if number else "left", overflow="fold")
    return shown


def show_failures(results: SweepResults) -> None:
    """Print failures, equal errors once, and how many runs are missing."""
    counts = results.counts()
    if counts["missing"]:
        note = f"{counts['missing']} of {len(results.index)} runs are missing; the same sweep command again runs them"
        err().print(note, style="yellow", markup=False)
    if not counts["failed"]:
        return
    points: dict[str, set[int]] = {}
    for row in results.index.select(["point", "status", "error"]).to_pylist():
        if row["status"] == "failed":
            points.setdefault(row["error"], set()).add(row["point"])
    err().print(f"{counts['failed']} of {len(results.index)} runs failed:", style="bold red", markup=False)
    for error, of in list(points.items())[:_SHOWN_ERRORS]:
        some = ", ".join(map(str, sorted(of)[:_SHOWN_ERRORS])) + (", ..." if len(of) > _SHOWN_ERRORS else "")
        err().print(f"  point{'s' * (len(of) > 1)} {some}: {error}", markup=False)
    if len(points) > _SHOWN_ERRORS:
        err().print(f"  ... and {len(points) - _SHOWN_ERRORS} other errors, in index.parquet", markup=False)


def text(value: object) -> str:
    """Format a value of a key, or a count."""
    return "-" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
