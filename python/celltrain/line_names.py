"""The names of the lines that ship with celltrain, by which commands take them in place of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from celltrain import _native

#: The folder of the lines.
FOLDER = Path(__file__).parent / "lines"
_SUFFIX = ".toml"


def line_names() -> Sequence[str]:
    """Return the names, in alphabetical order.

    >>> line_names()[:2]
    ['5g', 'adsl2plus']
    """
    return sorted(path.name.removesuffix(_SUFFIX) for path in FOLDER.glob(f"*{_SUFFIX}"))


def path_of(name: str) -> Path:
    """Return the file of a line."""
    return FOLDER / f"{name}{_SUFFIX}"


def named_line(word: str | Path) -> str | None:
    """Return the line that a word names; None if it does not, or a file of this name is there."""
    path = Path(word)
    return path.name if str(word) in line_names() and not path.exists() else None


def resolved(path: Path) -> Path:
    """Return the file of the line that a path names, or the path itself: a file with the name of a line comes first.

    Raises
    ------
    FileNotFoundError
        There is no such file, and the path is a bare name, but of no line; the message has the nearest names.
    """
    name = named_line(path)
    if name:
        return path_of(name)
    if len(path.parts) == 1 and not path.suffix and not path.exists():
        hint = _native.nearest(path.name, [*line_names()]) or "; `celltrain lines` lists them"
        raise FileNotFoundError(2, f"no such file, and no line that ships with celltrain{hint}", str(path))
    return path
