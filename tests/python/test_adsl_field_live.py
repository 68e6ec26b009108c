"""The field trial in real time: its points, its tables, and the message on a machine that cannot run it."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from celltrain import dbs
from celltrain.dbs.reach import Reach
from celltrain.live import Refused, open_line
from celltrain.live.hosts import ADDRESSES
from celltrain.papers import catalog
from celltrain.papers.live import choice
from celltrain.papers.live.records import Records
from celltrain.papers.live.reproduce import require_hosts, seconds_needed
from celltrain.papers.live.study import Study, read_study
from celltrain.papers.live.trial import Measured, Trial
from celltrain.papers.reproduce import Options
from conftest import Command
from pyarrow import parquet

COLUMNS = [
    *("downlink_bps", "uplink_bps", "write_size_bytes", "cell_loss_probability", "added_delay_s"),
    *("socket_buffer_bytes", "ack_grid_s", "throughput_bps"),
]
MEASURED = Measured(3.5e6, 0, 0, 0.015, 5e-5, 1e-3, degraded=False, realtime_problem=None, kernels={})


@pytest.fixture(scope="module")
def study() -> Study:
    return read_study(catalog.paper("adsl-field"))


@pytest.fixture
def _hosts(study: Study) -> None:
    """Skip if the system does not allow it; CI counts skips."""
    try:
        require_hosts(study)
    except Refused as refusal:
        pytest.skip(f"NO LIVE TESTS: {refusal}")


def trial(study: Study, experiment: str, number: int = 0) -> Trial:
    return study.trials(study.experiments[experiment])[number][1]


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_every_live_experiment_has_the_points_of_the_study(study: Study) -> None:
    points = {name: [axes for axes, _ in study.trials(each)] for name, each in study.experiments.items()}
    counts = {name: len(rows) for name, rows in points.items()}
    live = ("fig16-live", "fig18-live", "fig20-live", "fig21-live", "fig22-live", "fig23-live")
    assert counts == dict(zip(live, (24, 4, 4, 6, 5, 2), strict=True))
    assert all(experiment.columns == tuple(COLUMNS) for experiment in study.experiments.values())
    assert {axes["downlink_bps"] for name in live[1:] for axes in points[name]} == {4992000}
    without_grid = [axes for rows in points.values() for axes in rows if axes["ack_grid_s"] == 0]
    assert {axes["write_size_bytes"] for axes in without_grid} == {1460}
    assert len(without_grid) == 6


def test_a_trial_is_what_the_point_says(study: Study) -> None:
    # 4992/640, a cell loss of 1e-3 and 4 ms of delay.
    axes, lossy = study.trials(study.experiments["fig22-live"])[3]
    assert (axes["cell_loss_probability"], axes["added_delay_s"]) == (0.001, 0.004)
    line, flow = lossy.scenario.data["links"], lossy.plan.data["flows"]["download"]
    assert line["atm_down"]["loss"]["probability"] == 0.001
    assert line["atm_down"]["delay"] == "0.004 s"
    # 6 ms of fixed latency for both directions, and none for simulated hosts.
    assert (line["line_down"]["delay"], line["line_up"]["delay"]) == ("3 ms", "3 ms")
    assert {host["processing"]["uniform"][1] for host in lossy.scenario.data["hosts"].values()} == {"0 s"}
    assert (flow["write"], flow["duration"], flow["socket"]["nagle"]) == ("1460 bytes", "16 s", False)
    assert {flow["socket"][name] for name in ("send_buffer", "receive_buffer")} == {"9000 bytes"}
    assert lossy.ack_grid_s == 0.01
    assert trial(study, "fig23-live", 1).plan.data["flows"]["download"]["socket"]["send_buffer"] == "32000 bytes"


def test_all_live_experiments_take_less_than_a_quarter_of_an_hour(study: Study) -> None:
    assert seconds_needed(study, list(study.experiments.values()), Options()) < 15 * 60


def test_a_measurement_is_taken_for_the_same_trial_only(study: Study, tmp_path: Path) -> None:
    records = Records(tmp_path)
    one, other = trial(study, "fig18-live", 0), trial(study, "fig18-live", 1)
    records.keep(one, MEASURED)
    assert records.find(one) == MEASURED
    assert records.find(other) is None
    assert records.find(dataclasses.replace(one, ack_grid_s=0.0)) is None


def test_a_point_of_a_line_that_did_not_keep_its_time_is_measured_again(study: Study, tmp_path: Path) -> None:
    records = Records(tmp_path)
    one = trial(study, "fig18-live")
    records.keep(one, dataclasses.replace(MEASURED, degraded=True))
    assert records.find(one) is None


def test_a_damaged_measurement_is_named(study: Study, tmp_path: Path) -> None:
    records = Records(tmp_path)
    one = trial(study, "fig18-live")
    records.keep(one, MEASURED)
    (file,) = tmp_path.iterdir()
    file.write_text('{"throughput_bps": 1}')
    with pytest.raises(ValueError, match=file.name):
        records.find(one)


def test_experiments_are_chosen_by_paper_or_one_by_one() -> None:
    ((_, all_of_it),) = choice.chosen(["adsl-field"])
    ((_, one),) = choice.chosen(["adsl-field/fig18-live", "adsl-field/fig18-live"])
    assert len(all_of_it) == 6
    assert [experiment.id for experiment in one] == ["fig18-live"]


@pytest.mark.parametrize(
    ("selection", "says"),
    [
        ("adsl-abr", "adsl-abr has no live experiments; there are those of adsl-field"),
        ("adsl-field/fig18", "no live experiment 'fig18' in adsl-field; did you mean 'fig18-live'?"),
    ],
)
def test_a_wrong_choice_says_what_there_is(selection: str, says: str) -> None:
    with pytest.raises(KeyError) as refusal:
        choice.chosen([selection])
    assert refusal.value.args == (says,)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["adsl-field/fig18-live"], "adsl-field/fig18-live runs in real time: add --live"),
        (["adsl-field", "--live", "--replications", "2"], "without --all, --replications, --set and --point"),
    ],
)
def test_options_that_do_not_fit_are_refused(cli: Command, tmp_path: Path, arguments: list[str], says: str) -> None:
    done = cli("reproduce", *arguments, "--out", "out")
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="NO TEST OF REFUSAL: hiding TUN takes root")
@pytest.mark.usefixtures("_hosts")
def test_a_machine_that_cannot_run_it_says_why_and_writes_nothing(tmp_path: Path) -> None:
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /dev/net && exec "$@"', "sh"]
    reproduce = [sys.executable, "-m", "celltrain", "reproduce", "adsl-field", "--live", "--out", "out"]
    done = subprocess.run([*hidden, *reproduce], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2, done.stderr
    assert "there is no /dev/net/tun" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def folder(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the output of a quick live run of one experiment."""
    try:
        require_hosts(study)
    except Refused as refusal:
        pytest.skip(f"NO LIVE TESTS: {refusal}")
    target = tmp_path_factory.mktemp("live")
    done = live_run(target)
    assert done.returncode == 0, done.stderr
    assert "2 runs in" in done.stderr
    return target


