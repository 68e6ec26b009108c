"""The study of the field trial: tables as specified, encapsulations, and a correct network."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from celltrain.dbs import simulated
from celltrain.papers import catalog
from celltrain.papers.agreement import Agreement, Measured
from celltrain.papers.outcome import Outcome
from celltrain.papers.paper import Paper
from celltrain.papers.reproduce import Options, run
from celltrain.progress import Progress
from celltrain.scenario import Scenario
from conftest import Command
from study_tables import ADSL_FIELD, outcomes_of


@pytest.fixture(scope="module")
def paper() -> Paper:
    return catalog.paper("adsl-field")


@pytest.fixture(scope="module")
def outcomes() -> Mapping[str, Outcome]:
    return outcomes_of("adsl-field")


def test_configurations_come_in_their_order_and_write_sizes_rising(outcomes: Mapping[str, Outcome]) -> None:
    rows = outcomes["tabB8_1"].rows
    found = [(row["cell_loss_probability"], row["uplink_bps"], row["write_size_bytes"]) for row in rows]
    configurations = [(1e-3, 640e3), (1e-3, 576e3), (1e-3, 384e3), (1e-3, 192e3), (1e-4, 640e3), (1e-4, 384e3)]
    assert found == [(*own, size) for own in configurations for size in (128, 256, 512, 768, 1460, 2048)]


@pytest.mark.parametrize("experiment", ["fig08", "encap", "tab02", "dbs01"])
def test_claims_about_what_has_no_chance_in_it_hold(outcomes: Mapping[str, Outcome], experiment: str) -> None:
    tables = {name: outcome.rows for name, outcome in outcomes.items()}
    verdicts = outcomes[experiment].verdicts(tables)
    assert verdicts
    assert all(verdict.holds for verdict in verdicts)


def encapsulated(outcomes: Mapping[str, Outcome], name: str, octets: int) -> dict[str, Any]:
    (row,) = [row for row in outcomes["encap"].rows if (row["encapsulation"], row["ip_bytes"]) == (name, octets)]
    return dict(row)


@pytest.mark.parametrize(
    ("name", "header", "full", "ack"),
    [
        ("routed-vc-mux", 0, 32, 1),
        ("routed-llc", 8, 32, 2),
        ("bridged-llc", 24, 32, 2),
        ("bridged-llc-fcs", 28, 32, 2),
        ("bridged-vc-mux", 16, 32, 2),
        ("bridged-vc-mux-fcs", 20, 32, 2),
        ("pppoa-vc-mux", 2, 32, 2),
        ("pppoa-llc", 6, 32, 2),
        # 1500 + 32 + 8 octets are just over 32 cells, 1500 + 24 + 8 just under; both are over the MTU.
        ("pppoe-bridged-llc", 32, 33, 2),
        ("pppoe-bridged-vc-mux", 24, 32, 2),
    ],
)
def test_an_encapsulation_takes_the_cells_that_its_standard_says(
    outcomes: Mapping[str, Outcome], name: str, header: int, full: int, ack: int
) -> None:
    row = encapsulated(outcomes, name, 1500)
    assert (row["header_bytes"], row["cells"], encapsulated(outcomes, name, 40)["cells"]) == (header, full, ack)


def test_the_pdu_of_a_write_is_that_of_the_study_s_table(outcomes: Mapping[str, Outcome]) -> None:
    for octets, pdu, pad in [
        (104, 136, 8),
        (168, 200, 40),
        (296, 328, 8),
        (552, 584, 40),
        (808, 840, 24),
        (1500, 1532, 4),
    ]:
        row = encapsulated(outcomes, "bridged-llc", octets)
        assert (row["aal5_pdu_bytes"], row["pad_bytes"]) == (pdu, pad)
        assert row["throughput_bps"] == pytest.approx((octets - 40) * 8 * 992_000 / (424 * row["cells"]))
    # An ACK's frame is padded to 46 octets of payload.
    assert encapsulated(outcomes, "bridged-llc", 40)["aal5_pdu_bytes"] == 78


def test_the_round_trip_of_the_network_is_the_sum_of_the_study_s_table(paper: Paper) -> None:
    point = next(
        point
        for point in paper.points(paper.experiments["tabB4"])
        if (point.axes["uplink_bps"], point.axes["write_size_bytes"]) == (640_000, 1460)
    )
    # One segment at a time, each acknowledged at once.
    tcp = {"window": "1460 bytes", "ack": "each"}
    changes = {
        "measure": {"duration": "12 s"},
        "flows": {"download": {"tcp": tcp, "sockets": {"send_buffer": "9000 bytes"}}},
    }
    result = Scenario(point.scenario, "test").with_changes(changes).run(1)
    # Ethernets 2.46 and 0.13, cells 2.72 down and 1.33 up, hosts 0.4 in the mean, line 6.9 ms.
    assert result.flows["rtt_timed_mean_s"][0] == pytest.approx(13.94e-3, abs=0.04e-3)


def test_points_with_loss_are_run_longer_and_more_often(paper: Paper) -> None:
    found = {
        (
            point.axes["cell_loss_probability"],
            point.scenario["measure"]["duration"],
            paper.head.replications.least_of(point.overlays),
        )
        for point in paper.points(paper.experiments["fig20"])
    }
    assert found == {(1e-3, "62 s", 4), (1e-4, "62 s", 4), (1e-5, "62 s", 4), (1e-7, "32 s", 2), (0, "32 s", 2)}


def test_the_buffer_sets_both_ends(paper: Paper) -> None:
    for point in paper.points(paper.experiments["fig23"]):
        flow = point.scenario["flows"]["download"]
        octets = f"{point.axes['socket_buffer_bytes']} bytes"
        assert (flow["tcp"]["window"], flow["sockets"]["send_buffer"]) == (octets, octets)


def test_what_was_measured_is_found_for_every_open_row(paper: Paper, outcomes: Mapping[str, Outcome]) -> None:
    assert paper.measured is not None
    with (paper.folder / "measured.csv").open() as file:
        published = list(csv.DictReader(file))
    assert len(published) == 205
    for table in {row["table"] for row in published}:
        own = outcomes[f"tab{table.replace('.', '_')}"]
        assert own.agreement is not None
        assert own.agreement.points == sum(row["table"] == table for row in published)


def test_ranks_and_deviations_are_those_of_the_definitions() -> None:
    measured = Measured("bps", ("x",), {(1.0,): 100.0, (2.0,): 100.0, (3.0,): 300.0, (4.0,): 200.0, (9.0,): 1.0})
    ours = [{"x": x, "bps": bps} for x, bps in ((1, 110.0), (2, 90.0), (3, 300.0), (4, 400.0), (5, 7.0))]
    found = Agreement.of(measured, ours)
    assert found is not None
    assert found.points == 4
    assert found.mean_deviation == pytest.approx((0.1 + 0.1 + 0 + 1) / 4)
    assert found.rms_deviation == pytest.approx(math.sqrt((0.01 + 0.01 + 1) / 4))
    # Ranks 1.5, 1.5, 4, 3 and 2, 1, 3, 4: Pearson's correlation of 3.5 / sqrt(4.5 * 5).
    assert found.rank_correlation == pytest.approx(3.5 / math.sqrt(4.5 * 5))
    assert Agreement.of(measured, [{"x": 5, "bps": 1.0}, {"y": 1, "bps": 1.0}]) is None


def test_a_plan_that_asks_for_what_is_not_simulated_is_refused() -> None:
    changes: list[tuple[dict[str, Any], str]] = [
        ({"both_ways": True}, "flows.f.both_ways: not simulated"),
        ({"socket": {"congestion_control": "cubic"}}, "flows.f.socket.congestion_control: not simulated"),
        ({"from": ["a", "b"]}, "flows.f.from: expected one of the hosts a, b, found"),
        ({"pattern": {"rate": "1 Mbit/s"}}, "flows.f.pattern: connections are greedy"),
        ({"protocol": "udp", "pattern": {"rate": "1 Mbit/s"}}, "flows.f.pattern: expected { every"),
        ({"protocol": "udp", "pattern": {"every": "20 sec"}}, "flows.f.pattern.every: expected a time such as"),
    ]
    for change, message in changes:
        with pytest.raises(ValueError, match=r"^flows\.f\.") as error:
            simulated.flows({"hosts": {"a": {}, "b": {}}, "flows": {"f": {"from": "a", "to": "b", **change}}})
        assert message in str(error.value)


def test_the_command_prints_and_writes_how_well_a_table_agrees(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", "adsl-field/fig18", "--out", "out", "--check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "simulated against 3 published values: " in done.stdout
    folder = tmp_path / "out" / "adsl-field"
    rows = list(csv.DictReader((folder / "fig18.csv").read_text().splitlines()))
    assert list(rows[0]) == ADSL_FIELD["fig18"][0].split(",")
    beside = list(csv.DictReader((folder / "fig18.measured.csv").read_text().splitlines()))
    assert [float(row["measured_throughput_bps"]) for row in beside] == [3494100, 3495000, 3251100]
    agreement = json.loads((folder / "fig18.provenance.json").read_text())["agreement"]
    assert agreement["points"] == 3
    assert agreement["mean_deviation"] < 0.05


def test_loss_free_rows_agree_within_the_accuracy_of_the_specification(paper: Paper) -> None:
    names = ["tabB4", "tabB6", "tabB8"]
    assert paper.measured is not None
    for outcome in run(paper, [paper.experiments[name] for name in names], Options(), Progress()):
        deviations = [abs(row["deviation"]) for row in paper.measured.beside(outcome.rows)]
        assert sum(deviations) / len(deviations) < 0.065, outcome.experiment.id
        assert sum(deviation < 0.15 for deviation in deviations) / len(deviations) > 0.8, outcome.experiment.id
