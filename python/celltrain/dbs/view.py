"""A measurement as bars in the terminal: one line for each connection and quantity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from celltrain.dbs.rates import chosen
from celltrain.dbs.result import Measurement
from celltrain.dbs.series import Numbers, quantities, unit_for

#: Heights of a bar, from nothing to full.
BARS = " ▁▂▃▄▅▆▇█"
#: Columns of a drawing: with the time at its end it fits into 80 columns.
WIDTH = 68
#: Values that are averaged.
_LOOKS = 16
#: Lines of a quantity beyond this number are only counted.
_MOST_LINES = 8


def draw(result: Measurement, repetition: int = 1, every: str | None = None) -> Iterator[str]:
    """Draw one repetition: a heading for each quantity, then name, range and bars of each line.

    With ``every``, throughput is that of intervals of this length; the exceptions are those of
    :func:`celltrain.dbs.throughput`.
    """
    drawn = quantities(result.tables, repetition, chosen(result, every))
    end = max((float(line.times[-1]) for quantity in drawn for line in quantity.lines), default=0.0)
    for quantity in drawn:
        yield ""
        yield quantity.title
        for line in quantity.lines[:_MOST_LINES]:
            factor, unit = unit_for(line.values, quantity.unit)
            low, high = (of(line.values) * factor for of in (np.nanmin, np.nanmax))
            if low == high:
                yield f"  {line.name}: always {low:.4g} {unit}"
                continue
            yield f"  {line.name}: {low:.4g} to {high:.4g} {unit}"
            yield f"  {sparkline(line.times, line.values, end, holds=quantity.holds)}| {end:.4g} s"
        if len(quantity.lines) > _MOST_LINES:
            yield f"  and {len(quantity.lines) - _MOST_LINES} more, on the page"


def sparkline(times: Numbers, values: Numbers, end: float, *, holds: bool) -> str:
    """Draw means over equal parts of the time up to ``end``; the largest value is full.

    A value holds until the next one, or the line between them is straight. Missing values are blank.

    >>> import numpy as np
    >>> sparkline(np.array([0.0, 1.0, 2.0]), np.array([4.0, 8.0, 8.0]), 4.0, holds=True)
    '▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄█████████████████                                  '
    """
    at = (np.arange(WIDTH * _LOOKS) + 0.5) * end / (WIDTH * _LOOKS)
    if holds:
        index = np.searchsorted(times, at, side="right") - 1
        looks = np.where((index >= 0) & (at < times[-1]), values[np.maximum(index, 0)], np.nan)
    else:
        looks = np.interp(at, times, values, left=np.nan, right=np.nan)
    looks = looks.reshape(WIDTH, _LOOKS)
    known = np.isfinite(looks).sum(axis=1)
    means = np.nansum(looks, axis=1) / np.maximum(known, 1)
    top = float(np.nanmax(values))
    steps = np.clip(means / top if top > 0 else means * 0, 0, 1) * (len(BARS) - 1)
    return "".join(BARS[round(step)] for step in steps)
