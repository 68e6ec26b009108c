"""Validity of runs: reasons why a run between kernels says nothing about TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from celltrain.live.parity.flows import Flow
from celltrain.live.parity.kernel import Measured
from celltrain.live.parity.sides import Limits
from celltrain.live.parity.targets import MOST_LATE_START_S, MOST_LIMITED


def reasons(flows: Sequence[Flow], measured: Measured, window_limited: Mapping[str, float]) -> tuple[str, ...]:
    """Return the reasons why a run is not valid; none if it is.

    ``window_limited`` is, for each flow, the fraction of time in which the receiver's window limits the simulated one.
    """
    found = degraded(measured)
    for flow in flows:
        limits = measured.limits[flow.name]
        found += waits(flow.name, limits)
        if not flow.is_paced:
            found += limited(
                flow.name,
                limits,
                window_is_meant=window_limited.get(flow.name, 0.0) > MOST_LIMITED or _reads_at_a_rate(flow),
                buffer_is_meant=flow.written["sockets"].get("send_buffer") is not None,
            )
    return tuple(found)


def _reads_at_a_rate(flow: Flow) -> bool:
    return flow.written["sockets"].get("read_rate") is not None


def degraded(measured: Measured) -> list[str]:
    """Return how the timing of the line failed."""
    found = []
    summary = measured.summary
    drops = summary.up.kernel_drops + summary.down.kernel_drops
    if drops:
        found.append(f"degraded: a kernel dropped {drops} packets that no model dropped")
    elif summary.degraded:
        found.append(f"degraded: 5 % of the packets left {1e6 * summary.lateness['p95']:.0f} us late or more")
    if measured.late_start_s > MOST_LATE_START_S:
        found.append(f"degraded: the line began {1e3 * measured.late_start_s:.0f} ms late")
    return found


def waits(flow: str, limits: Limits) -> list[str]:
    """Return a message if the programs of a flow had to wait for a core.

    >>> waits("up", Limits(waited=0.2))
    ['degraded: programs of up waited for a core 20.0 % of the time']
    """
    if limits.waited <= MOST_LIMITED:
        return []
    return [f"degraded: programs of {flow} waited for a core {100 * limits.waited:.1f} % of the time"]


def limited(flow: str, limits: Limits, *, window_is_meant: bool, buffer_is_meant: bool) -> list[str]:
    """Return what limited a greedy flow that the scenario does not limit.

    >>> limited("up", Limits(application=0.05, window=0.3), window_is_meant=True, buffer_is_meant=False)
    ['up was limited by the application 5.0 % of the time']
    """
    parts = [
        (max(limits.idle, limits.application), "the application"),
        (0.0 if window_is_meant else limits.window, "the receiver's window"),
        (0.0 if buffer_is_meant else limits.buffer, "the send buffer"),
    ]
    return [
        f"{flow} was limited by {words} {100 * part:.1f} % of the time" for part, words in parts if part > MOST_LIMITED
    ]
