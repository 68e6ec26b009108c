"""Short descriptions of a measurement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from celltrain.table import Table


@dataclass(frozen=True)
class RoundTrips:
    """The datagrams of a probe: how many were sent and lost, and percentiles of the round trip; NaN without any."""

    probe: str
    start: str
    end: str
    asked: int
    lost: int
    median_s: float
    p95_s: float
    longest_s: float


def round_trips(latency: Table) -> list[RoundTrips]:
    """Describe the round trips of each probe."""
    by_probe: dict[tuple[str, str, str], list[float]] = {}
    for row in latency.rows():
        key = (str(row["probe"]), str(row["from"]), str(row["to"]))
        by_probe.setdefault(key, []).append(float(row["rtt_s"]))
    found = []
    for key, values in by_probe.items():
        known = np.array(values)[~np.isnan(values)]
        times = [float(np.percentile(known, at)) for at in (50, 95, 100)] if known.size else [np.nan] * 3
        found.append(RoundTrips(*key, len(values), len(values) - known.size, *times))
    return found


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
