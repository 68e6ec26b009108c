"""The folder of a sweep: records that are whole or absent, and one writer at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celltrain.files import atomic_write, output_folder
from celltrain.refused import Refused

_DONE, _FAILED = ".parquet", ".failed.parquet"


def key_of(path: Path) -> str:
    """Give the key of a record from the name of its file."""
    return path.name.partition(".")[0]


def _has_content(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.stat().st_size > 0
    except FileNotFoundError:
        return False  # Another process has just run it again.


class Busy(Refused):
    """Another process writes to the folder."""


class Store:
    """The records of a folder.

    Parameters
    ----------
    folder
        The folder of the sweep; nothing is made or read before it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = folder / "records"

    def make(self) -> None:
        """Make the folder, and see that records can be written, before any work is done.

        Raises
        ------
        OSError
            The folder cannot be made or written to.
        """
        output_folder(self.folder)
        output_folder(self.records)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the folder, keep other writers out, and clear what a killed one left half done.

        Raises
        ------
        OSError
            The folder cannot be made or written to.
        Busy
            Another process writes to it. The kernel ends the lock with the process, however that ends.
        """
        self.make()
        lock = os.open(self.folder / ".lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o666)
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Busy(f"{self.folder}: another process runs a sweep in this folder") from None
            for unfinished in self.records.glob(".*"):
                unfinished.unlink()
            yield
        finally:
            os.close(lock)

    def listing(self) -> tuple[set[str], set[str]]:
        """Give the keys of the runs that are done, and of those that failed.

        A record that is empty was on its way to the disk when the power failed: its run has never been.
        """
        if not self.records.is_dir():
            return set(), set()
        with os.scandir(self.records) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith(".") and _has_content(entry)]
        failed = {name.removesuffix(_FAILED) for name in names if name.endswith(_FAILED)}
        done = {name.removesuffix(_DONE) for name in names if name.endswith(_DONE) and not name.endswith(_FAILED)}
        return done, failed - done

    def path(self, key: str, *, failed: bool = False) -> Path:
        """Give the file of a record."""
        return self.records / f"{key}{_FAILED if failed else _DONE}"

    def write(self, key: str, octets: bytes, *, failed: bool) -> None:
        """Store a record: it outlives this process, however that ends.

        The disk is not waited for, as one that flushes a hundred files a second would bound the runs; the kernel has
        written the record within half a minute.

        Raises
        ------
        OSError
            It cannot be written; nothing is left behind then.
        """
        atomic_write(self.path(key, failed=failed), octets, flushed=False)
        if not failed:
            self.path(key, failed=True).unlink(missing_ok=True)
