"""Pages whose commands and scripts are run in order, in one folder, and whose printed output is compared.

An ``sh`` block is run by bash, a ``python`` block by Python, an ``sql`` block by DuckDB. A ``text`` block right after
one, with nothing but an empty line between, is what it prints. A block after a line that ends with "as `NAME`:" or
"into `NAME`:" is the content of a file, saved before the next command. The folder has the
examples, as a clone has them.

Comments say what a reader does not see; all but the first stand right before their block:

- ``<!-- first: COMMAND -->``: what a reader has done already;
- ``<!-- not run: REASON -->``: the block is not run, and the text after it is not compared;
- ``<!-- exits with N -->``: it fails, and prints what follows on standard error;
- ``<!-- real time -->``: it needs namespaces and time on the wall, so it is run in ``test_guide_pages_live.py``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conftest import REPOSITORY

_FENCE = re.compile(r"^ {0,3}(`{3,})([^`\n]*)\n(.*?)^ {0,3}\1`*[ \t]*$\n?", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"(?:as|into) `([\w./-]+)`:\s*\Z")
_COMMENT = re.compile(r"<!-- (first|not run|exits with|real time)(?::? ([^>]*?))? -->")
#: Languages of blocks that are run, with the programs.
RUN = {
    "sh": ("bash", "-e", "-c"),
    "python": (sys.executable, "-c"),
    "sql": (sys.executable, "-c", "import duckdb, sys; duckdb.sql(sys.argv[1]).show()"),
}
#: What a user types in a block that is not run.
_TYPED = re.compile(r"^(?:\$ |celltrain |make |pip |python3? -m |\S*/bin/(?:pip|celltrain) )")


@dataclass(frozen=True)
class Step:
    """A block of a page, or a hidden command before one."""

    language: str
    text: str
    #: The file that the block is the content of.
    file: str = ""
    #: The output that the page shows.
    shown: str | None = None
    #: Why it is not run.
    excuse: str = ""
    status: int = 0
    is_live: bool = False


def steps(page: str) -> Iterator[Step]:
    r"""Yield the steps of a page.

    >>> [(step.text, step.file, step.shown) for step in steps("Save as `a`:\n\n```text\n1\n```\n\n```sh\ncat a\n```\n\n```text\n1\n```\n")]
    [('1\n', 'a', None), ('cat a\n', '', '1\n')]
    """  # noqa: E501
    blocks = list(_FENCE.finditer(page))
    end = 0
    for number, block in enumerate(blocks):
        before = page[end : block.start()]
        end = block.end()
        said: dict[str, str] = {}
        for comment in _COMMENT.finditer(before):
            if comment[1] == "first":
                yield Step("sh", f"{comment[2]}\n")
            elif not before[comment.end() :].strip() or _COMMENT.match(before[comment.end() :].strip()):
                said[comment[1]] = comment[2] or ""
        language = block[2].strip()
        if named := _FILE.search(_COMMENT.sub("", before)):
            yield Step(language, block[3], file=named[1])
        elif language in RUN:
            after = blocks[number + 1] if number + 1 < len(blocks) else None
            follows = after is not None and after[2].strip() == "text" and not page[block.end() : after.start()].strip()
            yield Step(
                language,
                block[3],
                shown=after[3] if after is not None and follows else None,
                excuse=said.get("not run", ""),
                status=int(said.get("exits with", "0")),
                is_live="real time" in said,
            )


def pages() -> list[str]:
    """Return the pages with something to run, relative to the repository; the lessons' have tests of their own."""
    found = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
    return [
        str(path.relative_to(REPOSITORY))
        for path in found
        if not re.search(r"/reference/commands/|/lessons/\d", path.as_posix())
        and any(step.language in RUN for step in steps(path.read_text("utf-8")))
    ]


def untold(page: str) -> Iterator[str]:
    r"""Yield blocks without a language, and commands in blocks that are not run.

    >>> list(untold("```text\npip install x\n```\n```\nz\n```\n"))
    ['pip install x: make it sh, with a reason if it is not run', 'z: a block without a language']
    """
    for block in _FENCE.finditer(page):
        language, line = block[2].strip(), block[3].partition("\n")[0]
        if not language:
            yield f"{line}: a block without a language"
        elif language == "text" and _TYPED.match(line):
            yield f"{line}: make it sh, with a reason if it is not run"


def trimmed(text: str) -> str:
    r"""Return lines without spaces at their ends, and without empty lines around them.

    How much of a run was compared by both engines depends on the speed of the machine, so this line loses its end.

    >>> trimmed("a \nb\ncross-checked: both engines agree over its first 3.41 s\n").splitlines()
    ['a', 'b', 'cross-checked']
    >>> trimmed("not cross-checked: the time for it was too short")
    'cross-checked'
    """
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return re.sub(r"^(?:not |structure )?cross-checked: .*$", "cross-checked", lines, flags=re.MULTILINE)


def follow(page: Path, folder: Path) -> int:
    """Do what a page says, and compare what it shows; return the number of outputs compared."""
    if not (folder / "examples").exists():
        (folder / "examples").symlink_to(REPOSITORY / "examples")
    compared = 0
    for step in steps(page.read_text(encoding="utf-8")):
        if step.file:
            (folder / step.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / step.file).write_text(step.text, encoding="utf-8")
        elif not step.excuse:
            compared += carry_out(page, step, folder)
    return compared


def carry_out(page: Path, step: Step, folder: Path) -> bool:
    """Run a step, and compare what it prints; return whether the page shows it."""
    # What was cross-checked before is not said to be checked again, so each page has a cache of its own.
    own = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "HOME": str(folder),
        "MPLBACKEND": "agg",
        "CELLTRAIN_CACHE": str(folder / ".cache"),
    }
    done = subprocess.run(
        [*RUN[step.language], step.text],
        cwd=folder,
        env=os.environ | own,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == step.status, f"{page.name}: {step.text}{done.stderr}"
    if step.shown is None:
        return False
    printed = done.stderr if step.status else done.stdout
    assert trimmed(printed) == trimmed(step.shown), f"{page.name}: {step.text}: copy what is printed"
    return True
