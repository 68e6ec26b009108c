"""Arrays of numbers as text in a page: typed, deflated, base64-encoded."""

from __future__ import annotations

import base64
import math
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.number[Any]]

#: Unsigned types by the smallest number that they cannot hold, smallest first.
_WHOLE = (("u1", 1 << 8), ("u2", 1 << 16), ("u4", 1 << 32))
#: Longer columns of measured values are stored with 24 significant bits, more than any screen shows.
_EXACT_BELOW = 20_000
#: Tolerance of evenly spaced values, as a fraction of the step.
_EVEN = 1e-3


def pack(values: Numbers, *, exact: bool = False, summed: bool = False) -> dict[str, Any]:
    """Pack a column.

    Parameters
    ----------
    values
        The numbers; NaN for missing values.
    exact
        Keep all bits, as needed for instants: neighbours may differ only in their last digits.
    summed
        Keep each value as it is, since the page sums them up: evenly spaced ones may differ from it by a thousandth.

    Returns
    -------
    dict
        ``length``, and either ``start`` and ``step`` of evenly spaced values, or ``type`` (``u1``, ``u2``, ``u4``,
        ``f4``, ``f8``, little-endian as all browsers are) and ``data``: zlib's stream in base64.
    """
    length = len(values)
    if not summed and (step := _step(values)) is not None:
        return {"length": length, "start": float(values[0]), "step": step}
    kind = _kind(values, exact=exact or summed)
    data = base64.b64encode(zlib.compress(values.astype(f"<{kind}").tobytes(), 6))
    return {"length": length, "type": kind, "data": data.decode("ascii")}


def _step(values: Numbers) -> float | None:
    """Return the step of evenly spaced values, within a thousandth of a step; None for others."""
    if len(values) < 2 or not np.all(np.isfinite(values)):
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        # If values are so large that this overflows, no comparison holds.
        step = float(values[-1] - values[0]) / (len(values) - 1)
        straight = values[0] + step * np.arange(len(values))
        even = np.all(np.abs(straight - values) <= _EVEN * abs(step))
    return step if even and 0 < abs(step) < math.inf else None


def _kind(values: Numbers, *, exact: bool) -> str:
    if len(values) and np.all(np.isfinite(values)) and values.min() >= 0 and np.all(values == np.floor(values)):
        fitting = (kind for kind, bound in _WHOLE if values.max() < bound)
        if kind := next(fitting, None):
            return kind
    if exact or len(values) <= _EXACT_BELOW or np.nanmax(np.abs(values), initial=0) > np.finfo(np.float32).max:
        return "f8"
    return "f4"
