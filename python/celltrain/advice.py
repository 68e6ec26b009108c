"""Warnings about input that is valid but probably a mistake, in a scenario or in the results of its run."""

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
    """A part of a scenario or a result that is probably not intended.

    Attributes
    ----------
    code : str
        ``old-timers`` or another; the reference of results explains each. ``silence`` in a scenario suppresses
        warnings with a code.
    kind : str
        ``flow``, ``background``, ``link`` or ``vc``.
    name : str
        Its name.
    since_s : float or None
        Since when, in s from the start of the run; None for warnings without a run, or if it is not known.
    lasted_s : float or None
        For how long, in s; None for warnings without a run.
    look_at : str
        The finding, and what to check or change.
    """

    code: str
    kind: str
    name: str
    since_s: float | None
    lasted_s: float | None
    look_at: str

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return dict(vars(self))

    def __str__(self) -> str:
        """Return it as one line of text."""
        if self.lasted_s is None:
            return f"{self.kind} {self.name}: {self.look_at}"
        if self.code == "stalled":
            return f"{self.kind} {self.name} delivered nothing new for {self.lasted_s:.4g} s; {self.look_at}"
        return (
            f"{self.kind} {self.name} delivered nothing from {self.since_s:.4g} s on, for {self.lasted_s:.4g} s; "
            f"{self.look_at}"
        )


def advice_on(scenario: _native.Scenario) -> list[RunWarning]:
    """Return the warnings that do not need a run."""
    return [RunWarning(code, kind, name, None, None, message) for code, kind, name, message in scenario.advice()]


def warnings_of(scenario: _native.Scenario, flows: Table, vcs: Table) -> list[RunWarning]:
    """Return all warnings of a run, including flows and backgrounds that were silent according to its tables."""
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
    """Combine equal warnings about members of a group: those with the same code, kind and stem of the name."""
    groups: dict[str, list[RunWarning]] = {}
    for each in warnings:
        groups.setdefault(f"{each.code} {each.kind} {stem(each.name)}", []).append(each)
    return groups


def one_of_each(warnings: Iterable[RunWarning]) -> tuple[RunWarning, ...]:
    """Return the first warning of each code."""
    firsts: dict[str, RunWarning] = {}
    for each in warnings:
        firsts.setdefault(each.code, each)
    return tuple(firsts.values())
