"""No variant falls into cycles of time-outs, with any setting of its timers.

A single greedy connection on a line has no reason for a time-out after its first slow start, and fills the line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from celltrain.registries import tcp_variants
from celltrain.trust.case import Case, at_least, none_of
from celltrain.trust.lines import Connection, PacketLine
from celltrain.trust.row import Context, Row, method

#: The line: 8 Mbit/s, a round trip of 30 ms.
RATE_BPS, DELAY_S = 8e6, 0.015
#: Time for the first slow start and its recovery, and measured time.
START_UP_S, MEASURED_S = 5.0, 20.0
BUFFERS = (0.5, 1.0, 2.0, 4.0)
UTILISATION = 0.9

#: Variants of the standards. NewReno is that between hosts without selective acknowledgments.
_STANDARD = ("newreno", "sack")
_LOSSES = "recovers from several losses of a window by a time-out"
#: Others, and what they did in their time.
HISTORICAL: Mapping[str, str] = {
    "4.3bsd-tahoe": "restarts from one segment at each loss",
    "4.3bsd-tahoe-no-fast-retransmit": "repairs every loss by a time-out",
    "4.3bsd-reno": f"{_LOSSES}; adds an eighth of a segment to each increment",
    "4.4bsd": f"{_LOSSES}; adds an eighth of a segment to each increment",
    "4.4bsd-lite2": _LOSSES,
    "linux-1999": _LOSSES,
}


@cache
def modern() -> Mapping[str, str]:
    """Return the variants to which the target applies (all but historical ones), with the presets that select them."""
    bound = (name for name in tcp_variants() if name not in HISTORICAL)
    return {name: "rfc" if name in _STANDARD else "linux" for name in bound}


#: Settings of the retransmission timer.
TIMERS: Mapping[str, Mapping[str, Any]] = {
    "ticks of 500 ms": {"timer_granularity": "500 ms", "rto": {"timer": "ticks", "min": "1 s", "floor": "rto"}},
    "ticks of 100 ms": {"timer_granularity": "100 ms", "rto": {"timer": "ticks", "min": "200 ms", "floor": "rto"}},
    "RFC 6298, 1 s": {"rto": {"timer": "rfc6298", "min": "1 s", "floor": "rto"}},
    "RFC 6298, 200 ms as Linux": {"rto": {"timer": "rfc6298", "min": "200 ms", "floor": "variance"}},
}


@dataclass(frozen=True)
class _Setting:
    variant: str
    buffer: float
    ack: str
    timer: str

    @property
    def name(self) -> str:
        return f"{self.variant}, {self.buffer:g} BDP, ack = {self.ack}, {self.timer}"

    @property
    def line(self) -> PacketLine:
        packets = PacketLine(RATE_BPS, DELAY_S, 1).bandwidth_delay_packets * self.buffer
        return PacketLine(RATE_BPS, DELAY_S, max(1, round(packets)))

    @property
    def connection(self) -> Connection:
        preset = modern().get(self.variant, "plain")
        options: dict[str, Any] = {"variant": self.variant, "preset": preset, "ack": self.ack, **TIMERS[self.timer]}
        if self.variant == "linux-1999":
            options["nagle"] = False
        return Connection(options)


def settings(*, quick: bool) -> Iterator[_Setting]:
    """Yield what is run."""
    for variant in (*modern(), *HISTORICAL):
        for buffer in BUFFERS:
            for ack in ("each", "delayed"):
                for timer in TIMERS:
                    if not quick or (variant in modern() and buffer == 1 and ack == "each" and "Linux" in timer):
                        yield _Setting(variant, buffer, ack, timer)


def cases(context: Context) -> list[Case]:
    """Run all settings; check utilisation and time-outs after the start-up."""
    todo = list(settings(quick=context.quick))
    end = START_UP_S + MEASURED_S
    runs = context.run([each.line.scenario([each.connection], end, START_UP_S) for each in todo])
    found: list[Case] = []
    for setting, (result,) in zip(todo, runs, strict=True):
        (row,) = result.flows.rows()
        utilisation = float(row["throughput_bps"]) / setting.line.goodput_bps
        pair = (
            at_least(setting.name, "utilisation", "1", utilisation, UTILISATION, 1.0),
            none_of(setting.name, "time-outs", int(row["timeouts"])),
        )
        historical = HISTORICAL.get(setting.variant)
        found += pair if historical is None else (case.shown_only(historical) for case in pair)
    return found


ROW = Row(
    "collapse",
    "every variant, buffer, ACK policy and retransmission timer: a single connection fills its line",
    f"utilisation at least {UTILISATION:g} and no time-out in {MEASURED_S:g} s after the start-up",
    method(
        "collapse",
        rate=RATE_BPS / 1e6,
        rtt=2e3 * DELAY_S,
        start_up=START_UP_S,
        measured=MEASURED_S,
        modern=", ".join(f"`{name}` (`{preset}`)" for name, preset in modern().items()),
    ),
    cases,
)
