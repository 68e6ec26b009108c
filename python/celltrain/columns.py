"""The columns of the tables of results, as the core defines them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from celltrain import _native


@dataclass(frozen=True)
class Column:
    """Description of a column.

    Attributes
    ----------
    name : str
        Its name, as in CSV.
    unit : str
        Unit of its values: SI, ``1`` for ratios and counts, empty for names.
    kind : str
        ``text``, ``integer``, ``integer or none``, or ``number``, which may be missing.
    heading : str
        Short heading for display; empty for quantities of probes.
    meaning : str
        What its values mean, in Markdown.
    """

    name: str
    unit: str
    kind: str
    heading: str
    meaning: str


#: Columns by table and name, in their order.
Registry: TypeAlias = Mapping[str, Mapping[str, Column]]


def registry(tables: Iterable[tuple[str, Sequence[Sequence[str]]]]) -> Registry:
    """Make a registry from the core's tables: name, unit, type, heading and meaning of each column."""
    return {table: {name: Column(name, *rest) for name, *rest in columns} for table, columns in tables}


#: All columns of runs. Quantities of probes are under the item they describe, as ``links.NAME``; the columns before
#: them are under ``every row`` and ``events``.
COLUMNS: Registry = registry(_native.columns_of_results())
#: The tables of runs; the others of `COLUMNS` describe traces.
TABLES = (
    "flows",
    "fairness",
    "vcs",
    "links",
    "link_vcs",
    "link_parts",
    "cell_delays",
    "cell_errors",
    "frames",
    "responses",
    "admission",
    "shapers",
)


def tables_of_run(scenario: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the tables that a run of a canonical scenario has."""
    measure = scenario["measure"]
    links, flows = (scenario[section].values() for section in ("links", "flows"))
    has = {
        "link_parts": bool(measure.get("parts")),
        "cell_delays": bool(measure.get("cell_delays", {}).get("vcs")),
        "cell_errors": any(link.get("errors") or link.get("misinsertion") for link in links),
        "frames": any(link.get("frames") for link in links),
        "responses": any(not flow.get("udp") and flow["application"]["kind"] == "telnet" for flow in flows),
        "shapers": any(it.get("shape") for it in (*scenario["vcs"].values(), *scenario.get("vps", {}).values())),
        "admission": scenario.get("admission", {}).get("on_refusal") == "run",
    }
    return tuple(table for table in TABLES if has.get(table, True))


#: The telling columns of each table, which a summary shows.
SUMMARY = {
    "flows": ("flow", "from", "to", "throughput_bps", "rtt_mean_s", "segments_retransmitted", "timeouts"),
    "fairness": ("group", "flows", "throughput_bps", "least_throughput_bps", "most_throughput_bps", "jain_index"),
    "vcs": (
        "vc",
        "from",
        "to",
        "service",
        "cells_sent",
        "cells_delivered",
        "cells_lost",
        "cells_errored",
        "cells_tagged",
        "cells_policed",
    ),
    "links": (
        "link",
        "from",
        "to",
        "mean_rate_bps",
        "utilization",
        "cell_loss_ratio",
        "queue_mean_cells",
        "queue_max_cells",
    ),
    "cell_delays": (
        "vc",
        "direction",
        "cells",
        "delay_min_s",
        "delay_p50_s",
        "delay_p99_s",
        "delay_max_s",
        "peak_to_peak_cdv_s",
    ),
    "cell_errors": ("link", "vc", "direction", "cells", "cells_corrupted", "cell_error_ratio", "cells_misinserted"),
    "frames": (
        "link",
        "from",
        "to",
        "ip_rate_bps",
        "line_bytes",
        "lost_bytes",
        "queue_mean_bytes",
        "queue_max_bytes",
    ),
    "responses": ("flow", "messages", "responses", "response_mean_s", "response_max_s"),
    "shapers": (
        "connection",
        "kind",
        "direction",
        "at",
        "cells_offered",
        "cells_dropped",
        "queue_mean_cells",
        "queue_max_cells",
        "delay_mean_s",
    ),
    "admission": ("vc", "reason", "refused_by", "direction", "needed_bps", "left_bps"),
}
