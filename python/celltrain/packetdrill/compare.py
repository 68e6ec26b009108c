"""Comparison of an expected segment with the one seen: which differences count."""

from __future__ import annotations

from collections.abc import Callable

from celltrain.packetdrill.endpoint import Endpoint
from celltrain.packetdrill.script import Options, Packet

_PS_PER_US = 1_000_000
#: The tick of our timestamp clock, in us.
_TICK_US = 1000.0


class Clock:
    """Values of our timestamps in the numbering of a script: the first value that it names fixes the origin.

    Parameters
    ----------
    tick_us
        Duration of a value in the script (``--tcp_ts_tick_usecs``); 0: values are not compared.
    """

    def __init__(self, tick_us: float) -> None:
        self.tick_us = tick_us
        self._first: tuple[int, int] | None = None

    def difference(self, expected: int, time_ps: int) -> str:
        """Return a message if a value differs from the one that a script expects at an instant; empty if not."""
        if self._first is None:
            self._first = (expected, time_ps)
        if self.tick_us == 0:
            return ""
        value, at_ps = self._first
        ours = value + (time_ps - at_ps) / _PS_PER_US / self.tick_us
        # Either clock may be in the middle of a tick.
        return "" if abs(ours - expected) <= 1 + _TICK_US / self.tick_us else f"the timestamp is {ours:.0f}"


def joined(seen: Packet, expected: Packet) -> Callable[[Packet], bool] | None:
    """Return a test for the following segments if the expected segment is longer than the one seen; else None."""
    if seen.seq != expected.seq or not 0 < seen.length < expected.length or "S" in seen.flags:
        return None
    return lambda more: more.seq == seen.seq + seen.length and 0 < more.length <= expected.length - seen.length


def difference(expected: Packet, seen: Packet, clock: Clock, endpoint: Endpoint | None, time_ps: int) -> str:
    """Return how a segment differs from the expected one; empty if it does not.

    PSH, which our TCP does not have, and the order and padding of options are not compared.
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
