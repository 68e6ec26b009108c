"""Runs that pass a limit: what is kept, what is said, and the exit code."""

import json
import subprocess
import sys
from pathlib import Path

import celltrain
import pytest
from celltrain.cli.waiting import sign_of_life

#: UDP at 10 Mbit/s into a VC that is shaped to 1 kbit/s: nearly all packets wait at the host.
WAITING = """
measure = {{ warm_up = "1 s", duration = "1000 s" }}
limits = {{ memory_mib = 16, on_excess = "{on_excess}" }}
hosts = {{ a = {{}}, b = {{}} }}
links.l = {{ between = ["a", "b"], delay = "1 ms", rate = "10 Mbit/s", buffer = "100 cells" }}
vcs.v = {{ route = ["a", "b"], forward = {{ service = "ubr", pcr = "1 kbit/s" }} }}
flows.f = {{ vc = "v", udp = {{ packet = "100 bytes", traffic = {{ process = "cbr", rate = "10 Mbit/s" }} }} }}
"""


@pytest.fixture
def waiting(tmp_path: Path) -> Path:
    """Return the file of a scenario that is stopped."""
    file = tmp_path / "waiting.toml"
    file.write_text(WAITING.format(on_excess="stop"), "utf-8")
    return file


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "celltrain", "run", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_stopped_run_prints_and_stores_what_it_has_measured_and_exits_with_3(waiting: Path, tmp_path: Path) -> None:
    done = run(waiting, "--json", "--out", tmp_path / "out")
    assert done.returncode == 3, done.stderr
    assert "the run needed more than limits.memory_mib = 1.600e1 and was stopped at" in done.stderr
    printed = json.loads(done.stdout)["provenance"]
    stored = json.loads((tmp_path / "out" / "provenance.json").read_text("utf-8"))
    for provenance in (printed, stored):
        stopped = provenance["stopped"]
        assert (stopped["limit"], stopped["allowed"]) == ("memory_mib", 16.0)
        assert 1 < stopped["at_s"] < 20
        assert provenance["cross_checked"]["why"] == "the run was stopped at a limit"


def test_the_partial_result_is_that_of_a_run_of_this_duration(waiting: Path) -> None:
    scenario = celltrain.load(waiting)
    with pytest.raises(celltrain.LimitPassed) as caught:
        scenario.run(seed=3)
    error = caught.value
    assert error.result is not None
    assert error.result.stopped == error.stopped
    assert "stopped at" in repr(error.result)
    short = scenario.with_value("measure.duration", f"{error.stopped.at_s:.12f} s")
    whole = short.with_value("limits.memory_mib", 4096).run(seed=3)
    assert whole.digest == error.result.digest
    assert whole.stopped is None


def test_a_run_that_is_stopped_before_it_measures_has_no_result(waiting: Path) -> None:
    scenario = celltrain.load(waiting).with_value("measure.warm_up", "900 s")
    with pytest.raises(celltrain.LimitPassed) as caught:
        scenario.run()
    assert caught.value.result is None
    assert run(waiting, "--set", "measure.warm_up='900 s'").returncode == 3


def test_without_on_excess_it_is_refused_before_it_starts(waiting: Path) -> None:
    waiting.write_text(WAITING.format(on_excess="error"), "utf-8")
    done = run(waiting)
    assert done.returncode == 2
    assert "more than limits.memory_mib" in done.stderr


def test_a_capture_of_a_stopped_run_is_not_left_behind(waiting: Path, tmp_path: Path) -> None:
    done = run(waiting, "--pcap", tmp_path / "waiting.pcapng")
    assert done.returncode == 3, done.stderr
    assert list(tmp_path.iterdir()) == [waiting]


def sweep(scenario: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "celltrain", "sweep", str(scenario), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=scenario.parent)


@pytest.fixture
def swept(waiting: Path, tmp_path: Path) -> tuple[Path, list[object], subprocess.CompletedProcess[str]]:
    """Return the folder, the arguments and the output of a sweep whose runs at one of two points are stopped."""
    pytest.importorskip("pyarrow")
    waiting.write_text(waiting.read_text("utf-8").replace('"cbr"', '"poisson"'), "utf-8")
    folder = tmp_path / "sweep"
    arguments = ["--set", "measure.duration=1.5 s,1000 s", "--replications", "2", "--out", folder]
    return folder, arguments, sweep(waiting, *arguments)


