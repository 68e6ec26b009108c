"""Measurements in real time, stored as they are made: one file for each point."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path

from celltrain import _native
from celltrain.files import atomic_write, output_folder
from celltrain.papers.live.trial import Measured, Trial
from celltrain.stored import Damaged
from celltrain.stored.objects import read_object
from celltrain.stored.seals import sealed_json


class Records:
    """The measurements of a folder.

    A measurement is valid for the same trial with the same version on the same kernel. A degraded one is kept for
    its figures, but the trial is repeated.

    Parameters
    ----------
    folder
        The folder of the records; nothing is created or read before it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def find(self, trial: Trial) -> Measured | None:
        """Return an earlier measurement, if it was not degraded.

        Raises
        ------
        Damaged
            The file is not what :meth:`keep` writes.
        OSError
            It cannot be read.
        """
        path = self._path(trial)
        if not path.is_file():
            return None
        try:
            measured = Measured(**read_object(path))
        except TypeError as error:
            raise Damaged(path, f"not a measurement: {error}", "remove the file, and run the same again") from error
        return None if measured.degraded else measured

    def keep(self, trial: Trial, measured: Measured) -> None:
        """Store a measurement; it is on disk when this returns.

        Raises
        ------
        OSError
            It cannot be written.
        """
        output_folder(self._folder)
        atomic_write(self._path(trial), sealed_json(measured.to_json()))

    def _path(self, trial: Trial) -> Path:
        whole = f"{trial.key} {_native.__build__} {platform.release()}"
        return self._folder / f"{hashlib.sha256(whole.encode()).hexdigest()[:40]}.json"
