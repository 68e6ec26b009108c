"""The network of most rows: connections over one line, whose cells behave like a queue of whole packets.

Hosts ``a1``, ``a2``, ... send over the switches ``s`` and ``t`` to ``b1``, ``b2``, ...; only the line from ``s`` to
``t`` has a rate. A packet of ``n`` cells is refused whole if it finds ``q`` packets: EPD with a threshold of
``(q - 1) n + 1`` cells, in a buffer that never fills. Acknowledgments return after a delay, without queueing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from celltrain.data import Data
from celltrain.scenario import Scenario

#: Bits of a cell on the line.
CELL_BITS = 424
#: Octets of IP and TCP headers, without options.
HEADERS = 40
#: Octets of an AAL5 trailer, and of a cell's payload.
_TRAILER, _PAYLOAD = 8, 48


@dataclass(frozen=True)
class PacketLine:
    """A line with a queue of whole packets.

    Attributes
    ----------
    rate_bps : float
        Rate of the line, 424 bits per cell.
    delay_s : float
        In each direction; without queues a round trip takes twice this delay plus the time to send a packet.
    packets : int
        Maximum number of packets in the queue, including the one in transmission.
    segment : int
        Octets of data in a packet.
    between_ties : int
        Cells added to the threshold beyond ``(q - 1) n``: with 1, a packet that arrives at the instant at which another
        leaves finds its place free; with 0 it does not.
    """

    rate_bps: float
    delay_s: float
    packets: int
    segment: int = 1460
    between_ties: int = 1

    @property
    def octets(self) -> int:
        """Octets of a whole packet."""
        return self.segment + HEADERS

    @property
    def cells(self) -> int:
        """Cells of a whole packet, without LLC/SNAP."""
        return -(-(self.octets + _TRAILER) // _PAYLOAD)

    @property
    def goodput_bps(self) -> float:
        """Highest rate of data that the line can carry, without headers."""
        return self.rate_bps * 8 * self.segment / (CELL_BITS * self.cells)

    @property
    def bandwidth_delay_packets(self) -> float:
        """Packets sent in a round trip without queues."""
        return self.rate_bps * 2 * self.delay_s / (CELL_BITS * self.cells)

    @property
    def longest_round_trip_s(self) -> float:
        """The round trip of a packet that finds the queue full, in s.

        >>> round(PacketLine(8e6, 0.015, 40).longest_round_trip_s, 5)
        0.09784
        """
        return 2 * self.delay_s + self.packets * CELL_BITS * self.cells / self.rate_bps

    def scenario(
        self,
        connections: Sequence[Connection],
        duration_s: float,
        warm_up_s: float = 0.0,
        line: Mapping[str, Any] | None = None,
        probes: Mapping[str, Any] | None = None,
    ) -> Scenario:
        """Make the scenario: connection ``i`` from ``a<i>`` to ``b<i>``.

        Parameters
        ----------
        connections
            At least one.
        duration_s, warm_up_s
            Length of the run and of its warm-up, which is not measured.
        line
            Further keys of the line, such as ``loss``, or replacements, such as for ``discard``.
        probes
            Probes to record.
        """
        one_way = f"{self.delay_s * 1e3:.6f} ms"
        threshold = (self.packets - 1) * self.cells + self.between_ties
        count = {"count": len(connections)}
        here, numbers = "0 s", range(1, len(connections) + 1)
        queue = {"policy": "epd", "threshold": f"{threshold} cells"}
        data: Data = {
            "measure": {"duration": f"{duration_s:.6f} s", "warm_up": f"{warm_up_s:.6f} s"},
            "hosts": {"a": count, "b": count},
            "switches": {"s": {}, "t": {}},
            "links": {
                "in": {"from": "a", "to": "s", "delay": here},
                "line": {
                    "from": "s",
                    "to": "t",
                    "rate": f"{self.rate_bps:.0f} bit/s",
                    "delay": one_way,
                    "buffer": f"{threshold + (len(connections) + 1) * 1_000_000} cells",
                    "discard": queue,
                }
                | dict(line or {}),
                "off": {"from": "t", "to": "b", "delay": here},
                "up": {"from": "b", "to": "t", "delay": here},
                "back": {"from": "t", "to": "s", "delay": one_way},
                "out": {"from": "s", "to": "a", "delay": here},
            },
            "vcs": {f"vc{i}": {"route": [f"a{i}", "s", "t", f"b{i}"], "encapsulation": "vc-mux"} for i in numbers},
            "flows": {
                f"f{i}": {"vc": f"vc{i}", "start": f"{one.start_s * 1e3:.6f} ms", "tcp": one.tcp(self.segment)}
                for i, one in zip(numbers, connections, strict=True)
            },
            "probes": dict(probes or {}),
        }
        return Scenario(data, "trust")


@dataclass(frozen=True)
class Connection:
    """A greedy connection.

    Attributes
    ----------
    options : mapping
        Keys of ``[flows.NAME.tcp]`` in addition to ``mss`` and ``window``.
    start_s : float
        When it begins.
    window : int
        Maximum window in segments, which is also the initial slow-start threshold.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    start_s: float = 0.0
    window: int = 1000

    def tcp(self, segment: int) -> Data:
        """Return the table of its TCP."""
        bounds = {"mss": f"{segment} bytes", "window": f"{self.window * segment} bytes"}
        return {"preset": "plain"} | bounds | dict(self.options)
