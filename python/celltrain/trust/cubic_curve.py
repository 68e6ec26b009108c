"""CUBIC's window between two losses, compared with W(t) of RFC 9438, section 4.2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from celltrain.trust.case import Case, relative
from celltrain.trust.lines import Connection, PacketLine
from celltrain.trust.row import Context

_C, _BETA = 0.4, 0.7
_RATE_BPS, _ROUND_TRIPS_S = 100e6, (0.05, 0.1)
#: Size of the queue, as a fraction of the packets of a round trip.
_BUFFER = 0.3
_EVERY_S = 0.01
#: The first slow start and its recovery are over after the warm-up; the quick part stops early.
_WARM_UP_S, _END_S, _QUICK_END_S = 20.0, 100.0, 45.0
_PROBE, _CWND = "window", "flows.f1.cwnd_bytes"


@dataclass(frozen=True)
class Epoch:
    """Congestion avoidance between two losses.

    Attributes
    ----------
    start_s : float
        Start: the last sample before the window grows.
    w_max : float
        The plateau in segments, lowered by fast convergence where that applies.
    samples : tuple of (float, float)
        Time, and window in segments, from the start on.
    """

    start_s: float
    w_max: float
    samples: tuple[tuple[float, float], ...]

    def window(self, time_s: float) -> float:
        """Return W(t) in segments.

        >>> epoch = Epoch(0.0, 100.0, ((0.0, 70.0),))
        >>> round(epoch.window(0.0), 3), round(epoch.window(3.0), 4)
        (70.0, 99.2787)
        """
        k = math.cbrt((self.w_max - self.samples[0][1]) / _C)
        return _C * (time_s - self.start_s - k) ** 3 + self.w_max

    def worst(self) -> tuple[float, float]:
        """Return the window and W(t) where they are farthest apart."""
        found = ((cwnd, self.window(time_s)) for time_s, cwnd in self.samples)
        return max(found, key=lambda pair: abs(pair[0] / pair[1] - 1))


def epochs(times_s: Sequence[float], windows: Sequence[float]) -> Iterator[Epoch]:
    """Find the epochs between losses; the first one, whose plateau depends on an earlier loss, is left out."""
    cuts = [i for i in range(1, len(windows)) if windows[i] < 0.8 * windows[i - 1]]
    w_max = math.inf
    for number, (cut, end) in enumerate(pairwise(cuts)):
        before = windows[cut - 1]
        # Fast convergence, section 4.7. The plateau remembered before the first observed loss is unknown.
        w_max = before * (1 + _BETA) / 2 if number and before < w_max else before
        first = next((i for i in range(cut, end) if windows[i] > windows[cut]), end)
        if number and first < end:
            yield Epoch(
                times_s[first - 1], w_max, tuple(zip(times_s[first - 1 : end], windows[first - 1 : end], strict=True))
            )


def cases(context: Context) -> list[Case]:
    """Run single connections, and take the sample of each that is farthest from W(t)."""
    settings = [(rtt, ack) for rtt in _ROUND_TRIPS_S for ack in ("each", "delayed")]
    if context.quick:
        settings = settings[:1]
    end_s = _QUICK_END_S if context.quick else _END_S
    timer = {"timer": "rfc6298", "min": "200 ms", "floor": "variance"}
    lines = []
    for rtt_s, _ in settings:
        round_trip = PacketLine(_RATE_BPS, rtt_s / 2, 1).bandwidth_delay_packets
        lines.append(PacketLine(_RATE_BPS, rtt_s / 2, round(_BUFFER * round_trip)))
    scenarios = [
        line.scenario(
            [Connection({"variant": "cubic", "ack": ack, "rto": timer}, window=5000)],
            end_s,
            _WARM_UP_S,
            probes={_PROBE: {"every": f"{1e3 * _EVERY_S:g} ms", "record": [_CWND]}},
        )
        for line, (_, ack) in zip(lines, settings, strict=True)
    ]
    found = []
    for line, (rtt_s, ack), (result,) in zip(lines, settings, context.run(scenarios), strict=True):
        trace = result.traces[_PROBE]
        windows = [float(octets) / line.segment for octets in trace[_CWND]]
        seen = list(epochs([float(time) for time in trace["time_s"]], windows))
        name = f"CUBIC: W(t), round trip {1e3 * rtt_s:g} ms, ack = {ack}"
        worst = max((epoch.worst() for epoch in seen), key=lambda pair: abs(pair[0] / pair[1] - 1), default=None)
        if worst is None:
            found.append(relative(name, "window", "segments", math.nan, math.nan, 0.01, note="no two losses were seen"))
        else:
            note = f"the farthest sample of {len(seen)} epochs"
            found.append(relative(name, "window", "segments", *worst, 0.01, note=note))
    return found
