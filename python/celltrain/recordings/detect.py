"""The format of files, where their content leaves no doubt."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path

from celltrain.recordings.csv_rows import COLUMNS
from celltrain.recordings.lines import BadRecording, LongLine, lines_of
from celltrain.recordings.numbers import whole
from celltrain.recordings.ping import REPLY

#: Lines that are looked at.
_LOOKED_AT = 1000
_TYPE = re.compile(r"(?:Static|Repeated|Trace|Normalized|Sawtooth|Truncated)\w*Config")


def detected(paths: Sequence[Path]) -> str:
    """Return the name of the format.

    Raises
    ------
    OSError
        A file cannot be read.
    BadRecording
        There is a doubt.
    """
    kinds = [_kind(path) for path in paths]
    names = [path.name for path in paths]
    if set(kinds) == {"netem-trace"}:
        return "netem-trace"
    if len(paths) == 1 and kinds[0] in ("csv", "tc", "mahimahi", "ping"):
        return kinds[0]
    if kinds == ["mahimahi", "light"]:
        return "cellreplay"
    is_pair = kinds[0] in ("mahimahi", "numbers") and len(kinds) == 2 and kinds[1] in ("mahimahi", "numbers")
    if is_pair and names[0].startswith("bw_") and names[1].startswith("delay_"):
        return "leo"
    raise BadRecording(
        f"the format of {', '.join(map(str, paths))} is not certain; expected --from FORMAT, "
        "see celltrain convert --help for what each looks like"
    )


def _kind(path: Path) -> str:
    """Return the format of one file, ``numbers`` for whole numbers of any meaning, or nothing."""
    lines = [text for _, text in islice(_text(path), _LOOKED_AT)]
    if any(_TYPE.search(line) for line in lines):
        return "netem-trace"
    header = next((line for line in lines if not line.startswith("#")), "")
    if any(name.strip() in COLUMNS for name in header.split(",")):
        return "csv"
    if any(re.search(r"\btc\s+qdisc\b.*\bnetem\b", line) for line in lines):
        return "tc"
    if any(REPLY.fullmatch(line) for line in lines):
        return "ping"
    rows = [[whole(word) for word in line.split(" ")] for line in lines]
    numbers = [number for row in rows for number in row if number is not None]
    if not rows or len(numbers) != sum(map(len, rows)):
        return ""
    if all(len(row) == 1 for row in rows):
        rises = all(before <= after for before, after in pairwise(numbers))
        # Delays that stay the same rise nowhere, and delivery traces rise often.
        return "mahimahi" if rises and len({*numbers}) > len(numbers) // 100 + 1 else "numbers"
    return "light" if all(len(row) >= 3 and row[2] == 0 for row in rows) else ""


def _text(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines; of a file with a very long one, as JSON may have, its beginning."""
    try:
        yield from lines_of(path)
    except LongLine:
        with path.open("rb") as file:
            yield 1, file.read(1 << 12).decode("utf-8", "replace")
