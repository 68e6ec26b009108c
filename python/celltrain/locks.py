"""Locks on files that the system releases when their process ends, however it ends."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def lock(descriptor: int) -> None:
        """Lock an open file for this process alone.

        Raises
        ------
        BlockingIOError
            Another process holds it.
        """
        os.lseek(descriptor, 0, os.SEEK_SET)
        try:
            # The first octet stands for the file, which is empty: Windows locks ranges, also those beyond the end.
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from None

else:
    import fcntl

    def lock(descriptor: int) -> None:
        """Lock an open file for this process alone.

        Raises
        ------
        BlockingIOError
            Another process holds it.
        """
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
