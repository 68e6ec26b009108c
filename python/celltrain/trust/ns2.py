"""The same lines in ns-2, packet by packet."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from celltrain.results import Result
from celltrain.trust.case import Case, absolute, relative
from celltrain.trust.lines import Connection, PacketLine
from celltrain.trust.ns2_program import Ns2Outcome, Ns2Run, program, version
from celltrain.trust.row import Context, Row, method

#: The line: 8 Mbit/s, a round trip of 30 ms; queues in packets of 32 cells, around the 18 of a round trip.
RATE_BPS, DELAY_S = 8e6, 0.015
QUEUES = (10, 20, 40)
TICKS_S = (0.01, 0.1, 0.5)
RTO_MIN_S = 0.2
SECONDS = 20.0
#: Delay of the start of the second flow, in s.
BETWEEN_STARTS_S = 0.1
#: Interval at which we sample for the first drop, in s.
_LOOK_EVERY_S = 0.0002
_PROBE = "drops"
_LOST = "links.line.lost_cells_total"


@dataclass(frozen=True)
class Variant:
    """One of our variants, and the nearest agent of ns-2."""

    name: str
    agent: str
    sink: str
    options: Mapping[str, Any]


VARIANTS = (
    Variant("4.3bsd-tahoe", "TCP", "TCPSink", {"tahoe_gbn": True, "avoids_from_ssthresh": True}),
    Variant("4.4bsd-lite2", "TCP/Reno", "TCPSink", {"deflation": "after-three"}),
    Variant("newreno", "TCP/Newreno", "TCPSink", {"variant": {"algorithm": "newreno", "halves_again": True}}),
    Variant("sack", "TCP/Sack1", "TCPSink/Sack1", {}),
)


@dataclass(frozen=True)
class Setting:
    """A line, a variant, a clock and a number of flows."""

    variant: Variant
    line: PacketLine
    tick_s: float
    flows: int

    @property
    def name(self) -> str:
        """The setting in words."""
        flows = "1 flow" if self.flows == 1 else f"{self.flows} flows"
        return f"{self.variant.name}, {self.line.packets} packets, tick {1e3 * self.tick_s:g} ms, {flows}"

    @property
    def starts_s(self) -> tuple[float, ...]:
        """When each flow starts."""
        return tuple(BETWEEN_STARTS_S * number for number in range(self.flows))

    @property
    def rto_min_s(self) -> float:
        """Our minimum time-out: that of ns-2, or the constant time-out of its fixed point where ticks are long.

        A round trip shorter than a tick counts as one tick in ns-2. Its mean deviation begins with half a tick, and no
        later sample lowers it, because the quarter of it that a sample takes away is rounded down to nothing. So a
        time-out is 1 + 4 / 2 = 3 ticks. Averaged in real numbers, the deviation would vanish.

        >>> rto_min_s = {tick: Setting(VARIANTS[0], PacketLine(8e6, 0.015, 40), tick, 1).rto_min_s for tick in TICKS_S}
        >>> {tick: round(value, 3) for tick, value in rto_min_s.items()}
        {0.01: 0.2, 0.1: 0.3, 0.5: 1.5}
        """
        is_coarse = self.line.longest_round_trip_s < self.tick_s
        return max(RTO_MIN_S, 3 * self.tick_s if is_coarse else 0)

    def ours(self, between_ties: int) -> Connections:
        """Return our connections; for ``between_ties`` see :class:`~celltrain.trust.lines.PacketLine`."""
        options = tcp_like_ns2(self.variant, self.tick_s, self.rto_min_s)
        connections = tuple(Connection(options, start) for start in self.starts_s)
        return Connections(replace(self.line, between_ties=between_ties), connections)

    def theirs(self) -> Ns2Run:
        """Return the run of ns-2."""
        one = self.variant
        return Ns2Run(one.agent, one.sink, self.line, self.starts_s, self.tick_s, RTO_MIN_S, SECONDS)


@dataclass(frozen=True)
class Connections:
    """Connections over our line."""

    line: PacketLine
    connections: tuple[Connection, ...]


def tcp_like_ns2(variant: Variant, tick_s: float, rto_min_s: float = RTO_MIN_S) -> dict[str, Any]:
    """Return the options that make our TCP like that of ns-2."""
    return {
        "variant": variant.name,
        "ack": "each",
        "whole_segments": True,
        "timer_granularity": f"{1e3 * tick_s:g} ms",
        "rto": {"timer": "jiffies", "min": f"{1e3 * rto_min_s:g} ms"},
        **variant.options,
    }


def settings(*, quick: bool) -> Iterator[Setting]:
    """Yield the settings to run."""
    for variant in VARIANTS:
        for queue in QUEUES:
            for tick in TICKS_S:
                for flows in (1, 2):
                    if not quick or (queue, tick, flows) == (20, 0.01, 1):
                        yield Setting(variant, PacketLine(RATE_BPS, DELAY_S, queue), tick, flows)


@dataclass(frozen=True)
class Outcome:
    """The compared values: sums over the flows, and the first drop (NaN without one)."""

    goodput_bps: float
    timeouts: int
    cuts: int
    drops: int
    first_drop_s: float

    @classmethod
    def of_ours(cls, result: Result, line: PacketLine) -> Outcome:
        """Read our tables."""
        rows = list(result.flows.rows())
        (lost,) = [float(row["cells_lost"]) for row in result.links.rows() if row["link"] == "line"]
        trace = result.traces[_PROBE]
        first = next((float(t) for t, cells in zip(trace["time_s"], trace[_LOST], strict=True) if cells > 0), math.nan)
        return cls(
            sum(float(row["throughput_bps"]) for row in rows),
            sum(int(row["timeouts"]) for row in rows),
            sum(int(row["timeouts"]) + int(row["fast_retransmits"]) for row in rows),
            round(lost / line.cells),
            first,
        )

    @classmethod
    def of_theirs(cls, run: Ns2Outcome) -> Outcome:
        """Read the results of ns-2."""
        first = min((drop.time_s for drop in run.dropped), default=math.nan)
        return cls(sum(run.goodput_bps), sum(run.timeouts), sum(run.cuts), len(run.dropped), first)


def compare(name: str, ours: Outcome, theirs: Outcome) -> list[Case]:
    """Compare ours with theirs."""
    return [
        relative(name, "goodput", "bit/s", ours.goodput_bps, theirs.goodput_bps, 0.02),
        absolute(name, "time-outs", "1", ours.timeouts, theirs.timeouts, 1),
        relative(name, "window reductions", "1", ours.cuts, theirs.cuts, 0.1),
        relative(name, "packets dropped", "1", ours.drops, theirs.drops, 0.1),
        absolute(name, "first drop", "s", ours.first_drop_s, theirs.first_drop_s, 0.001),
    ]


def cases(context: Context) -> list[Case]:
    """Run both sides, ours with both orders of ties."""
    program()
    todo = list(settings(quick=context.quick))
    probes = {_PROBE: {"every": f"{1e3 * _LOOK_EVERY_S:g} ms", "record": [_LOST]}}
    both = [setting.ours(ties) for setting in todo for ties in (1, 0)]
    runs = context.run([one.line.scenario(one.connections, SECONDS, probes=probes) for one in both])
    ours = [Outcome.of_ours(result, one.line) for one, (result,) in zip(both, runs, strict=True)]
    theirs = [Outcome.of_theirs(run) for run in context.map(Ns2Run.carry_out, [setting.theirs() for setting in todo])]
    found: list[Case] = []
    for index, (setting, reference) in enumerate(zip(todo, theirs, strict=True)):
        orders = [compare(setting.name, outcome, reference) for outcome in ours[2 * index : 2 * index + 2]]
        found += min(orders, key=_misses)
    return found


def _misses(compared: Iterable[Case]) -> tuple[int, float]:
    """Order two comparisons of a line: by targets missed, then by their distances, each counted to at most ten."""
    misses = [case.miss for case in compared]
    return sum(miss > 1 for miss in misses), sum(min(miss, 10.0) for miss in misses)


ROW = Row(
    "ns2",
    "Tahoe, Reno, NewReno and SACK on the same lines in ns-2 2.35, packet by packet",
    "goodput within 2 %, time-outs within 1, window reductions and drops within 10 %, first drop within 1 ms",
    method(
        "ns2",
        rate=RATE_BPS / 1e6,
        rtt=2e3 * DELAY_S,
        seconds=SECONDS,
        rto_min_ms=1e3 * RTO_MIN_S,
        rto_min_s=RTO_MIN_S,
        look=1e3 * _LOOK_EVERY_S,
    ),
    cases,
    version,
)
