"""Write the notebooks of docs/notebooks from their sources, Python files with cells after ``# %%``.

A cell after ``# %% [markdown]`` is text, in comments. Notebooks have no outputs; ``--execute FOLDER`` runs each and
writes it there with its outputs. With ``--check`` nothing is written; it is an error if a notebook is out of date.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("docs/notebooks")
#: The longest that a cell may take, in s.
LONGEST_S = 60

_CELL = re.compile(r"^# %%(.*)\n", re.MULTILINE)


def cells(source: str) -> Iterator[tuple[str, str]]:
    r"""Yield kind and text of each cell.

    >>> list(cells("# %% [markdown]\n# # Title\n#\n# Text.\n\n# %%\nx = 1\n"))
    [('markdown', '# Title\n\nText.'), ('code', 'x = 1')]
    """
    _, *parts = _CELL.split(source)
    for head, body in zip(parts[::2], parts[1::2], strict=True):
        if head.strip() == "[markdown]":
            lines = [line.removeprefix("#").removeprefix(" ") for line in body.strip().splitlines()]
            yield "markdown", "\n".join(lines)
        else:
            yield "code", body.strip()


def notebook(source: str) -> Any:  # noqa: ANN401 - a notebook of nbformat, which has no types
    """Make a notebook; the same source gives the same notebook."""
    made = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for number, (kind, text) in enumerate(cells(source), start=1):
        named = {"id": f"cell-{number}"}
        if kind == "markdown":
            made.cells.append(nbformat.v4.new_markdown_cell(text, **named))
        else:
            made.cells.append(nbformat.v4.new_code_cell(text, **named))
    nbformat.validate(made)
    return made


def execute(made: Any, folder: Path) -> None:  # noqa: ANN401 - as above
    """Run all cells in a folder.

    Raises
    ------
    nbclient.exceptions.CellExecutionError
        A cell fails.
    """
    from nbclient import NotebookClient

    NotebookClient(made, timeout=LONGEST_S, resources={"metadata": {"path": str(folder)}}).execute()


def main(arguments: Sequence[str]) -> int:
    """Write the notebooks, check them, or execute them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a notebook is out of date")
    parser.add_argument("--execute", metavar="FOLDER", type=Path, help="run them, and write them here with outputs")
    parser.add_argument("names", nargs="*", help="with --execute: only these")
    options = parser.parse_args(arguments)
    stale = []
    for source in sorted((ROOT / FOLDER).glob("*.py")):
        made = notebook(source.read_text("utf-8"))
        if options.execute:
            if not options.names or source.stem in options.names:
                execute(made, options.execute)
                nbformat.write(made, options.execute / f"{source.stem}.ipynb")
            continue
        target = source.with_suffix(".ipynb")
        text = nbformat.writes(made) + "\n"
        if not target.exists() or target.read_text("utf-8") != text:
            stale.append(str(FOLDER / target.name))
            if not options.check:
                target.write_text(text, "utf-8")
    if options.check and stale:
        sys.stderr.write(f"{', '.join(stale)}: not what the sources say; write them with `make reference`\n")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
