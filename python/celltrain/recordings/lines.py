"""Lines of text files of any length, of which a part is in memory at a time, and errors with their place."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from celltrain.printable import escaped
from celltrain.refused import Refused

#: Maximum octets of a line: a row of CellReplay has a number for each packet of a train.
LONGEST_LINE = 1 << 16
#: Octets that are read at once.
_BLOCK = 1 << 20
#: Maximum characters of a faulty value shown in a message.
_SHOWN = 40


class BadRecording(Refused):
    """A file is not a recording of its format; the message has file, line, what was found and what was expected."""


class LongLine(BadRecording):
    """A line is longer than those of recordings."""


def refuse(path: Path, line: int, found: str | None, expected: str) -> NoReturn:
    """Raise the error about a line of a file; ``found`` is None if the words say all.

    Raises
    ------
    BadRecording
        Always.
    """
    was = "" if found is None else f"{shown(found)}; "
    raise BadRecording(f"{path}:{line}: {was}{expected}")


def shown(text: str) -> str:
    r"""Quote a text for a message, cut and without what controls a terminal.

    >>> shown("-5"), shown("a\x1b" + 50 * "x")
    ('"-5"', '"a\\x1bxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."')
    """
    cut = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return f'"{escaped(cut)}"'


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers, from 1, without their ends.

    Raises
    ------
    OSError
        The file cannot be read.
    BadRecording
        It is not an ordinary file of text in UTF-8, or a line is too long.
    """
    for number, block in blocks_of(path):
        yield from lines_in(path, number, block)


def blocks_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield parts of a file, each of whole lines without the last end, with the number of their first line.

    Raises
    ------
    OSError
        The file cannot be read.
    BadRecording
        It is not an ordinary file.
    """
    if path.exists() and not path.is_file():
        raise BadRecording(f"{path}: no ordinary file; expected one, which can be read twice")
    with path.open("rb") as file:
        number, rest = 1, b""
        while octets := file.read(_BLOCK):
            block, end, rest = (rest + octets).rpartition(b"\n")
            if end:
                yield number, block
                number += block.count(b"\n") + 1
            elif len(rest) > LONGEST_LINE:
                # Not more of it: whoever reads lines refuses this one.
                break
        if rest:
            yield number, rest


def lines_in(path: Path, number: int, block: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines of a part of a file.

    Raises
    ------
    BadRecording
        It is not text in UTF-8, or a line is too long.
    """
    for line, octets in enumerate(block.split(b"\n"), number):
        yield line, _text(path, line, octets)


def _text(path: Path, number: int, octets: bytes) -> str:
    if number == 1 and octets.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        refuse(path, 1, None, "text in UTF-16; expected UTF-8: save it so")
    if number == 1:
        octets = octets.removeprefix(codecs.BOM_UTF8)
    if b"\0" in octets:
        refuse(path, number, None, "not a text file: it has a NUL; expected a recording as text in UTF-8")
    if len(octets) > LONGEST_LINE:
        raise LongLine(f"{path}:{number}: a line of more than {LONGEST_LINE} octets; expected lines of a recording")
    try:
        return octets.decode("utf-8").removesuffix("\r")
    except UnicodeDecodeError as error:
        refuse(
            path, number, None, f"not text in UTF-8: octet 0x{octets[error.start]:02x}; expected a recording as text"
        )
