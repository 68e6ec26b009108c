"""Scripts of packetdrill, carried out by a runner that writes its verdicts into a file."""

from __future__ import annotations

import json
from pathlib import Path

from celltrain.files import read_text
from celltrain.trust.case import Case, at_least
from celltrain.trust.row import Context, NotRun, Row, method

_SHARE = 0.9


def cases(context: Context) -> list[Case]:
    """Read the verdicts: a list of ``{"script": NAME, "passed": true or false, "note": TEXT}`` in JSON.

    Scripts that do not apply are not in it.
    """
    if context.packetdrill is None:
        raise NotRun("give the results of a runner of packetdrill scripts with --packetdrill FILE")
    try:
        verdicts = _read(context.packetdrill)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotRun(
            f"{context.packetdrill} holds no results of packetdrill scripts ({error}); expected a JSON list of "
            '{"script": NAME, "passed": true or false, "note": TEXT}'
        ) from error
    failed = [(script, note) for script, passed, note in verdicts if not passed]
    share = 1 - len(failed) / len(verdicts)
    found = [at_least("all scripts that apply", "scripts passed", "1", share, _SHARE, 1.0)]
    for script, note in failed:
        found.append(at_least(script, "passed", "1", 0.0, 1.0, 2.0, note=note).shown_only("one script"))
    return found


def _read(path: Path) -> list[tuple[str, bool, str]]:
    verdicts = [
        (str(entry["script"]), entry["passed"] is True, str(entry.get("note", "")))
        for entry in json.loads(read_text(path))
    ]
    if not verdicts:
        raise ValueError("an empty list")
    return verdicts


ROW = Row(
    "packetdrill",
    "behavioural scripts of packetdrill on our TCP in virtual time",
    "at least 90 % of the applicable scripts pass",
    method("packetdrill"),
    cases,
)
