"""Locks on files that the system releases when their process ends, however it ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

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

    @contextmanager
    def waited_for(folder: Path) -> Iterator[None]:
        """Do nothing: Windows has no lock on a folder."""
        yield

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

    @contextmanager
    def waited_for(folder: Path) -> Iterator[None]:
        """Wait until no other process is in such a block for this folder, which must exist, and keep others waiting.

        It is for the moment in which files are put in their places, not for the time in which they are made. A file
        system without locks on folders (NFS) has none here either.
        """
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
