"""Files that are complete or absent: written under a temporary name, then renamed."""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import json
import math
import os
import re
import secrets
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from celltrain.locks import waited_for
from celltrain.printable import UNSAFE

#: Maximum octets of a text file; a real scenario has a few thousand.
LONGEST_TEXT = 16 << 20
#: Byte order marks (Unicode, 23.8), which TOML 1.0 does not allow.
_MARKS = {
    codecs.BOM_UTF8: "UTF-8",
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


class NotText(ValueError):
    """A file is not text in UTF-8; the message says where and why.

    Attributes
    ----------
    what : str
        What is wrong with it.
    place : (int, int) or None
        Line and column, from 1, if it is a place.
    """

    def __init__(self, what: str, place: tuple[int, int] | None = None, path: Path | None = None) -> None:
        if path is None:
            where = "" if place is None else f"line {place[0]}, column {place[1]}: "
        else:
            where = f"{path}: " if place is None else f"{path}:{place[0]}:{place[1]}: "
        super().__init__(f"{where}{what}")
        self.what = what
        self.place = place


def read_text(path: Path, longest: int = LONGEST_TEXT, remark: str = "which no scenario needs") -> str:
    """Read a text file of limited size, so that a device or a wrong file does not fill the memory.

    Raises
    ------
    OSError
        The file cannot be read.
    NotText
        It is larger than ``longest`` octets (the message then has the ``remark``), or not UTF-8 text.
    """
    try:
        return _text(read_octets(path, longest, remark))
    except NotText as error:
        raise NotText(error.what, error.place, path) from error
    except ValueError as error:
        raise NotText(str(error), None, path) from error


def read_octets(path: Path, longest: int, remark: str) -> bytes:
    """Read a file of at most ``longest`` octets.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is larger; the message ends with ``remark`` and does not name the file.
    """
    with path.open("rb") as file:
        octets = file.read(longest + 1)
    if len(octets) > longest:
        raise ValueError(f"larger than {longest >> 20} MiB, {remark}")
    return octets


def _text(octets: bytes) -> str:
    for mark, name in _MARKS.items():
        if octets.startswith(mark):
            raise NotText(f"begins with the mark of {name}; expected UTF-8 without a mark: save it so", (1, 1))
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError as error:
        before = octets[: error.start].decode("utf-8")
        why = f"octet 0x{octets[error.start]:02x}: {error.reason}"
        raise NotText(f"not a text file in UTF-8: {why}", _place(before)) from error
    if "\0" in text:
        before = text[: text.index("\0")]
        raise NotText("not a text file: it has a NUL; text in UTF-16 must be saved as UTF-8", _place(before))
    return text


def _place(before: str) -> tuple[int, int]:
    """Return line and column of what comes after a text."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def read_beside(folder: Path, name: str, longest: int, owner: str) -> str:
    """Read a text file named by a file in ``folder`` (``owner`` in messages); it must be in the folder or below it.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        It is elsewhere, not a regular file, larger than ``longest`` octets, or not text; the message does not name it.
    """
    folder = folder.resolve()
    try:
        file = (folder / name).resolve()
    except RuntimeError as error:  # A loop of symbolic links, up to Python 3.12.
        raise ValueError(str(error)) from error
    if not file.is_relative_to(folder):
        raise ValueError(f"outside the {owner}'s folder; a {owner} may name only files in its folder or below")
    if file.exists() and not file.is_file():
        raise ValueError("no ordinary file")
    return _text(read_octets(file, longest, "the longest trace"))


def atomic_write(path: Path, content: str | bytes, *, flushed: bool = True) -> None:
    r"""Write a file so that, at any moment, its name refers to the complete content or to the previous file.

    Parameters
    ----------
    path
        The file. Its folder must exist.
    content
        Text (written as UTF-8 with ``\\n``) or octets.
    flushed
        Whether it is on disk when this returns. Otherwise it survives the end of this process in any case, but a
        failure of power in the next half minute may leave an empty file.

    Raises
    ------
    OSError
        The folder cannot be written to, or the disk is full; then nothing is left behind.
    """
    place = temporary(path)
    try:
        _write_new(place, content, flushed=flushed)
        place.replace(path)
    except BaseException:
        place.unlink(missing_ok=True)
        raise


def replace_together(folder: Path, files: Mapping[str, str | bytes], *, seal: str, stale: str) -> list[Path]:
    """Replace files that belong together, so that the seal exists only beside the files that it was written with.

    A process that is killed at any moment leaves the previous files with their seal, files without a seal, or the new
    files with theirs.

    Parameters
    ----------
    folder
        The folder of the files. It must exist.
    files
        The content of each file by its name.
    seal
        The name of the file that readers look for first; it is removed first and comes last.
    stale
        A pattern of names: files of the folder that match it and are not among the new ones are removed.

    Returns
    -------
    list of Path
        The files, the seal last.

    Raises
    ------
    OSError
        The folder cannot be written to, or the disk is full; then nothing is left behind, and the previous files stay
        if this happened before the first of them was replaced.
    """
    # Two processes that do this at once would leave the files of one beside the seal of the other.
    with waited_for(folder):
        for unfinished in folder.glob(f".{stale}"):
            unfinished.unlink(missing_ok=True)
        temporaries = {name: temporary(folder / name) for name in files}
        try:
            for name, place in temporaries.items():
                _write_new(place, files[name], flushed=True)
            return put_together(folder, temporaries, seal=seal, stale=stale)
        except BaseException:
            for place in temporaries.values():
                place.unlink(missing_ok=True)
            raise


def put_together(folder: Path, written: Mapping[str, Path], *, seal: str, stale: str) -> list[Path]:
    """Give files that were written under other names in a folder their own, as :func:`replace_together` says.

    Raises
    ------
    OSError
        The folder cannot be written to.
    """
    (folder / seal).unlink(missing_ok=True)
    for path in folder.glob(stale):
        if path.name not in written:
            path.unlink(missing_ok=True)
    order = [*(name for name in written if name != seal), seal]
    return [written[name].replace(folder / name) for name in order]


#: The names that :func:`temporary` gives.
_UNFINISHED = re.compile(r"\..+\.[0-9a-f]{16}")


def temporary(path: Path) -> Path:
    """Return a new name for a file while it is written; :func:`remove_unfinished` knows such names."""
    return path.parent / f".{path.name}.{secrets.token_hex(8)}"


def remove_unfinished(folder: Path) -> None:
    """Remove what a process that was killed while it wrote left in a folder; the caller keeps other writers out.

    Raises
    ------
    OSError
        A file cannot be removed.
    """
    for path in folder.glob(".*"):
        if _UNFINISHED.fullmatch(path.name):
            path.unlink(missing_ok=True)


def _write_new(path: Path, content: str | bytes, *, flushed: bool) -> None:
    data = content.encode() if isinstance(content, str) else content
    with path.open("xb") as file:
        file.write(data)
        if flushed:
            file.flush()
            os.fsync(file.fileno())


def sha256(content: str | bytes) -> str:
    """Return the SHA-256 of the content of a file, in hexadecimal."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def output_folder(path: Path) -> Path:
    """Create a folder for output, and check that files can be created in it, before any work is done.

    Raises
    ------
    OSError
        The folder cannot be created or written to.
    """
    path.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=path):
        pass
    return path


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    r"""Return CSV with a header; numbers as their shortest exact text, missing ones empty.

    >>> csv_text(["t_s", "name"], [{"t_s": 0.1, "name": "a"}, {"t_s": float("nan"), "name": "b"}])
    't_s,name\n0.1,a\n,b\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_csv_cell(row[column]) for column in columns] for row in rows)
    return buffer.getvalue()


def _csv_cell(value: object) -> object:
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        return repr(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        # Spreadsheets interpret such a text as a formula.
        return f"'{value}"
    return value


def json_text(value: object) -> str:
    r"""Return JSON that other programs can read: NaN and infinities become null.

    >>> json_text({"a": float("nan")})
    '{\n  "a": null\n}\n'
    """
    text = json.dumps(_without_nan(value), indent=2, allow_nan=False, ensure_ascii=False)
    # JSON escapes C0 by itself; it may hold the others as they are, but terminals obey them.
    return UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"


def _without_nan(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value
