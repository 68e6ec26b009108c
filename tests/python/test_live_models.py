"""Each model of a line acts on real packets."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import celltrain
import pytest
from celltrain.live import open_line
from conftest import REPOSITORY, Command
from live_lines import LINE, PACKETS, SENDER, burst, need_hosts, python
from networks import both_ways, each_way, row

#: Two hosts and a switch, in front of which a policer can stand.
SWITCHED = row(
    "home unit office",
    both_ways("drop", delay="0 s"),
    each_way("up", {"rate": "1 Mbit/s", "buffer": "3000 cells", "delay": "5 ms"}, "down", {"delay": "5 ms"}),
    measure={"duration": "4 s"},
    vcs={"vc": {"encapsulation": "vc-mux"}},
)
#: Another VC, which shares the line.
VOICE = {
    "vcs": {"voice": {"route": ["home", "unit", "office"], "forward": {"service": "cbr", "pcr": "500 kbit/s"}}},
    "backgrounds": {"voice": {"vc": "voice", "traffic": {"process": "cbr", "rate": "500 kbit/s"}}},
}
#: The time of the packets of a burst behind the first, at 1 Mbit/s.
SPAN_S = (PACKETS - 1) * 32 * 424e-6


@pytest.fixture(scope="module", autouse=True)
def _hosts() -> None:
    need_hosts()


@pytest.mark.parametrize(
    ("model", "cause"),
    [
        ({"links": {"up": {"queue_management": {"algorithm": "codel"}}}}, "queue-management"),
        ({"links": {"up": {"discard": {"policy": "epd", "threshold": "100 cells"}}}}, "early-discard"),
        (
            {"links": {"up": {"buffer": "320 cells", "discard": {"policy": "ppd"}}}},
            "queue-full",
        ),
        (
            {"links": {"up": {"loss": {"process": "gilbert-elliott", "good_to_bad": 0.01, "bad_to_good": 0.1}}}},
            "line-errors",
        ),
        ({"vcs": {"vc": {"police": {"pcr": "500 kbit/s", "cdvt": "100 ms", "action": "discard"}}}}, "policer"),
    ],
    ids=["codel", "epd", "ppd", "bursty-loss", "policing"],
)
def test_what_a_model_drops_is_lost_to_its_cause_and_no_packet_is_unaccounted_for(
    model: dict[str, object], cause: str
) -> None:
    alone = celltrain.Scenario(SWITCHED)
    with open_line(alone.with_changes(model)) as line:
        came, _ = burst(line)
    up = line.summary.up
    assert up.packets_lost_to[cause] > 0
    assert came == up.packets_delivered < PACKETS
    assert up.packets == up.packets_delivered + up.packets_lost + up.packets_inside == PACKETS
    assert up.packets_lost == sum(up.packets_lost_to.values())
    assert up.kernel_drops == 0


def test_traffic_of_higher_priority_takes_its_half_of_the_line() -> None:
    shared = celltrain.Scenario(SWITCHED).with_changes(VOICE).with_value("links.up.scheduling", "priority")
    with open_line(shared, vc="vc") as line:
        _, span = burst(line)
    assert span == pytest.approx(2 * SPAN_S, rel=0.05)


def test_a_rate_that_goes_up_and_down_is_felt() -> None:
    # 1.25 Mbit/s on average.
    rates = [{"at": "0 s", "rate": "2 Mbit/s"}, {"at": "25 ms", "rate": "0.5 Mbit/s"}]
    rate = {"process": "list", "rates": rates, "repeat": "50 ms"}
    varying = celltrain.Scenario.from_toml(LINE).with_value("links.up.rate", rate)
    with open_line(varying) as line:
        came, span = burst(line)
    assert came == PACKETS
    assert span == pytest.approx(SPAN_S / 1.25, abs=0.05)


def test_packets_that_never_left_are_inside(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    slow = celltrain.Scenario.from_toml(LINE).with_value("links.up.rate", "100 kbit/s")
    with open_line(slow, log=tmp_path) as line:
        assert python(line, "client", SENDER).returncode == 0
        # A packet takes 136 ms.
        time.sleep(0.5)
    up = line.summary.up
    assert up.packets_inside > PACKETS / 2
    assert up.packets == up.packets_delivered + up.packets_inside
    rows = parquet.read_table(tmp_path / "packets.parquet").to_pylist()
    outcomes = [row["outcome"] for row in rows if row["direction"] == "up"]
    assert outcomes.count("inside") == up.packets_inside
    assert outcomes.count("delivered") == up.packets_delivered
    assert all((row["left_s"] is None) == (row["outcome"] != "delivered") for row in rows)


def test_the_summary_of_a_shell_says_what_packets_were_lost_to(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE.replace("3000 cells", "64 cells"))
    sender = [sys.executable, "-c", SENDER]
    done = cli("shell", "line.toml", "--server", f"'{sys.executable}' -c 'import time; time.sleep(9)'", "--", *sender)
    assert done.returncode == 0, done.stderr
    assert "up: packets lost" in done.stderr
    assert "to full queues" in done.stderr
    assert "still inside" in done.stderr


def upload(vc: str) -> tuple[float, float, float]:
    """Upload over a VC of the example; return the largest queue of the home unit, its drops, and retransmissions."""
    scenario = celltrain.load(REPOSITORY / "examples" / "local-loop.toml")
    command = [sys.executable, "-m", "celltrain.live.bulk"]
    settings = {"port": 5001, "warm_up_s": 1, "end_s": 5, "window": 65535, "files": None}
    argument = json.dumps(settings | {"address": "192.0.2.2"})
    with open_line(scenario, vc=vc) as line:
        receiver = line.popen("server", [*command, "receive", argument], stdout=-1, text=True)
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "ready\n"
        sent = line.run("client", [*command, "send", argument], capture_output=True, text=True)
        assert sent.returncode == 0, sent.stderr
        receiver.communicate(timeout=60)
    result = line.summary.result
    assert result is not None
    rows = {row["link"]: row for row in result.links.rows()}
    lost = line.summary.up.packets_lost_to["queue-full"]
    return float(rows["up"]["queue_max_cells"]), lost, json.loads(sent.stdout)["retransmitted"]


def test_rate_control_at_the_customers_end_moves_the_queue_to_the_host_and_loses_nothing() -> None:
    queue, lost, resent = upload("controlled")
    assert queue < 1024
    assert (lost, resent) == (0, 0)


def test_without_rate_control_the_queue_of_the_home_unit_fills() -> None:
    queue, _, _ = upload("plain")
    # A window of 65,535 octets is 1,440 cells.
    assert queue == 1024
