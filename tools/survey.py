"""Which random network first detects that a condition of the engine is missing: each network tries all conditions.

The program (``mutants.rs``) evaluates a network with all conditions, and then without each of those to which this
evaluation came. Results that differ are confirmed by the caller before they count.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

#: Exit status of the program if a run did not end.
ENDLESS = 3

#: What confirms that a network catches a condition.
T = TypeVar("T")


class SurveyError(Exception):
    """The program failed; the message says how."""


@dataclass(frozen=True)
class Survey:
    """The first ``networks`` of a seed, up to about ``cells`` cells each; ``method`` is ``trains`` or ``threads``."""

    program: Path
    seed: int
    cells: int
    networks: int
    method: str

    def first_networks(
        self, conditions: Iterable[int], confirm: Callable[[int, int], T | None]
    ) -> Iterator[tuple[int, T]]:
        """Yield the numbers of conditions as they are caught, with what ``confirm`` returns for condition and network.

        Raises
        ------
        SurveyError
            The program ended, and not because a run did not end.
        """
        remaining, first = set(conditions), 0
        while remaining and first < self.networks:
            with self.start(first) as process:
                assert process.stdin is not None
                assert process.stdout is not None

                def say(text: str, to: subprocess.Popen[str] = process) -> None:
                    assert to.stdin is not None
                    to.stdin.write(f"{text}\n")
                    to.stdin.flush()

                say(" ".join(map(str, sorted(remaining))))
                at_work = None
                for line in process.stdout:
                    network, *rest = line.split(maxsplit=2)
                    first = int(network)
                    if not rest:
                        first += 1
                    elif len(rest) == 1:
                        at_work = int(rest[0])
                    else:
                        caught = confirm(int(rest[0]), first)
                        say("no" if caught is None else "yes")
                        if caught is not None:
                            remaining.discard(int(rest[0]))
                            yield int(rest[0]), caught
            if process.returncode == 0:
                return
            if process.returncode != ENDLESS or at_work is None:
                raise SurveyError(f"{self.program} ended with {process.returncode} at network {first}")
            caught = confirm(at_work, first)
            if caught is None:
                # It can do so again.
                first += 1
            else:
                remaining.discard(at_work)
                yield at_work, caught

    def start(self, first: int) -> subprocess.Popen[str]:
        """Start the program at a network."""
        numbers = (self.seed, self.cells, first, self.networks)
        command = [str(self.program), *map(str, numbers), self.method]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
