"""What a sweep costs beside its runs: `make bench-sweep`.

Three ways to the same results, alternating in small parts, so that other work on the machine meets all alike: the
bare simulation in one thread, a sweep with one job, and one with two. CPU times are of the whole process, so they
hold the work of every thread; where other processes use the cores, only they mean something.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import celltrain
from celltrain.sweeps import Replications, Sweep

#: Parts in which the runs are done, so that the ways alternate.
PARTS = 4
SCENARIO = Path(__file__).parents[1] / "examples" / "adsl.toml"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="runs of each way")
    runs = parser.parse_args().runs
    scenario = celltrain.load(SCENARIO)
    part = runs // PARTS

    def bare(first: int, _: Path) -> None:
        for seed in range(first, first + part):
            scenario.native.run(seed)

    def swept(jobs: int) -> Callable[[int, Path], None]:
        def run(first: int, folder: Path) -> None:
            Sweep(scenario, replications=Replications(part, first)).run(folder, jobs=jobs)

        return run

    ways = {"bare simulation": bare, "sweep, 1 job": swept(1), "sweep, 2 jobs": swept(2)}
    cpu, wall = dict.fromkeys(ways, 0.0), dict.fromkeys(ways, 0.0)
    swept(1)(0, Path(tempfile.mkdtemp()))  # imports and caches
    with tempfile.TemporaryDirectory() as root:
        for number in range(PARTS):
            for name, way in ways.items():
                folder = Path(root) / f"{name} {number}"
                start, began = time.perf_counter(), time.process_time()
                way(1 + number * part, folder)
                cpu[name] += time.process_time() - began
                wall[name] += time.perf_counter() - start
    runs = part * PARTS
    print(f"{runs} runs of {SCENARIO.name}, ms for each run")
    print(f"{'':<18}{'CPU':>8}{'wall':>8}")
    for name in ways:
        print(f"{name:<18}{1e3 * cpu[name] / runs:8.2f}{1e3 * wall[name] / runs:8.2f}")
    base, one, two = ways
    print(
        f"overhead of a run: {1e3 * (cpu[one] - cpu[base]) / runs:.2f} ms CPU, "
        f"{1e3 * (wall[one] - wall[base]) / runs:.2f} ms wall"
    )
    print(
        f"efficiency on 2 cores: {wall[base] / (2 * wall[two]):.1%} of the bare simulation twice as fast (wall), "
        f"{cpu[base] / cpu[two]:.1%} (CPU: if both cores were free)"
    )


if __name__ == "__main__":
    main()
