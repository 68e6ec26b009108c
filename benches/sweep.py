"""What a sweep costs beside its runs, and how well two cores are used: `make bench-sweep`.

Five ways to the same results take turns, so that other work on the machine meets all alike: the bare simulation in
one thread, `Scenario.run_many` on one core and on two, and a sweep on one core and on two.
`docs/reference/bench-sweep.md` says what the figures mean.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import celltrain
from celltrain.sweeps import Replications, Sweep

SCENARIO = Path(__file__).parents[1] / "examples" / "adsl.toml"


@dataclass
class Way:
    """One way to the results, and what a run took in the best round so far, in s."""

    name: str
    work: Callable[[range, Path], object]
    cpu: float = math.inf
    elapsed: float = math.inf

    def measure(self, seeds: range, folder: Path) -> None:
        """Do all runs once."""
        start, began = time.perf_counter(), time.process_time()
        self.work(seeds, folder)
        self.cpu = min(self.cpu, (time.process_time() - began) / len(seeds))
        self.elapsed = min(self.elapsed, (time.perf_counter() - start) / len(seeds))


def ways(scenario: celltrain.Scenario) -> list[Way]:
    """Return the ways of running the sweep."""

    def bare(seeds: range, _: Path) -> None:
        for seed in seeds:
            scenario.native.run(seed)

    def many(cores: int) -> Callable[[range, Path], object]:
        return lambda seeds, _: scenario.run_many(seeds, cores)

    def sweep(cores: int) -> Callable[[range, Path], object]:
        return lambda seeds, folder: Sweep(scenario, replications=Replications(len(seeds), seeds.start)).run(
            folder, jobs=cores
        )

    return [
        Way("bare simulation", bare),
        Way("run_many, 1 core", many(1)),
        Way("run_many, 2 cores", many(2)),
        Way("sweep, 1 core", sweep(1)),
        Way("sweep, 2 cores", sweep(2)),
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="runs of each way in a round")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    scenario = celltrain.load(SCENARIO)
    measured = ways(scenario)
    with tempfile.TemporaryDirectory() as root:
        for way in measured:
            way.work(range(3), Path(root) / way.name)  # imports and caches
        for number in range(given.rounds):
            for way in measured:
                way.measure(range(1, 1 + given.runs), Path(root) / f"{way.name} {number}")
    print(f"{given.runs} runs of {SCENARIO.name}, the best of {given.rounds} rounds; ms for each run")
    show(measured)


def show(measured: list[Way]) -> None:
    """Print the times of a run, and what they say."""
    print(f"{'':<20}{'CPU':>8}{'elapsed':>9}")
    for way in measured:
        print(f"{way.name:<20}{1e3 * way.cpu:8.2f}{1e3 * way.elapsed:9.2f}")
    bare, many_one, many_two, one, two = measured
    cpu, elapsed = one.cpu - bare.cpu, one.elapsed - bare.elapsed
    print(f"overhead of a run in a sweep: {1e3 * cpu:.2f} ms CPU, {1e3 * elapsed:.2f} ms elapsed")
    for name, first, second in (("run_many", many_one, many_two), ("sweep", one, two)):
        print(f"{name}: two cores are {first.elapsed / second.elapsed:.2f} times as fast as one")
    print(
        f"efficiency of a sweep on two cores, against the bare simulation on each: "
        f"{bare.elapsed / (2 * two.elapsed):.1%} (by CPU time {bare.cpu / two.cpu:.1%})"
    )


if __name__ == "__main__":
    main()
