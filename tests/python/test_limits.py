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


def test_a_sweep_counts_a_stopped_run_as_failed_and_names_the_limit(waiting: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    points = ["--set", "measure.duration=1.5 s,1000 s", "--replications", "1", "--out", str(tmp_path / "sweep")]
    command = [sys.executable, "-m", "celltrain", "sweep", str(waiting), *points]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "1 of 2 runs failed" in done.stderr
    assert "limits.memory_mib" in done.stderr


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
