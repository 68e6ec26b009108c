"""The columns of the tables of a measurement: those of the core, and of `summary`, which Python computes."""

from __future__ import annotations

from celltrain import _native
from celltrain.columns import Column, Registry, registry

_CI95 = "half-width of the 95 % confidence interval of `{}` (Student's t)"

#: The columns of `summary`, by name.
SUMMARY = {
    column.name: column
    for column in (
        Column("flow", "", "text", "flow", "the flow; `NAME-back` is the reverse direction of a bidirectional one"),
        Column("from", "", "text", "from", "the host that sends"),
        Column("to", "", "text", "to", "the host that receives"),
        Column("connections", "1", "integer", "conn.", "connections of the flow"),
        Column("n_runs", "1", "integer", "runs", "repetitions in which all of them are complete"),
        Column(
            "throughput_bps",
            "bit/s",
            "number",
            "throughput",
            "mean over repetitions of the throughput of all connections together",
        ),
        Column("throughput_bps_ci95", "bit/s", "number", "±", _CI95.format("throughput_bps")),
        Column(
            "rtt_mean_s", "s", "number", "mean RTT", "TCP: mean over repetitions of the mean RTT of the connections"
        ),
        Column("rtt_mean_s_ci95", "s", "number", "RTT ±", _CI95.format("rtt_mean_s")),
        Column("loss_ratio", "1", "number", "loss", "UDP: mean over repetitions of the loss ratio of the connections"),
        Column("loss_ratio_ci95", "1", "number", "loss ±", _CI95.format("loss_ratio")),
    )
}

#: All columns by table and name, in order. Only Linux measures between hosts; elsewhere there is only `summary`.
COLUMNS: Registry = {
    "summary": SUMMARY,
    **registry(getattr(_native, "columns_of_measurements", list)()),
}


def heading(table: str, column: str) -> str:
    """Return the heading of a column, or its name if only Linux knows the heading."""
    known = COLUMNS.get(table, {}).get(column)
    return known.heading if known else column
