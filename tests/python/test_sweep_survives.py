"""Sweeps that are killed, lose workers, or run out of disk space: real processes, real file systems."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import celltrain
import pytest
from celltrain.sweeps.record import Record
from conftest import LINE, Command, tables_of

EVERY = "links.line.rate.every=10 ms,100 ms,1 s"
OPTIONS = ("--set", EVERY, "--set", "links.line.delay=5 ms,20 ms", "--replications", "8")
RUNS = 48
#: Kills at any instant; `make test-all` makes a thousand.
KILLS = int(os.environ.get("CELLTRAIN_KILLS", "8"))
#: Approximate time of a run, in s: long enough to kill a sweep midway, whatever the speed of the machine.
LONG = 0.04


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a scenario that takes a moment."""

    def text(seconds: float) -> str:
        return LINE.replace('duration = "3 s"', f'duration = "{seconds:.0f} s"')

    start = time.process_time()
    celltrain.Scenario.from_toml(text(50)).run()
    path = tmp_path_factory.mktemp("slow") / "slow.toml"
    path.write_text(text(50 * LONG / (time.process_time() - start)))
    return path


@pytest.fixture(scope="module")
def whole(slow: Path) -> dict[str, bytes]:
    """Return the tables of the sweep, run on one thread without interruption."""
    out = slow.parent / "whole"
    process = sweep(slow, out, "--jobs", "1")
    _, stderr = process.communicate(timeout=100)
    assert process.returncode == 0, stderr
    return tables_of(out)


