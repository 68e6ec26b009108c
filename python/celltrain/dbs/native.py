"""The compiled part, which only Linux has."""

from __future__ import annotations

import sys


class Unsupported(OSError):
    """This system cannot measure between hosts."""


def require_linux() -> None:
    """See that this is Linux.

    Raises
    ------
    Unsupported
        It is not.
    """
    if sys.platform != "linux":
        raise Unsupported("measuring between hosts needs Linux: it reads the kernel's state of TCP")
