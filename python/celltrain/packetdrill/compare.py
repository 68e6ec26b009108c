"""What a script expects of a segment, and what was seen: which differences count."""

from __future__ import annotations

from collections.abc import Callable

from celltrain.packetdrill.endpoint import Endpoint
from celltrain.packetdrill.script import Options, Packet

_PS_PER_US = 1_000_000
#: The clock of our timestamps, in us, where time is continuous.
_TICK_US = 1000.0


class Clock:
    """Values of our timestamps, as a script calls them: the first that it names fixes the origin.

    Parameters
    ----------
    tick_us
        How long a value lasts in the script (``--tcp_ts_tick_usecs``); 0: values are not compared.
    """

    def __init__(self, tick_us: float) -> None:
        self.tick_us = tick_us
        self._first: tuple[int, int] | None = None

    def difference(self, expected: int, time_ps: int) -> str:
        """Say what is wrong with a value that a script expects at an instant; empty if nothing is."""
        if self._first is None:
            self._first = (expected, time_ps)
        if self.tick_us == 0:
            return ""
        value, at_ps = self._first
        ours = value + (time_ps - at_ps) / _PS_PER_US / self.tick_us
        # Either clock may be within a tick.
        return "" if abs(ours - expected) <= 1 + _TICK_US / self.tick_us else f"the timestamp is {ours:.0f}"


def joined(seen: Packet, expected: Packet) -> Callable[[Packet], bool] | None:
    """Whether more is to follow, for a segment that is longer than what was seen; then, what may follow."""
    if seen.seq != expected.seq or not 0 < seen.length < expected.length or "S" in seen.flags:
        return None
    return lambda more: more.seq == seen.seq + seen.length and 0 < more.length <= expected.length - seen.length


def difference(expected: Packet, seen: Packet, clock: Clock, endpoint: Endpoint | None, time_ps: int) -> str:
    """Say in what a segment differs from what is expected; empty if in nothing.

    PSH is not compared, which our TCP does not have; nor is the order and padding of options.
    """
    if set(expected.flags) - {"P"} != set(seen.flags):
        return "flags"
    if (expected.seq, expected.length) != (seen.seq, seen.length):
        return "sequence numbers"
    if expected.ack != seen.ack:
        return "acknowledgment"
    if expected.ip_info and (expected.ip_info == "ect0") != (seen.ip_info == "ect0"):
        return "ECN field"
    if expected.window is not None and expected.window != seen.window:
        return "window"
    if expected.options is None or seen.options is None:
        return ""
    return _options(expected.options, seen.options, clock, endpoint, time_ps)


def _options(expected: Options, seen: Options, clock: Clock, endpoint: Endpoint | None, time_ps: int) -> str:
    pairs = (
        ("mss", expected.mss, seen.mss),
        ("sackOK", expected.sack_permitted, seen.sack_permitted),
        ("wscale", expected.window_scale, seen.window_scale),
        ("sack", expected.sack, seen.sack),
    )
    for name, asked, found in pairs:
        if asked != found:
            return name
    if (expected.timestamp is None) != (seen.timestamp is None):
        return "timestamps"
    if expected.timestamp is None or seen.timestamp is None:
        return ""
    if expected.timestamp[1] != seen.timestamp[1]:
        return "echo of a timestamp"
    if endpoint is not None:
        endpoint.tell_timestamp(expected.timestamp[0], seen.timestamp[0])
    return clock.difference(expected.timestamp[0], time_ps)
