"""Warnings: what is valid and hardly meant, in a scenario or in what its run measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from celltrain.names import stem

if TYPE_CHECKING:
    from celltrain import _native
    from celltrain.table import Table


@dataclass(frozen=True)
class RunWarning:
    """Something in a scenario or a result that is hardly what was meant.

    Attributes
    ----------
    code : str
        ``old-timers`` or another; the reference of results says what each means. ``silence`` in a scenario leaves
        warnings of a code out.
    kind : str
        ``flow``, ``background``, ``link`` or ``vc``.
    name : str
        Its name.
    since_s : float or None
        Since when, in s from the start of the run; None of what is known without a run, or where it is not known.
    lasted_s : float or None
        For how long, in s; None of what is known without a run.
    look_at : str
        What was found, and what to look at or to change.
    """

    code: str
    kind: str
    name: str
    since_s: float | None
    lasted_s: float | None
    look_at: str

    def to_json(self) -> dict[str, Any]:
        """Give it as plain data."""
        return dict(vars(self))

    def __str__(self) -> str:
        """Say it in a line."""
        if self.lasted_s is None:
            return f"{self.kind} {self.name}: {self.look_at}"
        if self.code == "stalled":
            return f"{self.kind} {self.name} delivered nothing new for {self.lasted_s:.4g} s; {self.look_at}"
        return (
            f"{self.kind} {self.name} delivered nothing from {self.since_s:.4g} s on, for {self.lasted_s:.4g} s; "
            f"{self.look_at}"
        )


def advice_on(scenario: _native.Scenario) -> list[RunWarning]:
    """Find what is hardly meant, as far as that is known without a run."""
    return [RunWarning(code, kind, name, None, None, message) for code, kind, name, message in scenario.advice()]


def warnings_of(scenario: _native.Scenario, flows: Table, vcs: Table) -> list[RunWarning]:
    """Find what is hardly meant, and what was silent by the tables of a run."""
    columns = (
        flows["delivered_bytes"],
        flows["segments_sent"],
        flows["longest_idle_s"],
        vcs["cells_sent"],
        vcs["cells_delivered"],
        vcs["cells_lost"] + vcs["cells_errored"] + vcs["cells_policed"],
    )
    found = scenario.silences(*(values.astype(float) for values in columns))
    return [*advice_on(scenario), *(RunWarning(*each) for each in found)]


def in_short(warnings: Iterable[RunWarning]) -> Mapping[str, list[RunWarning]]:
    """Put warnings together that say the same of the members of a group: those of one code, kind and stem of a name."""
    groups: dict[str, list[RunWarning]] = {}
    for each in warnings:
        groups.setdefault(f"{each.code} {each.kind} {stem(each.name)}", []).append(each)
    return groups


def one_of_each(warnings: Iterable[RunWarning]) -> tuple[RunWarning, ...]:
    """Give the first warning of each code."""
    firsts: dict[str, RunWarning] = {}
    for each in warnings:
        firsts.setdefault(each.code, each)
    return tuple(firsts.values())
