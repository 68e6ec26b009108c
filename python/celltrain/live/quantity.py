"""Times and sizes as they are written in scenarios."""

from __future__ import annotations

_TIMES = {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """Read a time.

    >>> seconds("10 ms"), seconds("1.5s")
    (0.01, 1.5)

    Raises
    ------
    ValueError
        The text is no time.
    """
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz").strip()
    unit = text[len(text.rstrip("abcdefghijklmnopqrstuvwxyz")) :]
    try:
        value = float(number) * _TIMES[unit]
    except (KeyError, ValueError):
        raise ValueError(f"{text!r}: expected a time such as '10 ms'") from None
    if not 0 <= value < float("inf"):
        raise ValueError(f"{text!r}: expected a time of 0 s or more")
    return value


def octets(text: str) -> int:
    """Read a size of the canonical form.

    >>> octets("1460 bytes")
    1460
    """
    return int(text.split()[0])


def bits_per_second(text: str) -> float:
    """Read a rate of the canonical form.

    >>> bits_per_second("1.5 Mbit/s"), bits_per_second("10 bit/s")
    (1500000.0, 10.0)
    """
    number, unit = text.split()
    return float(number) * {"bit/s": 1e0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}[unit]
