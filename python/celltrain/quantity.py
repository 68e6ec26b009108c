"""Quantities as scenarios write them, read as numbers."""

from __future__ import annotations

from celltrain import _native


def seconds(text: str) -> float:
    """Read a time.

    >>> seconds("10 ms"), seconds("1.5s")
    (0.01, 1.5)

    Raises
    ------
    ValueError
        The text is not a time; the message says why, and what was expected.
    """
    return _native.amount(text, "s")


def octets(text: str) -> int:
    """Read a size.

    >>> octets("1460 bytes"), octets("64 KiB")
    (1460, 65536)

    Raises
    ------
    ValueError
        The text is not a size.
    """
    return int(_native.amount(text, "bytes"))


def bits_per_second(text: str) -> float:
    """Read a rate, cell headers included.

    >>> bits_per_second("1.5 Mbit/s"), bits_per_second("10 cells/s")
    (1500000.0, 4240.0)

    Raises
    ------
    ValueError
        The text is not a rate.
    """
    return _native.amount(text, "bit/s")


def metres(text: str) -> int:
    """Read a length of cable.

    >>> metres("1.5 km")
    1500

    Raises
    ------
    ValueError
        The text is not a distance.
    """
    return int(_native.amount(text, "m"))


def with_unit(text: str) -> tuple[float, str] | None:
    """Read a quantity of any kind: its amount in the unit used for columns, and that unit; None if it is not one.

    >>> with_unit("10 ms"), with_unit("64 KiB"), with_unit("erica")
    ((0.01, 's'), (65536.0, 'bytes'), None)
    """
    return _native.quantity(text)
