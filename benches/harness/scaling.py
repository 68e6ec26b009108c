"""Many runs at once: how much faster two cores are than one."""

from __future__ import annotations

import time
from dataclasses import dataclass

import celltrain

from .program import Summary
from .targets import Bound, Target


@dataclass(frozen=True)
class Scaling:
    """Two cores beside one, for the same runs."""

    speedup: Summary
    """Elapsed time of one over that of two; on a machine that others use it measures them too."""
    cpu_growth: Summary
    """CPU time of two over that of one: above 1 is what the cores take from one another."""

    @property
    def target(self) -> Target:
        """What is asked of it on an idle machine."""
        note = f"spread {100 * self.speedup.spread:.0f} %, CPU time x {self.cpu_growth.median:.2f}"
        return Target("run_many: two cores over one", "trains", Bound(at_least=1.9), self.speedup.median, note)


def measure(scenario: celltrain.Scenario, runs: int, rounds: int) -> Scaling:
    """Run a scenario with so many seeds by `run_many`, on one core and on two in turn."""
    pairs = [(_time(scenario, runs, 1), _time(scenario, runs, 2)) for _ in range(rounds)]
    return Scaling(
        Summary.of(one[0] / two[0] for one, two in pairs),
        Summary.of(two[1] / one[1] for one, two in pairs),
    )


def _time(scenario: celltrain.Scenario, runs: int, jobs: int) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    scenario.run_many(range(1, runs + 1), jobs=jobs)
    return time.perf_counter() - wall, time.process_time() - cpu
