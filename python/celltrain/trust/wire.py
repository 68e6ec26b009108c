"""One connection over a wire that loses chosen packets: the core's sender and receiver, without cells and engine."""

from __future__ import annotations

import heapq
from collections.abc import Collection
from dataclasses import dataclass
from itertools import count

from celltrain import _native
from celltrain.trust.lines import CELL_BITS, Connection, PacketLine

_PS_PER_S = 1_000_000_000_000


@dataclass(frozen=True)
class Transmission:
    """A segment on the wire: time (s), number from 0, and whether it was sent before."""

    time_s: float
    number: int
    is_again: bool


def transmissions(
    line: PacketLine, connection: Connection, seconds: float, drops: Collection[int]
) -> list[Transmission]:
    """Run a greedy connection; return its transmissions in order.

    The queue of the line is unbounded, and a packet takes as long on the line as its cells. Packets whose positions
    among all packets that crossed it (from 0) are in ``drops`` are lost at its end. Acknowledgments take the delay of
    the line, without queueing.
    """
    scenario = line.scenario([connection], seconds).native
    sender, receiver = _native.TcpSender(scenario, "f1"), _native.TcpReceiver(scenario, "f1")
    end_ps, delay_ps = _ps(seconds), _ps(line.delay_s)
    service_ps = _ps(line.cells * CELL_BITS / line.rate_bps)
    order, crossed = count(), count()
    # Time of arrival, a number that keeps the order at equal instants, whether it has data, and the segment.
    flying: list[tuple[int, int, bool, _native.TcpSegment]] = []
    sent: list[Transmission] = []
    now_ps = free_ps = highest = 0
    sender.write(0)
    while True:
        while (segment := sender.poll_transmit(now_ps)) is not None:
            sent.append(Transmission(now_ps / _PS_PER_S, segment.seq // line.segment, segment.seq < highest))
            highest = max(highest, segment.seq + segment.len)
            free_ps = max(free_ps, now_ps) + service_ps
            if next(crossed) not in drops:
                heapq.heappush(flying, (free_ps + delay_ps, next(order), True, segment))
        while (ack := receiver.poll_transmit(now_ps)) is not None:
            heapq.heappush(flying, (now_ps + delay_ps, next(order), False, ack))
        timers = [time for time in (sender.next_timeout_ps, receiver.next_timeout_ps) if time is not None]
        arrival_ps = flying[0][0] if flying else end_ps
        next_ps = min([*timers, arrival_ps])
        if next_ps >= end_ps:
            return sent
        now_ps = next_ps
        sender.on_timer(now_ps)
        receiver.on_timer(now_ps)
        # Ticks come before segments of the same instant, and segments that they cause leave first.
        if arrival_ps == now_ps and now_ps not in timers:
            _, _, has_data, segment = heapq.heappop(flying)
            (receiver if has_data else sender).on_segment(now_ps, segment)


def _ps(seconds: float) -> int:
    return round(seconds * _PS_PER_S)
