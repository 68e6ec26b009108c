"""Short descriptions of a measurement."""

from __future__ import annotations

import numpy as np

from celltrain.table import Table

#: The columns of :func:`round_trips`.
ROUND_TRIPS = ("probe", "from", "to", "asked", "lost", "median", "95 %", "longest")


def round_trips(latency: Table) -> list[list[str]]:
    """Return a row for each probe: name, datagrams, losses, median, 95th percentile and maximum of the round trip."""
    by_probe: dict[tuple[str, str, str], list[float]] = {}
    for row in latency.rows():
        key = (str(row["probe"]), str(row["from"]), str(row["to"]))
        by_probe.setdefault(key, []).append(float(row["rtt_s"]))
    rows = []
    for key, values in by_probe.items():
        known = np.array(values)[~np.isnan(values)]
        times = [f"{1e3 * np.percentile(known, at):.4g} ms" for at in (50, 95, 100)] if known.size else ["-"] * 3
        rows.append([*key, str(len(values)), str(len(values) - known.size), *times])
    return rows


def clocks(hosts: Table) -> list[str]:
    """Describe the offsets of the hosts' clocks from the controller's, and their bounds."""
    worst: dict[str, tuple[float, float]] = {}
    for row in hosts.rows():
        bound = float(row["clock_bound_s"])
        if bound == bound and bound >= worst.get(str(row["host"]), (0.0, -1.0))[1]:
            worst[str(row["host"])] = float(row["clock_offset_s"]), bound
    return [
        f"clock of {host}: {1e3 * offset:+.3f} ms from the controller's, known to within {1e3 * bound:.3f} ms"
        for host, (offset, bound) in worst.items()
    ]
