"""The output of ``celltrain dbs run``: the summary of a measurement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from celltrain.cli.console import err, out
from celltrain.cli.sheet import Column, Sheet

if TYPE_CHECKING:
    from celltrain.cli.printing import How
    from celltrain.dbs.describe import RoundTrips
    from celltrain.dbs.result import Measurement
    from celltrain.table import Table

#: Columns of the summary: those with means are followed by their intervals.
_NAMES, _MEANS = ("flow", "from", "to", "connections"), ("throughput_bps", "rtt_mean_s", "loss_ratio")


def show(result: Measurement, how: How, columns: Mapping[str, Sequence[str]] | None = None) -> None:
    """Print chosen columns, or the summary, round trips of probes and clocks; then any missing items."""
    from celltrain.cli.summary import show_columns

    if columns:
        show_columns(result.tables, columns, how)
    else:
        show_summary(result, how)
    for row in result.tables["missing"].rows():
        place = " ".join(str(part) for part in (row["host"], row["flow"]) if part)
        err().print("missing:", style="bold red", end=" ")
        err().print(f"{place}: {row['why']}", markup=False, soft_wrap=True)


def show_summary(result: Measurement, how: How) -> None:
    """Print means over repetitions, round trips of probes, and clocks."""
    from celltrain.dbs.describe import clocks, round_trips
    from celltrain.dbs.rates import notes

    sheets = []
    if len(result.tables["summary"]):
        sheets.append(_flows(result.tables["summary"]))
    if rows := round_trips(result.tables["latency"]):
        sheets.append(_round_trips(rows))
    how.show(*sheets)
    if how.format == "table":
        for line in (*clocks(result.tables["hosts"]), *notes(result)):
            out().print(line, markup=False, soft_wrap=True)


def _flows(summary: Table) -> Sheet:
    from celltrain.cli.sweep_table import with_intervals
    from celltrain.dbs.columns import heading

    rows = list(summary.rows())
    columns = [Column(name, [row[name] for row in rows], heading("summary", name)) for name in _NAMES]
    for name in _MEANS:
        columns += with_intervals(name, heading("summary", name), summary.units[name], rows)
    return Sheet("flows", columns, keys=3)


def _round_trips(rows: Sequence[RoundTrips]) -> Sheet:
    def column(name: str, heading: str | None = None, unit: str = "") -> Column:
        return Column(name, [getattr(row, name) for row in rows], heading, unit)

    names = [Column(name, [getattr(row, place) for row in rows]) for name, place in (("from", "start"), ("to", "end"))]
    counts = [column("asked"), column("lost")]
    times = [column("median_s", "median", "s"), column("p95_s", "95 %", "s"), column("longest_s", "longest", "s")]
    return Sheet("round trips", [column("probe"), *names, *counts, *times], keys=3)
