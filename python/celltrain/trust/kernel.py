"""The kernel's TCP on the same lines, in real time, with repeats and intervals."""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from celltrain.scenario import Scenario
from celltrain.trust import row as rows
from celltrain.trust.case import Case, not_run
from celltrain.trust.kernel_lines import LINES, SECONDS, VARIANTS, WARM_UP_S, KernelLine
from celltrain.trust.row import KERNEL_REPEATS, Context, NotRun, method

# Lines between kernels exist only on Linux, the table everywhere: modules for lines are imported when they are used.
if TYPE_CHECKING:
    from celltrain.live.parity.runs import Recorded, Run
    from celltrain.live.parity.verdict import Row

#: A miss just above 1, for a verdict that the mean alone would not give but its interval does.
_BARELY = 1.0000001


def runs(name: str, scenario: Scenario, context: Context, *, repeats: int) -> list[Run | Recorded]:
    """Run a scenario both ways, or only what the folder of runs between kernels lacks.

    Raises
    ------
    NotRun
        The system does not allow the hosts of a line, or lacks the congestion control.
    """
    from celltrain.live import Refused
    from celltrain.live.parity.kept import runs_kept

    try:
        with TemporaryDirectory() as temporary:
            folder = context.kernel_folder or Path(temporary)
            spins = context.kernel_jobs == 1
            found = runs_kept(scenario, folder / _slug(name), repeats=repeats, spins=spins)
    except (Refused, ValueError, OSError) as error:
        raise NotRun(f"kernels cannot run at the ends of a line here: {error}") from error
    return found


def _slug(name: str) -> str:
    """Return a name as that of a folder.

    >>> _slug("reno, 8 Mbit/s, 20 ms, 0.5 BDP, 1 % lost")
    'reno-8-mbit-s-20-ms-0.5-bdp-1-lost'
    """
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def cases(context: Context) -> list[Case]:
    """Run as many lines as requested; the others are listed as not run."""
    if context.kernel_lines == 0:
        minutes = round(len(VARIANTS) * KERNEL_REPEATS * (SECONDS + 1) / 60)
        raise NotRun(f"it takes {minutes} minutes of real time per line: give --kernel-lines N, up to {len(LINES)}")
    chosen = LINES[: context.kernel_lines]

    def compared(item: tuple[KernelLine, str]) -> list[Case]:
        line, variant = item
        name = f"{variant}, {line.name}"
        return judged(name, runs(name, line.scenario(variant), context, repeats=context.kernel_repeats))

    items = [(line, variant) for line in chosen for variant in VARIANTS]
    found = [case for few in context.map(compared, items, context.kernel_jobs) for case in few]
    why = "give a larger --kernel-lines"
    return found + [not_run(f"all variants, {line.name}", "all", why) for line in LINES[len(chosen) :]]


def judged(name: str, runs: Sequence[Run | Recorded]) -> list[Case]:
    """Convert runs to cases; rows that they do not show do not bind."""
    from celltrain.live.parity.comparison import compare
    from celltrain.live.parity.verdict import Verdict

    shown = [row for row in compare(runs) if row.target is not None]
    if all(row.verdict is Verdict.NOT_SHOWN for row in shown):
        valid = sum(run.is_valid for run in runs)
        why = f"{valid} of {len(runs)} runs are valid" + (f": {_reasons(runs)}" if valid < len(runs) else "")
        return [not_run(name, "all", why)]
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


def _reasons(runs: Iterable[Run | Recorded]) -> str:
    reasons: Iterable[str] = {reason.split(":")[0] for run in runs for reason in run.reasons}
    return "; ".join(sorted(reasons))


def version() -> str:
    """Return name and release of the kernel."""
    return f"{platform.system()} {platform.release()}"


ROW = rows.Row(
    "kernel",
    f"the kernel's TCP on {len(LINES)} lines in real time, {KERNEL_REPEATS} repeats each",
    "goodput within 3 % without losses and 10 % with, mean queue and window within 10 %, retransmissions within a "
    "factor of 1.5",
    method("kernel", lines=len(LINES), repeats=KERNEL_REPEATS, seconds=SECONDS - WARM_UP_S, warm_up=WARM_UP_S),
    cases,
    version,
)