def test_a_sweep_counts_stopped_runs_as_failed_names_the_limit_once_and_exits_with_1(
    swept: tuple[Path, list[object], subprocess.CompletedProcess[str]],
) -> None:
    folder, _, done = swept
    assert done.returncode == 1, done.stderr
    assert "2 of 4 runs failed, and no mean has them" in done.stderr
    # Each seed stops at an instant of its own, for one reason.
    assert done.stderr.count("limits.memory_mib") == 1
    header, _, *rows = done.stdout.splitlines()
    assert "failed" in header
    assert [row.split()[2:4] for row in rows[:2]] == [["2", "0"], ["0", "2"]]
    from celltrain.sweeps import SweepResults

    results = SweepResults(folder)
    assert {key[0] for key in results.values("flows.throughput_bps")} == {0}, "no table has a stopped run"
    assert results.means()["failed"].tolist() == [0, 2]
    errors = [row["error"] for row in results.index.to_pylist() if row["status"] == "failed"]
    assert all("was stopped at" in error for error in errors)


def test_the_same_sweep_again_runs_no_stopped_run_and_says_the_same(
    waiting: Path, swept: tuple[Path, list[object], subprocess.CompletedProcess[str]]
) -> None:
    folder, arguments, first = swept
    written = {path: path.stat().st_mtime_ns for path in (folder / "records").iterdir()}
    again = sweep(waiting, *arguments)
    assert (again.returncode, again.stdout) == (1, first.stdout)
    assert {path: path.stat().st_mtime_ns for path in (folder / "records").iterdir()} == written
    command = [sys.executable, "-m", "celltrain", "results", str(folder), "--metric", "flows.throughput_bps"]
    told = subprocess.run(command, capture_output=True, text=True, check=False)
    assert told.returncode == 0
    assert told.stdout == first.stdout
    assert "2 of 4 runs failed" in told.stderr


def test_a_row_that_joins_points_says_that_runs_of_one_of_them_failed(
    swept: tuple[Path, list[object], subprocess.CompletedProcess[str]],
) -> None:
    from celltrain.sweeps import Metric, SweepResults
    from celltrain.sweeps.summary import summary

    (row,) = summary(SweepResults(swept[0]), [Metric.parse("flows.throughput_bps")], by=[])
    assert (row["points"], row["runs"], row["failed"]) == (2, 2, 2)


#: A second experiment of the study that `celltrain init` writes; its longer runs need more cells than the limit.
LONGER = """
[[experiment]]
id = "long"
says = "The same for longer"
directions = ["down"]
columns = ["duration_s", "throughput_bps", "throughput_bps_ci95"]
axis = [{ column = "duration_s", values = [11, 1000], set = { "measure.duration" = "{0} s" } }]
plot = { x = "duration_s", x_label = "duration [s]", by = [], panel = [{ y = "throughput_bps", label = "throughput" }] }
"""


def test_a_reproduction_keeps_the_experiments_without_stopped_runs_and_exits_with_1(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")

    def celltrain_(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "celltrain", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert celltrain_("init", "study", "mine").returncode == 0
    scenario, experiments = (tmp_path / "mine" / f"{name}.toml" for name in ("scenario", "experiments"))
    limits = '[limits]\ncells = 1e6\non_excess = "stop"\n'
    scenario.write_text(scenario.read_text("utf-8") + limits, "utf-8")
    experiments.write_text(experiments.read_text("utf-8") + LONGER, "utf-8")
    for _ in range(2):
        done = celltrain_("reproduce", "./mine", "--replications", "1", "--out", "out")
        assert done.returncode == 1, done.stderr
        assert "1 runs failed; mine has no results of long" in done.stderr
        assert "seed 1: the run needed more than limits.cells" in done.stderr
        assert "1 of 1 claims hold" in done.stdout
        files = {path.name for path in (tmp_path / "out" / "mine").iterdir()}
        assert "buffer.csv" in files
        assert not {name for name in files if name.startswith("long")}


def test_a_report_says_that_a_run_was_stopped(waiting: Path, tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    from celltrain.report import folder as results

    assert run(waiting, "--out", tmp_path / "out").returncode == 3
    (chapter,) = results.read(tmp_path / "out").chapters
    facts = {fact.name: fact.value for fact in chapter.facts}
    assert facts["Stopped at a limit"].startswith("limits.memory_mib: these are the results of the run until ")
    assert "The run was stopped before its end, at limits.memory_mib" in chapter.summary


def test_a_long_run_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    scenario = celltrain.example("adsl").with_value("measure.duration", "100000 s")
    with sign_of_life(first_s=0.05) as progress, pytest.raises(celltrain.Interrupted):
        interrupted_after(progress, scenario)
    assert 0 < progress.done() < 1
    assert "of the simulated time after" in capsys.readouterr().err


def interrupted_after(progress: celltrain._native.Progress, scenario: celltrain.Scenario) -> None:
    """Run a scenario until some of it is done."""
    import threading
    import time

    cancel = celltrain._native.Cancel()

    def stop() -> None:
        began = time.monotonic()
        while (progress.done() < 1e-6 or time.monotonic() - began < 0.5) and time.monotonic() - began < 30:
            time.sleep(0.01)
        cancel.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        scenario.native.run(1, cancel, progress=progress)
    finally:
        thread.join()
