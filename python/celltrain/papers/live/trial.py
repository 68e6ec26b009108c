"""One point in real time: a transfer between two kernels over the line, measured by daemons at both ends."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import asdict, dataclass
from typing import Any

from celltrain import RunError, dbs
from celltrain.dbs.plan import Plan
from celltrain.dbs.reach import Reach
from celltrain.live import open_line
from celltrain.live.hosts import ADDRESSES, Settings
from celltrain.quantity import seconds
from celltrain.scenario import Scenario


@dataclass(frozen=True)
class Trial:
    """A trial: the line, the kernels at its ends, and the plan of the transfer."""

    scenario: Scenario
    plan: Plan
    vc: str
    client: str
    kernels: Settings
    ack_grid_s: float

    @property
    def key(self) -> str:
        """SHA-256 of everything that determines the trial."""
        whole = [self.scenario.hash, self.plan.hash, self.vc, self.client, asdict(self.kernels), self.ack_grid_s]
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:40]

    @property
    def duration_s(self) -> float:
        """How long it sends."""
        return max(seconds(flow["start"]) + seconds(flow["duration"]) for flow in self.plan.data["flows"].values())


@dataclass(frozen=True)
class Measured:
    """The results of a trial.

    Attributes
    ----------
    throughput_bps : float
        Octets of data that the receiver read after the warm-up, as bits over time.
    retransmits : int
        Segments that the sender's kernel retransmitted.
    packets_lost : int
        Packets to the client that the model lost.
    rtt_mean_s : float
        Mean of the kernel's smoothed round-trip time.
    lateness_p95_s, lateness_max_s : float
        How much later than in the model packets left the line: 95th percentile and maximum.
    degraded : bool
        Whether the line was late, or a kernel lost packets that no model lost.
    realtime_problem : str or None
        Why the line had no priority over ordinary programs.
    kernels : dict
        The release of the kernel, and the settings that it reports for both hosts.
    """

    throughput_bps: float
    retransmits: int
    packets_lost: int
    rtt_mean_s: float
    lateness_p95_s: float
    lateness_max_s: float
    degraded: bool
    realtime_problem: str | None
    kernels: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def measure(trial: Trial) -> Measured:
    """Carry out a trial in real time.

    Raises
    ------
    Refused
        The system does not allow the hosts of a line; the message says what to change.
    RunError
        The transfer failed.
    """
    with open_line(
        trial.scenario,
        vc=trial.vc,
        client=trial.client,
        settings=trial.kernels,
        ack_grid_s=trial.ack_grid_s,
        realtime=True,
    ) as line:
        daemon = [sys.executable, "-m", "celltrain", "dbs", "daemon", "--stdio", "--address"]
        commands = {end: line.prompt_command(end, [*daemon, address]) for end, address in ADDRESSES.items()}
        measurement = dbs.run(trial.plan, reach=Reach(commands=commands))
    if measurement.provenance["interrupted"]:
        raise KeyboardInterrupt
    for row in measurement.tables["missing"].rows():
        raise RunError(f"{trial.plan.origin}: the transfer failed at the {row['host']}: {row['why']}")
    (flow,) = measurement.tables["flows"].rows()
    summary = line.summary
    return Measured(
        throughput_bps=float(flow["throughput_bps"]),
        retransmits=int(flow["retransmits"]),
        packets_lost=summary.down.packets_lost,
        rtt_mean_s=float(flow["rtt_mean_s"]),
        lateness_p95_s=summary.lateness["p95"],
        lateness_max_s=summary.lateness["max"],
        degraded=summary.degraded,
        realtime_problem=summary.realtime_problem,
        kernels=summary.kernels,
    )
