"""The summary of a line, from start to end."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from celltrain import _native
from celltrain.crosschecks import PLAIN, CrossCheck
from celltrain.live.directions import directions
from celltrain.live.hosts import CLIENT, SERVER, Settings
from celltrain.results import Result
from celltrain.scenario import Scenario

#: Causes of packet losses, and their descriptions.
CAUSES = {
    "queue-full": "to full queues",
    "early-discard": "to early discard",
    "queue-management": "to queue management",
    "line-errors": "to line errors",
    "policer": "to a policer",
    "host-queue": "to the host's full queue",
    "joined": "because the end of the previous packet was lost",
    "memory": "to this machine's memory",
}
#: A line that lets more than 5 % of the packets leave later than this is degraded.
MAX_LATENESS_S = 200e-6


@dataclass(frozen=True)
class Way:
    """One direction.

    Packets and octets that arrived, and that were delivered; packets lost, in total and by the cause of the loss of
    their first cell (the names of :data:`CAUSES`); packets still inside when the line closed (arrived = delivered +
    lost + inside); packets marked; cells dropped at queues, lost to errors, discarded by a policer and dropped at the
    host; distributions of the time from arrival to departure by the model (``delay_s``) and of its part beyond
    propagation and the packet's own transmission (``queueing_s``); utilisation of the narrowest line; packets dropped
    by a kernel instead of the model.
    """

    packets: int
    bytes: int
    packets_delivered: int
    bytes_delivered: int
    packets_lost: int
    packets_lost_to: dict[str, int]
    packets_inside: int
    packets_marked: int
    cells_dropped: int
    cells_errored: int
    cells_policed: int
    cells_dropped_at_host: int
    delay_s: dict[str, float]
    queueing_s: dict[str, float]
    utilization: float
    kernel_drops: int


@dataclass(frozen=True)
class Opened:
    """How a line was opened: its network, the settings of the kernels, and the client's end of the VC."""

    scenario: Scenario
    settings: Settings
    client_is_first: bool


@dataclass(frozen=True)
class Stopped:
    """Facts about a stopped line, in addition to those of its core."""

    #: How the hosts were created.
    hosts: dict[str, Any]
    #: Packets that kernels dropped, by host and ``sent`` or ``received``.
    dropped: dict[str, dict[str, int]]
    #: Time that the line's thread was on a core.
    cpu_s: float
    realtime_problem: str | None
    capture_is_cut: bool


@dataclass(frozen=True)
class Summary:
    """Summary of a line; ``up`` is from the client to the server."""

    duration_s: float
    up: Way
    down: Way
    #: How much later than in the model packets left: mean, percentiles, maximum in s, and the histogram.
    lateness: dict[str, float]
    lateness_bins: list[tuple[float, int]]
    #: Number of times that the line overslept by 5 ms or more, and the longest.
    stalls: int
    longest_stall_s: float
    #: Time that the line's thread was on a core.
    cpu_s: float
    #: Whether more than 5 % of the packets left more than 200 us late, or packets were lost outside the models.
    degraded: bool
    #: Why the requested priority was refused.
    realtime_problem: str | None
    #: Whether the end of the capture is missing.
    capture_is_cut: bool
    #: The settings of the kernels, and how the hosts were created.
    kernels: dict[str, Any]
    #: Tables of the network, as of a simulation.
    result: Result | None
    provenance: dict[str, Any]

    @classmethod
    def of(cls, native: _native.Line, opened: Opened, stopped: Stopped) -> Summary:
        """Summarize a stopped line."""
        look = native.look()
        network = native.result()
        plain = CrossCheck.none(PLAIN)
        result = None if network is None else Result.of(network, opened.scenario, plain)
        # Upstream packets are sent by the client and received by the server.
        drops = {
            way: stopped.dropped.get(start, {}).get("sent", 0) + stopped.dropped.get(end, {}).get("received", 0)
            for way, start, end in (("up", CLIENT, SERVER), ("down", SERVER, CLIENT))
        }
        ways = {
            name: _way(look[way], result, native.vc, way, drops[name])
            for way, name in directions(client_is_first=opened.client_is_first).items()
        }
        lateness = look["lateness_s"]
        untaken = look["packets_untaken"] + sum(drops.values())
        report = {key: value for key, value in stopped.hosts.items() if key != "handle"}
        provenance = {
            "celltrain": _native.__version__,
            "clock": "wall",
            "scenario_hash": opened.scenario.hash,
            "vc": native.vc,
            "settings": asdict(opened.settings),
            "scenario": json.loads(opened.scenario.to_json()),
        }
        return cls(
            duration_s=look["time_s"],
            up=ways["up"],
            down=ways["down"],
            lateness=lateness,
            lateness_bins=look["lateness_bins"],
            stalls=look["stalls"],
            longest_stall_s=look["longest_stall_s"],
            cpu_s=stopped.cpu_s,
            degraded=lateness["p95"] > MAX_LATENESS_S or untaken > 0,
            realtime_problem=stopped.realtime_problem,
            capture_is_cut=stopped.capture_is_cut,
            kernels=report,
            result=result,
            provenance=provenance,
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data, with the tables of the network."""
        plain = {name: value for name, value in self.__dict__.items() if name != "result"}
        plain |= {"up": asdict(self.up), "down": asdict(self.down)}
        tables = {} if self.result is None else self.result.to_json()["tables"]
        return plain | {"tables": tables}


def _way(look: dict[str, Any], result: Result | None, vc: str, direction: str, drops: int) -> Way:
    cells = {"cells_lost": 0.0, "cells_errored": 0.0, "cells_policed": 0.0, "source_cells_dropped": 0.0}
    utilization = 0.0
    if result is not None:
        row = next(row for row in result.vcs.rows() if (row["vc"], row["direction"]) == (vc, direction))
        cells = {name: float(row[name]) for name in cells}
        crossed = [
            (row["link"], row["from"])
            for row in result.link_vcs.rows()
            if (row["vc"], row["direction"]) == (vc, direction)
        ]
        used = [row["utilization"] for row in result.links.rows() if (row["link"], row["from"]) in crossed]
        utilization = max((float(value) for value in used if value == value), default=0.0)
    return Way(
        packets=look["packets"],
        bytes=look["bytes"],
        packets_delivered=look["packets_delivered"],
        bytes_delivered=look["bytes_delivered"],
        packets_lost=look["packets_lost"],
        packets_lost_to=dict(look["packets_lost_to"]),
        packets_inside=look["packets_inside"],
        packets_marked=look["packets_marked"],
        cells_dropped=int(cells["cells_lost"]),
        cells_errored=int(cells["cells_errored"]),
        cells_policed=int(cells["cells_policed"]),
        cells_dropped_at_host=int(cells["source_cells_dropped"]),
        delay_s=dict(look["delay_s"]),
        queueing_s=dict(look["queueing_s"]),
        utilization=utilization,
        kernel_drops=drops,
    )
