"""How fast two daemons send over loopback, compared with iperf3: ``make bench-dbs``; takes Linux.

Both send by one TCP connection, in writes of 128 KiB, with the host's congestion control. Sender and receiver have
a core of their own each, and the two programs alternate, so that other work on the machine meets both alike. Where
other processes use the cores, the CPU time for each GB says more than the rate: it is that of both ends, without what
the programs take to start.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

from celltrain import dbs
from celltrain.dbs.reach import Reach

#: Octets of a write.
WRITE = 128 << 10


def pinned(core: int, *command: str) -> list[str]:
    """Return the command that runs on one core."""
    return ["taskset", "--cpu-list", str(core), *command]


def by_dbs(seconds: float, cores: tuple[int, int]) -> float:
    """Send from one daemon to another; give the rate at the receiver in bit/s."""
    daemon = (sys.executable, "-m", "celltrain", "dbs", "daemon", "--stdio")
    flow = {"from": "a", "to": "b", "duration": f"{round(1000 * seconds)} ms", "write": f"{WRITE} bytes"}
    plan = dbs.Plan({"hosts": {"a": {}, "b": {}}, "flows": {"download": flow}})
    commands = dict(zip("ab", (pinned(core, *daemon) for core in cores), strict=True))
    result = dbs.run(plan, reach=Reach(commands=commands))
    if not result.is_complete:
        raise SystemExit(f"the measurement is not complete: {list(result.tables['missing'].rows())}")
    return float(result.tables["flows"]["throughput_bps"][0])


def by_iperf3(seconds: float, cores: tuple[int, int]) -> float:
    """Do the same by iperf3."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    server = subprocess.Popen(
        pinned(cores[1], "iperf3", "--server", "--one-off", "--bind", "127.0.0.1", "--port", port),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        client = pinned(
            cores[0], "iperf3", "--client", "127.0.0.1", "--port", port, "--json", "--time", str(max(1, round(seconds)))
        )
        for _ in range(50):
            time.sleep(0.1)
            done = subprocess.run([*client, "--length", str(WRITE)], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
        else:
            raise SystemExit(f"iperf3: {done.stdout}{done.stderr}")
        server.wait(timeout=10)  # It ends with its one test.
    finally:
        server.kill()
        server.wait()
    return float(json.loads(done.stdout)["end"]["sum_received"]["bits_per_second"])


def cpu_s() -> float:
    """Return the CPU time of all programs that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each round; whole ones, as iperf3 wants")
    options = parser.parse_args()
    available = sorted(os.sched_getaffinity(0))
    cores = (available[0], available[1 % len(available)])
    ways: dict[str, Callable[[float, tuple[int, int]], float]] = {"celltrain dbs": by_dbs}
    if shutil.which("iperf3"):
        ways["iperf3"] = by_iperf3
    else:
        print("NO COMPARISON: iperf3 is not installed (apt-get install iperf3)", file=sys.stderr)
    before = cpu_s()
    by_dbs(0.001, cores)
    start = {"celltrain dbs": cpu_s() - before, "iperf3": 0.0}
    rates: dict[str, list[float]] = {name: [] for name in ways}
    costs: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(1, options.rounds + 1):
        for name, way in ways.items():
            before = cpu_s()
            rate = way(options.seconds, cores)
            rates[name].append(rate)
            costs[name].append((cpu_s() - before - start[name]) / (rate * options.seconds / 8e9))
        print(f"round {number}: " + ", ".join(f"{name} {rates[name][-1] / 1e9:.2f} Gbit/s" for name in ways))
    print(f"\n{'':14}   Gbit/s: median, least, most     CPU s for each GB: median")
    for name in ways:
        low, middle, high = min(rates[name]), statistics.median(rates[name]), max(rates[name])
        cost = statistics.median(costs[name])
        print(f"{name:14} {middle / 1e9:17.2f} {low / 1e9:6.2f} {high / 1e9:6.2f} {cost:24.3f}")
    if "iperf3" in ways:
        ours, theirs = rates["celltrain dbs"], rates["iperf3"]
        ratio = statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True))
        print(f"\ncelltrain dbs / iperf3: {ratio:.2f} (median of the rounds)")


if __name__ == "__main__":
    main()
