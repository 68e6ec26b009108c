"""A measurement as bars in the terminal: throughput, RTT and window over time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from celltrain.dbs.result import Measurement
from celltrain.results import Table

#: Heights of a bar, from nothing to full.
BARS = " ▁▂▃▄▅▆▇█"
#: Columns of a drawing.
WIDTH = 72

#: What is drawn: table, column, heading, and the factor and name of the unit that is shown.
DRAWN = (
    ("intervals", "throughput_bps", "throughput", 1e-6, "Mbit/s"),
    ("tcp_info", "rtt_s", "RTT", 1e3, "ms"),
    ("tcp_info", "cwnd_segments", "window", 1.0, "segments"),
    ("latency", "rtt_s", "round trip", 1e3, "ms"),
)


def draw(result: Measurement) -> Iterator[str]:
    """Draw the first repetition: a line for each connection and quantity."""
    for name, column, heading, factor, unit in DRAWN:
        table = result.tables[name]
        for label, times, values in series(table, column):
            bars, end = sparkline(times, values)
            known = values[~np.isnan(values)] * factor
            if known.size:
                yield f"{heading} of {label}, 0 to {known.max():.4g} {unit}"
                yield f"  {bars}| {end:.4g} s"


def series(table: Table, column: str) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Give label, times and values of each connection's first repetition."""
    rows: dict[str, list[tuple[float, float]]] = {}
    name = "probe" if "probe" in table.columns else "flow"
    for row in table.rows():
        if row["repetition"] == 1:
            number = f" ({row['connection']:.0f})" if "connection" in row else ""
            label = f"{row[name]}{number} {row['from']} -> {row['to']}"
            rows.setdefault(label, []).append((float(row["time_s"]), float(row[column])))
    for label, points in rows.items():
        times, values = np.array(points).T
        yield label, times, values


def sparkline(times: np.ndarray, values: np.ndarray) -> tuple[str, float]:
    """Draw means over equal parts of the time up to the last value; give that time too.

    >>> import numpy as np
    >>> sparkline(np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.0, 4.0, 8.0, np.nan]))[0].split()
    ['▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄██████████████████']
    """
    end = float(times.max())
    # A value stands for the time since the one before it.
    at = (np.arange(WIDTH) + 0.5) * end / WIDTH
    index = np.searchsorted(times, at)
    shown = values[np.minimum(index, len(values) - 1)]
    top = np.nanmax(values) if not np.isnan(values).all() else 0.0
    steps = np.nan_to_num(shown / top if top > 0 else shown * 0) * (len(BARS) - 1)
    return "".join(BARS[round(step)] for step in steps), end
