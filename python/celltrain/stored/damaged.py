"""The error of all files of results that cannot be used."""

from __future__ import annotations

from pathlib import Path

from celltrain.refused import Refused

#: What to do about most damaged files.
AGAIN = "restore it from a copy, or run the same command again"


class Damaged(Refused):
    """A file of results is damaged, or is not what celltrain writes.

    Attributes
    ----------
    path : Path
        The file.
    what : str
        What is wrong with it.
    """

    def __init__(self, path: Path, what: str, cure: str = AGAIN) -> None:
        super().__init__(f"{path}: {what}; {cure}" if cure else f"{path}: {what}")
        self.path = path
        self.what = what
