"""The command line, as a user runs it."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import celltrain
import pytest
from celltrain.sweeps.record import Record
from conftest import LINE, Command

#: The columns of a sweep over the line's period and the control, as specified.
POINT_COLUMNS = (
    "t_up_s,control,throughput_bps,throughput_bps_ci95,normalized_throughput,normalized_throughput_ci95,"
    "mean_line_rate_bps,ideal_throughput_bps,utilization,utilization_ci95,cell_loss_ratio,cell_loss_ratio_ci95,"
    "max_queue_cells,max_queue_cells_ci95,mean_queue_cells,mean_queue_cells_ci95,rtt_mean_s,rtt_mean_s_ci95,"
    "timeouts,timeouts_ci95,n_runs"
)


def test_run_prints_a_summary(cli: Command, line_file: Path) -> None:
    done = cli("run", line_file, "--seed", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "upload1" in done.stdout
    assert "seed 2" in done.stdout


def test_of_large_groups_the_summary_has_means_and_extremes(cli: Command, line_file: Path) -> None:
    changes = ("--set", "hosts.a.count=60", "--set", "hosts.b.count=60", "--set", "measure.duration=2 s")
    done = cli("run", line_file, *changes, "--out", "results")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines() if line.strip()]
    (flows,) = (line for line in lines if line[0] == "upload…")
    assert flows[-3:] == ["mean", "of", "60"]
    table = Path(line_file.parent, "results", "flows.csv").read_text()
    resent = [int(row["segments_retransmitted"]) for row in csv.DictReader(table.splitlines())]
    at = lines.index(flows)
    assert [float(flows[-5]), *(float(lines[at + n][-3]) for n in (1, 2))] == pytest.approx(
        [sum(resent) / 60, min(resent), max(resent)], rel=1e-3
    )
    assert [lines[at + n][-1] for n in (1, 2)] == ["least", "most"]
    assert len(lines) < 30


def test_run_writes_every_table(cli: Command, line_file: Path, tmp_path: Path) -> None:
    done = cli("run", line_file, "--out", "results")
    assert done.returncode == 0
    rows = list(csv.DictReader((tmp_path / "results" / "flows.csv").read_text().splitlines()))
    assert [row["flow"] for row in rows] == ["upload1", "upload2"]
    assert (tmp_path / "results" / "provenance.json").exists()


def test_json_is_only_json(cli: Command, line_file: Path) -> None:
    ran = cli("run", line_file, "--json")
    assert json.loads(ran.stdout)["provenance"]["seed"] == 1
    finding = {"file": str(line_file), "valid": True, "errors": [], "warnings": []}
    (found,) = json.loads(cli("validate", line_file, "--json").stdout)
    assert set(found.pop("bounds")) == {"cells", "memory_mib", "trace_rows"}
    assert found == finding
    assert json.loads(cli("doctor", "--json").stdout)[1]["works"]
    assert json.loads(cli("schema").stdout)["title"] == "Scenario"
    listing = json.loads(cli("reproduce", "--list", "--json").stdout)
    papers = {paper["paper"]: [experiment["id"] for experiment in paper["experiments"]] for paper in listing}
    assert "fig04" in papers["adsl-abr"]


def test_a_value_can_be_set(cli: Command, line_file: Path) -> None:
    done = cli("run", line_file, "--json", "--set", "links.line.rate.low=2 Mbit/s", "--set", "hosts.a.count=2")
    assert json.loads(done.stdout)["tables"]["links"][4]["mean_rate_bps"] == 2e6


def test_version_help_and_completion(cli: Command) -> None:
    assert celltrain.__version__ in cli("--version").stdout
    assert "reproduce" in cli("--help").stdout
    for shell in ("bash", "zsh", "fish"):
        assert "_CELLTRAIN_COMPLETE" in cli("completion", shell).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "absent.toml"], "absent.toml: No such file or directory"),
        (["run", "."], "Is a directory"),
        (["run", "bad.toml"], "bad.toml:18:1: links.line.bufer: unknown key"),
        (["validate", "bad.toml", "line.toml"], "1 of 2 scenarios cannot be run"),
        (["run", "line.toml", "--set", "nonsense"], "expected KEY=VALUE"),
        (["run", "line.toml", "--set", "links.lin.rate=1"], "links.lin"),
        (["run", "line.toml", "--seed", "-1"], "--seed"),
        (["run", "line.toml", "--out", "line.toml/out"], "cannot write to the output folder line.toml/out"),
        (["reproduce"], "name a paper"),
        (["reproduce", "adsl-abc"], "did you mean 'adsl-abr'?"),
        (["reproduce", "adsl-abr/fig4"], "did you mean 'fig04'?"),
        (["reproduce", "adsl-abr/fig04", "--out", "line.toml/out"], "cannot write to the output folder"),
        (["frobnicate"], "No such command"),
    ],
)
def test_bad_input_is_one_clear_message(
    cli: Command, line_file: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    bad = LINE.replace("buffer", "bufer")
    (tmp_path / "bad.toml").write_text(bad)
    done = cli(*arguments)
    assert done.returncode == 2
    assert message.replace("bad.toml:18", f"bad.toml:{bad[: bad.index('bufer')].count(chr(10)) + 1}") in " ".join(
        done.stderr.split()
    ).replace("│ ", "")
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("line.toml: valid; at most " if arguments[0] == "validate" else "")
    assert done.stdout.count("\n") == (arguments[0] == "validate")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_refused(cli: Command, line_file: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    done = cli("run", line_file, "--out", "closed/out")
    assert (done.returncode, "Permission denied" in done.stderr) == (2, True)


def test_reproduce_quick_writes_table_and_plots(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", "adsl-abr/fig04", "--quick", "--out", "out")
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "out" / "adsl-abr"
    names = {path.name for path in folder.iterdir()}
    assert names == {"fig04.csv", "fig04.svg", "fig04.png", "fig04.provenance.json"}
    with (folder / "fig04.csv").open() as file:
        reader = csv.DictReader(file)
        assert ",".join(reader.fieldnames or []) == f"{POINT_COLUMNS},extent"
        assert len(list(reader)) == 36


def test_reproduce_checks_claims_and_says_so(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", "adsl-abr/fig04", "--replications", "8", "--check", "--json", "--out", "out")
    report = json.loads(done.stdout)[0]
    assert {claim["holds"] for claim in report["claims"]} <= {True, False}
    assert len(report["claims"]) == 17
    assert done.returncode == (0 if all(claim["holds"] for claim in report["claims"]) else 1)
    saved = json.loads((tmp_path / "out" / "adsl-abr" / "fig04.claims.json").read_text())
    assert saved == report["claims"]


@pytest.mark.alone
def test_an_interrupted_reproduction_stops_soon_and_leaves_no_half_written_file(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "celltrain",
        "reproduce",
        "adsl-abr/fig04",
        "--replications",
        "5000",
        "--out",
        "out",
    ]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.perf_counter() + 60
    while not any((tmp_path / "out").rglob("records/[!.]*")) and time.perf_counter() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    start = time.perf_counter()
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.perf_counter() - start < 2
    assert "Traceback" not in stderr
    # The lock stays, since another process may wait for it; it holds no results.
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file() and path.name != ".lock"]
    assert files, "finished runs are stored at once"
    for path in files:
        assert path.parent.name == "records"
        assert Record.decode(path.read_bytes()).status == "done"


@pytest.mark.alone
def test_an_interrupted_run_exits_with_130(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text(LINE.replace('duration = "3 s"', 'duration = "1000000 s"').split("[probes")[0])
    command = [sys.executable, "-m", "celltrain", "run", "long.toml"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=10)
    assert (process.returncode, stderr.strip()) == (130, "interrupted")


@pytest.mark.alone
def test_help_is_quick(cli: Command) -> None:
    cli("--help")
    start = time.perf_counter()
    cli("--help")
    # 0.2 s on the machines where this was written; the bound is for slower and busier ones.
    assert time.perf_counter() - start < 1.5


def test_a_mistake_is_shown_in_its_line(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("[measure]\n\tduration = '1 parsec'\n")
    for command in ("validate", "run"):
        lines = cli(command, "bad.toml").stderr.splitlines()
        assert "bad.toml:2:2: measure.duration: expected a time" in lines[0]
        assert (lines[1].split(), lines[2].split()) == (["2", "|", "duration", "=", "'1", "parsec'"], ["|", "^"])
        assert lines[2].index("^") == lines[1].index("duration")


def test_all_mistakes_are_reported_at_once_with_their_places(cli: Command, tmp_path: Path) -> None:
    text = (
        LINE.replace('delay = "5 ms"', 'dealy = "5 ms"').replace('vc = "vc"', 'vc = "cv"').replace("every", "ever", 1)
    )
    (tmp_path / "bad.toml").write_text(text)
    done = cli("validate", "bad.toml")
    assert done.returncode == 2
    places = [line.split(":")[3].strip() for line in done.stderr.splitlines() if line.count(":") > 2]
    assert places == ["links.line.dealy", "links.line.rate.ever"]
    assert done.stderr.count("^") == 2
    assert "bad.toml: 2 errors" in done.stderr
    (finding,) = json.loads(cli("validate", "bad.toml", "--json").stdout)
    assert [each["key"] for each in finding["errors"]] == places
    assert finding["key"] == places[0]
    (tmp_path / "names.toml").write_text(
        LINE.replace('vc = "vc"', 'vc = "cv"').replace('line1.queue_cells", "flows.upload1', "lime1")
    )
    assert [error.key for error in celltrain.mistakes(tmp_path / "names.toml")] == [
        "flows.upload.vc",
        "probes.queue.record.0",
    ]


def test_mistakes_beside_a_missing_trace_are_found(tmp_path: Path) -> None:
    text = LINE.replace(
        '{ process = "uniform", low = "1 Mbit/s", high = "2 Mbit/s", every = "100 ms" }',
        '{ process = "replay", file = "no.csv" }',
    )
    (tmp_path / "bad.toml").write_text(text.replace('warm_up = "1 s"', 'warmup = "1 s"'))
    first, second = celltrain.mistakes(tmp_path / "bad.toml")
    assert first.key == "links.line.rate.file"
    assert second.key == "measure.warmup"


def test_the_doctor_checks_what_commands_need_and_times_several_runs(cli: Command) -> None:
    findings = {each["name"]: each for each in json.loads(cli("doctor", "--json").stdout)}
    assert {"ssh", "Wireshark", "terminal", "[dask]", "[sweeps]", "TUN device"} <= findings.keys()
    assert "median of 9" in findings["simulator"]["found"]
    assert findings["[dask]"]["works"] or "celltrain[dask]" in findings["[dask]"]["advice"]
