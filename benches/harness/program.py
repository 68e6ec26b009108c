"""Programs that print what they cost, and rounds in which they take turns."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Line = Mapping[str, Any]

#: A program that takes longer than this is stuck, in s.
_PATIENCE_S = 600


class ProgramError(Exception):
    """A program failed, or printed no line of JSON."""


@dataclass(frozen=True)
class Program:
    """A command that prints one line of JSON."""

    name: str
    command: tuple[str, ...]
    text: str = ""

    def run(self, prefix: Sequence[str] = ()) -> Line:
        """Run it, under the command ``prefix`` if given, and read its line.

        Raises
        ------
        ProgramError
            It failed; the message has what it said.
        """
        try:
            done = subprocess.run(
                [*prefix, *self.command],
                input=self.text,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_S,
                check=False,
            )
        except OSError as error:
            raise ProgramError(f"{self.name}: cannot run {self.command[0]}: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise ProgramError(f"{self.name}: no end after {_PATIENCE_S} s") from error
        if done.returncode:
            raise ProgramError(
                f"{self.name}: exit code {done.returncode}: {done.stderr.strip() or done.stdout.strip()}"
            )
        return read_line(self.name, done.stdout)


def read_line(name: str, output: str) -> Line:
    """Return the last line of JSON in an output.

    Raises
    ------
    ProgramError
        There is none, or it is cut short.
    """
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        raise ProgramError(f"{name}: printed no line of JSON, but {output.strip()[:200]!r}")
    try:
        line: dict[str, Any] = json.loads(lines[-1])
    except json.JSONDecodeError as error:
        raise ProgramError(f"{name}: printed no valid JSON: {lines[-1][:200]!r}") from error
    return line


@dataclass(frozen=True)
class Summary:
    """Measured values: their median, and how far they lie apart, (largest - smallest) / median."""

    median: float
    spread: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Summary:
        """Summarise at least one value."""
        ordered = sorted(values)
        median = statistics.median(ordered)
        return cls(median, (ordered[-1] - ordered[0]) / median if median else 0.0)


def in_rounds(
    programs: Sequence[Program], rounds: int, progress: Callable[[str], None] = lambda _: None
) -> dict[str, list[Line]]:
    """Run every program once in each round, on one core; give the lines of each."""
    lines: dict[str, list[Line]] = {program.name: [] for program in programs}
    with pinned():
        for number in range(1, rounds + 1):
            for program in programs:
                progress(f"round {number} of {rounds}: {program.name}")
                lines[program.name].append(program.run())
    return lines


@contextmanager
def pinned() -> Iterator[None]:
    """Keep this process, and those that it starts, on one core: the last that it may use."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
