"""Many runs at once, and parts of one run: how much faster two cores are than one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import celltrain

from .program import Summary
from .targets import Bound, Target


@dataclass(frozen=True)
class Scaling:
    """Two cores compared with one, for the same work."""

    says: str
    bound: Bound
    speedup: Summary
    """Elapsed time of one over that of two; on a machine that others use it measures them too."""
    cpu_growth: Summary
    """CPU time of two over that of one: above 1 is what the cores take from one another."""

    @property
    def target(self) -> Target:
        """What is asked of it on an idle machine."""
        note = f"spread {100 * self.speedup.spread:.0f} %, CPU time x {self.cpu_growth.median:.2f}"
        return Target(f"{self.says}: two cores over one", "trains", self.bound, self.speedup.median, note)


def measure(scenario: celltrain.Scenario, runs: int, rounds: int) -> Scaling:
    """Run a scenario with this many seeds by `run_many`, on one core and on two in turn."""

    def work(cores: int) -> object:
        return scenario.run_many(range(1, runs + 1), jobs=cores)

    return _compared("run_many", Bound(at_least=1.9), work, rounds)


def measure_parts(name: str, scenario: celltrain.Scenario, rounds: int) -> Scaling:
    """Run a scenario once, its parts on one core and on two in turn."""

    def work(cores: int) -> object:
        return scenario.run(threads=cores, cross_check=False)

    return _compared(f"parts of {name}", Bound(at_least=1.85), work, rounds)


def _compared(says: str, bound: Bound, work: Callable[[int], object], rounds: int) -> Scaling:
    pairs = [(_time(work, 1), _time(work, 2)) for _ in range(rounds)]
    return Scaling(
        says,
        bound,
        Summary.of(one[0] / two[0] for one, two in pairs),
        Summary.of(two[1] / one[1] for one, two in pairs),
    )


def _time(work: Callable[[int], object], cores: int) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work(cores)
    return time.perf_counter() - wall, time.process_time() - cpu
