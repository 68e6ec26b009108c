"""Mahimahi traces on lines in real time, and traces made from lines."""

from __future__ import annotations

from pathlib import Path

import celltrain
import pytest
from celltrain.live import open_line
from celltrain.live.traces import plain, with_traces
from conftest import Command
from live_lines import LINE, PACKETS, burst, need_hosts

#: A packet of 1500 octets, cell headers and trailer included.
PACKET_BITS = 32 * 424


def test_delivery_traces_make_a_line_without_a_scenario(cli: Command, tmp_path: Path) -> None:
    need_hosts()
    # An opportunity for 1500 octets a millisecond is 12 Mbit/s.
    (tmp_path / "trace").write_text("".join(f"{ms}\n" for ms in range(1, 101)))
    done = cli("shell", "--uplink", "trace", "--downlink", "trace", "--", "true")
    assert done.returncode == 0, done.stderr
    assert "up     12 Mbit/s on average in packets of 1500 octets" in done.stderr


def test_packets_leave_at_the_opportunities_of_a_trace(tmp_path: Path) -> None:
    need_hosts()
    parquet = pytest.importorskip("pyarrow.parquet")
    trace = tmp_path / "trace"
    trace.write_text("7\n7\n20\n")
    network = with_traces(plain(), trace, trace)
    with open_line(network, log=tmp_path / "log") as line:
        came, _ = burst(line)
    assert came == PACKETS
    rows = parquet.read_table(tmp_path / "log" / "packets.parquet").to_pylist()
    due = [1e3 * row["due_s"] for row in rows if row["direction"] == "up"]
    # Two at 7 ms of each 20 ms, the first 100 ns before the second, and one at the end.
    phases = [round(at % 20, 3) for at in due]
    assert set(phases) <= {7.0, 20.0, 0.0}
    passes = sorted({int(at / 20 - 1e-6) for at in due})
    assert passes == list(range(passes[0], passes[-1] + 1))
    for whole in passes[1:-1]:
        assert [round(at - 20 * whole) for at in due if int(at / 20 - 1e-6) == whole] == [7, 7, 20]


def test_a_trace_of_a_constant_rate_has_its_opportunities_evenly(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE)
    rate = f"links.down.rate={PACKET_BITS // 2} kbit/s"
    done = cli("trace", "line.toml", "down", "--set", rate, "--duration", "10 ms")
    assert done.stdout.split() == ["2", "4", "6", "8", "10"]
    wrong = cli("trace", "line.toml", "nowhere")
    assert wrong.returncode == 2
    assert "up, down" in wrong.stderr


def test_a_trace_made_of_a_varying_line_carries_as_many_packets_as_the_line(cli: Command, tmp_path: Path) -> None:
    packets = 'udp = { packet = "1500 bytes", traffic = { process = "cbr", rate = "20 Mbit/s" } }'
    base = LINE.replace('tcp = { preset = "plain", variant = "cubic", mss = "1460 bytes" }', packets)

    def write(name: str, rate: str) -> Path:
        path = tmp_path / name
        # Packets without room are refused completely, or no packet would arrive.
        discard = 'discard = { policy = "epd", threshold = "2000 cells" }'
        path.write_text(base.replace('rate = "1 Mbit/s"', f"rate = {{ {rate} }}\n{discard}"))
        return path

    varying = write("line.toml", 'process = "uniform", low = "1 Mbit/s", high = "9 Mbit/s", every = "50 ms"')
    done = cli("trace", varying, "up", "--duration", "4 s", "--seed", "3", "--out", "up.trace")
    assert done.returncode == 0, done.stderr
    replayed = write("replayed.toml", 'process = "mahimahi", file = "up.trace"')
    before, after = (celltrain.load(path).run(3).flows["delivered_bytes"][0] for path in (varying, replayed))
    # Opportunities come up to a millisecond after the line would have carried the packet.
    assert after == pytest.approx(before, abs=3 * 1472)
    again = cli("trace", replayed, "up", "--duration", "4 s")
    assert again.stdout == (tmp_path / "up.trace").read_text()


def test_what_reckons_with_a_rate_is_refused_on_a_line_of_opportunities(cli: Command, tmp_path: Path) -> None:
    rate = 'rate = { process = "mahimahi", trace = "5\\n" }\nqueue_management = { algorithm = "pie" }'
    (tmp_path / "line.toml").write_text(LINE.replace('rate = "1 Mbit/s"', rate))
    done = cli("run", "line.toml")
    assert done.returncode == 2
    assert "links.up.queue_management" in done.stderr
    assert 'rate.bin = "10 ms"' in " ".join(done.stderr.split())
