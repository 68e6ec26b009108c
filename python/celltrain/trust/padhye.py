"""The rate of a connection with random losses, against two formulas.

That of Padhye, Firoiu, Towsley and Kurose (1998) assumes that all packets of a round after the first lost one are lost
as well, and that windows at losses are independent. With independent losses the second assumption makes it too low for
few losses: by 6.5 % in the limit. The closed form of Ott, Kemperman and Mathis (1996) is for independent losses; it
knows no time-outs.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from celltrain.results import Result
from celltrain.scenario import Scenario
from celltrain.trust.case import Case, relative
from celltrain.trust.lines import Connection, PacketLine
from celltrain.trust.row import Context

#: A line without a queue: a round trip of 100 ms, segments of 12 cells.
_LINE = PacketLine(10e9, 0.05, 100_000, segment=512)
_VARIANTS = ("newreno", "sack")
_LOSSES = (0.0003, 0.001, 0.003)
_SEEDS = (1, 2, 3, 4)
#: Up to this share of lost packets, time-outs make less than 1 % of the time.
_RARE = 0.001
#: Total losses in all runs of a point, and warm-up of each run.
_EVENTS, _QUICK_EVENTS, _WARM_UP_S = 1600, 200, 30.0
_PROBE, _RTO = "timer", "flows.f1.rto_s"


def rate(p: float, b: float, rtt_s: float, rto_s: float) -> float:
    """Return the rate in segments/s, equation 32 of the paper without a limit of the window.

    Parameters
    ----------
    p
        Loss events divided by segments sent.
    b
        Number of acknowledged segments for which the window grows as for one.
    rtt_s, rto_s
        Mean round trip, and first time-out.

    >>> round(rate(0.001, 1, 0.1, 0.3), 1)
    384.7
    """
    timeouts = rto_s * min(1.0, 3 * math.sqrt(3 * b * p / 8)) * p * (1 + 32 * p * p)
    return 1 / (rtt_s * math.sqrt(2 * b * p / 3) + timeouts)


#: The mean window of a connection with independent losses, in segments, times the root of their probability.
_OTT = 1.3098


def independent_rate(p: float, rtt_s: float) -> float:
    """Return the rate in segments/s of a window that grows by a segment in a round trip and is halved by each loss.

    Between two losses the mean window is 1.3098 / sqrt(q), where q is the probability that a segment is lost (Ott,
    Kemperman and Mathis 1996). A cycle has a further round
    trip, that of the repair, at the halved window and without growth. It has 1/q segments, and as many more as that
    window, which is also the number of round trips in which it doubles.

    Parameters
    ----------
    p
        Loss events divided by segments sent; below 1.
    rtt_s
        Mean round trip.

    >>> round(independent_rate(0.0003, 0.1), 1)
    744.2
    >>> # Without losses in repairs, 3333.3 + 44.1 segments are sent in 44.1 + 1 round trips.
    >>> q = 0.0003
    >>> halved = 1 / 1.3098 / math.sqrt(q)
    >>> round(independent_rate(1 / (1 / q + halved), 1.0) * (halved + 1) - (1 / q + halved), 6)
    0.0
    """
    # 1/p = x**2 + x / 1.3098, where x = 1 / sqrt(q).
    linear = 1 / _OTT
    x = (math.sqrt(linear**2 + 4 / p) - linear) / 2
    return 1 / p / ((x * linear + 1) * rtt_s)


@dataclass(frozen=True)
class _Point:
    variant: str
    ack: str
    loss: float

    @property
    def name(self) -> str:
        return f"{self.variant}, ack = {self.ack}, {100 * self.loss:g} % of packets lost"

    def scenario(self, events: int) -> Scenario:
        window = math.sqrt(1.5 / self.loss)
        measured_s = events / len(_SEEDS) / (self.loss * window / (2 * _LINE.delay_s))
        cell_loss = 1 - (1 - self.loss) ** (1 / _LINE.cells)
        timer = {"timer": "rfc6298", "min": "200 ms", "floor": "variance"}
        return _LINE.scenario(
            [Connection({"variant": self.variant, "ack": self.ack, "rto": timer}, window=2000)],
            _WARM_UP_S + measured_s,
            _WARM_UP_S,
            line={"loss": {"process": "bernoulli", "probability": cell_loss}},
            probes={_PROBE: {"every": "1 s", "record": [_RTO]}},
        )

    def judged(self, results: list[Result]) -> list[Case]:
        rows = [next(result.flows.rows()) for result in results]
        sent = sum(float(row["segments_sent"]) for row in rows)
        events = sum(float(row["timeouts"]) + float(row["fast_retransmits"]) for row in rows)
        rates = [float(row["segments_sent"]) / result.measured_s for row, result in zip(rows, results, strict=True)]
        rtt_s = statistics.fmean(float(row["rtt_once_mean_s"]) for row in rows)
        rto_s = statistics.fmean(statistics.median(map(float, result.traces[_PROBE][_RTO])) for result in results)
        expected = rate(events / sent, 1, rtt_s, rto_s)
        half = 3.18 * statistics.stdev(rates) / math.sqrt(len(rates))  # Student's t of four runs
        note = f"95 % interval of {len(rates)} runs +-{100 * half / statistics.fmean(rates):.1f} %"
        ours, name = statistics.fmean(rates), self.name
        found = [relative(f"Padhye: {name}", "rate", "segments/s", ours, expected, 0.05, note=note)]
        if self.loss <= _RARE:
            ideal = independent_rate(events / sent, rtt_s)
            found.append(relative(f"Ott: {name}", "rate", "segments/s", ours, ideal, 0.03, note=note))
        return found


def cases(context: Context) -> list[Case]:
    """Run connections with random losses.

    Modern variants grow by the octets acknowledged (RFC 3465), so ``b`` is 1 even with delayed acknowledgments.
    """
    points = [_Point(v, ack, loss) for v in _VARIANTS for ack in ("each", "delayed") for loss in _LOSSES]
    if context.quick:
        points = [point for point in points if point.ack == "each" and point.loss == max(_LOSSES)]
    events = _QUICK_EVENTS if context.quick else _EVENTS
    runs = context.run([point.scenario(events) for point in points], _SEEDS)
    return [case for point, results in zip(points, runs, strict=True) for case in point.judged(results)]
