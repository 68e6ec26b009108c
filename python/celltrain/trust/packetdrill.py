"""packetdrill scripts against our TCP in virtual time: our own, and those that the user has fetched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from celltrain.packetdrill import OWN_SCRIPTS, Outcome, Result, run_file, scripts_in
from celltrain.trust.case import Case, at_least, not_run
from celltrain.trust.row import Context, Row, method

_SHARE = 0.9
_QUANTITY = "scripts passed"


def cases(context: Context) -> list[Case]:
    """Run the scripts; report the share of applicable scripts that pass, and each one that fails."""
    found = judge("our own scripts", [run_file(path) for path in scripts_in(OWN_SCRIPTS)], OWN_SCRIPTS)
    if context.scripts is None:
        return [*found, not_run("fetched scripts", _QUANTITY, "give their folder with --scripts DIR")]
    fetched = context.map(run_file, scripts_in(context.scripts))
    return found + judge("fetched scripts", fetched, context.scripts)


def judge(name: str, outcomes: Sequence[Outcome], folder: Path) -> list[Case]:
    """Compare the share of passing scripts with its target; unsupported scripts do not count."""
    failed = [outcome for outcome in outcomes if outcome.result is Result.FAILED]
    unsupported = sum(outcome.result is Result.NOT_SUPPORTED for outcome in outcomes)
    applicable = len(outcomes) - unsupported
    if applicable == 0:
        return [not_run(name, _QUANTITY, f"none of {len(outcomes)} scripts applies")]
    note = f"{applicable - len(failed)} of {applicable}; {unsupported} more are not supported"
    share = at_least(name, _QUANTITY, "1", 1 - len(failed) / applicable, _SHARE, 1.0, note=note)
    each = [
        at_least(
            f"{name}: {Path(outcome.script).relative_to(folder)}",
            "passed",
            "1",
            0.0,
            1.0,
            2.0,
            note=f"line {outcome.line}: {outcome.message}",
        ).shown_only("one script")
        for outcome in failed
    ]
    return [share, *each]


ROW = Row(
    "packetdrill",
    "behavioural packetdrill scripts against our TCP in virtual time",
    "at least 90 % of the applicable scripts pass",
    method("packetdrill"),
    cases,
)
