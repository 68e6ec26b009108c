"""How well lines in real time keep time: ``python benches/line.py [--realtime] [--seconds N] [--check]``.

It takes Linux and root; with ``--check`` it ends with 1 where a target is missed.

A paced UDP stream of 1500-octet packets crosses lines of 1, 8, 50 and 200 Mbit/s at 80 % of their rate: by how much
packets leave later than the model says, and whether one is lost that no model lost. TCP fills the same lines: how near
the rate comes to the line's. TCP over a line of 10 Gbit/s: how much the line, whose thread is pinned to one core,
forwards. Beside them, where ``tc`` is
there, TCP through a veth pair with ``tbf`` and ``stab linklayer atm``.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import platform
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from celltrain.live import Summary, open_line
from celltrain.live.bulk import Bulk
from celltrain.live.hosts import ADDRESSES
from celltrain.scenario import Scenario

RATES_MBIT = (1, 8, 50, 200)
OCTETS = 1500
HEADERS = 28
#: 1500 octets and the trailer of AAL5.
CELLS = 32
CELL_BITS = 424
PORT = 5000
#: What a line is to keep: lateness at 95 %, error of the long-run rate, and what it forwards.
MOST_LATE_S = 100e-6
MOST_OFF = 1e-3
LEAST_FORWARDED_BPS = 1e9
LINE = """
[measure]
duration = "1 s"
[hosts]
a = {{}}
b = {{}}
[links.line]
between = ["a", "b"]
rate = "{rate} bit/s"
buffer = "100000 cells"
delay = "1 ms"
[vcs.vc]
route = ["a", "b"]
encapsulation = "vc-mux"
"""


def scenario(mbit: float) -> Scenario:
    """Return a line of this rate, both ways."""
    return Scenario.from_toml(LINE.format(rate=mbit * 1e6))


def send(address: str, packets_per_s: float, seconds: float) -> None:
    """Send packets evenly."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    connection.connect((address, PORT))
    data = bytes(OCTETS - HEADERS)
    start = time.perf_counter()
    sent = 0
    while (elapsed := time.perf_counter() - start) < seconds:
        due = int(elapsed * packets_per_s)
        while sent < due:
            with contextlib.suppress(ConnectionRefusedError):
                connection.send(data)
            sent += 1
        time.sleep(min(0.001, 1 / packets_per_s))


def paced(mbit: float, seconds: float, *, realtime: bool) -> Summary:
    """Send packets over a line at 80 % of its rate."""
    packets_per_s = 0.8 * mbit * 1e6 / (CELLS * CELL_BITS)
    ours = [sys.executable, str(Path(__file__).resolve())]
    with open_line(scenario(mbit), realtime=realtime) as line:
        # Somebody must listen, or the far kernel answers each packet.
        listener = line.popen("server", [*ours, "listen"], stdout=subprocess.PIPE, text=True)
        wait_for(listener)
        line.run("client", [*ours, "send", "server", str(packets_per_s), str(seconds)])
        time.sleep(0.2)
    return line.summary


def transfer(run: Any, popen: Any, address: str, seconds: float) -> float:  # noqa: ANN401
    """Let TCP send from one end to the other; what came, in bit/s of data."""
    bulk = Bulk(address, PORT, seconds / 4, seconds, congestion="cubic")
    # The rest of the machine stands back, so that what is measured is the line and not who else wants a core.
    command = ["nice", "-n", "-20", sys.executable, "-m", "celltrain.live.bulk"]
    receiver = popen("server", [*command, "receive", bulk.as_argument()], stdout=subprocess.PIPE, text=True)
    wait_for(receiver)
    run("client", [*command, "send", bulk.as_argument()], stdout=subprocess.DEVNULL)
    return float(json.loads(receiver.communicate(timeout=30)[0])["throughput_bps"])


def wait_for(process: subprocess.Popen[str]) -> None:
    """Wait until a program says that it is ready."""
    if process.stdout is not None:
        process.stdout.readline()


def over_line(mbit: float, seconds: float, *, realtime: bool) -> float:
    """Fill a line with TCP; how much the rate at which cells left is off."""
    with tempfile.TemporaryDirectory() as folder:
        with open_line(scenario(mbit), realtime=realtime, log=folder) as line:
            transfer(line.run, line.popen, ADDRESSES["server"], seconds)
        rows = pq.read_table(Path(folder, "packets.parquet")).to_pandas()
    left = rows[(rows["direction"] == "up") & rows["left_s"].notna()].sort_values("left_s")
    left = left[left["left_s"].between(left["left_s"].max() - 0.7 * seconds, left["left_s"].max() - 0.1 * seconds)]
    cells = ((left["bytes"] + 8 + 47) // 48).iloc[1:].sum()
    measured = cells * CELL_BITS / (left["left_s"].iloc[-1] - left["left_s"].iloc[0])
    return float(measured / (mbit * 1e6) - 1)


@contextlib.contextmanager
def veth(mbit: float) -> Iterator[tuple[Any, Any]]:
    """Yield two namespaces joined by a veth pair with ``tbf`` behind an ATM size table."""
    names = {"client": "celltrain-bench-a", "server": "celltrain-bench-b"}

    def tool(*words: str) -> None:
        subprocess.run(words, check=True, capture_output=True)

    def inside(end: str, command: list[str]) -> list[str]:
        return ["ip", "netns", "exec", names[end], *command]

    try:
        for name in names.values():
            tool("ip", "netns", "add", name)
        first, second = names.values()
        tool("ip", "-n", first, "link", "add", "veth0", "type", "veth", "peer", "name", "veth1", "netns", second)
        for number, name in enumerate(names.values()):
            tool("ip", "-n", name, "addr", "add", f"192.0.2.{number + 1}/30", "dev", f"veth{number}")
            # With packets of several segments at once tc would count the cells of one.
            tool("ip", "-n", name, "link", "set", f"veth{number}", "gso_max_segs", "1", "up")
        # The trailer of AAL5 is 8 octets, but tc counts the 14 of Ethernet, which this line has not.
        table = f"stab linklayer atm overhead {8 - 14} mtu 2048"
        shape = f"{table} tbf rate {mbit}mbit burst 10kb latency 1s"
        tool(*inside("client", ["tc", "qdisc", "add", "dev", "veth0", "root", "handle", "1:", *shape.split()]))
        yield (
            lambda end, command, **options: subprocess.run(inside(end, command), check=False, **options),
            lambda end, command, **options: subprocess.Popen(inside(end, command), **options),
        )
    finally:
        for name in names.values():
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)


