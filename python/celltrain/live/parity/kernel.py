"""The kernels' side of a comparison: programs at both ends of a line, in real time."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from celltrain.live.bulk import Bulk
from celltrain.live.hosts import ADDRESSES, CLIENT, SERVER, Settings
from celltrain.live.line import LiveLine, open_line
from celltrain.live.parity.flows import Flow, bulk_for
from celltrain.live.parity.sides import NOTHING, SAMPLE_EVERY_S, Limits, Series, Side
from celltrain.live.summary import Summary
from celltrain.quantity import octets
from celltrain.scenario import Scenario

_FIRST_PORT = 5001
#: Programs that are ready learn of the start within this time.
_SECONDS_TO_START = 0.2
_SENDER, _RECEIVER = "send", "receive"


@dataclass(frozen=True)
class Measured:
    """One run between kernels: a side and the limits of each flow, queues by name, and the summary of the line."""

    sides: dict[str, Side]
    limits: dict[str, Limits]
    queues: dict[str, Series]
    summary: Summary
    #: How much later than its programs the line began, in s.
    late_start_s: float


def measure(
    scenario: Scenario,
    vc: str,
    seed: int,
    flows: Sequence[Flow],
    settings: Settings,
    times: tuple[float, float],
    *,
    realtime: bool,
    spins: bool,
) -> Measured:
    """Run the flows of a VC once between kernels, from the line's time zero to the end of the scenario.

    Raises
    ------
    Refused
        The system does not allow the hosts of a line.
    ValueError
        A transfer failed; the message contains the output of the program.
    """
    with open_line(
        scenario,
        seed=seed,
        vc=vc,
        settings=settings,
        realtime=realtime,
        spins=spins,
        is_held=True,
        sample_every_s=SAMPLE_EVERY_S,
    ) as line:
        told = _transfer(line, flows, times, seed)
        samples = line.take_samples()
    instants = samples.pop("time_s")
    return Measured(
        sides={flow.name: side(flow, *told[flow.name]) for flow in flows},
        limits={flow.name: limits(*told[flow.name], times) for flow in flows},
        queues={name: Series(instants, np.asarray(values)) for name, values in samples.items()},
        summary=line.summary,
        late_start_s=line.late_start_s,
    )


def _transfer(
    line: LiveLine, flows: Sequence[Flow], times: tuple[float, float], seed: int
) -> dict[str, tuple[dict[str, Any], dict[str, Any]]]:
    """Run the programs of all flows; return the output of receiver and sender of each."""
    running = []
    for number, flow in enumerate(flows):
        goes_up = (flow.direction == "forward") == line.client_is_first
        sender, receiver = (CLIENT, SERVER) if goes_up else (SERVER, CLIENT)
        bulk = bulk_for(flow, ADDRESSES[receiver], _FIRST_PORT + number, times, seed)
        running.append((_start(line, receiver, _RECEIVER, bulk), _start(line, sender, _SENDER, bulk)))
    programs = [program for ends in running for program in ends]
    for program in programs:
        if program.stdout is None or program.stdout.readline().strip() != "ready":
            raise ValueError(f"a program of a transfer did not start: {program.communicate()[1]}")
    zero = time.monotonic() + _SECONDS_TO_START
    line.start(zero)
    for program in programs:
        if program.stdin is not None:
            program.stdin.write(f"{zero}\n")
            program.stdin.flush()
    return {
        flow.name: (_finish(flow, receiver), _finish(flow, sender))
        for flow, (receiver, sender) in zip(flows, running, strict=True)
    }


def _start(line: LiveLine, end: str, role: str, bulk: Bulk) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "celltrain.live.bulk", role, bulk.as_argument()]
    pipe = subprocess.PIPE
    return line.popen(end, command, is_prompt=True, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def _finish(flow: Flow, process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate()
    if process.returncode != 0:
        raise ValueError(f"flow {flow.name}: {errors.strip() or 'a transfer failed'}")
    told: dict[str, Any] = json.loads(output)
    return told


def side(flow: Flow, received: Mapping[str, Any], sent: Mapping[str, Any]) -> Side:
    """Extract the compared values from the output of the programs."""
    instants = np.asarray(sent["times_s"], dtype=np.float64)
    window = octets(flow.tcp["window"])
    # A kernel lets cwnd grow beyond the receiver's window, without sending more; the simulator does not.
    cwnds = np.minimum(np.asarray(sent["cwnds_bytes"], dtype=np.float64), window)
    transfers = sent["transfers_s"]
    return Side(
        received["throughput_bps"],
        segments=sent["segments"],
        retransmitted=sent["retransmitted"],
        srtt_s=NOTHING if flow.sends_files else Series(instants, np.asarray(sent["srtts_s"], dtype=np.float64)),
        cwnd_bytes=NOTHING if flow.sends_files else Series(instants, cwnds),
        transfers=len(transfers),
        transfer_mean_s=sum(transfers) / len(transfers) if transfers else math.nan,
    )


def limits(received: Mapping[str, Any], sent: Mapping[str, Any], times: tuple[float, float]) -> Limits:
    """Return the fractions of the measured time in which something other than the line limited a sender."""
    looked_s = sent["looked_s"]
    if looked_s <= 0:
        return Limits(idle=1.0, application=1.0)
    waited_s = max(received["waited_s"], sent["waited_s"])
    return Limits(
        idle=max(0.0, 1 - sent["busy_s"] / looked_s),
        application=sent["application_limited_s"] / looked_s,
        window=sent["window_limited_s"] / looked_s,
        buffer=sent["buffer_limited_s"] / looked_s,
        waited=waited_s / (times[1] - times[0]),
        is_prompt=received["is_prompt"] and sent["is_prompt"],
    )
