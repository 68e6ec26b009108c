"""Chosen packets are lost in ns-2 and on our wire: what each side retransmits, and when."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from celltrain.trust.case import Case, absolute
from celltrain.trust.lines import Connection, PacketLine
from celltrain.trust.ns2 import VARIANTS, Variant, tcp_like_ns2
from celltrain.trust.ns2_program import Ns2Outcome, Ns2Run, program, version
from celltrain.trust.row import Context, Row, method
from celltrain.trust.wire import Transmission, transmissions

#: The line: 8 Mbit/s, a round trip of 30 ms, a queue that never fills. A window of 20 segments just fills the line.
RATE_BPS, DELAY_S, WINDOW = 8e6, 0.015, 20
SECONDS = 3.0
#: Ticks shorter than the allowed difference, and the minimum time-out, which determines all time-outs.
TICK_S, RTO_MIN_S = 0.001, 0.2
ALLOWED_S = 0.002
#: Positions, from 0, of the packets that the line loses; retransmitted packets count too.
LOSSES: Mapping[str, tuple[int, ...]] = {
    "one packet": (60,),
    "two packets with others between": (60, 65),
    "two packets in a row": (60, 61),
    "three packets": (60, 62, 64),
    "six packets in a row": tuple(range(60, 66)),
    "every second packet of a window": tuple(range(60, 80, 2)),
    "a packet and its retransmission": (60, 80),
    "a packet of the first slow start": (5,),
}
_PIPE = "ns-2's Sack1 counts its pipe as in 1996 and sends no rescue (RFC 6675 4, NextSeg 4)"
#: Differences with known causes, by variant and losses.
EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("sack", "two packets with others between"): _PIPE,
    ("sack", "three packets"): _PIPE,
    ("sack", "six packets in a row"): _PIPE,
    ("sack", "every second packet of a window"): _PIPE,
    ("4.4bsd-lite2", "six packets in a row"): (
        "duplicates of segments that were retransmitted needlessly after the time-out cause another fast retransmit, "
        "as in BSD; ns-2's Reno prevents it by bugFix_"
    ),
    ("4.4bsd-lite2", "every second packet of a window"): "one more step of slow start after the time-out, as in BSD",
}


@dataclass(frozen=True)
class Setting:
    """A variant, and its losses."""

    variant: Variant
    losses: str

    @property
    def name(self) -> str:
        """The setting in words."""
        return f"{self.variant.name}, {self.losses} lost"

    @property
    def line(self) -> PacketLine:
        """The line of both sides."""
        return PacketLine(RATE_BPS, DELAY_S, 1000)

    def ours(self) -> list[Transmission]:
        """Run our side."""
        connection = Connection(tcp_like_ns2(self.variant, TICK_S), window=WINDOW)
        return transmissions(self.line, connection, SECONDS, LOSSES[self.losses])

    def theirs(self) -> Ns2Run:
        """Return the run of ns-2."""
        one, drops = self.variant, LOSSES[self.losses]
        return Ns2Run(one.agent, one.sink, self.line, (0.0,), TICK_S, RTO_MIN_S, SECONDS, WINDOW, drops)


def of_ns2(outcome: Ns2Outcome) -> list[Transmission]:
    """Read the packets that ns-2 offered to the line."""
    seen: set[int] = set()
    found = []
    for sent in outcome.offered:
        found.append(Transmission(sent.time_s, sent.number, sent.number in seen))
        seen.add(sent.number)
    return found


def compare(name: str, ours: Sequence[Transmission], theirs: Sequence[Transmission]) -> Case:
    """Compare our retransmissions with theirs, in order: the first with another number, else the farthest apart."""
    again, reference = ([one for one in side if one.is_again] for side in (ours, theirs))
    pairs = list(zip(again, reference, strict=False))
    other = next((pair for pair in pairs if pair[0].number != pair[1].number), None)
    if other is None and len(again) == len(reference):
        farthest = max(pairs, key=lambda pair: abs(pair[0].time_s - pair[1].time_s), default=None)
        if farthest is None:
            return absolute(name, "retransmission", "s", math.nan, math.nan, ALLOWED_S)
        note = f"the farthest of {len(pairs)}: packet {farthest[0].number}"
        return absolute(name, "retransmission", "s", farthest[0].time_s, farthest[1].time_s, ALLOWED_S, note=note)
    if other is not None:
        note = f"ours retransmits packet {other[0].number}, ns-2 packet {other[1].number}"
        return absolute(name, "retransmission", "s", other[0].time_s, math.nan, ALLOWED_S, note=note)
    who, more = ("ours", again) if len(again) > len(reference) else ("ns-2", reference)
    extra = more[len(pairs)]
    note = f"{len(again)} by ours, {len(reference)} by ns-2; only {who} retransmits packet {extra.number}"
    value, other_value = (extra.time_s, math.nan) if who == "ours" else (math.nan, extra.time_s)
    return absolute(name, "retransmission", "s", value, other_value, ALLOWED_S, note=note)


def cases(context: Context) -> list[Case]:
    """Run both with each loss; cases that differ for a known cause are shown but do not bind."""
    program()
    losses = list(LOSSES)[:1] if context.quick else list(LOSSES)
    todo = [Setting(variant, loss) for variant in VARIANTS for loss in losses]
    theirs = context.map(Ns2Run.carry_out, [setting.theirs() for setting in todo])
    found = []
    for setting, outcome in zip(todo, theirs, strict=True):
        case = compare(setting.name, setting.ours(), of_ns2(outcome))
        cause = EXCEPTIONS.get((setting.variant.name, setting.losses))
        found.append(case.shown_only(cause) if cause and case.miss > 1 else case)
    return found


ROW = Row(
    "forced-losses",
    "which packets are retransmitted, and when, if the same packets are lost as in ns-2",
    f"each retransmission within {1e3 * ALLOWED_S:g} ms",
    method("forced-losses", rate=RATE_BPS / 1e6, rtt=2e3 * DELAY_S, window=WINDOW, rto_min_ms=1e3 * RTO_MIN_S),
    cases,
    version,
)
