"""Numbers with their units, for people."""

from __future__ import annotations

import math

#: Prefixes of a unit, the largest first, with what they stand for.
_PREFIXES: dict[str, tuple[tuple[float, str], ...]] = {
    "bit/s": ((1e9, "G"), (1e6, "M"), (1e3, "k")),
    "s": ((1.0, ""), (1e-3, "m"), (1e-6, "µ")),
}


def scale(value: float, unit: str) -> tuple[float, str]:
    """Choose what a number is divided by, and the text behind it.

    >>> scale(2.5e6, "bit/s"), scale(0.012, "s"), scale(7.0, "cells")
    ((1000000.0, ' Mbit/s'), (0.001, ' ms'), (1.0, ''))
    """
    steps = _PREFIXES.get(unit, ())
    for size, prefix in steps:
        if abs(value) >= size:
            return size, f" {prefix}{unit}"
    return 1.0, f" {unit}" if steps else ""


def quantity(value: float, unit: str) -> str:
    """Write a number with its unit.

    >>> quantity(2.5e6, "bit/s"), quantity(0.012, "s"), quantity(17.0, "cells"), quantity(float("nan"), "s")
    ('2.5 Mbit/s', '12 ms', '17', '-')
    """
    if math.isnan(value):
        return "-"
    size, behind = scale(value, unit)
    if not behind:
        return f"{value:.0f}" if value.is_integer() else f"{value:.5g}"
    return f"{value / size:.4g}{behind}"


def with_interval(mean: float, half_width: float, unit: str) -> str:
    """Write a mean and the half-width of its interval, which has two digits, with one unit.

    >>> with_interval(1.2345e6, 23456.0, "bit/s"), with_interval(0.5, 0.25, "1"), with_interval(3.0, 0.0, "cells")
    ('1.234 ± 0.023 Mbit/s', '0.50 ± 0.25', '3 ± 0')
    """
    if math.isnan(mean) or math.isnan(half_width):
        return quantity(mean, unit)
    size, behind = scale(mean, unit)
    mean, half_width = mean / size, float(f"{half_width / size:.2g}")
    if half_width == 0:
        return f"{mean:.6g} ± 0{behind}"
    places = max(0, 1 - math.floor(math.log10(half_width)))
    return f"{mean:.{places}f} ± {half_width:.{places}f}{behind}"
