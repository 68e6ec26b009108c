"""What a sweep costs beside its runs, and how well two cores are used: `make bench-sweep`.

Five ways to the same results, alternating in small parts, so that other work on the machine meets all alike: the bare
simulation in one thread, `Scenario.run_many` on one core and on two, and a sweep on one core and on two.
`docs/reference/bench-sweep.md` says what the figures mean.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import celltrain
from celltrain.sweeps import Replications, Sweep

#: Parts in which the runs are done, so that the ways alternate.
PARTS = 8
SCENARIO = Path(__file__).parents[1] / "examples" / "adsl.toml"
_LOOK_EVERY_S = 0.02


class Waits(threading.Thread):
    """Looks how long each thread of this process waits for a core that another program has (Linux, schedstat)."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._seen: dict[int, tuple[int, int]] = {}
        self._first: dict[int, tuple[int, int]] = {}
        self._ended = threading.Event()

    def run(self) -> None:
        """Look, until it is stopped: threads that have ended say nothing any more."""
        while True:
            for task in Path("/proc/self/task").glob("[0-9]*"):
                with suppress(OSError, ValueError):
                    ran, waited, _ = map(int, (task / "schedstat").read_text().split())
                    self._first.setdefault(int(task.name), (ran, waited) if not self._seen else (0, 0))
                    self._seen[int(task.name)] = ran, waited
            if self._ended.wait(_LOOK_EVERY_S):
                return

    def stop(self) -> float:
        """Stop, and give how long the busy threads have waited on average, in s."""
        self._ended.set()
        self.join()
        own = [
            (ran - self._first[task][0], waited - self._first[task][1]) for task, (ran, waited) in self._seen.items()
        ]
        busiest = max((ran for ran, _ in own), default=0)
        busy = [waited for ran, waited in own if ran > busiest / 2]
        return 1e-9 * sum(busy) / max(1, len(busy))


@dataclass
class Way:
    """One way to the results, and what it took so far, in s."""

    name: str
    cores: int
    work: Callable[[range, Path], object]
    cpu: float = 0.0
    wall: float = 0.0
    #: Elapsed time less that in which the busy threads waited for a core.
    free: float = field(default=0.0)

    def measure(self, seeds: range, folder: Path) -> None:
        """Do a part of the runs."""
        waits = Waits()
        waits.start()
        start, began = time.perf_counter(), time.process_time()
        self.work(seeds, folder)
        cpu, wall = time.process_time() - began, time.perf_counter() - start
        self.cpu += cpu
        self.wall += wall
        self.free += max(cpu / self.cores, wall - waits.stop())


def ways(scenario: celltrain.Scenario) -> list[Way]:
    """Give the ways."""

    def bare(seeds: range, _: Path) -> None:
        for seed in seeds:
            scenario.native.run(seed)

    def many(cores: int) -> Way:
        return Way(f"run_many, {cores} core{'s'[: cores - 1]}", cores, lambda seeds, _: scenario.run_many(seeds, cores))

    def sweep(cores: int) -> Way:
        def work(seeds: range, folder: Path) -> None:
            Sweep(scenario, replications=Replications(len(seeds), seeds.start)).run(folder, jobs=cores)

        return Way(f"sweep, {cores} core{'s'[: cores - 1]}", cores, work)

    return [Way("bare simulation", 1, bare), many(1), many(2), sweep(1), sweep(2)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="runs of each way")
    part = max(1, parser.parse_args().runs // PARTS)
    scenario = celltrain.load(SCENARIO)
    measured = ways(scenario)
    with tempfile.TemporaryDirectory() as root:
        for way in measured:
            way.work(range(3), Path(root) / way.name)  # imports and caches
        for number in range(PARTS):
            for way in measured:
                way.measure(range(1 + number * part, 1 + (number + 1) * part), Path(root) / f"{way.name} {number}")
    show(measured, part * PARTS)


def show(measured: list[Way], runs: int) -> None:
    """Print the times of a run, and what they say."""
    print(f"{runs} runs of {SCENARIO.name}, ms for each run")
    print(f"{'':<20}{'CPU':>8}{'free':>8}{'elapsed':>9}")
    for way in measured:
        print(f"{way.name:<20}{1e3 * way.cpu / runs:8.2f}{1e3 * way.free / runs:8.2f}{1e3 * way.wall / runs:9.2f}")
    bare, many_one, many_two, one, two = measured
    print(f"overhead of a run in a sweep: {1e3 * (one.cpu - bare.cpu) / runs:.2f} ms CPU")
    for name, first, second in (("run_many", many_one, many_two), ("sweep", one, two)):
        faster, elapsed = first.free / second.free, first.wall / second.wall
        print(f"{name}, two cores: {faster:.2f} times as fast as one (elapsed {elapsed:.2f})")
    print(
        f"efficiency of a sweep on two cores, against the bare simulation on each: {bare.free / (2 * two.free):.1%} "
        f"(CPU alone {bare.cpu / two.cpu:.1%}, elapsed {bare.wall / (2 * two.wall):.1%})"
    )


if __name__ == "__main__":
    main()
