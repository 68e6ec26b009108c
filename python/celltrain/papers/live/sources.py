"""Where the values of a live experiment come from, and its figure with a series for each."""

from __future__ import annotations

from dataclasses import replace

from celltrain.papers.plot import Plot

#: The compared column, and the columns of its three values.
COLUMN = "throughput_bps"
SOURCES = {"published": "published_bps", "simulated": "simulated_bps", "live": "live_bps"}


def side_by_side(plot: Plot) -> Plot:
    """Return the plot with a series for each source."""
    return replace(plot, by=(*plot.by, "source"))
