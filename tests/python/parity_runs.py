"""Made-up runs for tests of comparisons: nothing is simulated or carried."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
from celltrain.live.parity.flows import Flow
from celltrain.live.parity.kernel import Measured
from celltrain.live.parity.runs import Run
from celltrain.live.parity.sides import Limits, Series, Side, Simulated
from celltrain.live.summary import CAUSES, Summary, Way
from celltrain.results import Result

QUEUE = "links.up.queue_cells"
HOST = "vcs.vc.forward.host_queue_cells"
WRITTEN = {
    "application": {"kind": "greedy"},
    "sockets": {},
    "start": "0 s",
    "tcp": {"variant": "cubic", "window": "65535 bytes", "mss": "1460 bytes"},
}
FLOW = Flow("upload", "vc", "forward", WRITTEN)
SPREAD = {"count": 1.0, "mean": 0.0, "p50": 0.0, "p95": 20e-6, "p99": 30e-6, "max": 0.001}
NO_WAY = Way(1000, 1500_000, 1000, 1500_000, 0, dict.fromkeys(CAUSES, 0), 0, 0, 0, 0, 0, 0, SPREAD, SPREAD, 1.0, 0)
SUMMARY = Summary(
    duration_s=4.0,
    up=NO_WAY,
    down=NO_WAY,
    lateness=SPREAD,
    lateness_bins=[],
    stalls=0,
    longest_stall_s=0.0,
    cpu_s=0.1,
    degraded=False,
    realtime_problem=None,
    capture_is_cut=False,
    kernels={},
    result=None,
    provenance={},
)
CLEAN = Measured({}, {}, {}, SUMMARY, 0.0)


def steady(value: float) -> Series:
    """Return a series that never changes."""
    times = np.arange(0.0, 4.0, 0.01)
    return Series(times, np.full(len(times), value))


def side(goodput_bps: float = 1e6, retransmitted: int = 20, cwnd_bytes: float = 40e3) -> Side:
    """Return a flow with constant behaviour."""
    return Side(goodput_bps, 1000, retransmitted, steady(0.05), steady(cwnd_bytes))


def run(
    number: int,
    simulated: Side,
    kernel: Side,
    *,
    queues: tuple[float, float] = (100.0, 100.0),
    reasons: tuple[str, ...] = (),
    loss: int = 0,
    flow: Flow = FLOW,
    limits: Limits | None = None,
) -> Run:
    """Make a run of one upstream flow, from 1 to 4 s."""
    up = replace(NO_WAY, packets_lost=loss, packets_lost_to=NO_WAY.packets_lost_to | {"line-errors": loss})
    measured = Measured(
        {flow.name: kernel},
        {flow.name: limits or Limits()},
        {QUEUE: steady(queues[1]), HOST: steady(0.0)},
        replace(SUMMARY, up=up),
        0.0,
    )
    return Run(
        vc=flow.vc,
        number=number,
        seed=number,
        times=(1.0, 4.0),
        mtu=1500,
        flows=(flow,),
        simulated=Simulated({flow.name: simulated}, {QUEUE: steady(queues[0]), HOST: steady(0.0)}),
        result=cast("Result", None),
        kernel=measured,
        ways={"forward": (QUEUE, HOST)},
        reasons=reasons,
    )
