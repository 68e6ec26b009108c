"""The compiled part, available only on Linux."""

from __future__ import annotations

import sys


class Unsupported(OSError):
    """Measuring between hosts is not possible on this system."""


def require_linux() -> None:
    """Raise an error on every system except Linux.

    Raises
    ------
    Unsupported
        The system is not Linux.
    """
    if sys.platform != "linux":
        raise Unsupported("measuring between hosts needs Linux: it reads the kernel's state of TCP")
