"""Simulated TCP and the kernel's TCP on the same line: structure, not figures, on a machine that may be busy."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import celltrain
import pytest
from celltrain.live.parity import Comparison, parity
from conftest import Command
from live_lines import LINE, need_hosts

#: Another VC with a downstream flow, and one that kernels cannot take over.
OTHERS = """
[vcs.back]
route = ["home", "office"]
encapsulation = "vc-mux"
[flows.download]
vc = "back"
direction = "backward"
tcp = { variant = "newreno", mss = "1460 bytes" }
[vcs.voice]
route = ["home", "office"]
[flows.probe]
vc = "voice"
udp = { packet = "100 bytes", traffic = { process = "cbr", rate = "8 kbit/s" } }
"""
SHORT = ("--set", "measure.warm_up='0.3 s'", "--set", "measure.duration='1.3 s'")


@pytest.fixture(scope="module", autouse=True)
def _hosts() -> None:
    need_hosts()


def table(file: Path) -> list[dict[str, str]]:
    """Read a CSV file."""
    return list(csv.DictReader(file.read_text().splitlines()))


def value(comparison: Comparison, subject: str, quantity: str) -> tuple[float, float]:
    """Return a quantity of the first run on both sides, whether the run counts or not."""
    found = {(name[0], name[1]): (simulated, kernel) for name, simulated, kernel in comparison.runs[0].values()}
    return found[subject, quantity]


def test_each_vc_is_run_and_every_run_is_kept(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE + OTHERS)
    done = cli("parity", "line.toml", *SHORT, "--repeat", "2", "--out", "out", "--plot")
    assert done.returncode == 0, done.stderr
    assert "run 4 of 4: VC back, seed 2" in done.stderr
    assert "of 4 runs are valid" in done.stderr
    assert "not compared: VC voice: flows.probe sends UDP" in " ".join(done.stderr.split())
    # Two runs show nothing, whatever they are.
    assert "agrees" not in done.stdout
    assert "VC vc: nothing is shown by" in done.stderr
    out = tmp_path / "out"
    for vc, flow in (("vc", "upload"), ("back", "download")):
        assert (out / f"{vc}.svg").exists()
        assert (out / f"{vc}.png").read_bytes().startswith(b"\x89PNG")
        for number in (1, 2):
            place = out / "runs" / vc / f"{number}"
            assert json.loads((place / "run.json").read_text())["seed"] == number
            assert json.loads((place / "simulated" / "provenance.json").read_text())["seed"] == number
            assert (place / "simulated" / "parity.csv").exists()
            summary = json.loads((place / "kernel" / "summary.json").read_text())
            assert summary["provenance"]["vc"] == vc
            header, first = (place / "kernel" / f"flows.{flow}.csv").read_text().splitlines()[:2]
            assert header == "time_s,srtt_s,cwnd_bytes"
            assert 0.3 <= float(first.split(",")[0]) < 1.3
            queues = table(place / "kernel" / "queues.csv")
            # Every 10 ms from the line's time zero to the end of the run, or a little longer.
            assert [float(row["time_s"]) for row in queues[:3]] == pytest.approx([0.0, 0.01, 0.02])
            assert float(queues[-1]["time_s"]) >= 1.25
    rows = table(out / "comparison.csv")
    assert {row["verdict"] for row in rows} == {"not shown", "no target"}
    assert {(row["vc"], row["quantity"]) for row in rows} >= {
        (vc, q) for vc in ("vc", "back") for q in ("cwnd", "queue")
    }
    told = json.loads((out / "comparison.json").read_text())
    assert len(told["runs"]) == 4
    assert set(told["provenance"]["targets"]) >= {"goodput", "cwnd", "queue", "retransmitted"}
    assert (out / "runs.csv").read_text().count("\n") == 5


def test_json_is_all_that_stdout_holds_and_one_vc_can_be_chosen(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE + OTHERS)
    done = cli("parity", "line.toml", *SHORT, "--repeat", "1", "--vc", "back", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [run["vc"] for run in told["runs"]] == ["back"]
    assert told["verdicts"]["agrees"] == 0
    limits = told["runs"][0]["limits"]["download"]
    assert all(0 <= limits[name] <= 1.1 for name in ("idle", "application", "window", "buffer"))


def test_a_line_that_is_full_carries_what_its_cells_allow() -> None:
    comparison = parity(celltrain.Scenario.from_toml(LINE), repeats=1)
    simulated, kernel = value(comparison, "upload", "goodput")
    # 1460 of 1696 octets of 32 cells, at 1 Mbit/s.
    assert simulated == pytest.approx(1460 / (32 * 53) * 1e6, rel=0.01)
    assert kernel == pytest.approx(simulated, rel=0.2)
    assert value(comparison, "upload", "cwnd")[1] > 0
    assert value(comparison, "upload", "smoothed RTT")[1] > 0.01
    assert comparison.runs[0].kernel.summary.up.bytes_delivered > 0


def test_files_and_an_application_that_writes_at_a_rate_are_done_alike() -> None:
    files = {"kind": "files", "size": "20000 bytes", "sizes": "fixed", "think": "200 ms", "thinks": "fixed"}
    tcp = {"preset": "plain", "variant": "cubic", "mss": "1460 bytes", "initial_window": "rfc6928"}
    both = celltrain.Scenario.from_toml(LINE).with_changes(
        {
            "measure": {"warm_up": "0.5 s", "duration": "4 s"},
            "flows": {
                "upload": {"application": files, "tcp": tcp},
                "stream": {"vc": "vc", "direction": "backward", "tcp": tcp, "sockets": {"write_rate": "400 kbit/s"}},
            },
        }
    )
    comparison = parity(both, repeats=1)
    # 14 packets over the line in 190 ms, a few round trips of slow start, and 200 ms of think time.
    simulated, kernel = value(comparison, "upload", "files")
    assert kernel == pytest.approx(simulated, abs=3)
    simulated, kernel = value(comparison, "upload", "time of a file")
    assert kernel == pytest.approx(simulated, rel=0.5)
    simulated, kernel = value(comparison, "stream", "goodput")
    assert simulated == pytest.approx(400e3, rel=0.1)
    assert kernel == pytest.approx(400e3, rel=0.2)
    assert not any("limited by the application" in reason for reason in comparison.runs[0].reasons)


def test_programs_of_a_realtime_comparison_go_before_ordinary_ones() -> None:
    short = celltrain.Scenario.from_toml(LINE).with_changes({"measure": {"warm_up": "0.2 s", "duration": "0.7 s"}})
    (run,) = parity(short, repeats=1, realtime=True).runs
    if run.kernel.summary.realtime_problem:
        pytest.skip(f"NO TEST OF PRIORITIES: {run.kernel.summary.realtime_problem}")
    assert run.kernel.limits["upload"].is_prompt
    (run,) = parity(short, repeats=1).runs
    assert not run.kernel.limits["upload"].is_prompt


def test_flows_that_the_kernels_cannot_take_over_are_refused(cli: Command, tmp_path: Path) -> None:
    udp = '[flows.probe]\nvc = "vc"\nudp = { packet = "100 bytes", traffic = { process = "cbr", rate = "8 kbit/s" } }\n'
    (tmp_path / "udp.toml").write_text(LINE + udp)
    done = cli("parity", "udp.toml")
    assert done.returncode == 2
    assert "flows.probe sends UDP" in done.stderr
    other = '[flows.other]\nvc = "vc"\ntcp = { preset = "plain", variant = "cubic", timestamps = true }\n'
    (tmp_path / "differ.toml").write_text(LINE + other)
    done = cli("parity", "differ.toml")
    assert done.returncode == 2
    assert "differ in timestamps" in " ".join(done.stderr.split())


def test_a_plot_needs_a_folder(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE)
    done = cli("parity", "line.toml", "--plot")
    assert done.returncode == 2
    assert "--out DIR" in done.stderr
