"""A comparison over all VCs and repeats: rows with verdicts, and the runs behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from celltrain.live.parity import targets
from celltrain.live.parity.runs import QUEUE, Recorded, Run
from celltrain.live.parity.verdict import Pair, Row, Verdict, judge, worst_first


@dataclass(frozen=True)
class Comparison:
    """Simulated TCP and the kernel's TCP on one scenario.

    Parameters
    ----------
    rows
        Each compared quantity, the worst difference first.
    runs
        All runs, valid or not.
    left_out
        VCs that were not compared, and why.
    provenance
        The scenario, its hash, the version and the targets.
    """

    rows: list[Row]
    runs: list[Run]
    left_out: dict[str, str]
    provenance: dict[str, Any]

    @property
    def valid(self) -> int:
        """Number of valid runs."""
        return sum(run.is_valid for run in self.runs)

    def verdicts(self) -> dict[str, int]:
        """Count the rows with a target by their verdict."""
        judged = [row.verdict for row in self.rows]
        return {it.value: judged.count(it) for it in Verdict if it is not Verdict.NO_TARGET}

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data; the runs with the reasons why they are invalid, and without their time series."""
        return {
            "provenance": self.provenance,
            "verdicts": self.verdicts(),
            "rows": [row_data(row) for row in self.rows],
            "runs": [run_data(run) for run in self.runs],
            "left_out": self.left_out,
        }


def row_data(row: Row) -> dict[str, Any]:
    """Return a row as plain data: the difference in percent, the target in words."""
    data = {name: value for name, value in row.__dict__.items() if name not in ("target", "difference_ci95")}
    data["difference_percent"] = 100 * data.pop("difference")
    data["difference_percent_ci95"] = 100 * row.difference_ci95
    data["target"] = row.target.words if row.target else ""
    return data | {"verdict": row.verdict.value}


def run_data(run: Run) -> dict[str, Any]:
    """Return a run as plain data, each flow with its values and the limits of its sender."""
    summary = run.kernel.summary
    values: dict[str, dict[str, dict[str, float]]] = {}
    for (subject, quantity, _), simulated, kernel in run.values():
        values.setdefault(subject, {})[quantity] = {"simulated": simulated, "kernel": kernel}
    return {
        "vc": run.vc,
        "run": run.number,
        "seed": run.seed,
        "is_valid": run.is_valid,
        "reasons": list(run.reasons),
        "loss": run.loss,
        "lateness_p95_s": summary.lateness["p95"],
        "realtime_problem": summary.realtime_problem,
        "values": values,
        "limits": {name: asdict(limits) for name, limits in run.kernel.limits.items()},
    }


def compare(runs: Iterable[Run | Recorded]) -> list[Row]:
    """Judge each quantity of each VC over its runs, the worst difference first."""
    by_vc: dict[str, list[Run | Recorded]] = {}
    for run in runs:
        by_vc.setdefault(run.vc, []).append(run)
    return worst_first(row for vc, repeats in by_vc.items() for row in _rows(vc, repeats))


def _rows(vc: str, runs: Sequence[Run | Recorded]) -> Iterable[Row]:
    pairs: dict[tuple[str, str, str], list[Pair]] = {}
    for run in runs:
        for name, simulated, kernel in run.values():
            pairs.setdefault(name, []).append(Pair(simulated, kernel, run.is_valid))
    loss = max(run.loss for run in runs)
    shown = _longest_queues(runs, pairs)
    for name, found in pairs.items():
        if name[1] != QUEUE or name[0] in shown:
            resolution = float(runs[0].packet_cells) if name[1] == QUEUE else 0.0
            yield judge((vc, *name), found, target_of(name[1], loss), resolution=resolution)


def _longest_queues(runs: Sequence[Run | Recorded], pairs: Mapping[tuple[str, str, str], Sequence[Pair]]) -> set[str]:
    """Choose the longest queue of each direction, on either side."""
    longest = {
        name: max(max(pair.simulated, pair.kernel) for pair in found)
        for (name, quantity, _), found in pairs.items()
        if quantity == QUEUE
    }
    return {max(names, key=lambda name: longest.get(name, 0.0)) for names in runs[0].ways.values()}


def target_of(quantity: str, loss: float) -> targets.Target | None:
    """Choose the target of a quantity on a line that loses this share of its packets to errors."""
    if quantity == "goodput":
        return targets.goodput(loss)
    fixed = {QUEUE: targets.QUEUE, "cwnd": targets.CWND, "retransmitted": targets.RETRANSMITTED}
    return fixed.get(quantity)
