"""The 30 lines on which our TCP is compared with the kernel's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from celltrain.scenario import Scenario
from celltrain.trust.lines import Connection, PacketLine

#: Warm-up and total length of each run, in s.
WARM_UP_S, SECONDS = 3.0, 18.0
#: Congestion control of the kernel, and our options for it.
VARIANTS: Mapping[str, Mapping[str, Any]] = {
    "reno": {"preset": "linux", "variant": "sack"},
    "cubic": {"preset": "linux"},
    "bbr": {"preset": "linux", "variant": "bbr"},
}
#: Time between two changes of the rate, in s.
_STEP_S = 2


@dataclass(frozen=True)
class KernelLine:
    """A line: its rate (bit/s), delay in each direction (s), queue (bandwidth-delay products), and impairments.

    ``loss`` is the share of packets lost by errors; ``low_bps`` a second rate that alternates with the first.
    """

    rate_bps: float
    delay_s: float
    buffer: float = 1.0
    loss: float = 0.0
    low_bps: float = 0.0

    @property
    def name(self) -> str:
        """The line in words.

        >>> KernelLine(8e6, 0.01, loss=0.01).name
        '8 Mbit/s, 20 ms, 1 BDP, 1 % lost'
        """
        low = f" and {self.low_bps / 1e6:g}" if self.low_bps else ""
        loss = f", {100 * self.loss:g} % lost" if self.loss else ""
        return f"{self.rate_bps / 1e6:g}{low} Mbit/s, {2e3 * self.delay_s:g} ms, {self.buffer:g} BDP{loss}"

    @property
    def packets(self) -> PacketLine:
        """The queue in whole packets, at least two: with one, no packet can wait while another is sent."""
        one = PacketLine(self.rate_bps, self.delay_s, 1)
        return PacketLine(self.rate_bps, self.delay_s, max(2, round(self.buffer * one.bandwidth_delay_packets)))

    def scenario(self, variant: str) -> Scenario:
        """Make the scenario of one greedy connection."""
        line: dict[str, Any] = {}
        if self.loss:
            lost = 1 - (1 - self.loss) ** (1 / self.packets.cells)
            line["loss"] = {"process": "bernoulli", "probability": lost}
        if self.low_bps:
            rates = [
                {"at": f"{_STEP_S * turn} s", "rate": f"{rate:.0f} bit/s"}
                for turn, rate in enumerate((self.rate_bps, self.low_bps))
            ]
            line["rate"] = {"process": "list", "rates": rates, "repeat": f"{2 * _STEP_S} s"}
        return self.packets.scenario([Connection(VARIANTS[variant])], SECONDS, WARM_UP_S, line=line)


def _lines() -> tuple[KernelLine, ...]:
    rates, delays = (2e6, 8e6, 20e6), (0.01, 0.04)
    plain = [KernelLine(rate, delay, buffer) for rate in rates for delay in delays for buffer in (0.5, 1, 4)]
    places = ((2e6, 0.01), (8e6, 0.04), (20e6, 0.01))
    lossy = [KernelLine(rate, delay, loss=loss) for loss in (0.001, 0.01) for rate, delay in places]
    turns = [
        KernelLine(rate, delay, buffer, low_bps=rate / 4)
        for rate in (8e6, 20e6)
        for delay, buffer in ((0.01, 1), (0.04, 1), (0.04, 4))
    ]
    found = [*plain, *lossy, *turns]
    # Ordered so that the first few differ as much as possible.
    return tuple(found[7 * index % len(found)] for index in range(len(found)))


#: All of them.
LINES = _lines()
