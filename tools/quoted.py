"""Compare figures quoted in pages with the files that they come from; the exit status is 1 if one differs.

A marker after a figure names its source: ``Of the 92 <!-- quoted: FILE KEY --> claims``. Several keys belong to the
figures before the marker, in order. The marker of a table precedes it, ``<!-- quoted table: FILE KEY KEY -->``:
one key for each column after the first, ``-`` for one that is not compared, and ``{row}`` for the first column.

A key is a path, ``project.requires-python``; ``claim#`` is the number of elements of a list or table, and a text means
the first number in it. In ``benches/history.jsonl`` the last record at full length counts:
``chain.trains.ns_per_cell_hop``. A figure agrees if its source rounds to it; ``within 5 %`` after the keys allows more.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence, Sized
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("*.md", "docs/**/*.md", "python/celltrain/papers/*/README.md")
MARKER = re.compile(r"<!-- quoted( table)?: (\S+) (.+?)(?: within ([\d.]+) %)? -->")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?")


class Wrong(Exception):
    """A marker that cannot be resolved, or a figure that contradicts its source."""


def read(source: Path) -> object:
    """Read a source: TOML, JSON, or the records of the benchmarks by workload and engine."""
    if not source.is_file():
        raise Wrong("there is no such file")
    text = source.read_text("utf-8")
    match source.suffix:
        case ".toml":
            return tomllib.loads(text)
        case ".json":
            return json.loads(text)
        case ".jsonl":
            found: dict[str, dict[str, Any]] = {}
            for record in map(json.loads, text.splitlines()):
                if record.get("scale", 1) == 1 and "engine" in record:
                    found.setdefault(record["workload"], {})[record["engine"]] = record
            return found
    raise Wrong(f"cannot read {source.name}; a source is TOML, JSON or JSON lines")


def value(content: object, key: str) -> Decimal:
    """Return the value of a key in a source."""
    for part in key.removesuffix("#").split("."):
        if not isinstance(content, Mapping) or part not in content:
            raise Wrong(f"the source has no {key}")
        content = content[part]
    if key.endswith("#"):
        content = len(content) if isinstance(content, Sized) else None
    number = NUMBER.search(str(content).lstrip("<>=~^ "))
    if isinstance(content, bool) or number is None:
        raise Wrong(f"{key} is no number: {content}")
    return Decimal(number[0].replace(",", ""))


def compare(quoted: str, truth: Decimal, within: Decimal | None) -> None:
    """Raise :class:`Wrong` if a figure is not the rounded value of its source, or differs by more than allowed."""
    figure = Decimal(quoted.replace(",", ""))
    exponent = figure.as_tuple().exponent
    unit = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
    # Half a unit may be rounded up or down.
    allowed = max(unit / 2, abs(truth) * (within or 0) / 100)
    if abs(figure - truth) > allowed:
        raise Wrong(f"quotes {quoted}, but the source has {truth}")


def quotations(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str], list[tuple[str, str]]]]:
    """Yield each marker with the number of its line, and its pairs of figures and keys."""
    for number, line in enumerate(lines):
        start = 0
        for marker in MARKER.finditer(line):
            keys = marker[3].split()
            if marker[1]:
                for row, pairs in table(lines, number, keys):
                    yield row, marker, pairs
            else:
                figures = NUMBER.findall(line[start : marker.start()])[-len(keys) :]
                if len(figures) < len(keys):
                    raise Wrong(f"line {number + 1}: {len(keys)} keys, but {len(figures)} figures before them")
                yield number, marker, list(zip(figures, keys, strict=True))
            start = marker.end()


def table(lines: Sequence[str], number: int, keys: Sequence[str]) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Yield the rows of the table after line ``number``, with figures and keys."""
    first = next((row for row in range(number + 1, len(lines)) if lines[row].strip()), len(lines))
    # The heading and its rule precede the rows.
    row = first + 2
    if row >= len(lines) or not lines[row].startswith("|"):
        raise Wrong(f"line {number + 1}: no table comes behind this marker")
    while row < len(lines) and lines[row].startswith("|"):
        name, *cells = (cell.strip() for cell in lines[row].strip().strip("|").split("|"))
        if len(cells) != len(keys):
            raise Wrong(f"line {row + 1}: {len(cells)} columns, but {len(keys)} keys")
        pairs = []
        for cell, key in zip(cells, keys, strict=True):
            figure = NUMBER.search(cell)
            if key != "-" and figure is not None:
                pairs.append((figure[0], key.replace("{row}", name.strip("`*"))))
        yield row, pairs
        row += 1


def problems(root: Path) -> Iterator[str]:
    """Yield a message for each figure that contradicts its source, and for each marker that cannot be resolved."""
    sources: dict[str, object] = {}
    for page in sorted({page for pattern in PAGES for page in root.glob(pattern)}):
        name = page.relative_to(root)
        lines = page.read_text("utf-8").splitlines()
        try:
            for number, marker, pairs in quotations(lines):
                file, within = marker[2], Decimal(marker[4]) if marker[4] else None
                for figure, key in pairs:
                    try:
                        if file not in sources:
                            sources[file] = read(root / file)
                        compare(figure, value(sources[file], key), within)
                    except Wrong as wrong:
                        yield f"{name}: line {number + 1}: {wrong} ({file} {key})"
        except Wrong as wrong:
            yield f"{name}: {wrong}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print wrong figures; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    found = list(problems(parser.parse_args(arguments).root))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
