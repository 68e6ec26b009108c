"""Traces as values of a sweep: the files that a pattern or a folder names, each known by the name of its file."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from celltrain.data import Data, nested
from celltrain.files import NotText, read_text, sha256
from celltrain.scenario import LONGEST_TRACE, TRACE_PROCESSES
from celltrain.sweeps.errors import DesignError

#: The process that reads a file, by the last part of the key of its table.
_PROCESSES = {"schedule": "csv", "rate": "mahimahi", "traffic": "replay"}
_FILE = ".file"


class TraceFile(str):
    """A trace as the value of a key: its name, which no other trace of the axis has, with its file.

    Attributes
    ----------
    path : Path
        The file.
    """

    path: Path
    _checksum: str

    def __new__(cls, name: str, path: Path) -> TraceFile:
        """Name a file."""
        trace = super().__new__(cls, name)
        trace.path, trace._checksum = path, ""
        return trace

    def text(self) -> str:
        """Return its content, which is read each time: hundreds of traces would fill the memory.

        Raises
        ------
        DesignError
            It cannot be read, is no text, or is not what it was when it was first read.
        """
        try:
            stat = self.path.stat()
            text, checksum = _read(self.path, stat.st_size, stat.st_mtime_ns)
        except OSError as error:
            raise DesignError(f"{self.path}: {error.strerror or error}") from error
        except NotText as error:
            raise DesignError(str(error)) from error
        if self._checksum not in ("", checksum):
            raise DesignError(f"{self.path}: it changed while the sweep was being prepared; run the same again")
        self._checksum = checksum
        return text

    @property
    def checksum(self) -> str:
        """The SHA-256 of its content."""
        if not self._checksum:
            self.text()
        return self._checksum


@lru_cache(maxsize=4)
def _read(path: Path, _size: int, _time_ns: int) -> tuple[str, str]:
    """Read a file, once for the points that follow each other."""
    text = read_text(path, LONGEST_TRACE, "the longest trace")
    return text, sha256(text)


def is_of_traces(key: str, values: Iterable[Any]) -> bool:
    """Return whether the values of a key name files: ``links.down.rate.file``, or ``links.down.schedule`` with text.

    >>> is_of_traces("links.down.schedule", ["traces/*.csv"]), is_of_traces("links.down.rate", ["1 Mbit/s"])
    (True, False)
    """
    return key.endswith(_FILE) or (key.endswith(".schedule") and all(isinstance(value, str) for value in values))


def traces(key: str, values: Sequence[Any]) -> list[TraceFile]:
    """Find the files of a key's values, in the order of the values and of the names that each matches.

    Raises
    ------
    DesignError
        A value matches no file; the message says where it was looked for.
    """
    known = [value for value in values if isinstance(value, TraceFile)]
    if len(known) == len(values):
        return known
    found = dict.fromkeys(path for value in values for path in _matching(key, value))
    return [TraceFile(name, path) for name, path in zip(_names(list(found)), found, strict=True)]


def one_trace(key: str, value: object, among: Mapping[Path, str]) -> TraceFile:
    """Find the one file of a value, with its name ``among`` the files of its column."""
    (path,) = _matching(key, value)
    return TraceFile(among[path], path)


def with_traces(key_values: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return values by key with the files that patterns stand for; other values are unchanged."""
    return {key: traces(key, values) if is_of_traces(key, values) else values for key, values in key_values.items()}


def rows_with_traces(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return listed points whose values name files with these files, one for each value.

    Raises
    ------
    DesignError
        A value matches no file, or several.
    """
    columns: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            columns.setdefault(key, []).append(value)
    named: dict[str, dict[Path, str]] = {}
    for key, values in columns.items():
        if not is_of_traces(key, values):
            continue
        for value in values:
            if len(_matching(key, value)) > 1:
                raise DesignError(f"{key}: {str(value)!r} matches several files; a listed point has one, --set all")
        named[key] = {trace.path: str(trace) for trace in traces(key, values)}

    def named_one(key: str, value: object) -> object:
        return one_trace(key, value, named[key]) if key in named else value

    return [{key: named_one(key, value) for key, value in row.items()} for row in rows]


def owner(key: str) -> str:
    """Return the key of the table whose trace is in a file.

    >>> owner("links.down.rate.file"), owner("links.down.schedule")
    ('links.down.rate', 'links.down.schedule')
    """
    return key.removesuffix(_FILE)


def change(key: str, trace: TraceFile, base: Mapping[str, Any]) -> Data:
    """Return the change of a scenario that gives a table the trace.

    Parameters
    ----------
    key
        The swept key.
    trace
        Its value.
    base
        The scenario as written. A table with another process, or a value, is replaced only if nothing of it is left.

    Raises
    ------
    DesignError
        The file cannot be read, or what the scenario has there reads none.
    """
    table = owner(key)
    there: Any = base
    for part in table.split("."):
        there = there.get(part) if isinstance(there, Mapping) else None
    process = there.get("process") if isinstance(there, Mapping) else None
    if process in TRACE_PROCESSES:
        return nested(table, {"trace": trace.text()})
    own = _PROCESSES.get(table.rpartition(".")[2])
    if own is None:
        raise DesignError(f"{key}: only {', '.join(_PROCESSES)} read a file, as in links.NAME.schedule.file")
    if process is not None:
        raise DesignError(
            f"{key}: the scenario has process = {process!r} there, which reads no file; "
            f"write {table} = {{ process = {own!r}, file = ... }} in the scenario, or leave it out"
        )
    return nested(table, {"process": own, "trace": trace.text()})


def _matching(key: str, value: object) -> list[Path]:
    """Return the files that a value names: one, those of a folder, or those that a pattern matches."""
    if isinstance(value, TraceFile):
        return [value.path]
    text = str(value)
    path = Path(text).expanduser()
    if path.is_file():
        return [path]
    if path.is_dir():
        pattern = str(Path(glob.escape(str(path))) / "*")
    elif glob.has_magic(text):
        pattern = str(path)
    else:
        raise DesignError(f"{key}: {text!r}: there is no such file; looked in {path.parent.resolve()}")
    # Path.glob takes no absolute patterns.
    paths = map(Path, glob.glob(pattern, recursive=True))  # noqa: PTH207
    found = sorted(path for path in paths if path.is_file())
    if not found:
        fixed = path if path.is_dir() else Path(*_before_magic(path.parts))
        raise DesignError(f"{key}: no file matches {text!r}; looked in {fixed.resolve()}")
    return found


def _before_magic(parts: Sequence[str]) -> list[str]:
    """Return the folders before the first part of a path that is a pattern."""
    folders = []
    for part in parts[:-1]:
        if glob.has_magic(part):
            break
        folders.append(part)
    return folders


def _names(paths: Sequence[Path]) -> list[str]:
    """Name each file by the end of its path: the file's name, with folders where names alone are not unique.

    >>> _names([Path("a/x.csv"), Path("a/y.csv")]), _names([Path("a/x.csv"), Path("b/x.csv")])
    (['x.csv', 'y.csv'], ['a/x.csv', 'b/x.csv'])
    """
    deepest = max((len(path.parts) for path in paths), default=1)
    names: list[str] = []
    for depth in range(1, deepest + 1):
        names = ["/".join(path.parts[-depth:]) for path in paths]
        if len(set(names)) == len(names):
            break
    return names
