"""The layout of tables in text: headings and values stay whole, and a table that is too wide continues below."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

#: Space between two columns.
_GAP = "  "
#: Minimum width of a column whose texts are wrapped.
_NARROWEST = 20
#: Where a heading may be broken: at spaces, except before a per cent sign, and after the dots of a key.
_BREAK = re.compile(r"( )(?!%)|(?<=\.)(?=[A-Za-z_])")

#: A piece of a line with its style.
Span: TypeAlias = tuple[str, str]


@dataclass(frozen=True)
class Cells:
    """A column of text: its heading, the text of each row, and their styles (none, or one for each row)."""

    heading: str
    texts: Sequence[str]
    right: bool = False
    #: Whether its texts are sentences, which may be wrapped between words.
    wraps: bool = False
    styles: Sequence[str] = ()


@dataclass(frozen=True)
class _Placed:
    """A column with its width and the lines of its heading."""

    cells: Cells
    width: int
    heading: list[str]

    def lines(self, row: int) -> list[str]:
        text = self.cells.texts[row]
        if not self.cells.wraps:
            return [text]
        return textwrap.wrap(text, self.width, break_long_words=False, break_on_hyphens=False) or [""]

    def span(self, text: str, style: str) -> list[Span]:
        space = " " * (self.width - len(text))
        return [(space, ""), (text, style)] if self.cells.right else [(text, style), (space, "")]

    def style(self, row: int) -> str:
        return self.cells.styles[row] if self.cells.styles else ""


def grid(columns: Sequence[Cells], width: int, keys: int = 1, breaks: Sequence[int] = ()) -> Iterator[list[Span]]:
    """Lay out a table, and return its lines.

    Parameters
    ----------
    columns
        The columns.
    width
        Maximum width of a line. Columns without room in it continue below, after a blank line.
    keys
        Number of columns that identify a row, which are repeated there.
    breaks
        Rows with a blank line before them.

    >>> table = [Cells("link", ["up"]), Cells("cell loss ratio [%]", ["0.1"], right=True)]
    >>> for line in grid(table, 20):
    ...     print("".join(text for text, _ in line))
          cell loss
    link  ratio [%]
    ───────────────
    up          0.1
    """
    for number, block in enumerate(_blocks(columns, width, keys)):
        if number:
            yield []
        yield from _lines(block, breaks)


def _blocks(columns: Sequence[Cells], width: int, keys: int) -> Iterator[list[_Placed]]:
    fitting = _fitted(columns, width)
    if fitting or len(columns) <= keys + 1:
        yield fitting or [_placed(each) for each in columns]
        return
    first, rest = list(columns[:keys]), list(columns[keys:])
    while rest:
        count = len(rest)
        while count > 1 and not _fitted([*first, *rest[:count]], width):
            count -= 1
        block = [*first, *rest[:count]]
        yield _fitted(block, width) or [_placed(each) for each in block]
        rest = rest[count:]


def _fitted(columns: Sequence[Cells], width: int) -> list[_Placed] | None:
    """Place the columns with as few lines of headings as possible; None if they do not fit."""
    most = max((len(_pieces(each.heading)) for each in columns), default=1)
    for lines in range(1, most + 1):
        placed = [_placed(each, lines) for each in columns]
        excess = sum(each.width for each in placed) + len(_GAP) * (len(placed) - 1) - width
        if excess <= 0:
            return placed
        narrowed = _narrowed(placed, excess)
        if narrowed:
            return narrowed
    return None


def _placed(column: Cells, lines: int = 99) -> _Placed:
    heading = _heading(column.heading, lines)
    return _Placed(column, max(map(len, (*heading, *column.texts)), default=0), heading)


def _narrowed(placed: Sequence[_Placed], excess: int) -> list[_Placed] | None:
    """Take the excess from columns with sentences, the widest first; None if they have too few spaces."""
    widths = [each.width for each in placed]
    spare = [each.width - _least(each) if each.cells.wraps else 0 for each in placed]
    for _ in range(excess):
        index = max(range(len(placed)), key=lambda each: (spare[each] > 0, widths[each]))
        if spare[index] <= 0:
            return None
        widths[index] -= 1
        spare[index] -= 1
    return [_Placed(each.cells, width, each.heading) for each, width in zip(placed, widths, strict=True)]


def _least(placed: _Placed) -> int:
    words = [word for text in placed.cells.texts for word in text.split()]
    return max(_NARROWEST, *map(len, (*words, *placed.heading)))


def _pieces(heading: str) -> list[tuple[str, str]]:
    """Return the parts of a heading that stay whole, each with what joins it to the part before."""
    pieces, start, joint = [], 0, ""
    for found in _BREAK.finditer(heading):
        pieces.append((joint, heading[start : found.start()]))
        start, joint = found.end(), found[0]
    return [*pieces, (joint, heading[start:])]


def _heading(heading: str, most: int) -> list[str]:
    """Break a heading into at most this many lines, of the smallest width.

    >>> _heading("max longest queue [cells]", 2)
    ['max longest', 'queue [cells]']
    """
    pieces = _pieces(heading)
    lines = [heading]
    for limit in range(max(len(text) for _, text in pieces), len(heading)):
        lines = _filled(pieces, limit)
        if len(lines) <= most:
            return lines
    return [heading]


def _filled(pieces: Sequence[tuple[str, str]], limit: int) -> list[str]:
    lines = [pieces[0][1]]
    for joint, text in pieces[1:]:
        if len(lines[-1]) + len(joint) + len(text) <= limit:
            lines[-1] += joint + text
        else:
            lines.append(text)
    return lines


def _lines(block: Sequence[_Placed], breaks: Sequence[int]) -> Iterator[list[Span]]:
    highest = max(len(each.heading) for each in block)
    if any(each.cells.heading for each in block):
        headings = [[""] * (highest - len(each.heading)) + each.heading for each in block]
        for number in range(highest):
            yield _line(each.span(lines[number], "bold") for each, lines in zip(block, headings, strict=True))
        yield [("─" * (sum(each.width for each in block) + len(_GAP) * (len(block) - 1)), "dim")]
    for row in range(len(block[0].cells.texts)):
        if row in breaks:
            yield []
        texts = [each.lines(row) for each in block]
        for number in range(max(map(len, texts))):
            yield _line(
                each.span(lines[number] if number < len(lines) else "", each.style(row))
                for each, lines in zip(block, texts, strict=True)
            )


def _line(cells: Iterator[list[Span]]) -> list[Span]:
    """Join the cells of a line, without spaces at its end."""
    spans: list[Span] = []
    for cell in cells:
        spans += [(_GAP, ""), *cell] if spans else cell
    while spans and not spans[-1][0].strip():
        spans.pop()
    return spans
