"""Write the reference pages of results and scenarios from what the core says of its columns and keys.

A page is a template of `docs/templates` with its tables filled in:

- `<!-- columns: TABLE -->` becomes the columns of a table of results, from the registry of columns of the core.

With ``--check`` nothing is written; it is an error when a page is not as it would be written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from celltrain.columns import COLUMNS

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = Path("docs/templates")
PAGES = Path("docs/reference")
NOTE = "<!-- Made by `make reference` from {template}; change that, or the doc comments that it shows. -->\n\n"

_MARK = re.compile(r"<!-- (\w+): (.*) -->\n")


def page(template: str, writers: Mapping[str, Callable[[str], str]]) -> str:
    r"""Fill in the tables of a template.

    >>> page("A <!-- not this: x -->\n<!-- shout: hey -->\n", {"shout": str.upper})
    'A <!-- not this: x -->\nHEY'
    """
    return _MARK.sub(lambda mark: writers[mark[1]](mark[2]), template)


def columns(table: str) -> str:
    """Write the columns of a table of results."""
    rows = [
        f"| `{each.name}` | {each.unit} | {each.kind} | {each.meaning.replace('|', chr(92) + '|')} |"
        for each in COLUMNS[table].values()
    ]
    return "\n".join(["| column | unit | type | meaning |", "|---|---|---|---|", *rows, ""])


WRITERS: Mapping[str, Callable[[str], str]] = {"columns": columns}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is not as it would be")
    check = parser.parse_args(arguments).check
    stale = []
    for template in sorted((ROOT / TEMPLATES).glob("*.md")):
        text = NOTE.format(template=TEMPLATES / template.name) + page(template.read_text(encoding="utf-8"), WRITERS)
        target = ROOT / PAGES / template.name
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(PAGES / template.name))
        if not check:
            target.write_text(text, encoding="utf-8")
    if check and stale:
        sys.stderr.write(f"{', '.join(stale)}: not what the core says; write them with `make reference`\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
