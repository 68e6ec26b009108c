"""Numbers of a column with four significant digits, in one unit."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from celltrain import readable

#: Significant digits.
_DIGITS = 4
#: Shown for a missing number.
MISSING = "-"
#: Columns of ratios that are shown in per cent.
_PERCENT = ("utilization", "loss_ratio", "loss_probability", "variation", "efficiency")


def significant(value: float) -> str:
    """Write a number with four significant digits; whole numbers have all of theirs.

    >>> [significant(each) for each in (0.999823, 12345.678, 1234567, 0.0000123456, -0.0, math.nan)]
    ['0.9998', '12346', '1234567', '1.235e-05', '0', '-']
    """
    if not math.isfinite(value):
        return MISSING if math.isnan(value) else f"{value}"
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    if abs(value) >= 10 ** (_DIGITS - 1):
        return f"{value:.{0 if abs(value) >= 10**_DIGITS else 1}f}".removesuffix(".0")
    return f"{value:.{_DIGITS}g}"


def figures(values: Sequence[float | None], unit: str = "", name: str = "") -> tuple[list[str], str]:
    """Write the numbers of a column.

    Parameters
    ----------
    values
        The numbers; NaN or None if missing.
    unit
        Their unit; rates and times get the prefix that suits the largest.
    name
        The name of the column; some ratios are shown in per cent.

    Returns
    -------
    list of str
        The texts. Numbers of similar size have equally many decimals.
    str
        The unit that belongs into the heading; empty if there is none.

    >>> figures([275432.1, 268099.9], "bit/s"), figures([0.5, math.nan], "1", "utilization")
    ((['275.4', '268.1'], 'kbit/s'), (['50', '-'], '%'))
    """
    numbers = np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    factor, shown = scale(numbers, unit, name)
    scaled = [value * factor for value in numbers.tolist()]
    sizes = [abs(value) for value in scaled if math.isfinite(value) and value != 0]
    if not sizes or all(size.is_integer() for size in sizes) or min(sizes) < max(sizes) / 10:
        return [significant(value) for value in scaled], shown
    # Rounding may add a digit: 99.996 has the decimals of 100.
    places = max(0, _DIGITS - 1 - math.floor(math.log10(float(f"{max(sizes):.{_DIGITS}g}"))))
    plain = [value == 0 or not math.isfinite(value) for value in scaled]
    texts = [
        significant(value) if alone else f"{value:z.{places}f}" for value, alone in zip(scaled, plain, strict=True)
    ]
    # Zeros at the end that rounding has made are digits; others say nothing.
    exact = all(math.isclose(float(text), value) for text, value in zip(texts, scaled, strict=True) if "." in text)
    left_out = min(len(text) - len(text.rstrip("0")) for text in texts if "." in text) if exact and places else 0
    return [text[: len(text) - left_out].rstrip(".") if "." in text else text for text in texts], shown


def scale(values: readable.Numbers, unit: str, name: str = "") -> tuple[float, str]:
    """Choose the unit of a column: the factor to it, and its name; empty if it has none."""
    if unit == "1" and name.endswith(_PERCENT):
        return 100.0, "%"
    factor, shown = readable.unit_for(values, unit)
    return factor, "" if shown == "1" else shown


def titled(heading: str, unit: str) -> str:
    """Write the heading of a column with its unit, unless its words name it.

    >>> titled("throughput", "kbit/s"), titled("cells lost", "cells"), titled("Jain index", "")
    ('throughput [kbit/s]', 'cells lost', 'Jain index')
    """
    return heading if not unit or unit in heading.split() else f"{heading} [{unit}]"
