"""A measurement as bars in the terminal: one line for each connection and quantity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from celltrain.dbs.rates import chosen
from celltrain.dbs.result import Measurement
from celltrain.dbs.series import quantities, unit_for
from celltrain.sparkline import sparkline

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
