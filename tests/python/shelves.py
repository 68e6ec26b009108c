"""Folders with links to what an installation of the package would fetch, and to nothing else."""

from __future__ import annotations

import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from conftest import REPOSITORY


def declared(extras: Sequence[str] = ()) -> list[str]:
    """Return the requirements of ``pyproject.toml``, with those of extras, as written there."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    return [*project["dependencies"], *(text for extra in extras for text in optional[extra])]


def needed(extras: Sequence[str] = ()) -> Iterator[importlib.metadata.Distribution]:
    """Yield the packages that the package needs, with those of extras, and what they need."""
    yield from _needed(declared(extras), set())


def _needed(requirements: Sequence[str], found: set[str]) -> Iterator[importlib.metadata.Distribution]:
    for text in requirements:
        name = re.split(r"[^\w.-]", text, maxsplit=1)[0].lower()
        if "extra ==" in text or name in found:
            continue
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # Needed on another system or by another version of Python.
        found.add(name)
        yield distribution
        yield from _needed(distribution.requires or (), found)


def shelf(folder: Path, extras: Sequence[str] = ()) -> Path:
    """Fill a folder with links to what the package and some of its extras need."""
    folder.mkdir()
    for distribution in needed(extras):
        for top in {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}:
            link = folder / top
            if not link.exists():
                link.symlink_to(Path(str(distribution.locate_file(top))).resolve())
    return folder


def interpreter(folder: Path) -> list[str]:
    """Return a command of Python that sees the standard library, our package and a shelf, but no other package."""
    where = [str(REPOSITORY / "python"), str(folder)]
    program = f"import sys; sys.path[:0] = {where!r}; exec(sys.argv.pop(1))"
    return [sys.executable, "-I", "-S", "-c", program]
