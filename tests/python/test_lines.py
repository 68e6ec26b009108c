"""The lines that ship with celltrain: taken by name, and each with the rate and the round trip of its sources."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import celltrain
import pytest
from celltrain.ready_lines import lines, over_time
from conftest import Command

NAMES = [*lines()]
#: For each line the octets on the line of a packet of 1500 octets (of 1492 with PPPoE), by its framing.
FRAMES = {
    "vdsl2-17a": (1492, 1546),
    "docsis-3.1": (1500, 1518),
    "gpon": (1500, 1523),
    "lte": (1500, 1500),
    "5g": (1500, 1500),
    "starlink": (1500, 1500),
    "geo": (1500, 1500),
    "wifi-6": (1500, 1538),
    # 1500 octets, 2 of PPP and 8 of the trailer fill 32 cells of 48.
    "adsl2plus": (1500, 32 * 53),
}
#: Mean rates of the line in Mbit/s, down and up, as its sources say them, and the relative error that the sample has.
RATES = {
    "vdsl2-17a": (70, 30, 1e-9),
    "docsis-3.1": (200, 20, 1e-3),
    "gpon": (300, 150, 1e-9),
    # 900 s are 11 250 coherence times of 80 ms, and the deviation of a rate is 60 % of it: an error of 0.8 %.
    "lte": (13, 6, 0.03),
    "5g": (100, 50, 0.03),
    # Uniform on 25 to 220 and on 5 to 20, less an outage of 100 ms in 15 s; 60 draws have errors of 5.9 % and 4.5 %.
    "starlink": (122.5 * 14.9 / 15, 12.5 * 14.9 / 15, 0.2),
    "geo": (25, 3, 1e-9),
    # 225 000 gaps of 2 ms: the part of bursts is 1/2.
    "wifi-6": (216.2, 216.2, 0.01),
}
#: Means of round trips in ms of a packet of 64 octets on an idle line: the least and the most, without transmission.
ROUND_TRIPS = {
    # 1.2 ms each way, and an interleaver of S * D / 4: 8 ms up with S = 1, 4 ms down with S = 1/2. Two cells take 1 ms.
    "adsl2plus": (14.4, 14.5),
    "vdsl2-17a": (18, 18),
    # Until the next grant nothing in a fifth of all cases, else 0 to 1.6 ms: 0.64 ms.
    "docsis-3.1": (15.6, 15.7),
    # Half of the most that a grant takes; of 730 packets the errors are 0.01, 0.09 and 0.02 ms.
    "gpon": (4.66, 4.74),
    "lte": (65.7, 66.3),
    "5g": (20.9, 21.1),
    "starlink": (25, 60),
    "geo": (558, 558),
    # Each way 1 ms, and in half of all cases the rest of a gap, of 2 ms on average.
    "wifi-6": (3.6, 4.4),
}


def with_packets(name: str, flows: dict[str, Any], seconds: int) -> celltrain.Scenario:
    """Return a line with other flows, whose packets are not of TCP."""
    data = json.loads(celltrain.load(name).as_written())
    data["measure"] = {"duration": f"{seconds} s"}
    del data["probes"]
    return celltrain.Scenario(data | {"flows": flows})


def udp(octets: int, rate: str, direction: str) -> dict[str, Any]:
    """Return a flow of packets at a constant rate."""
    traffic = {"process": "cbr", "rate": rate}
    return {"vc": "line", "direction": direction, "udp": {"packet": f"{octets} bytes", "traffic": traffic}}


@pytest.mark.parametrize("name", NAMES)
def test_a_line_validates_runs_and_agrees_on_both_engines(name: str) -> None:
    line = celltrain.load(name).with_value("measure.duration", "2 s")
    assert line.warnings == []
    assert line.verify(seed=3).flows["delivered_bytes"][0] > 0


@pytest.mark.parametrize("name", NAMES)
def test_ten_seconds_of_too_many_packets_carry_what_the_line_has(name: str) -> None:
    packet, frame = FRAMES[name]
    for link, direction in (("down", "backward"), ("up", "forward")):
        line = with_packets(name, {"load": udp(packet, "1 Mbit/s", direction)}, 10)
        rate = over_time(line, 10)[link].rate_bps.mean()
        line = with_packets(name, {"load": udp(packet, f"{2 * rate / 1e6:.3f} Mbit/s", direction)}, 10)
        carried = line.run().flows["throughput_bps"][0]
        # Throughput is that of the payload of UDP. What is on its way at the end, for up to 279 ms, is not there yet.
        delay = over_time(line, 10)[link].delay_s.max()
        expected = rate * (packet - 28) / frame * (1 - delay / 10)
        assert carried == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("name", RATES)
def test_the_mean_rates_are_those_of_the_sources(name: str) -> None:
    found = over_time(celltrain.load(name), 900)
    *expected, error = RATES[name]
    for link, mbps in zip(("down", "up"), expected, strict=True):
        assert found[link].rate_bps.mean() == pytest.approx(mbps * 1e6, rel=error)


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_an_idle_line_has_the_round_trip_of_its_sources(name: str) -> None:
    # Every 13.7 ms: 1.7 ms after the last grant but one, so that packets come at 20 places of the cycle of grants.
    flows = {way: udp(64, f"{64 * 8 / 0.0137:.1f} bit/s", way) for way in ("forward", "backward")}
    result = with_packets(name, flows, 10).run()
    delay = 1e3 * sum(result.flows["delay_mean_s"])
    least, most = ROUND_TRIPS[name]
    # Two transmissions of a short packet take less than 1 ms, on the slowest of these lines.
    assert least <= delay <= most + 1


def test_the_rate_of_adsl2plus_is_steady_and_below_that_of_the_standard() -> None:
    down = over_time(celltrain.load("adsl2plus"), 1)["down"].rate_bps
    # G.992.5 reaches 24 Mbit/s on a short loop; on 2 km of 0.5 mm, beside ten lines like it, more than half remains.
    assert 12e6 < down.min() == down.max() < 24e6


def test_the_delay_of_a_hand_over_is_that_of_the_run() -> None:
    line = celltrain.load("starlink").with_value("links.down.jitter.each", "0 s")
    delays = over_time(line, 60)["down"].delay_s
    slots = [set(delays[start : start + 150].round(9)) for start in range(0, 600, 150)]
    assert [len(slot) for slot in slots] == [1, 1, 1, 1]
    assert len(set.union(*slots)) == 4
    flows = {"probe": udp(64, "5120 bit/s", "backward")}
    data = json.loads(with_packets("starlink", flows, 14).as_written())
    data["links"]["down"]["jitter"]["each"] = "0 s"
    found = celltrain.Scenario(data).run().flows["delay_mean_s"][0]
    # A packet of 64 octets takes at most 20 us.
    assert found == pytest.approx(delays[0], abs=2.1e-5)


# ---- by name


def test_the_list_has_each_line_in_80_columns_and_as_json(cli: Command) -> None:
    rows = cli("lines").stdout.splitlines()[2:]
    assert [row.split()[0] for row in rows] == NAMES
    assert max(map(len, rows)) <= 80
    assert [row["name"] for row in json.loads(cli("lines", "--json").stdout)] == NAMES
    assert set(NAMES) == {
        "adsl2plus", "vdsl2-17a", "docsis-3.1", "gpon", "lte", "5g", "starlink", "geo", "wifi-6",
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_line_says_where_it_is_from_and_what_is_assumed(name: str, cli: Command) -> None:
    text = cli("lines", "show", name).stdout
    assert text == lines()[name].text
    comment = text.partition("[measure]")[0]
    assert "# From the " in comment
    assert "# Assumed: " in comment
    assert "client ---" in comment


def test_commands_take_a_line_by_its_name_and_a_file_of_that_name_first(cli: Command, tmp_path: Path) -> None:
    assert cli("validate", "geo", "docsis-3.1").returncode == 0
    assert cli("show", "lte").returncode == 0
    done = cli("sweep", "docsis-3.1", "--set", "measure.duration=500 ms,600 ms", "--replications", "1")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "results" / "docsis-3.1" / "sweep.toml").is_file()
    (tmp_path / "geo").write_text(lines()["geo"].text.replace("279 ms", "2 ms"))
    done = cli("run", "geo", "--set", "measure.duration=1 s", "--json")
    assert json.loads(done.stdout)["tables"]["flows"][0]["rtt_mean_s"] < 0.5


def test_an_unknown_name_has_the_nearest(cli: Command) -> None:
    for command in (("run", "starlnk"), ("lines", "show", "starlnk"), ("validate", "starlnk"), ("shell", "starlnk")):
        done = cli(*command)
        assert done.returncode == 2
        assert "starlink" in done.stderr + done.stdout
        assert "Traceback" not in done.stderr


def test_a_plot_has_both_directions(cli: Command, tmp_path: Path) -> None:
    assert cli("lines", "plot", "starlink", "--out", "a.svg", "--duration", "30 s").returncode == 0
    drawn = (tmp_path / "a.svg").read_text()
    assert all(word in drawn for word in ("down", "up", "Mbit/s", "delay", "time [s]"))
    assert cli("lines", "show", "lte", "--out", "my.toml").returncode == 0
    assert cli("lines", "plot", "my.toml", "--out", "b.png").returncode == 0
    for wrong in (("--out", "a.txt"), ("--out", "a.svg", "--duration", "0 s"), ("--out", "a.svg", "--duration", "x")):
        assert cli("lines", "plot", "lte", *wrong).returncode == 2
