"""One run of one VC on both sides, and its compared values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from celltrain.live.parity.flows import Flow
from celltrain.live.parity.kernel import Measured
from celltrain.live.parity.sides import Series, Side, Simulated
from celltrain.results import Result

#: Octets of a cell's payload, and of the trailer of AAL5.
_PAYLOAD, _TRAILER = 48, 8
#: Causes of losses outside queues.
_ERRORS = "line-errors"


@dataclass(frozen=True)
class Run:
    """A repeat: the flows of a VC, simulated and between kernels.

    Parameters
    ----------
    vc, number, seed
        The VC, the number of the repeat from 1 on, and the seed of both sides.
    times
        The end of the warm-up and of the run, in s.
    mtu
        The longest packet, in octets.
    flows, simulated, result, kernel
        The flows; the simulated run, with all its tables; the run between the kernels.
    ways
        The queues on the path of the data, by direction of the VC.
    reasons
        Why the run is not valid; empty if it is.
    """

    vc: str
    number: int
    seed: int
    times: tuple[float, float]
    mtu: int
    flows: tuple[Flow, ...]
    simulated: Simulated
    result: Result
    kernel: Measured
    ways: dict[str, tuple[str, ...]]
    reasons: tuple[str, ...]

    @property
    def is_valid(self) -> bool:
        """Whether the run counts."""
        return not self.reasons

    @property
    def packet_cells(self) -> int:
        """Cells of the longest packet."""
        return -(-(self.mtu + _TRAILER) // _PAYLOAD)

    @property
    def loss(self) -> float:
        """The share of packets lost to line errors, in the direction with more losses."""
        ways = (self.kernel.summary.up, self.kernel.summary.down)
        return max(way.packets_lost_to[_ERRORS] / max(1, way.packets) for way in ways)

    def values(self) -> Iterator[tuple[tuple[str, str, str], float, float]]:
        """Yield the compared values: subject, quantity and unit; the simulated value; the kernel's."""
        for flow in self.flows:
            sides = (self.simulated.sides[flow.name], self.kernel.sides[flow.name])
            for quantity, unit in QUANTITIES:
                if flow.sends_files == (quantity in _OF_FILES) or quantity in _OF_ALL:
                    simulated, kernel = (self._value(quantity, side) for side in sides)
                    yield (flow.name, quantity, unit), simulated, kernel
        for names in self.ways.values():
            for name in names:
                means = [self._mean(side.queues[name]) for side in (self.simulated, self.kernel)]
                yield (name, QUEUE, "cells"), means[0], means[1]

    def _mean(self, series: Series) -> float:
        return series.mean(*self.times)

    def _value(self, quantity: str, side: Side) -> float:
        # The same formula for both sides, whose attributes have the same names.
        values: dict[str, Any] = {
            "goodput": side.goodput_bps,
            "smoothed RTT": self._mean(side.srtt_s),
            "cwnd": self._mean(side.cwnd_bytes),
            "retransmitted": side.retransmitted,
            "files": side.transfers,
            "time of a file": side.transfer_mean_s,
        }
        return float(values[quantity])


def words_of(subject: str) -> str:
    """Format a flow, or the probe of a queue, for display.

    >>> words_of("links.up.queue_cells"), words_of("vcs.data1.forward.host_queue_cells"), words_of("upload")
    ('up', 'host of data1.forward', 'upload')
    """
    if subject.endswith(".host_queue_cells"):
        return f"host of {subject.removeprefix('vcs.').removesuffix('.host_queue_cells')}"
    return subject.removeprefix("links.").removesuffix(".queue_cells")


QUEUE = "queue"
#: Compared quantities of a flow, and their units.
QUANTITIES = (
    ("goodput", "bit/s"),
    ("smoothed RTT", "s"),
    ("cwnd", "bytes"),
    ("retransmitted", "1"),
    ("files", "1"),
    ("time of a file", "s"),
)
_OF_ALL = ("goodput", "retransmitted")
_OF_FILES = ("files", "time of a file")
