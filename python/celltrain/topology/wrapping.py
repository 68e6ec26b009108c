"""Wrapping of text into lines of a given width."""

from __future__ import annotations

import re
import textwrap

#: The space in "8 Mbit/s", where lines are not broken.
NUMBER_AND_UNIT = re.compile(r"(?<=[0-9]) (?=[A-Za-z])")
HELD = "\N{NO-BREAK SPACE}"


def wrap(text: str, width: int, indent: int = 0) -> list[str]:
    """Break a text into lines of at most ``width`` characters, with all but the first indented.

    >>> wrap("binary marking above 256 cells", 26)
    ['binary marking above', '256 cells']
    """
    held = NUMBER_AND_UNIT.sub(HELD, text)
    lines = textwrap.wrap(held, width, subsequent_indent=" " * indent, break_on_hyphens=False)
    return [line.replace(HELD, " ") for line in lines] or [""]


def printable(text: str) -> str:
    r"""Replace characters that would control a terminal, or that XML does not allow.

    >>> printable("a\x1b[2Jb")
    'a\ufffd[2Jb'
    """
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
