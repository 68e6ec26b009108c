"""Numbers in recordings: decimal ones as written, times in ps."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping

#: A decimal number, as files have it. What else ``float`` accepts, such as "nan" and "1_0", is no measurement.
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_QUANTITY = re.compile(rf"({_NUMBER.pattern})\s*([A-Za-zµ%/]*)", re.ASCII)
#: A ps, the unit of time here, in s.
PS = 10**12
MS = 10**9


def number(text: str) -> float | None:
    """Read a decimal number; None if the text is none, or too large.

    >>> number("1.5"), number("-2e3"), number("nan"), number("1_0"), number("")
    (1.5, -2000.0, None, None, None)
    """
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def whole(text: str) -> int | None:
    """Read a whole number without a sign, of at most 18 digits; None if the text is none.

    >>> whole("007"), whole("-1"), whole("1.0"), whole("²")
    (7, None, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def quantity(text: str, units: Mapping[str, float]) -> float | None:
    """Read a number with a unit; None if it is none of these.

    >>> quantity("1.5ms", {"ms": 1e-3}), quantity("2 s", {"ms": 1e-3})
    (0.0015, None)
    """
    found = _QUANTITY.fullmatch(text.strip())
    if not found or found[2] not in units:
        return None
    value = float(found[1]) * units[found[2]]
    return value if math.isfinite(value) else None


def decimal(amount: int, unit: int) -> str:
    """Write a whole number of parts in a unit of ``unit`` parts (a power of ten), exactly.

    >>> decimal(22_000_000_000, MS), decimal(1_500_000_000_000, PS), decimal(1, PS)
    ('22', '1.5', '0.000000000001')
    """
    head, rest = divmod(amount, unit)
    digits = len(str(unit)) - 1
    tail = f"{rest:0{digits}d}".rstrip("0") if rest else ""
    return f"{head}.{tail}" if tail else str(head)


def shortest(value: float) -> str:
    """Write a number as its shortest exact text.

    >>> shortest(100e6), shortest(0.002)
    ('100000000', '0.002')
    """
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def time_text(ps: int) -> str:
    """Write a time for a message or a scenario.

    >>> time_text(70 * MS), time_text(120_052 * MS), time_text(1500)
    ('70 ms', '120.052 s', '0.0000015 ms')
    """
    return f"{decimal(ps, PS)} s" if ps >= PS else f"{decimal(ps, MS)} ms"


def toml_text(text: str) -> str:
    r"""Write a text as a string of TOML, whose escapes are those of JSON.

    >>> print(toml_text('é "b"'))
    "é \"b\""
    """
    return json.dumps(text, ensure_ascii=False)
