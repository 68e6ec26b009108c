"""Write the pages and man pages of all commands: ``make commands``.

With ``--check`` nothing is written; it is an error if a file is out of date, missing or of a command that is no more.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from commands.described import Described, described
from commands.manual import manual
from commands.pages import index, page

ROOT = Path(__file__).resolve().parents[2]
PAGES = Path("docs/reference/commands")
#: What is below `data` is installed below the prefix of Python (`tool.maturin.data` in pyproject.toml).
MANUALS = Path("packaging/data/share/man/man1")


def files(whole: Described) -> dict[Path, str]:
    """Return the text of every file by its path from the root of the repository."""
    found = {PAGES / "index.md": index(whole)}
    found |= {PAGES / f"{each.name}.md": page(each) for each in whole.commands}
    found |= {MANUALS / f"{each.manual}.1": manual(each) for each in whole.all()}
    return found


def stale(root: Path, expected: dict[Path, str]) -> list[Path]:
    """Return the files that are missing, differ, or belong to no command."""
    present = {path.relative_to(root) for folder in (PAGES, MANUALS) for path in (root / folder).glob("*")}
    differ = [
        path
        for path, text in expected.items()
        if not (root / path).exists() or (root / path).read_text(encoding="utf-8") != text
    ]
    return sorted({*differ, *(present - set(expected))})


def write(root: Path, expected: dict[Path, str]) -> None:
    """Write what is stale, and remove what belongs to no command."""
    for path in stale(root, expected):
        target = root / path
        if path not in expected:
            target.unlink()
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(expected[path], encoding="utf-8")


def main(arguments: Sequence[str]) -> int:
    """Write the files, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not as it would be")
    expected = files(described())
    if not parser.parse_args(arguments).check:
        write(ROOT, expected)
        return 0
    found = stale(ROOT, expected)
    for path in found:
        sys.stderr.write(f"{path}: not what the command line says; write it with `make commands`\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
