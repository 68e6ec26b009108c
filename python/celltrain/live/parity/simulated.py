"""The simulated side of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from celltrain.live.parity.flows import Flow
from celltrain.live.parity.sides import NOTHING, SAMPLE_EVERY_S, Series, Side, Simulated
from celltrain.quantity import octets
from celltrain.results import Result
from celltrain.scenario import Scenario

#: The probe that is added to the scenario; it samples at the same interval as on the kernel's side.
PROBE = "parity"


def simulate(scenario: Scenario, seed: int, flows: Sequence[Flow], queues: Sequence[str]) -> tuple[Simulated, Result]:
    """Run the simulator once, with a probe of windows, smoothed round trips and queues."""
    # There is an RTT estimate once a segment has been acknowledged.
    of_flows = [f"flows.{flow.name}.{quantity}" for flow in flows for quantity in ("cwnd_bytes", "srtt_s")]
    probe = {"every": f"{1e3 * SAMPLE_EVERY_S:g} ms", "record": [*of_flows, *queues]}
    result = scenario.with_changes({"probes": {PROBE: probe}}).run(seed)
    return read(result, flows, queues), result


def read(result: Result, flows: Sequence[Flow], queues: Sequence[str]) -> Simulated:
    """Extract the compared values from a result."""
    trace = result.traces[PROBE]
    times = np.asarray(trace["time_s"])
    rows = {row["flow"]: row for row in result.flows.rows()}
    sides, limited = {}, {}
    for flow in flows:
        row, window = rows[flow.name], octets(flow.tcp["window"])
        side = Side(
            float(row["throughput_bps"]),
            segments=int(row["segments_sent"]),
            retransmitted=int(row["segments_retransmitted"]),
        )
        if flow.sends_files:
            sides[flow.name] = _with_files(side, int(row["transfers"]), float(row["transfer_mean_s"]))
            continue
        srtts = np.asarray(trace[f"flows.{flow.name}.srtt_s"])
        known = ~np.isnan(srtts)
        cwnds = np.minimum(np.asarray(trace[f"flows.{flow.name}.cwnd_bytes"]), window)
        sides[flow.name] = Side(
            side.goodput_bps,
            side.segments,
            side.retransmitted,
            srtt_s=Series(times[known], srtts[known]),
            cwnd_bytes=Series(times[known], cwnds[known]),
        )
        # A window with less room than a whole segment is also full.
        full = cwnds[known] > window - octets(flow.tcp["mss"])
        limited[flow.name] = float(full.mean()) if full.size else 0.0
    return Simulated(sides, {name: Series(times, np.asarray(trace[name])) for name in queues}, limited)


def _with_files(side: Side, transfers: int, mean_s: float) -> Side:
    return Side(side.goodput_bps, side.segments, side.retransmitted, NOTHING, NOTHING, transfers, mean_s)
