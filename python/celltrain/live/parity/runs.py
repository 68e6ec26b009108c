"""One run of one VC on both sides, and its compared values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from celltrain.live.parity.flows import Flow
from celltrain.live.parity.kernel import Measured
from celltrain.live.parity.sides import Series, Side, Simulated
from celltrain.results import Result

#: Subject, quantity and unit of a compared value.
Name = tuple[str, str, str]

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
        return cells_of(self.mtu)

    @property
    def loss(self) -> float:
        """The share of packets lost to line errors, in the direction with more losses."""
        ways = (self.kernel.summary.up, self.kernel.summary.down)
        return max(way.packets_lost_to[_ERRORS] / max(1, way.packets) for way in ways)

    def values(self) -> Iterator[tuple[Name, float, float]]:
        """Yield the compared values: subject, quantity and unit; the simulated value; the kernel's."""
        simulated, kernel = (
            values_of(self.flows, side.sides, side.queues, self.ways, self.times)
            for side in (self.simulated, self.kernel)
        )
        for name, value in simulated.items():
            yield name, value, kernel[name]


@dataclass(frozen=True)
class Recorded:
    """The kernel's side of a run that was made earlier, and that of a new simulation with the same seed.

    Parameters
    ----------
    vc, number, seed, loss, packet_cells, ways, reasons
        As those of :class:`Run`.
    pairs
        The compared values, as of :meth:`Run.values`.
    """

    vc: str
    number: int
    seed: int
    loss: float
    packet_cells: int
    ways: dict[str, tuple[str, ...]]
    reasons: tuple[str, ...]
    pairs: tuple[tuple[Name, float, float], ...]

    @property
    def is_valid(self) -> bool:
        """Whether the run counts."""
        return not self.reasons

    def values(self) -> Iterator[tuple[Name, float, float]]:
        """Yield the compared values: subject, quantity and unit; the simulated value; the kernel's."""
        yield from self.pairs


def values_of(
    flows: Sequence[Flow],
    sides: Mapping[str, Side],
    queues: Mapping[str, Series],
    ways: Mapping[str, tuple[str, ...]],
    times: tuple[float, float],
) -> dict[Name, float]:
    """Return the compared values of one side by subject, quantity and unit; the same formulas for both sides."""
    found: dict[Name, float] = {}
    for flow in flows:
        for quantity, unit in QUANTITIES:
            if flow.sends_files == (quantity in _OF_FILES) or quantity in _OF_ALL:
                found[flow.name, quantity, unit] = _value(quantity, sides[flow.name], times)
    for name in (name for names in ways.values() for name in names):
        found[name, QUEUE, "cells"] = queues[name].mean(*times)
    return found


def _value(quantity: str, side: Side, times: tuple[float, float]) -> float:
    values: dict[str, Any] = {
        "goodput": side.goodput_bps,
        "smoothed RTT": side.srtt_s.mean(*times),
        "cwnd": side.cwnd_bytes.mean(*times),
        "retransmitted": side.retransmitted,
        "files": side.transfers,
        "time of a file": side.transfer_mean_s,
    }
    return float(values[quantity])


def cells_of(octets: int) -> int:
    """Return the cells of a packet.

    >>> cells_of(1500)
    32
    """
    return -(-(octets + _TRAILER) // _PAYLOAD)


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
