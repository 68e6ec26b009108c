"""Measurements over a line whose round trip takes seconds: nothing that is on its way is called lost."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from celltrain import Scenario, dbs
from celltrain.dbs.reach import Reach
from celltrain.live import open_line
from celltrain.live.hosts import ADDRESSES
from live_lines import LINE, need_hosts

#: A round trip of 2.6 s without load; the datagrams below add a queue of more than a second.
FAR = LINE.replace('delay = "5 ms"', 'delay = "1.3 s"')

#: A datagram of 1000 octets takes 22 cells of 424 us, hence at most 107 a second pass; of 137 a second the rest waits,
#: and none finds the queue of 3000 cells full.
FLOOD = """
[measure]
interval = "100 ms"
[hosts]
client = { address = "192.0.2.1" }
server = { address = "192.0.2.2" }
[flows.flood]
from = "client"
to = "server"
protocol = "udp"
duration = "4 s"
write = "1000 bytes"
pattern = { every = "7.3 ms" }
[probes.ping]
from = "client"
to = "server"
every = "250 ms"
duration = "4 s"
"""


def rows(result: dbs.Measurement, table: str) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return [dict(row) for row in result.tables[table].rows()]


def measured(line_text: str, plan: str) -> dbs.Measurement:
    """Run a plan between the ends of a line."""
    with open_line(Scenario.from_toml(line_text)) as line:
        daemon = [sys.executable, "-m", "celltrain", "dbs", "daemon", "--stdio", "--address"]
        commands = {end: line.command(end, [*daemon, address]) for end, address in ADDRESSES.items()}
        return dbs.run(dbs.Plan.from_toml(plan), reach=Reach(commands=commands))


@pytest.fixture(scope="module")
def flood() -> dbs.Measurement:
    """Return the measurement of a flow that fills the queue of a long line, and of a probe beside it."""
    need_hosts()
    return measured(FAR, FLOOD)


def test_a_line_that_loses_nothing_loses_nothing_though_its_delay_is_seconds(flood: dbs.Measurement) -> None:
    assert flood.is_complete, rows(flood, "missing")
    (flow,) = rows(flood, "flows")
    assert flow["datagrams_sent"] > 500
    assert (flow["datagrams_lost"], flow["loss_ratio"]) == (0, 0)
    # The last ones came more than 2 s after the flow's end.
    assert flow["delay_max_s"] > 2.2
    late = [row for row in rows(flood, "intervals") if row["time_s"] > 4 + 2 and row["datagrams"] > 0]
    assert late


def test_every_probe_of_a_slow_path_is_awaited(flood: dbs.Measurement) -> None:
    trips = [row["rtt_s"] for row in rows(flood, "latency")]
    assert len(trips) == 16
    assert min(trips) > 2.6
    assert max(trips) > 3.4


def test_flows_and_intervals_count_the_same_losses() -> None:
    need_hosts()
    plan = FLOOD.replace('"4 s"', '"2 s"').replace("7.3 ms", "2 ms")
    result = measured(LINE.replace("3000 cells", "200 cells"), plan)
    assert result.is_complete
    (flow,) = rows(result, "flows")
    intervals = rows(result, "intervals")
    assert sum(row["datagrams_lost"] for row in intervals) == flow["datagrams_lost"]
    assert sum(row["datagrams"] for row in intervals) == flow["datagrams_sent"] - flow["datagrams_lost"]
    assert sum(row["received_bytes"] for row in intervals) == flow["received_bytes"]
    # Of 500 a second at most 107 pass, and those that the queue holds at the end.
    assert flow["loss_ratio"] > 0.75