def live_run(target: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "celltrain",
        "reproduce",
        "adsl-field/fig23-live",
        "--live",
        "--quick",
        "--out",
        ".",
    ]
    return subprocess.run(command, cwd=target, capture_output=True, text=True, timeout=100, check=False)


def test_a_quick_live_run_writes_the_named_columns_and_its_extent(folder: Path) -> None:
    rows = table(folder / "adsl-field" / "fig23-live.csv")
    assert [list(row) for row in rows] == [[*COLUMNS, "extent"]] * 2
    assert [row["socket_buffer_bytes"] for row in rows] == ["9000", "32000"]
    # 32,000 octets fill the line: 1460 of the 1696 octets of 32 cells are data.
    full = 4_992_000 * 1460 / 1696
    assert 0.5 * full < float(rows[1]["throughput_bps"]) <= 1.02 * full


def test_a_live_run_shows_what_was_published_simulated_and_measured(folder: Path) -> None:
    small, large = table(folder / "adsl-field" / "fig23-live.comparison.csv")
    # Table B4 has 3494.1 kbit/s; no open table has large buffers.
    assert (small["published_bps"], large["published_bps"]) == ("3494100", "")
    assert 3e6 < float(small["simulated_bps"]) < 4e6
    assert float(small["live_bps"]) == float(table(folder / "adsl-field" / "fig23-live.csv")[0]["throughput_bps"])
    assert small["degraded"] in ("0", "1")
    assert 0 < float(small["lateness_p95_s"]) < 1


