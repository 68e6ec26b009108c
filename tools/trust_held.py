"""Compare a new table of trust with the stored one; the exit status is 1 if fewer cases meet their target.

``celltrain trust`` exits with 1 while any target is missed, and docs/reference/trust.md lists these. That alone
would hide a row that gets worse: here each row must have at least as many cases that meet their target as in the stored
table. A row that was not run now, for example because ns-2 is not installed, is reported but does not fail.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

KEPT = Path(__file__).resolve().parent.parent / "docs" / "reference" / "trust.md"
ROW = re.compile(r"^\| \[([\w-]+)\]\(#[\w-]+\) \| ([^|]+) \| (?:(\d+) of (\d+))? *\|", re.MULTILINE)

#: By row: how many cases meet their target, and the number of cases; None if the row was not run.
Table = Mapping[str, tuple[int, int] | None]


def read(text: str) -> Table:
    """Read the first table of the page."""
    return {name: (int(met), int(cases)) if cases else None for name, _, met, cases in ROW.findall(text)}


def compare(now: Table, kept: Table) -> tuple[list[str], list[str]]:
    """Return the rows that got worse, and those not run."""
    return list(worse(now, kept)), [name for name in kept if kept[name] is not None and now.get(name) is None]


def worse(now: Table, kept: Table) -> Iterator[str]:
    """Yield a message for each row that is missing, or has fewer cases or fewer cases that meet their target."""
    if not kept:
        yield "the kept table has no row"
    for name, before in kept.items():
        after = now.get(name)
        if name not in now:
            yield f"{name}: the row is gone"
        if before is None or after is None:
            continue
        if after[1] < before[1]:
            yield f"{name}: {after[1]} cases, {before[1]} in the kept table"
        # New cases may miss their target: `make trust` records them.
        elif after[0] < before[0]:
            yield f"{name}: {after[0]} of {after[1]} cases meet their target, {before[0]} in the kept table"


def main(arguments: Sequence[str]) -> int:
    """Compare the page ``arguments[0]`` with the stored one; return the exit status."""
    problems, missing = compare(read(Path(arguments[0]).read_text("utf-8")), read(KEPT.read_text("utf-8")))
    for name in missing:
        print(f"NOT RUN, so not compared with the kept table of trust: {name}", file=sys.stderr)
    for problem in problems:
        print(f"{problem}: see {arguments[0]}, or keep the new table by `make trust`", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
