"""Pages whose commands are run in order, in an empty folder, and whose printed output is compared.

In such a page an ``sh`` block is run; a ``text`` block right after it, with nothing but an empty line between, is what
it prints. A block after a line that ends with "as `NAME`:" is the content of a file, saved before the next command.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"as `([\w.-]+)`:\s*\Z")


@dataclass(frozen=True)
class Step:
    """A block of a page: a file to save, or a command with the output that the page shows, if it does."""

    text: str
    file: str = ""
    shown: str | None = None


def steps(page: str) -> Iterator[Step]:
    r"""Yield the steps of a page.

    >>> list(steps("Save as `a`:\n\n```text\n1\n```\n\n```sh\ncat a\n```\n\n```text\n1\n```\n"))
    [Step(text='1\n', file='a', shown=None), Step(text='cat a\n', file='', shown='1\n')]
    """
    blocks = list(_BLOCK.finditer(page))
    for number, block in enumerate(blocks):
        if named := _FILE.search(page, 0, block.start()):
            yield Step(block[2], file=named[1])
        elif block[1] == "sh":
            after = blocks[number + 1] if number + 1 < len(blocks) else None
            follows = after is not None and after[1] == "text" and not page[block.end() : after.start()].strip()
            yield Step(block[2], shown=after[2] if after is not None and follows else None)


def trimmed(text: str) -> str:
    r"""Return lines without spaces at their ends, and without empty lines around them.

    How much of a run was compared by both engines depends on the speed of the machine, so it becomes a word.

    >>> trimmed("a \nb, over its first 3.41 s\n").splitlines()
    ['a', 'b, over its first TIME']
    """
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return re.sub(r"over its first [\d.]+ \w+", "over its first TIME", lines)


def follow(page: Path, folder: Path) -> int:
    """Do what a page says, and compare what it shows; return the number of outputs compared."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    compared = 0
    for step in steps(page.read_text(encoding="utf-8")):
        if step.file:
            (folder / step.file).write_text(step.text, encoding="utf-8")
            continue
        done = subprocess.run(
            ["bash", "-e", "-c", step.text],
            cwd=folder,
            env=os.environ | {"PATH": path, "COLUMNS": "80"},
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, f"{page.name}: {step.text}{done.stderr}"
        if step.shown is not None:
            assert trimmed(done.stdout) == trimmed(step.shown), f"{page.name}: {step.text}: copy what is printed"
            compared += 1
    return compared
