"""Warnings of a run: flows and backgrounds that had data to send, and delivered nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from celltrain import _native
    from celltrain.results import Table


@dataclass(frozen=True)
class RunWarning:
    """Something in a result that is hardly what was meant.

    Attributes
    ----------
    code : str
        ``nothing-delivered`` or ``stalled``; the reference of results says what they mean.
    kind : str
        ``flow`` or ``background``.
    name : str
        Its name.
    since_s : float or None
        Since when, in s from the start of the run, where that is known.
    lasted_s : float
        For how long, in s.
    look_at : str
        What to look at.
    """

    code: str
    kind: str
    name: str
    since_s: float | None
    lasted_s: float
    look_at: str

    def to_json(self) -> dict[str, Any]:
        """Give it as plain data."""
        return dict(vars(self))

    def __str__(self) -> str:
        """Say it in a line."""
        if self.code == "stalled":
            return f"{self.kind} {self.name} delivered nothing new for {self.lasted_s:.4g} s; {self.look_at}"
        return (
            f"{self.kind} {self.name} delivered nothing from {self.since_s:.4g} s on, for {self.lasted_s:.4g} s; "
            f"{self.look_at}"
        )


def warnings_of(scenario: _native.Scenario, flows: Table, vcs: Table) -> list[RunWarning]:
    """Find what was silent, by the tables of a run."""
    found = scenario.silences(
        flows["delivered_bytes"],
        flows["segments_sent"],
        flows["longest_idle_s"],
        vcs["cells_sent"],
        vcs["cells_delivered"],
        vcs["cells_lost"] + vcs["cells_errored"] + vcs["cells_policed"],
    )
    return [RunWarning(*each) for each in found]


def in_short(warnings: list[RunWarning]) -> Mapping[str, list[RunWarning]]:
    """Put warnings together that say the same of the members of a group: those of one code, kind and stem of a name."""
    groups: dict[str, list[RunWarning]] = {}
    for each in warnings:
        stem = each.name.rstrip("0123456789")
        groups.setdefault(f"{each.code} {each.kind} {stem}", []).append(each)
    return groups
