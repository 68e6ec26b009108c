"""Remove the conditions of the train engine, one by one, and see which network detects it.

The conditions are in ``crates/celltrain-hunt/mutations.toml``. To remove one, its text ``was`` is replaced by
``becomes``. A worktree of HEAD is built once with all of them, to be chosen when it runs (``mutants.py``). Each random
network of the hunt is evaluated without each condition (``survey.py``), until its check ``engines`` fails without it
and passes with it. What no network detects goes through ``test``, a test of the engines that the condition names, or
else through the property tests, which draw as many networks of each kind (``property_survey.py``).

The outcome is kept in ``crates/celltrain-hunt/mutations.csv``, row by row, so that the same command resumes what was
interrupted; conditions whose outcome is there are not tried again, unless ``--again`` or ``--only`` says so.
``make reference`` makes a page of it. A condition with
``equivalent`` makes no difference, and has no row. Work files are in ``target/mutate``. The exit status is 1 if a
removal is not detected.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import mutants
import property_survey
import survey
from mutation_record import Catch, Condition, MutationError, Record, read

ROOT = Path(__file__).resolve().parent.parent
CONDITIONS = Path("crates/celltrain-hunt/mutations.toml")
RECORD = Path("crates/celltrain-hunt/mutations.csv")

#: Where the crate of the engine learns which condition is removed.
MODULE = Path("crates/celltrain-sim/src/removed.rs")
CRATE = Path("crates/celltrain-sim/src/lib.rs")
#: The program that evaluates networks without conditions: where it is, and where it is compiled.
PROGRAM = Path("tools/mutants.rs")
PLACE = Path("crates/celltrain-hunt/src/bin/mutants.rs")
#: What lets the tests of the engines try all conditions on each of their networks: where it is and is compiled.
TRIAL = Path("tools/mutant_networks.rs")
TESTS = Path("crates/celltrain-sim/tests/engines")
#: Compiled fast, not for speed.
BUILD = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_DEBUG": "false",
    "CARGO_INCREMENTAL": "1",
    "RUST_BACKTRACE": "0",
}

#: The property tests of the engines; those that catch the most conditions in the least time first.
PROPERTIES = (
    "coincidences::both_engines_agree_where_much_happens_at_once",
    "coincidences::both_engines_agree_where_much_happens_at_once_in_tunnels",
    "both_engines_agree_on_any_network",
    "becn::both_engines_agree_on_becn_and_on_policers_of_abr",
    "gfc::both_engines_agree_under_gfc",
    "fragments::both_engines_agree_on_fragments",
    "both_ways::both_engines_agree_on_data_both_ways",
    "classes::both_engines_agree_where_sources_fill_classes",
    "both_engines_agree_on_lans",
    "groups::both_engines_agree_where_processes_meet_packets",
    "processes::processes_are_the_same_whether_seen_or_not",
)
#: Approximate maximum of cells in a network: short runs reveal as much.
CELLS = 20_000

#: Maximum memory of a process that runs them, in octets.
MEMORY = 8 << 30

#: Output of the hunt for a failing network.
FOUND = re.compile(r"network (?P<network>\d+): (?P<what>too long|engines: (?P<text>.*))")
TOO_LONG = "too long"
#: Maximum seconds for a network, and for one that is tried again because it took longer.
LIMITS = (5, 20)


def without(condition: Condition, text: str) -> str:
    """Return the text of its file without a condition.

    Raises
    ------
    MutationError
        The file does not contain it exactly once.
    """
    count = text.count(condition.was)
    if count != 1 or condition.was == condition.becomes:
        raise MutationError(f"{condition.name}: {condition.file} has `{condition.was}` {count} times, not once")
    return text.replace(condition.was, condition.becomes)


def problems(root: Path, conditions: Sequence[Condition]) -> list[str]:
    """Return a message for each condition that cannot be removed."""
    found = []
    for condition in conditions:
        try:
            text = (root / condition.file).read_text("utf-8")
            without(condition, text)
            mutants.with_choice(text, [mutants.Removal(0, condition.was, condition.becomes)])
        except (MutationError, OSError) as error:
            found.append(str(error))
        except mutants.ChoiceError as error:
            found.append(f"{condition.name}: {condition.file}: {error}")
    return found


def first_found(output: str) -> Catch | None:
    """Return the first network that the hunt has reported as failing."""
    found = [(int(line["network"]), line["text"] or line["what"]) for line in FOUND.finditer(output)]
    return Catch("network", *map(str, min(found))) if found else None


@contextmanager
def worktree(root: Path, folder: Path) -> Iterator[Path]:
    """Check HEAD out into a folder, and remove it at the end. Only one process at a time may do so.

    Raises
    ------
    MutationError
        Another process does.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = (folder.parent / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise MutationError(f"another process works in {folder.parent}") from None
    remove = ("git", "-C", root, "worktree", "remove", "--force", folder)
    subprocess.run(remove, capture_output=True, check=False)
    subprocess.run(("git", "-C", root, "worktree", "add", "--quiet", "--detach", folder, "HEAD"), check=True)
    try:
        yield folder
    finally:
        subprocess.run(remove, check=False)
        lock.close()


@dataclass(frozen=True)
class Bench:
    """Where mutants are built and run, and on which networks."""

    tree: Path
    target: Path
    networks: int
    seed: int
    jobs: int

    @property
    def program(self) -> Path:
        """The hunt with all conditions that can be chosen."""
        return self.target / "release" / "celltrain-hunt"

    def cargo(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command of Cargo in the worktree, with these variables of the environment."""
        own = {"CARGO_TARGET_DIR": str(self.target)}
        command = ("cargo", *arguments[:1], "--locked", "--quiet", "--release", f"-j{self.jobs}", *arguments[1:])
        return subprocess.run(
            command, cwd=self.tree, env=os.environ | BUILD | own | env, capture_output=True, text=True, check=False
        )

    def test(self, name: str, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a test of the engines.

        Raises
        ------
        MutationError
            There is none of this name.
        """
        command = ("test", "-p", "celltrain-sim", "--test", "engines", "--", "--exact", name)
        done = self.cargo(*command, *options, **env)
        if "running 1 test" not in done.stdout:
            raise MutationError(f"there is no test {name}:\n{done.stderr}")
        return done

    def build(self) -> None:
        """Build the hunt and the tests of the engines.

        Raises
        ------
        MutationError
            It cannot be compiled.
        """
        for command in (
            ("build", "-p", "celltrain-hunt"),
            ("test", "-p", "celltrain-sim", "--test", "engines", "--no-run"),
        ):
            done = self.cargo(*command)
            if done.returncode != 0:
                raise MutationError(f"it cannot be compiled:\n{done.stderr}")

    def hunt(self, removed: int | None, first: int, networks: int, limit: int) -> Catch | None:
        """Check networks until one fails, without the condition of a number."""
        options: Mapping[str, object] = {
            "check": "engines",
            "seed": self.seed,
            "first": first,
            "networks": networks,
            "limit": limit,
            "cells": CELLS,
            "jobs": self.jobs,
            "shrink": 0,
        }
        command = [str(self.program), "hunt", "--stop", *(f"--{key}={value}" for key, value in options.items())]
        env = os.environ | chosen(removed)
        return first_found(subprocess.run(command, env=env, capture_output=True, text=True, check=False).stdout)

    def confirm(self, removed: int, network: int) -> Catch | None:
        """Return how the check ``engines`` detects on a network that the condition of a number is missing."""
        found = self.hunt(removed, network, 1, LIMITS[0])
        if found is not None and found.how == TOO_LONG:
            # The machine may just have been slow.
            found = self.hunt(removed, network, 1, LIMITS[1])
        if found is None:
            return None
        plain = self.hunt(None, network, 1, LIMITS[1])
        # Results that differ do so on a slow machine, too.
        is_slow = plain is not None and plain.how == TOO_LONG and found.how != TOO_LONG
        return found if plain is None or is_slow else None

    def networks_that_catch(self, numbers: Sequence[int]) -> Iterator[tuple[int, Catch]]:
        """Yield the numbers of conditions that a network catches: first on one thread, what is left on several."""
        remaining = set(numbers)
        program = self.program.with_name("mutants")
        for method in ("trains", "threads"):
            networks = survey.Survey(program, self.seed, CELLS, self.networks, method)
            for number, catch in networks.first_networks(remaining.copy(), self.confirm):
                remaining.discard(number)
                yield number, catch

    def fails(self, test: str, removed: int) -> Catch | None:
        """Return whether a test of the engines fails without the condition of a number."""
        done = self.test(test, **chosen(removed))
        return Catch("test", test) if done.returncode != 0 else None

    def properties_that_catch(self, numbers: Collection[int]) -> Iterator[tuple[int, Catch]]:
        """Yield the numbers of conditions that a property test catches."""
        remaining = set(numbers)
        for name in PROPERTIES:

            def draw(open_: Collection[int], name: str = name) -> subprocess.CompletedProcess[str]:
                env = property_survey.environment(open_, self.networks, self.seed)
                return self.test(name, "--nocapture", "--test-threads", "1", **env)

            for number, how in property_survey.caught(name, draw, remaining.copy()):
                remaining.discard(number)
                yield number, Catch("property", name, how)

    def prepare(self, conditions: Sequence[Condition]) -> None:
        """Build the hunt and the tests with conditions to be chosen."""
        for file in sorted({it.file for it in conditions}):
            inside = [
                mutants.Removal(number, it.was, it.becomes) for number, it in enumerate(conditions) if it.file == file
            ]
            path = self.tree / file
            path.write_text(mutants.with_choice(path.read_text("utf-8"), inside), "utf-8")
        (self.tree / PLACE).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / PROGRAM, self.tree / PLACE)
        (self.tree / MODULE).write_text(mutants.MODULE, "utf-8")
        with (self.tree / CRATE).open("a", encoding="utf-8") as crate:
            crate.write(mutants.DECLARATION)
        shutil.copy(ROOT / TRIAL, self.tree / TESTS)
        tests = self.tree / TESTS / "main.rs"
        tests.write_text(property_survey.with_trials(tests.read_text("utf-8")), "utf-8")
        self.build()


def chosen(removed: int | None) -> dict[str, str]:
    """Return the environment that removes the condition of a number."""
    return {} if removed is None else {mutants.VARIABLE: str(removed)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Remove conditions, and record what detects it; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="NAME", action="append", help="remove this one; may be repeated")
    parser.add_argument("--again", action="store_true", help="remove also those that have a row in the record")
    parser.add_argument("--networks", type=int, default=3000, help="maximum number of networks (3000)")
    parser.add_argument("--seed", type=int, default=1, help="their seed (1)")
    parser.add_argument("--jobs", type=int, default=2, help="threads of builds and tests (2)")
    parser.add_argument("--check", action="store_true", help="only check whether all conditions can be removed")
    options = parser.parse_args(arguments)

    conditions = read((ROOT / CONDITIONS).read_text("utf-8"))
    found = problems(ROOT, conditions)
    unknown = set(options.only or ()) - {condition.name for condition in conditions}
    found += [f"there is no condition {name}" for name in sorted(unknown)]
    for problem in found:
        print(problem, file=sys.stderr)
    if found or options.check:
        return 1 if found else 0

    record = Record.read(ROOT / RECORD, conditions)
    tried = [
        number
        for number, it in enumerate(conditions)
        if (it.name in options.only if options.only else it.equivalent is None and (options.again or it not in record))
    ]
    target = ROOT / "target" / "mutate"
    with worktree(ROOT, target / "tree") as tree:
        bench = Bench(tree, target, options.networks, options.seed, options.jobs)
        bench.prepare(conditions)
        # Without a condition, a run can fill all memory.
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try_out(bench, conditions, tried, record)
    missed = [conditions[number].name for number in tried if not record.is_caught(conditions[number])]
    print(f"{len(tried) - len(missed)} of {len(tried)} are caught", *missed, file=sys.stderr)
    return 1 if missed else 0


def try_out(bench: Bench, conditions: Sequence[Condition], tried: Sequence[int], record: Record) -> None:
    """Remove conditions by number, and record each outcome as soon as it is known."""
    remaining = list(tried)

    def put(number: int, catch: Catch) -> None:
        record.put(conditions[number], catch, seed=bench.seed, networks=bench.networks)
        print(conditions[number].name, catch.by, catch.what, catch.how, flush=True)

    # In an interrupted run, no network may have caught some of them.
    fresh = [it for it in tried if not record.has_met(conditions[it], bench.seed, bench.networks)]
    for number, catch in bench.networks_that_catch(fresh):
        remaining.remove(number)
        put(number, catch)
    for number in set(fresh).intersection(remaining):
        put(number, Catch("no network"))
    for number in tuple(remaining):
        test = conditions[number].test
        if test is not None and (caught := bench.fails(test, number)) is not None:
            remaining.remove(number)
            put(number, caught)
    for number, catch in bench.properties_that_catch(remaining.copy()):
        remaining.remove(number)
        put(number, catch)
    for number in remaining:
        put(number, Catch("nothing"))


if __name__ == "__main__":
    sys.exit(main())
