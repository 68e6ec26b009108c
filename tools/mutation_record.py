"""The conditions of the train engine, and the record of what detects that one is missing."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

KEYS = {"name", "file", "was", "becomes", "why"}
OPTIONAL_KEYS = {"test", "equivalent"}


class MutationError(Exception):
    """A condition cannot be removed; the message says why."""


@dataclass(frozen=True)
class Condition:
    """A condition of the engine: its text, the replacement, and its purpose.

    ``equivalent`` tells why results do not depend on it.
    """

    name: str
    file: str
    was: str
    becomes: str
    why: str
    test: str | None = None
    equivalent: str | None = None


@dataclass(frozen=True)
class Catch:
    """What detects that a condition is missing: ``network`` number ``what``, or the ``property`` or ``test`` ``what``.

    If ``by`` is ``no network``, the tests remain to be tried; if it is ``nothing``, nothing detects it.
    """

    by: str
    what: str = ""
    how: str = ""


@dataclass(frozen=True)
class Row:
    """A row of the record: a condition and its :class:`Catch`. Up to ``networks`` networks of ``seed`` were tried."""

    condition: str
    by: str
    what: str
    how: str
    seed: int
    networks: int


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


class Record:
    """The outcome of each condition, in a CSV file that is written after each change."""

    def __init__(self, file: Path, conditions: Sequence[Condition], rows: Sequence[Row]) -> None:
        self._file = file
        self._names = [condition.name for condition in conditions if condition.equivalent is None]
        self._rows = {row.condition: row for row in rows}

    @classmethod
    def read(cls, file: Path, conditions: Sequence[Condition]) -> Record:
        """Read the record, if there is one."""
        rows: list[Row] = []
        if file.exists():
            with file.open(encoding="utf-8", newline="") as lines:
                for row in csv.DictReader(lines):
                    seed, networks = int(row["seed"]), int(row["networks"])
                    rows.append(Row(row["condition"], row["by"], row["what"], row["how"], seed, networks))
        return cls(file, conditions, rows)

    def __contains__(self, condition: Condition) -> bool:
        """Return whether the outcome of a condition is known."""
        row = self.row(condition)
        return row is not None and row.by != "no network"

    def row(self, condition: Condition) -> Row | None:
        """Return the outcome of a condition."""
        return self._rows.get(condition.name)

    def is_caught(self, condition: Condition) -> bool:
        """Return whether something detects that a condition is missing."""
        row = self.row(condition)
        return row is not None and row.by not in {"no network", "nothing"}

    def has_met(self, condition: Condition, seed: int, networks: int) -> bool:
        """Return whether that many networks of a seed have not caught a condition whose tests are still to be tried."""
        row = self.row(condition)
        return row is not None and row.by == "no network" and row.seed == seed and row.networks >= networks

    def put(self, condition: Condition, catch: Catch, seed: int, networks: int) -> None:
        """Record an outcome, and write the file; rows of conditions that no longer exist are left out."""
        self._rows[condition.name] = Row(condition.name, catch.by, catch.what, catch.how, seed, networks)
        new = self._file.with_suffix(".new")
        with new.open("w", encoding="utf-8", newline="") as lines:
            table = csv.DictWriter(lines, [it.name for it in fields(Row)], lineterminator="\n")
            table.writeheader()
            table.writerows(asdict(self._rows[name]) for name in self._names if name in self._rows)
        new.replace(self._file)

    def problems(self) -> list[str]:
        """Return a message for each row without a condition."""
        return [f"{name} in {self._file.name} is no condition" for name in self._rows if name not in self._names]
