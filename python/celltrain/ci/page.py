"""Outcomes as one HTML page that needs no network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from celltrain import _native
from celltrain.ci.outcome import Outcome, State
from celltrain.ci.quantities import QUANTITIES
from celltrain.ci.suite import Suite

#: Mark and colour of each state; a mark tells states apart without colours.
_MARKS = {
    State.PASSED: ("✓", "holds"),
    State.FAILED: ("✗", "fails"),
    State.ERROR: ("!", "fails"),
    State.SKIPPED: ("–", "open"),
}


@dataclass(frozen=True)
class _Shown:
    """An outcome as the page shows it."""

    outcome: Outcome
    place: str
    mark: str
    colour: str
    values: Sequence[tuple[str, str]]
    does: str


def page(suite: Suite, outcomes: Sequence[Outcome], started: str) -> str:
    """Return the page of a suite."""
    from celltrain.report.page import filled

    shown = [_shown(suite, outcome, number) for number, outcome in enumerate(outcomes, start=1)]
    lines = list(dict.fromkeys(each.outcome.case.line for each in shown))
    rows: dict[str, dict[str, list[_Shown]]] = {}
    for each in shown:
        case = each.outcome.case
        rows.setdefault(case.test, {line: [] for line in lines})[case.line].append(each)
    counts: Mapping[str, int] = {state.value: sum(each.state is state for each in outcomes) for state in State}
    return filled(
        "ci.html",
        title=f"{suite.name}: tests over lines",
        version=_native.__version__,
        started=started.replace("T", " ") + " UTC",
        file=suite.file.path.name,
        text=suite.file.text,
        shown=shown,
        lines=lines,
        rows=rows,
        counts=counts,
    )


def _shown(suite: Suite, outcome: Outcome, number: int) -> _Shown:
    test = suite.tests[outcome.case.test]
    mark, colour = _MARKS[outcome.state]
    values = []
    if outcome.case.is_live:
        values = [(name, _value(name, value)) for name, value in outcome.values.items() if not math.isnan(value)]
    does = test.client or "simulated"
    return _Shown(outcome, f"case{number}", mark, colour, values, does)


def _value(name: str, value: float) -> str:
    from celltrain.readable import with_interval

    unit = QUANTITIES[name][0]
    return f"{value:.6g}" if unit in ("", "1") else with_interval(value, math.nan, unit)
