"""The lines that ship with celltrain: ADSL2+, fibre, LTE, Starlink ...: their scenarios, rates and delays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celltrain import _native
from celltrain.line_names import line_names, path_of
from celltrain.scenario import Scenario
from celltrain.shipped import Example

#: Intervals of a drawing, and the length of the shortest, in ms.
_INTERVALS, _SHORTEST_MS = 600, 10


@dataclass(frozen=True)
class OverTime:
    """A link over time.

    Attributes
    ----------
    t_s : array
        When each interval begins, in s.
    rate_bps : array
        The mean rate over the interval, in bit/s of the line.
    delay_s : array
        The delay of what departs when it begins, without queue and transmission, in s.
    """

    t_s: npt.NDArray[np.float64]
    rate_bps: npt.NDArray[np.float64]
    delay_s: npt.NDArray[np.float64]


def lines() -> dict[str, Example]:
    """Return the lines by name.

    >>> lines()["starlink"].says
    'Starlink: a hand-over every 15 s, 25 to 220 Mbit/s down.'
    """
    return {name: Example(name, path_of(name)) for name in line_names()}


def find(name: str) -> Example:
    """Return the line with this name.

    Raises
    ------
    KeyError
        There is none; the message suggests the nearest name.
    """
    known = lines()
    if name not in known:
        hint = _native.nearest(name, [*known]) or f"; there are {', '.join(known)}"
        raise KeyError(f"there is no line {name!r}{hint}")
    return known[name]


def over_time(scenario: Scenario, duration_s: float, seed: int = 1) -> Mapping[str, OverTime]:
    """Return rate and delay of each link with a rate, over some hundred intervals, without running the scenario.

    >>> import celltrain
    >>> sorted(over_time(celltrain.load("geo"), 1.0))
    ['down', 'up']

    Parameters
    ----------
    scenario
        The scenario.
    duration_s
        The time from its start, in s.
    seed
        Of its random numbers: a run with this seed has the same rates.
    """
    every_ms = max(_SHORTEST_MS, round(duration_s * 1000 / _INTERVALS))
    count = max(1, round(duration_s * 1000 / every_ms))
    times = np.arange(count) * every_ms / 1000
    found = {}
    for name in _rated(scenario):
        rates, delays = zip(*scenario.native.line_over_time(name, seed, every_ms, count), strict=True)
        found[name] = OverTime(times, np.array(rates), np.array(delays))
    return found


def _rated(scenario: Scenario) -> list[str]:
    """Return the one-way links with a rate; a group has those of its first member."""
    data = json.loads(scenario.to_json())
    names = []
    for name, link in data["links"].items():
        if not (link.get("rate") or link.get("schedule")):
            continue
        ends = link.get("between") or [link["from"], link["to"]]
        counts = [data["hosts"].get(end, {}).get("count") for end in ends]
        member = f"{name}1" if any(counts) else name
        names += [member, f"{member}.back"] if link.get("between") else [member]
    return names
