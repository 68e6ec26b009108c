"""The state of a line, every second: in place on a terminal, as lines elsewhere."""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

from celltrain.cli.console import err

if TYPE_CHECKING:
    from rich.table import Table

    from celltrain.live import LiveLine

_EVERY_S = 1.0

#: Time since the line opened, and for each direction its state and the rate of what was delivered, in bit/s.
States = tuple[float, dict[str, tuple[dict[str, Any], float]]]


class Watch:
    """Looks at a line at intervals."""

    def __init__(self, line: LiveLine) -> None:
        from celltrain.live.directions import directions

        names = directions(client_is_first=line.client_is_first)
        self._line = line
        self._ways = dict(sorted(names.items(), key=lambda item: item[1], reverse=True))
        self._before: dict[str, int] = {}
        self._last_s = 0.0

    def states(self) -> States | None:
        """Return the state since the last look; None if no time has passed on the line."""
        look = self._line.look()
        span = look["time_s"] - self._last_s
        if span <= 0:
            return None
        self._last_s = look["time_s"]
        found = {}
        for way, name in self._ways.items():
            sent = (look[way]["bytes_delivered"] - self._before.get(way, 0)) * 8 / span
            self._before[way] = look[way]["bytes_delivered"]
            found[name] = (look[way], sent)
        return look["time_s"], found


def watch(line: LiveLine, stop: threading.Event, *, in_place: bool) -> None:
    """Print the state of the line every second until it is told to stop.

    Parameters
    ----------
    line
        The line.
    stop
        Set to end it.
    in_place
        Redraw a table; otherwise print a line each time, which mixes with the output of programs.
    """
    console, watched = err(), Watch(line)
    if not in_place:
        while not stop.wait(_EVERY_S):
            if states := watched.states():
                console.print(as_line(states), markup=False, soft_wrap=True)
        return
    from rich.live import Live

    with Live(console=console, auto_refresh=False) as shown:
        while not stop.wait(_EVERY_S):
            if states := watched.states():
                shown.update(as_table(states), refresh=True)


def as_line(states: States) -> str:
    """Describe a state on one line."""
    time_s, ways = states
    parts = (
        f"{name} {rate(sent)} of {rate(state['rate_bps'])}, {state['queue_cells']:.0f} cells wait"
        f"{waits_at_host(state)}, {state['lost_cells']:.0f} dropped"
        for name, (state, sent) in ways.items()
    )
    return f"{time_s:7.1f} s  " + "  |  ".join(parts)


def as_table(states: States) -> Table:
    """Show a state as a table of at most 80 columns."""
    from rich import box
    from rich.table import Table

    time_s, ways = states
    at_host = any(state["source_cells"] for state, _ in ways.values())
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, caption=f"{time_s:.0f} s; Ctrl-C ends", caption_justify="left")
    headings = ["way", "delivered", "line rate", "cells waiting", *["at the host"] * at_host, "cells dropped"]
    for index, heading in enumerate(headings):
        shown.add_column(heading, justify="right" if index else "left", no_wrap=True, min_width=8 if index else 4)
    for name, (state, sent) in ways.items():
        hosts = [f"{state['source_cells']:.0f}"] * at_host
        queue, lost = f"{state['queue_cells']:.0f}", f"{state['lost_cells']:.0f}"
        shown.add_row(name, rate(sent), rate(state["rate_bps"]), queue, *hosts, lost)
    return shown


def waits_at_host(state: dict[str, float]) -> str:
    """Describe the queue at the host, if its rate is controlled."""
    return f" and {state['source_cells']:.0f} at the host" if state["source_cells"] else ""


def rate(bps: float) -> str:
    """Format a rate; NaN is none, that is, any.

    >>> rate(2.5e6), rate(float("nan"))
    ('2.5 Mbit/s', 'any rate')
    """
    if math.isnan(bps):
        return "any rate"
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if bps >= size:
            return f"{bps / size:.4g} {prefix}bit/s"
    return f"{bps:.4g} bit/s"
