"""One scenario both ways: simulated TCP, and kernel TCP through the line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from celltrain import _native
from celltrain.live.bulk import Bulk
from celltrain.live.hosts import ADDRESSES, CLIENT, SERVER, Settings
from celltrain.live.line import LiveLine, open_line
from celltrain.live.quantity import octets, seconds
from celltrain.live.summary import Summary
from celltrain.scenario import Data, Scenario

_FIRST_PORT = 5001
_HEADERS = 40
_QUANTILES = (0.5, 0.95, 0.99)
_PROBE = "parity"


@dataclass(frozen=True)
class Side:
    """A flow, simulated or live.

    Throughput; median, 95th and 99th percentile of the RTT, sampled every 10 ms (the kernel's is smoothed); share of
    segments sent again.
    """

    throughput_bps: float
    rtt_s: tuple[float, float, float]
    resent: float


@dataclass(frozen=True)
class Pair:
    """A flow both ways."""

    flow: str
    variant: str
    congestion: str
    simulated: Side
    live: Side


def nearest(variant: str) -> str:
    """Name the kernel's congestion control that is nearest to a variant of the simulator.

    >>> nearest("4.3bsd-reno"), nearest("cubic")
    ('reno', 'cubic')
    """
    return variant if variant in ("cubic", "bbr") else "reno"


def parity(
    scenario: Scenario, *, seed: int = 1, vc: str | None = None, realtime: bool = False
) -> tuple[list[Pair], Summary]:
    """Run a scenario in the simulator, then the flows of one VC through the line, in real time.

    Flows of other VCs are simulated both times. All flows of the VC send greedily from the start.

    Raises
    ------
    ValueError
        The VC has no TCP flow.
    """
    line = _native.Line(scenario.native, seed, vc)
    plain = json.loads(scenario.to_json())
    flows = _flows(scenario, plain, line.vc, seed)
    simulated = _simulate(scenario, seed, flows)
    tcp = flows[0].tcp
    settings = Settings(
        congestion=nearest(tcp["variant"]),
        mtu=min(line.mtu, octets(tcp["mss"]) + _HEADERS),
        sysctls={
            "net.ipv4.tcp_timestamps": str(int(tcp["timestamps"])),
            "net.ipv4.tcp_sack": str(int(tcp["variant"] in ("sack", "cubic", "bbr"))),
        },
    )
    measure = plain["measure"]
    times = (seconds(measure["warm_up"]), seconds(measure["duration"]))
    with open_line(scenario, seed=seed, vc=line.vc, settings=settings, realtime=realtime) as opened:
        live = _transfer(opened, flows, times)
    pairs = [
        Pair(flow.name, flow.tcp["variant"], nearest(flow.tcp["variant"]), *sides)
        for flow, *sides in zip(flows, simulated, live, strict=True)
    ]
    return pairs, opened.summary


@dataclass(frozen=True)
class _Flow:
    name: str
    direction: str
    tcp: Data


def _flows(scenario: Scenario, plain: Data, vc: str, seed: int) -> list[_Flow]:
    """Find the TCP flows of a VC; members of a group are flows of their own."""
    shortest = scenario.with_changes({"measure": {"warm_up": "0 s", "duration": "1 us"}})
    rows = shortest.run(seed).flows.rows()
    found = []
    for row in rows:
        name = str(row["flow"])
        written = plain["flows"].get(name) or plain["flows"][name.rstrip("0123456789")]
        if row["vc"] == vc and row["variant"] != "udp":
            found.append(_Flow(name, str(row["direction"]), written["tcp"]))
    if not found:
        raise ValueError(f"VC {vc} has no TCP flow to compare; give one: [flows.download] vc = ...")
    return found


def _simulate(scenario: Scenario, seed: int, flows: Sequence[_Flow]) -> list[Side]:
    """Run the simulator, and sample the RTT as often as the kernel's is."""
    record = [f"flows.{flow.name}.rtt_s" for flow in flows]
    probed = scenario.with_changes({"probes": {_PROBE: {"every": "10 ms", "record": record}}})
    result = probed.run(seed)
    rows = {row["flow"]: row for row in result.flows.rows()}
    sides = []
    for flow, column in zip(flows, record, strict=True):
        row = rows[flow.name]
        resent = float(row["segments_retransmitted"]) / max(1.0, float(row["segments_sent"]))
        rtts = [float(rtt) for rtt in result.traces[_PROBE][column]]
        sides.append(Side(float(row["throughput_bps"]), _quantiles(rtts), resent))
    return sides


def _transfer(line: LiveLine, flows: Sequence[_Flow], times: tuple[float, float]) -> list[Side]:
    """Let the kernels send."""
    running = []
    for number, flow in enumerate(flows):
        goes_up = (flow.direction == "forward") == line.client_is_first
        sender, receiver = (CLIENT, SERVER) if goes_up else (SERVER, CLIENT)
        bulk = Bulk(
            ADDRESSES[receiver],
            _FIRST_PORT + number,
            *times,
            congestion=nearest(flow.tcp["variant"]),
            mss=octets(flow.tcp["mss"]),
            window=octets(flow.tcp["window"]),
        )
        receiving = _start(line, receiver, "receive", bulk)
        if receiving.stdout is None or receiving.stdout.readline().strip() != "ready":
            raise ValueError(f"flow {flow.name}: the receiver did not start")
        running.append((receiving, _start(line, sender, "send", bulk)))
    return [
        _side(flow, *(_finish(flow, process) for process in ends)) for flow, ends in zip(flows, running, strict=True)
    ]


def _start(line: LiveLine, end: str, role: str, bulk: Bulk) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "celltrain.live.bulk", role, bulk.as_argument()]
    return line.popen(end, command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _finish(flow: _Flow, process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate()
    if process.returncode != 0:
        raise ValueError(f"flow {flow.name}: {errors.strip() or 'a transfer failed'}")
    told: dict[str, Any] = json.loads(output)
    return told


def _side(_flow: _Flow, received: dict[str, Any], sent: dict[str, Any]) -> Side:
    resent = sent["retransmitted"] / max(1, sent["segments"])
    return Side(received["throughput_bps"], _quantiles(sent["rtts_s"]), resent)


def _quantiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Give the median, and what 95 % and 99 % do not exceed; NaN without any value."""
    known = sorted(value for value in values if value == value)
    if not known:
        return (float("nan"),) * 3
    median, p95, p99 = (known[min(len(known) - 1, int(share * len(known)))] for share in _QUANTILES)
    return median, p95, p99
