"""The figure of a comparison: congestion windows and queues of both sides in the same axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from celltrain import drawing, readable
from celltrain.live.parity.comparison import Comparison
from celltrain.live.parity.runs import QUEUE, Run, words_of
from celltrain.live.parity.sides import SAMPLE_EVERY_S, Series

#: The name of a side, and its colour among those of all figures.
_SIDES = (("kernel", drawing.FIRST_BRIGHT + 1), ("simulated", drawing.FIRST_BRIGHT))
#: Height of a panel, and of the space below the last one, in inches.
_PANEL, _BELOW = 1.9, 1.0
#: Maximum number of panels of congestion windows; with more flows, only the first are drawn.
_MOST_FLOWS = 8


def figure(comparison: Comparison, vc: str) -> Figure:
    """Draw a run of a VC over the measured time: its first valid one, or its first if none is valid.

    Each flow has a panel with both congestion windows, bounded by the receiver's window; the compared queues are
    below.

    Raises
    ------
    ValueError
        The VC was not compared.
    """
    runs = [run for run in comparison.runs if run.vc == vc]
    if not runs:
        compared = ", ".join(dict.fromkeys(run.vc for run in comparison.runs))
        raise ValueError(f"VC {vc} was not compared; compared were {compared}")
    run = next((run for run in runs if run.is_valid), runs[0])
    panels = _panels(comparison, run)
    drawn, all_axes = drawing.empty(len(panels), _BELOW + _PANEL * len(panels), [name for name, _ in _SIDES])
    for axes, (words, unit, series) in zip(all_axes, panels, strict=True):
        _draw(axes, words, unit, series, run)
    drawing.legend_beside(all_axes[0])
    state = "" if run.is_valid else f", not valid: {run.reasons[0]}"
    all_axes[0].set_title(f"VC {vc}, run {run.number}{state}", loc="left", fontsize="medium")
    all_axes[-1].set_xlabel(readable.label("time", "s"))
    return drawn


def _panels(comparison: Comparison, run: Run) -> list[tuple[str, str, tuple[Series, Series]]]:
    """Choose the panels: words and unit, and the series of the kernel and of the simulation."""
    panels = []
    windows = [flow.name for flow in run.flows if not flow.sends_files][:_MOST_FLOWS]
    for name in windows:
        both = (run.kernel.sides[name].cwnd_bytes, run.simulated.sides[name].cwnd_bytes)
        panels.append((f"cwnd, {name}", "bytes", both))
    queues = {row.subject for row in comparison.rows if row.vc == run.vc and row.quantity == QUEUE}
    for name in sorted(queues):
        both = (run.kernel.queues[name], run.simulated.queues[name])
        panels.append((f"queue, {words_of(name)}", "cells", both))
    return panels


def _draw(axes: Axes, words: str, unit: str, series: tuple[Series, Series], run: Run) -> None:
    grid = np.arange(*run.times, SAMPLE_EVERY_S)
    for (name, colour), values in zip(_SIDES, series, strict=True):
        style: dict[str, Any] = drawing.line(colour) | {"linewidth": 0.9, "alpha": 0.85}
        axes.step(grid, values.on(grid), where="post", label=name, **style)
    drawing.dress(axes, readable.label(words, unit))
