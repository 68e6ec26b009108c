"""Converted recordings in a scenario: what the line does, measured against the files."""

from __future__ import annotations

from pathlib import Path

import celltrain
import numpy as np
import pytest
from celltrain.results import Result
from conftest import Command

#: A download that fills the line, and single cells every 20 ms that are timed one by one.
NETWORK = """
[measure]
duration = "2 s"
cell_delays = { vcs = ["timed"] }

[hosts]
a = {}
b = {}

[links]
down = { from = "a", to = "b", buffer = "100000 cells", %s }
up = { from = "b", to = "a", delay = "1 ms" }

[vcs.data]
route = ["a", "b"]

[vcs.timed]
route = ["a", "b"]

%s

[backgrounds.timed]
vc = "timed"
traffic = { process = "cbr", rate = "50 cells/s" }

[probes.rate]
every = "10 ms"
record = ["links.down.rate_bps"]
"""
FLOW = '[flows.data]\nvc = "data"\nudp = { packet = "1500 bytes", traffic = { process = "cbr", rate = "40 Mbit/s" } }\n'
#: Opportunities in each 10 ms of the trace, and the delay in ms there: 200 ms in all.
OPPORTUNITIES = [10, 12, 8, 0, 0, 3, 15, 15, 9, 11, 10, 10, 7, 6, 5, 4, 12, 13, 14, 16]
DELAYS = [24] * 8 + [18] * 5 + [31] * 7


def recorded(folder: Path) -> None:
    """Write the files of LeoReplayer."""
    times = [
        10 * index + 1 + number * 10 // count for index, count in enumerate(OPPORTUNITIES) for number in range(count)
    ]
    # The last opportunity is the end of the trace.
    times[-1] = 200
    (folder / "bw_1.txt").write_text("".join(f"{at}\n" for at in times))
    (folder / "delay_1.txt").write_text("".join(f"{delay}\n" for delay in DELAYS))


def run(folder: Path, said: str, flow: str = FLOW) -> Result:
    (folder / "line.toml").write_text(NETWORK % (said, flow))
    return celltrain.load(folder / "line.toml").run()


def converted(cli: Command, *words: str) -> str:
    """Convert, and return what to put into the link."""
    done = cli("convert", *words)
    assert done.returncode == 0, done.stderr
    return str(done.stdout.splitlines()[-1])


def test_a_recording_of_leo_is_replayed_as_it_is_in_its_files(cli: Command, tmp_path: Path) -> None:
    recorded(tmp_path)
    line = converted(cli, "bw_1.txt", "delay_1.txt", "--out", "line.csv")
    assert line == 'schedule = { process = "csv", file = "line.csv", repeat = "200 ms" }'
    results = run(tmp_path, line)
    rates = results.traces["rate"]["links.down.rate_bps"]
    expected = [count * 32 * 424 * 100 for count in OPPORTUNITIES]
    # A probe sees the rate from its instant on.
    assert list(rates[:40]) == pytest.approx(expected * 2)
    mean = sum(OPPORTUNITIES) * 32 * 424 / 0.2
    assert results.tables["links"]["mean_rate_bps"][0] == pytest.approx(mean)
    # Ten passes carry their opportunities, each a datagram of 1472 octets, but those of the last 31 ms, which are under
    # way, and those of the 100 timed cells.
    packets = 10 * sum(OPPORTUNITIES) - sum(OPPORTUNITIES[-3:]) - OPPORTUNITIES[-4] // 10
    assert results.flows["delivered_bytes"][0] == pytest.approx(packets * 1472, abs=5 * 1472)


def test_the_delays_are_those_of_the_file(cli: Command, tmp_path: Path) -> None:
    recorded(tmp_path)
    line = converted(cli, "bw_1.txt", "delay_1.txt", "--only", "delay", "--out", "line.csv")
    results = run(tmp_path, f'{line}, rate = "100 Mbit/s"', flow="")
    timed = results.tables["cell_delays"]
    # Cells leave every 20 ms: at 0, 20, ... 180 ms of the file. No cell waits for another: 20 ms is more than any fall.
    seen = np.sort([DELAYS[at] for at in range(0, 20, 2)]) * 1e-3
    cell = 424 / 100e6
    assert timed["delay_min_s"][0] == pytest.approx(seen[0] + cell, abs=1e-6)
    assert timed["delay_max_s"][0] == pytest.approx(seen[-1] + cell, abs=1e-6)
    assert timed["delay_mean_s"][0] == pytest.approx(seen.mean() + cell, rel=0.01)


def test_bins_of_a_trace_carry_what_its_opportunities_do(cli: Command, tmp_path: Path) -> None:
    recorded(tmp_path)
    line = converted(cli, "bw_1.txt", "--from", "mahimahi", "--out", "line.csv")
    binned = run(tmp_path, f'{line}, delay = "5 ms"').flows["delivered_bytes"][0]
    exact = run(tmp_path, 'rate = { process = "mahimahi", file = "bw_1.txt" }, delay = "5 ms"')
    assert binned == pytest.approx(exact.flows["delivered_bytes"][0], rel=0.01)


def test_a_trace_made_from_a_line_has_the_rate_of_the_line(cli: Command, tmp_path: Path) -> None:
    """Every format on the way: what arrives is what the first one says."""
    (tmp_path / "first.csv").write_text("time_s,ip_rate_mbps,rtt_ms\n0,12,40\n1,6,60\n")
    converted(cli, "first.csv", "--end", "2 s", "--to", "tc", "--out", "line.sh")
    converted(cli, "line.sh", "--to", "netem-trace", "--out", "rate.json", "--out", "delay.json")
    converted(cli, "rate.json", "delay.json", "--to", "leo", "--out", "bw_2.txt", "--out", "delay_2.txt")
    line = converted(cli, "bw_2.txt", "delay_2.txt", "--bin", "100 ms", "--out", "line.csv")
    assert (tmp_path / "line.csv").read_text() == "time_s,rate_bps,delay_ms\n0,13568000,20\n1,6784000,30\n"
    results = run(tmp_path, line)
    # 1000 and 500 packets of 1500 octets, but those that are under way at the end: 30 ms of the second rate.
    packets = 1500 - 15
    assert results.flows["delivered_bytes"][0] == pytest.approx(packets * 1472, rel=0.002)


def test_losses_of_packets_are_those_of_the_recording(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "first.csv").write_text("time_s,rate_mbps,packet_loss_percent\n0,40,2\n")
    line = converted(cli, "first.csv", "--out", "line.csv")
    flow = FLOW.replace("40 Mbit/s", "20 Mbit/s")
    flows = run(tmp_path, f'{line}, delay = "1 ms"', flow).flows
    # Three standard deviations of 3334 trials.
    assert 1 - flows["delay_samples"][0] / flows["segments_sent"][0] == pytest.approx(0.02, abs=0.0075)
