"""The compiled part, which only Linux has."""

from __future__ import annotations

import sys


class Unsupported(OSError):
    """Measuring between hosts is not possible on this system."""


def require_linux() -> None:
    """Refuse every system but Linux.

    Raises
    ------
    Unsupported
        It is not.
    """
    if sys.platform != "linux":
        raise Unsupported("measuring between hosts needs Linux: it reads the kernel's state of TCP")
