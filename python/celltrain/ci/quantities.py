"""The quantities of a run in real time that thresholds may compare."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from celltrain import _native
from celltrain.ci.threshold import Check, Threshold
from celltrain.papers.reading import unknown

if TYPE_CHECKING:
    from celltrain.live.summary import Summary, Way

#: Prefix of values that the client prints as JSON.
JSON = "json."
#: Unit and meaning of the quantities of each direction of the line.
WAY: Mapping[str, tuple[str, str]] = {
    "packets": ("", "packets that entered the line"),
    "bytes": ("bytes", "octets of these packets, IP headers included"),
    "packets_delivered": ("", "packets that left the line"),
    "bytes_delivered": ("bytes", "octets of these packets"),
    "packets_lost": ("", "packets that the models lost"),
    "packets_marked": ("", "packets that a queue marked (ECN)"),
    "loss_ratio": ("1", "packets lost, as a share of those that entered"),
    "goodput_bps": ("bit/s", "bits delivered, IP headers included, over the duration of the client's command"),
    "queueing_p50_s": ("s", "time beyond propagation and own transmission: median"),
    "queueing_p95_s": ("s", "the same: 95 % of the packets"),
    "queueing_p99_s": ("s", "the same: 99 % of the packets"),
    "utilization": ("1", "share of the time that the narrowest link was busy"),
}
#: Unit and meaning of all quantities but those of ``json``.
QUANTITIES: Mapping[str, tuple[str, str]] = {
    "exit_code": ("", "exit code of the client's command"),
    "duration": ("s", "time that the client's command took"),
    **{f"up.{name}": (unit, f"to the server: {says}") for name, (unit, says) in WAY.items()},
    **{f"down.{name}": (unit, f"to the client: {says}") for name, (unit, says) in WAY.items()},
}


def checked(threshold: Threshold) -> Threshold:
    """Return a threshold on a quantity of a run in real time.

    Raises
    ------
    Mistake
        There is no such quantity, or the limit has another unit.
    """
    if threshold.what.startswith(JSON) and len(threshold.what) > len(JSON):
        return threshold
    if threshold.what not in QUANTITIES:
        raise unknown("quantity", threshold.what, [*QUANTITIES, "json.KEY"])
    return threshold.in_unit(QUANTITIES[threshold.what][0])


def measured(summary: Summary, exit_code: int, duration_s: float) -> dict[str, float]:
    """Return all quantities of a run but those of ``json``."""
    values: dict[str, float] = {"exit_code": float(exit_code), "duration": duration_s}
    for name, way in (("up", summary.up), ("down", summary.down)):
        values |= {f"{name}.{key}": value for key, value in _way(way, duration_s).items()}
    return values


def _way(way: Way, duration_s: float) -> dict[str, float]:
    counts = ("packets", "bytes", "packets_delivered", "bytes_delivered", "packets_lost", "packets_marked")
    return {
        **{name: float(getattr(way, name)) for name in counts},
        "loss_ratio": way.packets_lost / way.packets if way.packets else 0.0,
        "goodput_bps": 8 * way.bytes_delivered / duration_s,
        **{f"queueing_{key}_s": way.queueing_s[key] for key in ("p50", "p95", "p99")},
        "utilization": way.utilization,
    }


def judged(threshold: Threshold, values: Mapping[str, float], printed: object) -> Check:
    """Compare a threshold with the quantities of a run, and with what its client printed as JSON (None: nothing)."""
    what = threshold.what
    if not what.startswith(JSON):
        value = values[what]
        return Check(threshold.text, threshold.is_met(value), value, QUANTITIES[what][0])
    value, why = _member(printed, what.removeprefix(JSON).split("."))
    if why:
        return Check(threshold.text, is_met=False, value=None, why=why)
    if isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, float | str | bool):
        return Check(threshold.text, is_met=False, value=None, why=f"{what} is {_kind(value)}, not a value")
    return Check(threshold.text, threshold.is_met(value), value, threshold.unit)


def last_object(text: str) -> object:
    """Return the JSON object in a program's output: all of it, or its last line that is one; None without any."""
    for candidate in (text, *reversed(text.splitlines())):
        if "{" in candidate:
            try:
                found = json.loads(candidate)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict):
                return found
    return None


def _member(value: object, path: list[str]) -> tuple[Any, str]:
    """Return a member of nested objects and arrays, or why there is none."""
    if value is None:
        return None, "the client printed no JSON object"
    for key in path:
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, dict):
            return None, f'the JSON of the client has no "{key}"{_native.nearest(key, [*value])}'
        else:
            return None, f'the JSON of the client has {_kind(value)} where "{key}" was expected'
    return value, ""


def _kind(value: object) -> str:
    return {dict: "an object", list: "an array", type(None): "null"}.get(type(value), "a value")