def sweep(slow: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    """Start the sweep in a separate process."""
    command = [sys.executable, "-m", "celltrain", "sweep", str(slow), *OPTIONS, "--out", str(out), *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def records(folder: Path) -> list[Path]:
    """Return the records of a folder."""
    return sorted((folder / "records").glob("[!.]*"))


def has_records(folder: Path, count: int) -> bool:
    """Return whether a folder has at least this many records."""
    return len(records(folder)) >= count


def wait_for(true: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait until a condition holds, or the process has ended."""
    limit = time.monotonic() + 60
    while not true() and process.poll() is None:
        assert time.monotonic() < limit, "nothing happens"
        time.sleep(0.002)


def test_a_sweep_killed_five_times_and_resumed_gives_the_same_table(
    slow: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    seed = time.time_ns()
    print(f"moments of the kills: seed {seed}")
    chance, out = random.Random(seed), tmp_path / "killed"
    stored = 0
    for _ in range(5):
        process = sweep(slow, out, "--jobs", "2")
        wait_for(partial(has_records, out, stored + chance.randint(0, 4)), process)
        time.sleep(chance.uniform(0, LONG))
        process.kill()
        process.communicate()
        assert process.returncode == -signal.SIGKILL, "it was in the midst"
        found = records(out)
        assert len(found) >= stored, "no record is lost"
        for path in found:
            assert Record.decode(path.read_bytes()).status == "done", "a record is whole"
        stored = len(found)
    assert stored < RUNS
    process = sweep(slow, out)
    _, stderr = process.communicate(timeout=100)
    assert process.returncode == 0, stderr
    assert f"{RUNS - stored} runs in" in stderr, "nothing is run twice"
    assert stored == 0 or f"skipping {stored} runs" in stderr
    assert tables_of(out) == whole
    assert [path.name for path in (out / "records").glob(".*")] == [], "no half-written file is left"


@pytest.mark.timeout(120 + 20 * KILLS)
def test_kills_at_any_instant_lose_nothing_that_had_finished(
    slow: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    seed = int(os.environ.get("CELLTRAIN_FAULTS_SEED", time.time_ns()))
    print(f"instants of the kills: CELLTRAIN_FAULTS_SEED={seed}")
    chance, killed, folder, longest = random.Random(seed), 0, 0, 1.0
    before: dict[str, int] = {}
    while killed < KILLS:
        out = tmp_path / f"{folder}"
        start = time.monotonic()
        process = sweep(slow, out, "--jobs", "2")
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=chance.uniform(0, longest))
        process.kill()
        _, stderr = process.communicate()
        found = {path.name: path.stat().st_mtime_ns for path in records(out)}
        assert before.items() <= found.items(), "what has finished stays, and is not done again"
        if process.returncode == -signal.SIGKILL:
            killed, before = killed + 1, found
            for name in found:
                assert Record.decode((out / "records" / name).read_bytes()).status == "done", "a record is whole"
            # Imports are much of a short run: kills must come later, too.
            longest = min(longest * 1.1, 30.0) if not found else longest
        else:
            assert process.returncode == 0, stderr
            assert tables_of(out) == whole
            folder, before, longest = folder + 1, {}, time.monotonic() - start
    process = sweep(slow, tmp_path / f"{folder}")
    _, stderr = process.communicate(timeout=100)
    assert process.returncode == 0, stderr
    assert tables_of(tmp_path / f"{folder}") == whole


def test_an_interrupted_sweep_stops_soon_and_says_so(slow: Path, tmp_path: Path) -> None:
    process = sweep(slow, tmp_path / "out", "--jobs", "2")
    wait_for(partial(has_records, tmp_path / "out", 2), process)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, stderr = process.communicate(timeout=30)
    assert time.monotonic() - start < 5
    assert process.returncode == 130
    assert "Traceback" not in stderr


def test_a_cluster_that_loses_a_worker_gives_the_same_table(
    slow: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    command = [sys.executable, str(Path(__file__).parent / "dask_cluster.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cluster:
        assert cluster.stdout is not None
        address, *workers = cluster.stdout.readline().split()
        assert len(workers) == 2
        out = tmp_path / "cluster"
        process = sweep(slow, out, "--dask", address)
        wait_for(partial(has_records, out, 5), process)
        os.kill(int(workers[0]), signal.SIGKILL)
        assert 5 <= len(records(out)) < RUNS, "in the midst"
        _, stderr = process.communicate(timeout=100)
        cluster.communicate()
    assert process.returncode == 0, stderr
    assert f"{RUNS} runs in" in stderr
    assert tables_of(out) == whole


def test_a_cluster_that_goes_away_is_named_and_costs_no_finished_run(slow: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).parent / "dask_cluster.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as cluster:
        assert cluster.stdout is not None
        address, *workers = cluster.stdout.readline().split()
        process = sweep(slow, tmp_path / "out", "--dask", address)
        wait_for(partial(has_records, tmp_path / "out", 3), process)
        cluster.kill()
        _, stderr = process.communicate(timeout=100)
        for worker in workers:
            with suppress(ProcessLookupError):
                os.kill(int(worker), signal.SIGKILL)
    assert process.returncode == 2, stderr
    assert "what has finished is stored" in " ".join(stderr.split())
    assert "Traceback" not in stderr


def test_a_scheduler_that_does_not_answer_is_named(cli: Command, slow: Path) -> None:
    done = cli("sweep", slow, "--dask", "tcp://127.0.0.1:9")
    assert (done.returncode, "no Dask scheduler at tcp://127.0.0.1:9" in done.stderr) == (2, True)
    assert "Traceback" not in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of 100 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mount.returncode:
        pytest.skip(f"NEEDS A FILE SYSTEM OF ITS OWN, which only root may mount: {mount.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_named_and_costs_no_finished_run(
    cli: Command, slow: Path, whole: dict[str, bytes], small_disk: Path
) -> None:
    done = cli("sweep", slow, *OPTIONS, "--out", small_disk)
    assert done.returncode == 2, done.stderr
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    found = records(small_disk)
    assert 0 < len(found) < RUNS
    for path in found:
        assert Record.decode(path.read_bytes()).status == "done"
    assert list((small_disk / "records").glob(".*")) == []
    subprocess.run(["mount", "-o", "remount,size=10m", str(small_disk)], check=True)
    done = cli("sweep", slow, *OPTIONS, "--out", small_disk)
    assert done.returncode == 0, done.stderr
    assert f"skipping {len(found)} runs" in done.stderr
    assert tables_of(small_disk) == whole


def test_a_folder_that_cannot_be_written_is_refused_before_anything_runs(
    cli: Command, slow: Path, small_disk: Path
) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    done = cli("sweep", slow, *OPTIONS, "--out", small_disk / "out")
    assert done.returncode == 2
    assert "cannot write to the output folder" in done.stderr
    assert "Read-only file system" in done.stderr
    assert "runs in" not in done.stderr


def test_a_sweep_that_cannot_be_written_to_is_still_read(cli: Command, line_file: Path, small_disk: Path) -> None:
    assert cli("sweep", line_file, "--replications", "2", "--out", small_disk).returncode == 0
    (small_disk / "index.parquet").unlink()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    done = cli("results", small_disk)
    assert done.returncode == 0, done.stderr
    assert "throughput" in done.stdout
    assert "index and tables were not written: Read-only file system" in done.stderr
