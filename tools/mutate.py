"""Remove the conditions of the train engine, one by one, and see which network detects it.

The conditions are in ``crates/celltrain-hunt/mutations.toml``. To remove one, its text ``was`` is replaced by
``becomes``. A worktree of HEAD is built once with all of them, to be chosen when it runs (``mutants.py``). For each
condition, the hunt runs the check ``engines`` on random networks, until one fails or takes too long that does not with
all conditions. If none does, the property tests of the engines draw as many networks of each kind; if they do not fail
either, ``test`` names a test of the engines that does. A row of CSV says what detected it. A condition with
``equivalent`` makes no difference, and is skipped unless ``--only`` names it.

State between runs is in ``target/mutate``. The exit status is 1 if a removal is not detected.
"""

from __future__ import annotations

import argparse
import csv
import fcntl
import os
import re
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import mutants

ROOT = Path(__file__).resolve().parent.parent
CONDITIONS = Path("crates/celltrain-hunt/mutations.toml")
KEYS = {"name", "file", "was", "becomes", "why"}
OPTIONAL_KEYS = {"test", "equivalent"}

#: Where the crate of the engine learns which condition is removed.
MODULE = Path("crates/celltrain-sim/src/removed.rs")
CRATE = Path("crates/celltrain-sim/src/lib.rs")
#: Compiled fast, not for speed.
BUILD = {
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    "CARGO_PROFILE_RELEASE_DEBUG": "false",
    "CARGO_INCREMENTAL": "1",
    "RUST_BACKTRACE": "0",
}
HEADER = ("condition", "caught", "network", "how", "seconds")

#: The property tests of the engines.
PROPERTIES = (
    "becn::both_engines_agree_on_becn_and_on_policers_of_abr",
    "both_engines_agree_on_any_network",
    "both_engines_agree_on_lans",
    "both_ways::both_engines_agree_on_data_both_ways",
    "classes::both_engines_agree_where_sources_fill_classes",
    "coincidences::both_engines_agree_where_much_happens_at_once",
    "coincidences::both_engines_agree_where_much_happens_at_once_in_tunnels",
    "fragments::both_engines_agree_on_fragments",
    "gfc::both_engines_agree_under_gfc",
    "groups::both_engines_agree_where_processes_meet_packets",
    "processes::processes_are_the_same_whether_seen_or_not",
)
#: Approximate maximum of cells in a network: short runs reveal as much.
CELLS = 20_000

#: Output of the hunt for a failing network.
FOUND = re.compile(r"network (?P<network>\d+): (?P<what>too long|engines: (?P<text>.*))")
#: Maximum seconds for a network, and for one that is tried again because it took longer.
LIMITS = (5, 20)


class MutationError(Exception):
    """A condition cannot be removed; the message says why."""


@dataclass(frozen=True)
class Condition:
    """A condition of the engine: its text, the replacement, and its purpose."""

    name: str
    file: str
    was: str
    becomes: str
    why: str
    test: str | None = None
    equivalent: str | None = None


@dataclass(frozen=True)
class Catch:
    """What detects that a condition is missing: a network or a test, and how."""

    network: int | None
    how: str


