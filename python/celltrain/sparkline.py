"""A quantity over time as a line of bars."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

#: Heights of a bar, from nothing to full.
BARS = " ▁▂▃▄▅▆▇█"
#: Columns of a drawing by default: with the time at its end it fits into 80 columns.
WIDTH = 68
#: Values that are averaged.
_LOOKS = 16


def sparkline(times: Numbers, values: Numbers, end: float, *, holds: bool, width: int = WIDTH) -> str:
    """Draw means over equal parts of the time up to ``end``; the largest value is full.

    A value holds until the next one, or the line between them is straight. Missing values are blank.

    >>> import numpy as np
    >>> sparkline(np.array([0.0, 1.0, 2.0]), np.array([4.0, 8.0, 8.0]), 4.0, holds=True)
    '▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄█████████████████                                  '
    """
    at = (np.arange(width * _LOOKS) + 0.5) * end / (width * _LOOKS)
    if holds:
        index = np.searchsorted(times, at, side="right") - 1
        looks = np.where((index >= 0) & (at < times[-1]), values[np.maximum(index, 0)], np.nan)
    else:
        looks = np.interp(at, times, values, left=np.nan, right=np.nan)
    looks = looks.reshape(width, _LOOKS)
    known = np.isfinite(looks).sum(axis=1)
    means = np.nansum(looks, axis=1) / np.maximum(known, 1)
    top = float(np.nanmax(values))
    steps = np.clip(means / top if top > 0 else means * 0, 0, 1) * (len(BARS) - 1)
    return "".join(BARS[round(step)] for step in steps)
