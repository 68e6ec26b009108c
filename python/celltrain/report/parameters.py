"""What a sweep varies, as places on an axis: numbers, texts with a unit, or names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celltrain import readable

_QUANTITY = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([^\s0-9].*)?")
#: Units of the scenario language: the SI unit that columns have, and what one of them is in it.
_UNITS = {
    "h": ("s", 3600.0),
    "min": ("s", 60.0),
    "s": ("s", 1.0),
    "ms": ("s", 1e-3),
    "us": ("s", 1e-6),
    "µs": ("s", 1e-6),
    "ns": ("s", 1e-9),
    "ps": ("s", 1e-12),
    "bit/s": ("bit/s", 1.0),
    "kbit/s": ("bit/s", 1e3),
    "Mbit/s": ("bit/s", 1e6),
    "Gbit/s": ("bit/s", 1e9),
    "cells/s": ("bit/s", 424.0),
    "cell/s": ("bit/s", 424.0),
    "cells": ("cells", 1.0),
    "cell": ("cells", 1.0),
    "bytes": ("bytes", 1.0),
    "byte": ("bytes", 1.0),
    "B": ("bytes", 1.0),
    "kB": ("bytes", 1e3),
    "MB": ("bytes", 1e6),
    "KiB": ("bytes", float(1 << 10)),
    "MiB": ("bytes", float(1 << 20)),
    "GiB": ("bytes", float(1 << 30)),
    "km": ("m", 1e3),
    "m": ("m", 1.0),
}
#: Values that lie further apart than this stand on a logarithmic axis.
_WIDE = 20


@dataclass(frozen=True)
class Parameter:
    """A swept key and its value at each point: numbers in ``unit``, or names."""

    key: str
    values: npt.NDArray[np.float64] | list[str]
    unit: str = ""

    @property
    def label(self) -> str:
        """The label of its axis."""
        return readable.label(self.key, self.unit)

    @property
    def scale(self) -> str:
        """The scale of its axis: ``log`` for values far apart."""
        if isinstance(self.values, list) or not len(self.values) or self.values.min() <= 0:
            return "linear"
        return "log" if self.values.max() / self.values.min() > _WIDE else "linear"


def parameter(key: str, values: Sequence[Any]) -> Parameter:
    """Read the values of a key; they are numbers if all are, with units of one kind.

    >>> found = parameter("every", ["10 ms", "1 s"])
    >>> found.label, found.values.tolist()
    ('every [ms]', [10.0, 1000.0])
    >>> parameter("control", ["gfc", "erica"]).values
    ['gfc', 'erica']
    """
    read = [_quantity(value) for value in values]
    known = [each for each in read if each is not None]
    if len(known) < len(read) or len({unit for _, unit in known}) != 1:
        return Parameter(key, ["not set" if value is None else _text(value) for value in values])
    numbers, unit = np.array([number for number, _ in known]), known[0][1]
    factor, shown = readable.unit_for(_middle(numbers), unit)
    return Parameter(key, numbers * factor, shown)


def _middle(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Give the geometric mean of what is above zero: values over decades are all to be read in one unit."""
    positive = numbers[numbers > 0]
    return np.exp(np.log(positive).mean(keepdims=True)) if positive.size else positive


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _quantity(value: object) -> tuple[float, str] | None:
    """Read a number with its unit; None where it is a name."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), ""
    match = _QUANTITY.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    unit, size = _UNITS.get((match[2] or "").strip(), ("", 0.0))
    return (float(match[1]) * size, unit) if size else None