def read(text: str) -> list[Condition]:
    """Read the conditions.

    Parameters
    ----------
    text
        TOML with the ``folder`` of all files and a table ``condition`` for each.

    Raises
    ------
    MutationError
        A key is missing or unknown, or a name occurs twice.
    """
    content = tomllib.loads(text)
    conditions: list[Condition] = []
    for row in content["condition"]:
        if not KEYS <= row.keys() <= KEYS | OPTIONAL_KEYS:
            raise MutationError(f"{row.get('name')}: the keys are {sorted(row)}")
        if any(row["name"] == other.name for other in conditions):
            raise MutationError(f"{row['name']} is there twice")
        conditions.append(Condition(**{**row, "file": f"{content['folder']}/{row['file']}"}))
    return conditions


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
    return Catch(*min(found)) if found else None


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

    def cargo(self, *arguments: str, removed: int | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command of Cargo in the worktree, without the condition of a number."""
        own = {"CARGO_TARGET_DIR": str(self.target), "CELLTRAIN_CASES": str(self.networks)}
        env = os.environ | BUILD | own | chosen(removed)
        command = ("cargo", *arguments[:1], "--locked", "--quiet", "--release", f"-j{self.jobs}", *arguments[1:])
        return subprocess.run(command, cwd=self.tree, env=env, capture_output=True, text=True, check=False)

    def build(self) -> None:
        """Build the hunt.

        Raises
        ------
        MutationError
            It cannot be compiled.
        """
        done = self.cargo("build", "-p", "celltrain-hunt")
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

    def catch(self, removed: int) -> Catch | None:
        """Return which network detects that the condition of a number is missing."""
        first = 0
        while first < self.networks:
            found = self.hunt(removed, first, self.networks - first, LIMITS[0])
            if found is None or found.network is None:
                return None
            first = found.network + 1
            if self.hunt(None, found.network, 1, LIMITS[0]) is not None:
                continue
            if found.how == "too long":
                # The machine may just have been slow.
                found = self.hunt(removed, found.network, 1, LIMITS[1])
            if found is not None:
                return found
        return None

    def fails(self, test: str | None, removed: int) -> Catch | None:
        """Return whether a test of the engines fails, if there is one."""
        if test is None:
            return None
        done = self.cargo("test", "-p", "celltrain-sim", "--test", "engines", "--", "--exact", test, removed=removed)
        if "running 1 test" not in done.stdout:
            raise MutationError(f"there is no test {test}:\n{done.stderr}")
        return Catch(None, f"test {test}") if done.returncode != 0 else None

    def properties(self, removed: int) -> Catch | None:
        """Return which property test of the engines fails."""
        options = ("--exact", "--test-threads", str(self.jobs))
        done = self.cargo(
            "test", "-p", "celltrain-sim", "--test", "engines", "--", *options, *PROPERTIES, removed=removed
        )
        if f"running {len(PROPERTIES)} tests" not in done.stdout:
            raise MutationError(f"there are no such property tests:\n{done.stderr}")
        failed = [test for test in PROPERTIES if f"test {test} ... FAILED" in done.stdout]
        return Catch(None, f"property {failed[0]}") if failed else None

    def prepare(self, conditions: Sequence[Condition]) -> None:
        """Build the hunt and the tests with conditions to be chosen."""
        for file in sorted({it.file for it in conditions}):
            inside = [
                mutants.Removal(number, it.was, it.becomes) for number, it in enumerate(conditions) if it.file == file
            ]
            path = self.tree / file
            path.write_text(mutants.with_choice(path.read_text("utf-8"), inside), "utf-8")
        (self.tree / MODULE).write_text(mutants.MODULE, "utf-8")
        with (self.tree / CRATE).open("a", encoding="utf-8") as crate:
            crate.write(mutants.DECLARATION)
        self.build()

    def try_out(self, condition: Condition, number: int) -> Catch | None:
        """Remove a condition, and see what happens."""
        try:
            return self.catch(number) or self.properties(number) or self.fails(condition.test, number)
        except MutationError as error:
            raise MutationError(f"{condition.name}: {error}") from None


def chosen(removed: int | None) -> dict[str, str]:
    """Return the environment that removes the condition of a number."""
    return {} if removed is None else {mutants.VARIABLE: str(removed)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Remove conditions, and print a table; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", metavar="NAME", action="append", help="remove this one; may be repeated")
    parser.add_argument("--networks", type=int, default=3000, help="maximum number of networks for each (3000)")
    parser.add_argument("--seed", type=int, default=1, help="their seed (1)")
    parser.add_argument("--jobs", type=int, default=2, help="threads (2)")
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

    tried = [
        (number, it)
        for number, it in enumerate(conditions)
        if (it.name in options.only if options.only else it.equivalent is None)
    ]
    table = csv.writer(sys.stdout)
    table.writerow(HEADER)
    target = ROOT / "target" / "mutate"
    caught = 0
    with worktree(ROOT, target / "tree") as tree:
        bench = Bench(tree, target, options.networks, options.seed, options.jobs)
        bench.prepare(conditions)
        for number, condition in tried:
            start = time.monotonic()
            catch = bench.try_out(condition, number)
            caught += catch is not None
            network, how = ("", "") if catch is None else (catch.network, catch.how)
            seconds = round(time.monotonic() - start)
            table.writerow([condition.name, "no" if catch is None else "yes", network, how, seconds])
            sys.stdout.flush()
    print(f"{caught} of {len(tried)} are caught", file=sys.stderr)
    return 0 if caught == len(tried) else 1


if __name__ == "__main__":
    sys.exit(main())
