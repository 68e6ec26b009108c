"""Parameters of a sweep as positions on an axis: numbers, texts with a unit, or names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celltrain import quantity, readable
from celltrain.table import Values

#: Values that span a larger ratio than this use a logarithmic axis.
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
    """Read the values of a key; they are numbers only if all are, with units of one kind.

    >>> found = parameter("every", ["10 ms", "1 s"])
    >>> found.label, found.values.tolist()
    ('every [ms]', [10.0, 1000.0])
    >>> parameter("control", ["gfc", "erica"]).values
    ['gfc', 'erica']
    """
    found = amounts(values)
    if found is None:
        return Parameter(key, ["not set" if value is None else _text(value) for value in values])
    numbers, unit = found
    factor, shown = readable.unit_for(_middle(numbers), unit)
    return Parameter(key, numbers * factor, shown)


def amounts(values: Sequence[Any]) -> tuple[npt.NDArray[np.float64], str] | None:
    """Read values as numbers in the unit of columns, with the unit; None if one is not, or if units differ in kind.

    >>> amounts(["10 ms", "1 s"]), amounts([1, "x"])
    ((array([0.01, 1.  ]), 's'), None)
    """
    read = [_quantity(value) for value in values]
    known = [each for each in read if each is not None]
    if not known or len(known) < len(read) or len({unit for _, unit in known}) != 1:
        return None
    return np.array([number for number, _ in known]), known[0][1]


def column(values: Sequence[Any]) -> tuple[Values, str]:
    """Return the values as a column of a table, with their unit: counts as integers, amounts as numbers, or names.

    >>> column(["64 cells", "256 cells"]), column([0.5, 1]), column(["epd", None])
    ((array([ 64, 256]), 'cells'), (array([0.5, 1. ]), '1'), (['epd', ''], ''))
    """
    found = amounts(values)
    if found is None:
        return ["" if value is None else _text(value) for value in values], ""
    numbers, unit = found
    whole = unit in ("cells", "bytes") or all(isinstance(value, int) for value in values)
    if whole and np.all(numbers == np.round(numbers)):
        return numbers.astype(np.int64), unit or "1"
    return numbers, unit or "1"


def _middle(numbers: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the geometric mean of positive values, so that one unit suits values over decades."""
    positive = numbers[numbers > 0]
    return np.exp(np.log(positive).mean(keepdims=True)) if positive.size else positive


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _quantity(value: object) -> tuple[float, str] | None:
    """Read a number with its unit; None for a name."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value), ""
    return quantity.with_unit(value) if isinstance(value, str) else None
