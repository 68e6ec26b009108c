"""Cases in virtual time: a scenario, run with several seeds."""

from __future__ import annotations

import time

from celltrain import _native
from celltrain.ci.metrics import checked
from celltrain.ci.outcome import Outcome, State, judged
from celltrain.ci.suite import Case, Suite
from celltrain.ci.threshold import over_runs
from celltrain.results import Result
from celltrain.sweeps.metric import Metric, MetricError


def run(suite: Suite, case: Case, jobs: int | None) -> Outcome:
    """Run a case on some cores (None: all); Ctrl-C stops it."""
    test, network = suite.tests[case.test], suite.networks[case.line]
    began = time.perf_counter()
    try:
        results = network.run_many(range(test.seed, test.seed + test.repeats), jobs)
        checks = []
        for threshold in test.thresholds:
            metric, unit = checked(threshold)
            checks.append(over_runs(threshold, [_value(metric, result) for result in results], unit))
    except (_native.RunError, MetricError) as error:
        return Outcome(case, State.ERROR, time.perf_counter() - began, message=str(error))
    notes = [f"{test.repeats} runs in virtual time, seeds {test.seed} to {test.seed + test.repeats - 1}"]
    notes += [str(warning) for warning in results[0].warnings[:5]]
    values = {check.threshold: check.value for check in checks if isinstance(check.value, float)}
    return Outcome(case, judged(case, checks), time.perf_counter() - began, checks, notes=notes, values=values)


def _value(metric: Metric, result: Result) -> float:
    import pyarrow as pa

    table = result.tables.get(metric.table)
    if table is None:
        raise MetricError(f"{metric.text!r}: this run has no table {metric.table}; it has {', '.join(result.tables)}")
    run = [0] * len(table)
    values = metric.by_run(pa.table({"point": run, "seed": run} | dict(table.columns)))
    return values.get((0, 0), float("nan"))
