"""The folder of a sweep: records that are complete or absent, and one writer at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celltrain.files import atomic_write, output_folder, remove_unfinished
from celltrain.holding import held
from celltrain.stored.seals import check_parquet
from celltrain.sweeps.kept_traces import FOLDER, KeptTraces

_DONE, _FAILED = ".parquet", ".failed.parquet"


def key_of(path: Path) -> str:
    """Return the key of a record from the name of its file."""
    return path.name.partition(".")[0]


def name_of(key: str, *, failed: bool) -> str:
    """Return the name of a record's file."""
    return f"{key}{_FAILED if failed else _DONE}"


class Store:
    """The records of a folder.

    Parameters
    ----------
    folder
        The folder of the sweep; nothing is created or read before it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.records = folder / "records"
        self.traces = KeptTraces(folder)
        #: What is wrong with the damaged records, by the names of their files, as found by the last :meth:`listing`.
        self.damaged: dict[str, str] = {}
        #: What is wrong with each file that was verified, if anything, while its time and size stay.
        self._verified: dict[tuple[str, int, int], str | None] = {}

    def make(self) -> None:
        """Create the folder, and check that records can be written, before any work is done.

        Raises
        ------
        OSError
            The folder cannot be made or written to.
        """
        output_folder(self.folder)
        output_folder(self.records)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Create the folder, lock out other writers, and remove incomplete files of a killed one.

        Raises
        ------
        OSError
            The folder cannot be made or written to.
        Busy
            Another process writes to it. The system releases the lock when that process ends.
        """
        self.make()
        with held(self.folder):
            for place in (self.folder, self.records, self.folder / "tables", self.folder / FOLDER):
                remove_unfinished(place)
            yield

    def listing(self) -> tuple[set[str], set[str]]:
        """Return the keys of finished runs, and of failed ones.

        The run of a damaged record counts as missing; so does that of an empty one, which was being written when the
        power failed.
        """
        self.damaged = {}
        if not self.records.is_dir():
            return set(), set()
        with os.scandir(self.records) as entries:
            names = [entry.name for entry in entries if not entry.name.startswith(".") and self._is_whole(entry)]
        failed = {name.removesuffix(_FAILED) for name in names if name.endswith(_FAILED)}
        done = {name.removesuffix(_DONE) for name in names if name.endswith(_DONE) and not name.endswith(_FAILED)}
        return done, failed - done

    def _is_whole(self, entry: os.DirEntry[str]) -> bool:
        try:
            stat = entry.stat()
            if stat.st_size == 0:
                return False
            seen = (entry.name, stat.st_size, stat.st_mtime_ns)
            if seen not in self._verified:
                self._verified[seen] = check_parquet(Path(entry.path), entry.name)
        except FileNotFoundError:
            return False  # Another process has just run it again.
        wrong = self._verified[seen]
        if wrong:
            self.damaged[entry.name] = wrong
        return wrong is None

    def path(self, key: str, *, failed: bool = False) -> Path:
        """Return the file of a record."""
        return self.records / name_of(key, failed=failed)

    def write(self, key: str, octets: bytes, *, failed: bool) -> None:
        """Store a record, which survives this process, however that ends.

        This does not wait for the disk, since flushing a hundred files a second would limit the runs; the kernel
        writes the record within half a minute.

        Raises
        ------
        OSError
            It cannot be written; no file is left behind.
        """
        atomic_write(self.path(key, failed=failed), octets, flushed=False)
        if not failed:
            self.path(key, failed=True).unlink(missing_ok=True)
