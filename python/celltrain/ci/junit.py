"""Outcomes as JUnit XML, in the form that CI services read."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import groupby

from celltrain.ci.outcome import Outcome, State

#: Characters that XML 1.0 does not allow.
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {State.FAILED: "failure", State.ERROR: "error", State.SKIPPED: "skipped"}


def document(name: str, outcomes: Sequence[Outcome], started: str) -> str:
    """Return the XML of a suite: a test suite for each test, a test case for each of its runs.

    Parameters
    ----------
    name
        The name of the whole.
    outcomes
        The outcomes, grouped by test.
    started
        When it was started, in ISO 8601 without zone, as the schema has it.
    """
    root = ET.Element("testsuites", {"name": _allowed(name), **_counts(outcomes)})
    for test, group in groupby(outcomes, key=lambda outcome: outcome.case.test):
        own = list(group)
        suite = ET.SubElement(root, "testsuite", {"name": test, "timestamp": started, **_counts(own)})
        for outcome in own:
            _case(suite, name, outcome)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, name: str, outcome: Outcome) -> None:
    told = {"classname": f"{name}.{outcome.case.test}", "name": outcome.case.name, "time": _time(outcome.duration_s)}
    case = ET.SubElement(suite, "testcase", {key: _allowed(value) for key, value in told.items()})
    element = _ELEMENTS.get(outcome.state)
    if element == "skipped":
        ET.SubElement(case, element, {"message": _allowed(outcome.message)})
    elif element:
        kind = "threshold" if outcome.missed else "command" if element == "failure" else "set-up"
        why = ET.SubElement(case, element, {"message": _allowed(outcome.reason), "type": kind})
        why.text = _allowed("\n".join(filter(None, (outcome.message, *(each.says for each in outcome.missed)))))
    values = [f"{key} = {value:.6g}" for key, value in outcome.values.items() if not math.isnan(value)]
    lines = [*(each.says for each in outcome.checks), *outcome.notes, *values]
    _stream(case, "system-out", lines, outcome, ".out")
    _stream(case, "system-err", [], outcome, ".err")


def _stream(case: ET.Element, name: str, lines: Sequence[str], outcome: Outcome, suffix: str) -> None:
    printed = [f"--- {stream}\n{text}" for stream, text in outcome.output.items() if stream.endswith(suffix)]
    if lines or printed:
        ET.SubElement(case, name).text = _allowed("\n".join([*lines, *printed]))


def _counts(outcomes: Sequence[Outcome]) -> dict[str, str]:
    def number(state: State) -> str:
        return str(sum(outcome.state is state for outcome in outcomes))

    return {
        "tests": str(len(outcomes)),
        "failures": number(State.FAILED),
        "errors": number(State.ERROR),
        "skipped": number(State.SKIPPED),
        "time": _time(sum(outcome.duration_s for outcome in outcomes)),
    }


def _time(seconds: float) -> str:
    return f"{seconds:.3f}"


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
