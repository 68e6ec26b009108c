"""Numbers for display: a prefix for each column, as many digits as it needs, a mean with its interval."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.number[Any]]

#: Units written with a prefix: factor and name, largest first.
_PREFIXED = {
    "bit/s": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")),
}
#: Significant digits of the largest number of a column.
_DIGITS = 4
#: An interval below this part of its mean comes from rounding.
_ROUNDING = 1e-9
#: Numbers from this one on have their digits grouped.
_LONG = 10_000
#: Separates groups of digits in long numbers, without a line break.
_THIN_SPACE = "\u202f"


def unit_for(values: Numbers, unit: str) -> tuple[float, str]:
    """Choose the unit in which the largest of the numbers is easiest to read.

    Returns
    -------
    tuple of float and str
        The factor from the given unit to the chosen one, and the name of the chosen unit.

    >>> unit_for(np.array([2.5e6, 8e5]), "bit/s"), unit_for(np.array([0.02]), "s"), unit_for(np.array([9.0]), "cells")
    ((1e-06, 'Mbit/s'), (1000.0, 'ms'), (1.0, 'cells'))
    """
    sizes = _PREFIXED.get(unit)
    if sizes is None:
        return 1.0, unit
    largest = _largest(values)
    if largest == 0:
        return 1.0, unit
    size, name = next((pair for pair in sizes if largest >= pair[0]), sizes[-1])
    return 1 / size, name


def amount(value: float, unit: str) -> str:
    """Write a number with its unit.

    >>> amount(2.5e6, "bit/s"), amount(0.012, "s"), amount(17.0, "cells"), amount(math.nan, "s")
    ('2.5 Mbit/s', '12 ms', '17', '-')
    >>> amount(-0.0, "s"), amount(-0.0, "cells")
    ('0 s', '0')
    """
    if math.isnan(value):
        return "-"
    factor, behind = _scale(value, unit)
    return _alone(value * factor, behind) + behind


def _alone(value: float, behind: str) -> str:
    """Write a number in the unit of the text behind it."""
    if not behind:
        return f"{value:z.0f}" if float(value).is_integer() else f"{value:.5g}"
    # Zero has no sign.
    return f"{value + 0.0:.{_DIGITS}g}"


def with_interval(mean: float, half_width: float, unit: str) -> str:
    """Write a mean and the half-width of its interval, which has two digits, with one unit.

    >>> with_interval(1.2345e6, 23456.0, "bit/s"), with_interval(0.5, 0.25, "1"), with_interval(3.0, 0.0, "cells")
    ('1.234 ± 0.023 Mbit/s', '0.50 ± 0.25', '3 ± 0')

    A mean with an interval of zero has the digits that it would have alone.

    >>> with_interval(1 / 3, 0.0, "1"), with_interval(26761.0, 0.0, "cells"), with_interval(1234567.0, 0.0, "bit/s")
    ('0.33333 ± 0', '26761 ± 0', '1.235 ± 0 Mbit/s')

    A half-width due to rounding errors counts as zero.

    >>> with_interval(3.4e6, 1e-9, "bit/s")
    '3.4 ± 0 Mbit/s'

    A mean that is rounded to zero has no sign.

    >>> with_interval(-0.4, 11.0, "1")
    '0 ± 11'
    """
    if math.isnan(mean) or math.isnan(half_width):
        return amount(mean, unit)
    factor, behind = _scale(mean, unit)
    mean, half_width = mean * factor, float(f"{half_width * factor:.2g}")
    if half_width < _ROUNDING * abs(mean) or half_width == 0:
        return f"{_alone(mean, behind)} ± 0{behind}"
    places = max(0, 1 - math.floor(math.log10(half_width)))
    return f"{mean:z.{places}f} ± {half_width:.{places}f}{behind}"


def _scale(value: float, unit: str) -> tuple[float, str]:
    """Choose the factor of a number, and the text after it: nothing for units without a prefix."""
    if unit not in _PREFIXED:
        return 1.0, ""
    factor, shown = unit_for(np.array([value]), unit)
    return factor, f" {shown}"


def texts(values: Numbers, half_widths: Numbers | None = None) -> list[str]:
    r"""Write the numbers of a column with the same decimals; missing numbers are empty.

    Parameters
    ----------
    values
        The numbers.
    half_widths
        The half-width of the interval of each; NaN if there is none.

    >>> texts(np.array([0.94321, 0.5, math.nan]), np.array([0.01234, math.nan, math.nan]))
    ['0.9432 ± 0.0123', '0.5000', '']
    >>> texts(np.array([0.01, 0.1, 10.0])), texts(np.array([26761.0, 3.0]))
    (['0.01', '0.1', '10'], ['26\u202f761', '3'])
    >>> texts(np.array([-0.0004, 1.23456, 2.0])), texts(np.array([-0.0, 0.5]))
    (['0.000', '1.235', '2.000'], ['0', '0.5'])
    """
    decimals = _decimals(values)
    shown = [_text(value, decimals) for value in values]
    if half_widths is None:
        return shown
    places = _decimals(values, rounded=False) if decimals is None else decimals
    return [
        text if not text or math.isnan(width) else f"{text} ± {_text(width, places)}"
        for text, width in zip(shown, half_widths, strict=True)
    ]


def _largest(values: Numbers) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0


def _decimals(values: Numbers, *, rounded: bool = True) -> int | None:
    """Count the decimals of a column; None if each number is best written in its shortest form."""
    finite = values[np.isfinite(values)]
    largest = _largest(values)
    if largest == 0:
        return 0
    if rounded and np.all(finite == np.round(finite)) and largest < 1e15:
        return 0
    if rounded and all(float(f"{value:.{_DIGITS}g}") == value for value in finite):
        return None
    smallest = float(np.abs(finite[finite != 0]).min())
    if rounded and smallest < largest / 10**_DIGITS:
        return None
    return max(0, _DIGITS - 1 - math.floor(math.log10(largest)))


def _text(value: float, decimals: int | None) -> str:
    if not math.isfinite(value):
        return ""
    if decimals is None:
        return f"{value + 0.0:.{_DIGITS}g}"
    text = f"{value:z.{decimals}f}"
    if abs(value) < _LONG:
        return text
    whole, point, fraction = text.partition(".")
    return f"{int(whole):,}".replace(",", _THIN_SPACE) + point + fraction


def plain(value: float) -> str:
    """Write a single number with its own digits, up to a limit.

    >>> plain(0.001953125), plain(20000), plain(3.0)
    ('0.001953', '20\u202f000', '3')
    """
    return f"{value:,.0f}".replace(",", _THIN_SPACE) if abs(value) >= _LONG else f"{value:.{_DIGITS}g}"


#: Words always written in capitals, except for a plural ending.
_ACRONYM = re.compile(
    "(aal5|abr|ack|acr|atm|ccr|cdv|ci|clp|clr|cpu|crm|ecn|efci|epd|er|erica|fifo|gcra|gfc|icr|ip|lan|man|mcr|mss|mtu|nrm"
    "|pcr|pdu|ppd|rdf|rif|rm|rto|rtt|scr|srtt|tcp|ubr|vbr|vc|wan)(s?)"
)


def _word(word: str) -> str:
    match = _ACRONYM.fullmatch(word)
    return match[1].upper() + match[2] if match else word


def heading(name: str, unit: str) -> str:
    """Write the heading of a column in words, without the unit at the end of the name.

    >>> heading("queue_mean_cells", "cells"), heading("throughput_bps", "bit/s"), heading("flow", "")
    ('queue mean', 'throughput', 'flow')
    >>> heading("n_vcs", "1"), heading("rtt_mean_s", "s")
    ('VCs', 'RTT mean')
    """
    endings = {"bit/s": "_bps", "s": "_s", "cells": "_cells", "bytes": "_bytes", "bits": "_bits"}
    stem = name.removesuffix(endings[unit]) if unit in endings else name
    return " ".join(map(_word, (stem or name).removeprefix("n_").split("_")))


#: Words for recorded quantities, by the last part of their names; other names explain themselves.
_QUANTITIES = {
    "rate_bps": "line rate",
    "line_rate_bps": "line rate",
    "line_share_bps": "share of the line",
    "srtt_s": "smoothed RTT",
    "er_bps": "explicit rate",
}


def quantity(name: str, unit: str) -> str:
    """Write the name of a recorded quantity.

    >>> quantity("acr_bps", "bit/s"), quantity("queue_cells", "cells")
    ('ACR', 'queue')
    """
    return _QUANTITIES.get(name) or heading(name, unit)


#: Factors for rates, which TM 4.0 defines as powers of two.
_POWERS_OF_TWO = frozenset({"rif", "rdf"})


def setting(name: str, value: float | str, unit: str) -> str:
    """Write the setting of a column as the name of a series.

    >>> setting("control", "gfc", ""), setting("buffer_cells", 500.0, "cells"), setting("n_vcs", 5, "1")
    ('gfc', 'buffer 500 cells', '5 VCs')
    >>> setting("downlink_bps", 7.296e6, "bit/s"), setting("rif", 1 / 64, "1"), setting("cell_loss_probability", 0, "1")
    ('downlink 7.296 Mbit/s', 'RIF 1/64', 'cell loss probability 0')
    """
    if isinstance(value, str):
        return value
    words = heading(name, unit)
    if name.startswith("n_"):
        return f"{value:g} {words}"
    if name in _POWERS_OF_TWO and value > 0:
        return f"{words} 1/{1 / value:g}"
    return f"{words} {with_unit(value, unit)}"


def with_unit(value: float, unit: str) -> str:
    """Write a number with any unit.

    >>> with_unit(2.5e6, "bit/s"), with_unit(17.0, "cells"), with_unit(0.5, "1")
    ('2.5 Mbit/s', '17 cells', '0.5')
    """
    shown = amount(value, unit)
    return shown if unit in ("", "1") or unit in _PREFIXED else f"{shown} {unit}"


def label(words: str, unit: str) -> str:
    """Write the label of an axis: its quantity, and the unit if it has one.

    >>> label("queue", "cells"), label("utilization", "1")
    ('queue [cells]', 'utilization')
    """
    return words if unit in ("", "1") else f"{words} [{unit}]"


def scaled(label: str, values: Numbers, unit: str) -> tuple[float, str, str]:
    """Choose the unit of an axis whose label names one.

    Returns
    -------
    tuple of float, str and str
        The factor from the given unit to the chosen one, the label with the chosen unit, and its name (none for ``1``).

    >>> scaled("goodput [bit/s]", np.array([2.5e6]), "bit/s"), scaled("load", np.array([0.5]), "1")
    ((1e-06, 'goodput [Mbit/s]', 'Mbit/s'), (1.0, 'load', ''))
    """
    if f"[{unit}]" not in label:
        return 1.0, label, "" if unit == "1" else unit
    factor, shown = unit_for(values, unit)
    return factor, label.replace(f"[{unit}]", f"[{shown}]"), shown
