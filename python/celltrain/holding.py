"""One writer at a time for a folder of results; others are told who it is."""

from __future__ import annotations

import os
import shlex
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from celltrain.locks import lock
from celltrain.refused import Refused

_LOCK = ".lock"
#: Octets of the lock file that are read at most: it may be another file.
_LONGEST = 500


class Busy(Refused):
    """Another process writes to the folder."""


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Keep other processes from writing to a folder, which must exist, for the duration of a ``with`` block.

    Raises
    ------
    OSError
        The folder cannot be written to.
    Busy
        Another process writes to it; the message says which. The system releases the lock when that process ends,
        however it ends.
    """
    descriptor = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o666)
    try:
        try:
            lock(descriptor)
        except BlockingIOError:
            raise Busy(
                f"{folder}: another process writes to this folder{_holder(descriptor)}; wait until it ends, or name "
                "another folder"
            ) from None
        _tell(descriptor)
        yield
        with suppress(OSError):
            os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _tell(descriptor: int) -> None:
    """Write who holds the lock; without room on the disk, others are not told, and no more."""
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    program = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]) if sys.argv else "python"
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        who = f"process {os.getpid()} on {socket.gethostname()} since {since}: {program}"
        os.write(descriptor, who.encode("utf-8", "replace")[:_LONGEST])


def _holder(descriptor: int) -> str:
    """Return who holds the lock, as far as it has told; Windows lets nobody read a file that is locked."""
    with suppress(OSError):
        told = os.read(descriptor, _LONGEST).decode("utf-8", "replace").strip()
        return f" ({told})" if told else ""
    return ""
