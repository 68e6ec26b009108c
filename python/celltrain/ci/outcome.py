"""The outcome of a case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from celltrain.ci.suite import Case
from celltrain.ci.threshold import Check


class State(Enum):
    """What became of a case: ``error`` is a broken set-up, ``skipped`` was not run or not finished."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Outcome:
    """What became of a case.

    Attributes
    ----------
    duration_s : float
        Real time that it took, from opening the line.
    checks : sequence of Check
        The verdict on each threshold.
    message : str
        Why it failed, beyond thresholds: a command that hung, a server that does not listen.
    notes : sequence of str
        What a reader needs to judge the verdict.
    values : dict of str to float
        All quantities, by name.
    output : dict of str to str
        The end of what each command printed, by stream.
    """

    case: Case
    state: State
    duration_s: float = 0.0
    checks: Sequence[Check] = ()
    message: str = ""
    notes: Sequence[str] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    output: Mapping[str, str] = field(default_factory=dict)

    @property
    def missed(self) -> list[Check]:
        """The thresholds that are missed."""
        return [check for check in self.checks if not check.is_met]

    @property
    def reason(self) -> str:
        """Why it did not pass, in one line; empty if it did."""
        return "; ".join(filter(None, (self.message, *(check.says for check in self.missed))))

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        checks = [asdict(check) for check in self.checks]
        own = {"name": self.case.name, "key": self.case.key, "state": self.state.value, "message": self.message}
        more = {"duration_s": self.duration_s, "notes": list(self.notes), "values": dict(self.values)}
        return asdict(self.case) | own | more | {"checks": checks}


def judged(case: Case, checks: Sequence[Check], message: str = "") -> State:
    """Return the state of a case that has run: it passes if nothing is missed."""
    return State.FAILED if message or not all(check.is_met for check in checks) else State.PASSED
