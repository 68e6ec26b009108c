"""Which property test detects that a condition of the engine is missing: each of its networks tries all conditions.

A module of the tests (``mutant_networks.rs``) evaluates each network of a test with all conditions, and then without
each that is open and to which this evaluation came.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from subprocess import CompletedProcess

#: What evaluates a network in both engines: its first line, and what takes its place.
BOTH = "fn both(text: &str, seed: u64) -> [Results; 2] {\n"
TRIES = f"""\
{BOTH}    mutant_networks::without_each(text, seed, || with_all(text, seed))
}}

fn with_all(text: &str, seed: u64) -> [Results; 2] {{
"""
DECLARATION = "\nmod mutant_networks;\n"


class PropertyError(Exception):
    """A test cannot be surveyed; the message says why."""


def with_trials(text: str) -> str:
    """Return the main module of the tests, whose networks then try all open conditions.

    Raises
    ------
    PropertyError
        It has no function that evaluates a network in both engines.
    """
    if text.count(BOTH) != 1:
        raise PropertyError(f"the tests have {text.count(BOTH)} functions `{BOTH.strip()}`, not one")
    return text.replace(BOTH, TRIES) + DECLARATION


def environment(conditions: Collection[int], networks: int, seed: int) -> dict[str, str]:
    """Return the environment in which a test draws this many networks, always the same, and tries conditions."""
    return {
        "CELLTRAIN_OPEN": " ".join(map(str, sorted(conditions))),
        "CELLTRAIN_CASES": str(networks),
        "PROPTEST_RNG_SEED": str(seed),
    }


def caught(
    name: str, draw: Callable[[Collection[int]], CompletedProcess[str]], conditions: Collection[int]
) -> Iterator[tuple[int, str]]:
    """Yield the numbers of conditions that a test catches, and what differs; ``draw`` runs it with those that are open.

    Raises
    ------
    PropertyError
        The test fails with all conditions.
    """
    remaining = set(conditions)
    while remaining:
        done, at_work = draw(remaining), None
        for line in done.stdout.splitlines():
            match line.split(maxsplit=2):
                case ["at", number]:
                    at_work = None if number == "none" else int(number)
                case ["removed", number, how]:
                    remaining.discard(int(number))
                    yield int(number), how
                case _:
                    pass
        if done.returncode == 0:
            return
        if at_work is None:
            raise PropertyError(f"{name} fails with all conditions:\n{done.stdout[-2000:]}")
        # The process ended in a run without this one, and the test is tried again without it.
        remaining.discard(at_work)
        yield at_work, "the run does not end, or takes too much memory"
