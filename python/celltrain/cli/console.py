"""Shared by all commands: errors, and the two streams (results on stdout, the rest on stderr)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from celltrain._native import RunError, ScenarioError
from celltrain.limits import LimitPassed
from celltrain.printable import escaped
from celltrain.refused import EnginesDiffer, Refused

if TYPE_CHECKING:
    from rich.console import Console

#: The beginning of a message about a place in a file.
_PLACE = re.compile(r"(?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+): ")


class BadInput(Exception):
    """Invalid input from the user; the message says what is wrong, and what to do."""

    #: The exit code of the command.
    code = 2


class AtLimit(BadInput):
    """A run that needed more than its limits allow."""

    code = 3


def out() -> Console:
    """Return the console for results; in a pipe, it does not wrap text."""
    return _console(sys.stdout.isatty())


def err() -> Console:
    """Return the console for progress, notes and errors; in a pipe, it does not wrap them."""
    return _console(sys.stderr.isatty(), stderr=True)


def _console(is_terminal: bool, *, stderr: bool = False) -> Console:  # noqa: FBT001
    from celltrain.cli.safe import SafeConsole

    width = None if is_terminal else 110
    return SafeConsole(stderr=stderr, highlight=False, width=width, soft_wrap=not is_terminal)


def echo(text: str) -> None:
    """Print data on stdout: unchanged into a file or a pipe, safe on a terminal."""
    click.echo(escaped(text) if sys.stdout.isatty() else text, nl=False)


def fail(message: str) -> int:
    """Print an error and return the exit code for bad input."""
    console = err()
    console.print("error:", style="bold red", end=" ")
    console.print(message, markup=False)
    return 2


@contextmanager
def readable_errors() -> Iterator[None]:
    """Convert errors that users can cause into :class:`BadInput`."""
    try:
        yield
    except EnginesDiffer:
        raise
    except LimitPassed as error:
        raise AtLimit(str(error)) from error
    except (ScenarioError, RunError, Refused) as error:
        raise BadInput(with_source(str(error))) from error
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        raise BadInput(f"{name}{error.strerror or error}{_shipped(error)}") from error


def _shipped(error: OSError) -> str:
    """Say how to get a file that is missing, if it is an example: their comments and the guides name them."""
    path = Path(str(error.filename or ""))
    if not isinstance(error, FileNotFoundError) or path.parts[:1] != ("examples",):
        return ""
    from celltrain.shipped import examples

    name = Path(*path.parts[1:]).with_suffix("").as_posix() if path.suffix == ".toml" else ""
    return f"; celltrain examples {name} --out {path} writes it" if name in examples() else ""


def with_source(message: str) -> str:
    """Add the source line and a caret to a message that begins with file, line and column."""
    place = _PLACE.match(message)
    if place is None:
        return message
    number, column = int(place["line"]), int(place["column"])
    try:
        lines = Path(place["file"]).read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return message
    if not 1 <= number <= len(lines):
        return message
    # Tabs stay tabs before the caret, so that it stands below its character.
    before = "".join("\t" if character == "\t" else " " for character in lines[number - 1][: column - 1])
    margin = f"{number} | "
    return f"{message}\n{margin}{lines[number - 1]}\n{' ' * (len(margin) - 2)}| {before}^"


def folder_for_output(path: Path) -> Path:
    """Create the folder now, so that a run is not lost because its results cannot be written."""
    from celltrain.files import output_folder

    try:
        return output_folder(path)
    except OSError as error:
        raise BadInput(
            f"cannot write to the output folder {path}: {error.strerror or error}; give another with --out"
        ) from error
