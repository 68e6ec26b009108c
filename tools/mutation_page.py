"""Write the page of the conditions of the train engine, and of what detects that one is missing.

The conditions are in ``crates/celltrain-hunt/mutations.toml``, the outcomes in ``mutations.csv`` beside it, which
``make mutate`` writes. With ``--check`` nothing is written; it is an error if the page is out of date, or if an outcome
is that of no condition.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from mutation_record import Condition, Record, Row, read

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("crates/celltrain-hunt")
PAGE = Path("docs/reference/engine-conditions.md")

INTRODUCTION = """\
# Conditions of the train engine

The results of [the train engine](../explanation/train-engine.md) are those of the cell engine only as long as each of
these conditions is in its code. `make mutate` removes each, one at a time, and looks for something that then fails: a
network of [the hunt](../how-to/hunt.md) on which the engines differ, or else a property test or a test of the engines.
`make reference` writes this page from `crates/celltrain-hunt/mutations.toml`, the conditions, and `mutations.csv`, the
outcomes.

A network is better than a test: nobody drew it for the condition. A *property* is a test that draws networks of one
kind. A *test* is one network, written because nothing else failed. Networks are numbered from 0 and send about 20,000
cells at most: `celltrain-hunt show NUMBER --seed SEED --cells 20000` prints one, of seed 1 if none is given.
"""

TABLE = """
| condition | ensures that | caught by |
|---|---|---|
"""

EQUIVALENT = """
## Conditions without an effect on results

The code is simpler, or saves work, with them; results are the same without them, and nothing can catch their removal.

| condition | why nothing depends on it |
|---|---|
"""


def page(conditions: Sequence[Condition], record: Record) -> str:
    """Return the page."""
    rows = [(it, record.row(it)) for it in conditions if it.equivalent is None]
    lines = [f"| `{it.name}` | {it.why} | {told(row)} |\n" for it, row in rows]
    equivalent = [f"| `{it.name}` | {it.equivalent} |\n" for it in conditions if it.equivalent is not None]
    tail = [EQUIVALENT, *equivalent] if equivalent else []
    return "".join([INTRODUCTION, summary([row for _, row in rows]), TABLE, *lines, *tail])


def summary(rows: Sequence[Row | None]) -> str:
    """Return a sentence on how many conditions are caught by what."""
    by = Counter("not tried" if row is None else row.by for row in rows)
    parts = f"{by['network']} are caught by a network, {by['property']} by a property, {by['test']} by a test"
    rest = f"{by['no network'] + by['nothing']} are not caught yet, {by['not tried']} have not been tried"
    return f"\nOf {len(rows)} conditions, {parts}; {rest}.\n"


def told(row: Row | None) -> str:
    """Return what detected that a condition was missing."""
    if row is None:
        return "not tried"
    if row.by == "network":
        return f"network {row.what}" + (f" of seed {row.seed}" if row.seed != 1 else "")
    if row.by == "nothing":
        return f"nothing; {row.networks} networks and all tests pass"
    if row.by == "no network":
        return f"no network of {row.networks}; tests not tried"
    return f"{row.by} `{row.what}`"


def main(arguments: Sequence[str]) -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not as it would be")
    check = parser.parse_args(arguments).check
    conditions = read((ROOT / FOLDER / "mutations.toml").read_text("utf-8"))
    record = Record.read(ROOT / FOLDER / "mutations.csv", conditions)
    text, target = page(conditions, record), ROOT / PAGE
    if not check:
        target.write_text(text, "utf-8")
        return 0
    problems = record.problems()
    if not target.exists() or target.read_text("utf-8") != text:
        problems.append(f"{PAGE}: not what the record says; write it with `make reference`")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