def test_the_provenance_of_a_live_run_has_the_kernel_and_its_settings(folder: Path) -> None:
    provenance = json.loads((folder / "adsl-field" / "fig23-live.provenance.json").read_text())
    assert provenance["clock"] == "wall"
    kernels = provenance["kernels"]
    assert kernels["kernel"] == os.uname().release
    for host in kernels["hosts"].values():
        assert host["congestion"] == "reno"
        assert host["route_metrics"]["initcwnd"] == 1
        assert set(host["offloads_off"]) == {"tso", "gso", "gro"}
        off = ("timestamps", "sack", "dsack", "recovery", "early_retrans", "ecn")
        assert {host["sysctls"][f"net.ipv4.tcp_{name}"] for name in off} == {"0"}
        assert host["sysctls"]["net.ipv4.tcp_no_metrics_save"] == "1"


def test_a_live_run_that_is_given_again_measures_nothing_again(folder: Path) -> None:
    before = table(folder / "adsl-field" / "fig23-live.comparison.csv")
    done = live_run(folder)
    assert done.returncode == 0, done.stderr
    degraded = sum(row["degraded"] == "1" for row in before)
    assert f"{degraded} runs in" in done.stderr
    assert f"{2 - degraded} taken from the folder" in done.stderr


@pytest.mark.usefixtures("_hosts")
def test_daemons_go_before_ordinary_programs_where_the_line_does(study: Study) -> None:
    point = trial(study, "fig18-live")
    look = [sys.executable, "-c", "import os; print(os.sched_getscheduler(0))"]

    def policy(*, realtime: bool) -> tuple[str, bool]:
        with open_line(point.scenario, vc=point.vc, client=point.client, realtime=realtime) as line:
            command = line.prompt_command("client", look)
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        return done.stdout.strip(), line.realtime_problem is None

    found, allowed = policy(realtime=True)
    assert found == str(os.SCHED_FIFO if allowed else os.SCHED_OTHER)
    assert policy(realtime=False) == (str(os.SCHED_OTHER), True)


@pytest.mark.usefixtures("_hosts")
def test_data_go_over_a_fresh_connection_although_daemons_greet_first(study: Study, tmp_path: Path) -> None:
    """A window of 9000 octets is six whole segments: none is split at its end."""
    point = trial(study, "fig18-live")
    plan = point.plan.data
    plan["measure"]["warm_up"], plan["flows"]["download"]["duration"] = "0 s", "1 s"
    log = tmp_path / "log"
    with open_line(point.scenario, vc=point.vc, client=point.client, settings=point.kernels, log=log) as line:
        daemon = [sys.executable, "-m", "celltrain", "dbs", "daemon", "--stdio", "--address"]
        commands = {end: line.command(end, [*daemon, address]) for end, address in ADDRESSES.items()}
        assert dbs.run(dbs.Plan(plan), reach=Reach(commands=commands)).is_complete
    packets = parquet.read_table(log / "packets.parquet").to_pylist()
    down = [packet["bytes"] for packet in packets if packet["direction"] == "down"]
    first = down.index(1500)
    # Before the data: SYN and ACK of both connections, the greeting, the end of the first. Then only data, in
    # whole segments; at the end a FIN and a reset.
    assert len(down) > 100
    assert set(down[first:-3]) == {1500}
    assert down[:first].count(40 + 30) == 1
