"""One scenario both ways: simulated TCP, and kernel TCP through the line."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from celltrain import _native
from celltrain.live.bulk import Bulk, Files
from celltrain.live.hosts import ADDRESSES, CLIENT, SERVER, Settings
from celltrain.live.line import LiveLine, open_line
from celltrain.live.quantity import bits_per_second, octets, seconds
from celltrain.live.summary import Summary
from celltrain.scenario import Data, Scenario

_FIRST_PORT = 5001
_HEADERS = 40
_QUANTILES = (0.5, 0.95, 0.99)
_PROBE = "parity"
#: Programs that are ready hear of the start within this time.
_SECONDS_TO_START = 0.2
#: Length of a write or read at a rate, where none is given.
_CALL = "2048 bytes"


@dataclass(frozen=True)
class Side:
    """A flow, simulated or live.

    Throughput; median, 95th and 99th percentile of the RTT, sampled every 10 ms (the kernel's is smoothed); share of
    segments sent again; files sent from end to end, and their mean time, where it sends files.
    """

    throughput_bps: float
    rtt_s: tuple[float, float, float]
    resent: float
    transfers: int = 0
    transfer_mean_s: float = float("nan")


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

    Flows of other VCs are simulated both times. The kernels' applications do as the simulated ones: they send greedily
    or files with time to think, write and read at the given rates, and begin at the given times. Where those are drawn,
    both sides draw for themselves.

    Raises
    ------
    ValueError
        The VC has no TCP flow, or one that a kernel cannot do alike.
    """
    line = _native.Line(scenario.native, seed, vc)
    plain = json.loads(scenario.to_json())
    flows = _flows(scenario, plain, line.vc, seed)
    settings = _settings(flows, line.mtu)
    simulated = _simulate(scenario, seed, flows)
    measure = plain["measure"]
    times = (seconds(measure["warm_up"]), seconds(measure["duration"]))
    with open_line(scenario, seed=seed, vc=line.vc, settings=settings, realtime=realtime) as opened:
        live = _transfer(opened, flows, times, seed)
    pairs = [
        Pair(flow.name, flow.tcp["variant"], nearest(flow.tcp["variant"]), *sides)
        for flow, *sides in zip(flows, simulated, live, strict=True)
    ]
    return pairs, opened.summary


@dataclass(frozen=True)
class _Flow:
    name: str
    direction: str
    written: Data

    @property
    def tcp(self) -> Data:
        tcp: Data = self.written["tcp"]
        return tcp

    @property
    def sends_files(self) -> bool:
        return bool(self.written["application"]["kind"] == "files")


def _flows(scenario: Scenario, plain: Data, vc: str, seed: int) -> list[_Flow]:
    """Find the TCP flows of a VC; members of a group are flows of their own."""
    shortest = scenario.with_changes({"measure": {"warm_up": "0 s", "duration": "1 us"}})
    found = []
    for row in shortest.run(seed).flows.rows():
        name = str(row["flow"])
        written = plain["flows"].get(name) or plain["flows"][name.rstrip("0123456789")]
        if row["vc"] != vc:
            continue
        if row["variant"] == "udp":
            raise ValueError(
                f"flows.{name} sends UDP on VC {vc}, whose flows the kernels take over, and parity is of TCP alone; "
                "give it a VC of its own, so that it is simulated both times"
            )
        found.append(_Flow(name, str(row["direction"]), written))
    if not found:
        raise ValueError(f"VC {vc} has no TCP flow to compare; give one: [flows.download] vc = ...")
    return found


def _settings(flows: Sequence[_Flow], mtu: int) -> Settings:
    """Set the kernels as all flows ask for; what is one setting for a host must be the same for all."""
    chosen: dict[str, int] = {}
    for key, of in _HOST_WIDE.items():
        values = {int(of(flow.tcp)): flow.name for flow in flows}
        if len(values) > 1:
            first, second, *_ = values.values()
            raise ValueError(
                f"flows.{first} and flows.{second} differ in {key}, which a kernel has for all connections of a host; "
                "compare them one by one, each on a VC of its own (--vc)"
            )
        (chosen[key],) = values
    # One setting, too, but no reason not to compare Reno with CUBIC.
    sack = str(int(any(flow.tcp["variant"] in ("sack", "cubic", "bbr") for flow in flows)))
    return Settings(
        congestion=nearest(flows[0].tcp["variant"]),
        mtu=min(mtu, max(octets(flow.tcp["mss"]) for flow in flows) + _HEADERS),
        initcwnd=chosen.pop("initial window"),
        sysctls={f"net.ipv4.tcp_{key}": str(value) for key, value in chosen.items()} | {"net.ipv4.tcp_sack": sack},
    )


def initial_window(tcp: Data) -> int:
    """Count the segments that a connection sends at first.

    >>> initial_window({"initial_window": "rfc3390", "mss": "1460 bytes"})
    3
    """
    segments = {"one-segment": 1, "two-segments": 2, "rfc6928": 10}
    # RFC 3390: 4380 octets, but at least two segments and at most four.
    return segments.get(tcp["initial_window"]) or min(4, max(2, 4380 // octets(tcp["mss"])))


#: Settings of TCP that a kernel has for a whole host, by what flows say of them.
_HOST_WIDE: dict[str, Callable[[Data], int]] = {
    "initial window": initial_window,
    "timestamps": lambda tcp: bool(tcp["timestamps"]),
    "ecn": lambda tcp: bool(tcp["ecn"]),
}


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
        side = Side(float(row["throughput_bps"]), _quantiles(rtts), resent)
        if flow.sends_files:
            side = replace(side, transfers=int(row["transfers"]), transfer_mean_s=float(row["transfer_mean_s"]))
        sides.append(side)
    return sides


def _transfer(line: LiveLine, flows: Sequence[_Flow], times: tuple[float, float], seed: int) -> list[Side]:
    """Let the kernels send."""
    running = []
    for number, flow in enumerate(flows):
        goes_up = (flow.direction == "forward") == line.client_is_first
        sender, receiver = (CLIENT, SERVER) if goes_up else (SERVER, CLIENT)
        numbers = random.Random(f"{seed} {flow.name}")
        bulk = _bulk(flow, ADDRESSES[receiver], _FIRST_PORT + number, times, numbers)
        running.append((_start(line, receiver, "receive", bulk), _start(line, sender, "send", bulk)))
    for program in (program for ends in running for program in ends):
        if program.stdout is None or program.stdout.readline().strip() != "ready":
            raise ValueError(f"a program of a transfer did not start: {program.communicate()[1]}")
    zero = time.monotonic() + _SECONDS_TO_START
    for program in (program for ends in running for program in ends):
        if program.stdin is not None:
            program.stdin.write(f"{zero}\n")
            program.stdin.flush()
    return [
        _side(flow, *(_finish(flow, process) for process in ends)) for flow, ends in zip(flows, running, strict=True)
    ]


def _bulk(flow: _Flow, address: str, port: int, times: tuple[float, float], numbers: random.Random) -> Bulk:
    """Say to the programs at both ends what a flow does."""
    tcp, sockets, application = flow.tcp, flow.written["sockets"], flow.written["application"]
    start = flow.written["start"]
    start_s = numbers.uniform(*map(seconds, start["uniform"])) if isinstance(start, dict) else seconds(start)
    files = None
    if flow.sends_files:
        first = application.get("first_think")
        files = Files(
            octets(application["size"]),
            seconds(application["think"]),
            first_think_s=seconds(first) if first is not None else None,
            size_is_fixed=application["sizes"] == "fixed",
            think_is_fixed=application["thinks"] == "fixed",
            seed=numbers.randrange(1 << 32),
        )
    paces: dict[str, Any] = {}
    for verb in ("write", "read"):
        if (pace := sockets.get(f"{verb}_rate")) is not None:
            paces |= {verb: octets(sockets.get(verb) or _CALL), f"{verb}_bps": bits_per_second(pace)}
    buffer = sockets.get("send_buffer")
    return Bulk(
        address,
        port,
        *times,
        congestion=nearest(tcp["variant"]),
        mss=octets(tcp["mss"]),
        window=octets(tcp["window"]),
        send_buffer=octets(buffer) if buffer is not None else None,
        waits=True,
        start_s=start_s,
        files=files,
        **paces,
    )


def _start(line: LiveLine, end: str, role: str, bulk: Bulk) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "celltrain.live.bulk", role, bulk.as_argument()]
    pipe = subprocess.PIPE
    return line.popen(end, command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def _finish(flow: _Flow, process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate()
    if process.returncode != 0:
        raise ValueError(f"flow {flow.name}: {errors.strip() or 'a transfer failed'}")
    told: dict[str, Any] = json.loads(output)
    return told


def _side(flow: _Flow, received: dict[str, Any], sent: dict[str, Any]) -> Side:
    resent = sent["retransmitted"] / max(1, sent["segments"])
    side = Side(received["throughput_bps"], _quantiles(sent["rtts_s"]), resent)
    if not flow.sends_files:
        return side
    times = sent["transfers_s"]
    return replace(side, transfers=len(times), transfer_mean_s=sum(times) / len(times) if times else float("nan"))


def _quantiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Give the median, and what 95 % and 99 % do not exceed; NaN without any value."""
    known = sorted(value for value in values if value == value)
    if not known:
        return (float("nan"),) * 3
    median, p95, p99 = (known[min(len(known) - 1, int(share * len(known)))] for share in _QUANTILES)
    return median, p95, p99
