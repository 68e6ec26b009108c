"""The kernel's TCP on the same lines, in real time, with repeats and intervals."""

from __future__ import annotations

import math
import platform
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from celltrain.scenario import Scenario
from celltrain.trust import row as rows
from celltrain.trust.case import Case, not_run
from celltrain.trust.kernel_lines import LINES, SECONDS, VARIANTS, WARM_UP_S
from celltrain.trust.row import Context, NotRun, method

# Lines between kernels exist only on Linux, the table everywhere: modules for lines are imported when they are used.
if TYPE_CHECKING:
    from celltrain.live.parity import Comparison, Row

REPEATS = 5
#: A miss just above 1, for a verdict that the mean alone would not give but its interval does.
_BARELY = 1.0000001


def compare(scenario: Scenario, context: Context, *, repeats: int) -> Comparison:
    """Run a scenario both ways.

    Raises
    ------
    NotRun
        The system does not allow the hosts of a line, or lacks the congestion control.
    """
    from celltrain.live import Refused
    from celltrain.live.parity import parity

    try:
        comparison = parity(scenario, realtime=True, repeats=repeats)
    except (Refused, ValueError, OSError) as error:
        raise NotRun(f"kernels cannot run at the ends of a line here: {error}") from error
    context.progress.run_done()
    return comparison


def cases(context: Context) -> list[Case]:
    """Run as many lines as requested; the others are listed as not run."""
    if context.kernel_lines == 0:
        minutes = round(len(VARIANTS) * REPEATS * (SECONDS + 1) / 60)
        raise NotRun(f"it takes {minutes} minutes of real time per line: give --kernel-lines N, up to {len(LINES)}")
    chosen = LINES[: context.kernel_lines]
    context.progress.points(len(chosen) * len(VARIANTS))
    found: list[Case] = []
    for line in chosen:
        for variant in VARIANTS:
            comparison = compare(line.scenario(variant), context, repeats=REPEATS)
            found += judged(f"{variant}, {line.name}", comparison)
            context.progress.point_done()
    why = "give a larger --kernel-lines"
    return found + [not_run(f"all variants, {line.name}", "all", why) for line in LINES[len(chosen) :]]


def judged(name: str, comparison: Comparison) -> list[Case]:
    """Convert a comparison to cases; rows that its runs do not show do not bind."""
    from celltrain.live.parity import Verdict

    shown = [row for row in comparison.rows if row.target is not None]
    if all(row.verdict is Verdict.NOT_SHOWN for row in shown):
        return [
            not_run(name, "all", f"{comparison.valid} of {len(comparison.runs)} runs are valid: {_reasons(comparison)}")
        ]
    return [_case(name, row) for row in shown]


def _case(name: str, row: Row) -> Case:
    from celltrain.live.parity import Verdict

    assert row.target is not None
    interval = f"{row.valid} of {row.runs} runs; difference +-{100 * row.difference_ci95:.1f} %"
    if row.verdict is Verdict.AGREES and row.excess > 1:
        interval += "; less than a packet apart"
    # The verdict follows from the interval, not from the mean alone.
    bound: Callable[[float, float], float] = min if row.verdict is Verdict.AGREES else max
    miss = bound(row.excess, 1.0 if row.verdict is Verdict.AGREES else _BARELY)
    case = Case(
        name,
        row.quantity,
        row.unit,
        row.simulated,
        row.kernel,
        row.difference,
        f"within {row.target.words}",
        math.inf if math.isnan(miss) else miss,
        note=interval,
    )
    return case.shown_only("not shown by these runs") if row.verdict is Verdict.NOT_SHOWN else case


def _reasons(comparison: Comparison) -> str:
    reasons: Iterable[str] = {reason.split(":")[0] for run in comparison.runs for reason in run.reasons}
    return "; ".join(sorted(reasons))


def version() -> str:
    """Return name and release of the kernel."""
    return f"{platform.system()} {platform.release()}"


ROW = rows.Row(
    "kernel",
    f"the kernel's TCP on {len(LINES)} lines in real time, {REPEATS} repeats each",
    "goodput within 3 % without losses and 10 % with, mean queue and window within 10 %, retransmissions within a "
    "factor of 1.5",
    method("kernel", lines=len(LINES), repeats=REPEATS, seconds=SECONDS - WARM_UP_S, warm_up=WARM_UP_S),
    cases,
    version,
)