def over_tc(mbit: float, seconds: float) -> float:
    """Fill ``tbf`` with TCP; how much its rate is off."""
    with veth(mbit) as (run, popen):
        data_bps = transfer(run, popen, ADDRESSES["server"], seconds)
    # A packet carries 1448 octets beside its headers and time stamps.
    return data_bps / (1448 * 8) * CELLS * CELL_BITS / (mbit * 1e6) - 1


def forwarded(seconds: float, *, realtime: bool) -> tuple[float, float, int]:
    """Fill a line of 10 Gbit/s whose thread is pinned to a core: IP packets in bit/s, the core's share, its number."""
    fast = scenario(10_000).with_value("links.line.buffer", "1000000 cells")
    core = max(os.sched_getaffinity(0))
    samples = []
    with open_line(fast, realtime=realtime) as line, ThreadPoolExecutor(1) as aside:
        os.sched_setaffinity(line.thread_id, {core})
        busy = Path(f"/proc/self/task/{line.thread_id}/schedstat")
        sending = aside.submit(transfer, line.run, line.popen, ADDRESSES["server"], seconds)
        while not sending.done():
            look = line.look()
            samples.append((look["time_s"], look["forward"]["bytes_delivered"], int(busy.read_text().split()[0]) / 1e9))
            time.sleep(0.1)
        sending.result()
    # While data flow; the programs take their time to start, and TCP to fill the line.
    flowing = [now for before, now in itertools.pairwise(samples) if now[1] - before[1] > OCTETS * CELLS]
    first, last = flowing[len(flowing) // 4], flowing[-1]
    span = last[0] - first[0]
    return 8 * (last[1] - first[1]) / span, (last[2] - first[2]) / span, core


def histogram(summary: Summary) -> str:
    """Write how many packets left how late, the bounds doubling."""
    bins = [f"{count} <{bound * 1e6:.0f} us" for bound, count in summary.lateness_bins if count]
    return ", ".join(bins)


def measure_rate(mbit: float, options: argparse.Namespace, *, with_tc: bool) -> list[str]:
    """Measure a line of this rate and print it; gives the targets that it missed."""
    summary = paced(mbit, options.seconds, realtime=options.realtime)
    error = over_line(mbit, options.seconds, realtime=options.realtime)
    up, late = summary.up, summary.lateness
    stray = up.packets - up.packets_delivered - up.packets_lost - up.packets_inside + up.kernel_drops
    tc = f"{100 * over_tc(mbit, options.seconds):7.3f} %" if with_tc else "    no tc"
    times = " ".join(f"{late[key] * 1e6:8.1f}" for key in ("p50", "p95", "max"))
    print(
        f"{mbit:4} Mbit/s    {times} us {stray:16} {100 * error:8.3f} % {tc} "
        f"{100 * summary.cpu_s / summary.duration_s:4.0f} % {'yes' if summary.degraded else 'no':>9}",
        flush=True,
    )
    print(f"            {histogram(summary)}", flush=True)
    missed = {
        f"lateness of {late['p95'] * 1e6:.0f} us at 95 %": late["p95"] > MOST_LATE_S,
        f"rate off by {100 * error:.3f} %": abs(error) > MOST_OFF,
        f"{stray} packets lost by no model": stray != 0,
    }
    return [f"{mbit} Mbit/s: {words}" for words, is_missed in missed.items() if is_missed]


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--realtime", action="store_true")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--check", action="store_true", help="end with 1 where a target is missed")
    options = parser.parse_args()
    with_tc = bool(shutil.which("tc") and shutil.which("ip"))
    if not with_tc:
        print("no tc to compare with (Debian: apt-get install iproute2)", file=sys.stderr)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, kernel {platform.release()}")
    print("line        lateness: p50      p95      max  lost by no model  rate off     tc's  core  degraded")
    missed = [told for mbit in RATES_MBIT for told in measure_rate(mbit, options, with_tc=with_tc)]
    carried, share, core = forwarded(options.seconds, realtime=options.realtime)
    print(
        f"forwards {carried / 1e9:.2f} Gbit/s of IP packets of {OCTETS} octets, on core {core} alone, "
        f"{100 * share:.0f} % of it; {carried / max(share, 1e-9) / 1e9:.2f} Gbit/s for a whole one"
    )
    if carried < LEAST_FORWARDED_BPS:
        missed.append(f"forwards {carried / 1e9:.2f} Gbit/s")
    for told in missed:
        print(f"MISSED: {told}")
    sys.exit(int(bool(missed) and options.check))


def listen() -> None:
    """Take packets and forget them."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    connection.bind(("0.0.0.0", PORT))
    print("ready", flush=True)
    while True:
        connection.recv(OCTETS)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["send", address, rate, seconds]:
            send(address, float(rate), float(seconds))
        case ["listen"]:
            listen()
        case _:
            main()
