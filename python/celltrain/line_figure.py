"""The figure of a line: the rate and the delay of both directions over time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from celltrain import drawing, readable
from celltrain.ready_lines import OverTime, over_time
from celltrain.refused import Refused
from celltrain.scenario import Scenario

#: Height of the figure, in inches.
_HEIGHT = 4.4


def figure(scenario: Scenario, duration_s: float, seed: int = 1) -> Figure:
    """Draw rate and one-way delay of each link with a rate.

    Parameters
    ----------
    scenario
        The scenario.
    duration_s
        The time from its start, in s.
    seed
        Of its random numbers.

    Raises
    ------
    Refused
        No link has a rate.
    """
    found = over_time(scenario, duration_s, seed)
    if not found:
        raise Refused(f"{scenario.origin}: no link has a rate, so that there is nothing to draw")
    drawn, (rates, delays) = drawing.empty(2, _HEIGHT, found)
    _panel(rates, found, "rate", "bit/s")
    _panel(delays, found, "delay", "s")
    rates.set_ylim(bottom=0)
    delays.set_ylim(bottom=0)
    delays.set_xlabel("time [s]")
    drawing.common_legend(drawn, [rates, delays], list(found))
    return drawn


def _panel(axes: Axes, found: Mapping[str, OverTime], words: str, unit: str) -> None:
    values = {name: line.rate_bps if unit == "bit/s" else line.delay_s for name, line in found.items()}
    factor, shown = readable.unit_for(np.concatenate(list(values.values())), unit)
    for index, (name, line) in enumerate(found.items()):
        style = drawing.line(drawing.FIRST_BRIGHT + index)
        axes.step(line.t_s, values[name] * factor, where="post", label=name, linewidth=1.2, **style)
    drawing.dress(axes, readable.label(words, shown))
