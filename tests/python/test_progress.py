"""Progress: it counts runs, and says after an interruption what was kept."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from celltrain.cli.progress import Display
from rich.console import Console


def test_lines_count_runs_that_grow_in_number(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("work") as display:
        display.points(2)
        display.asked(4)
        for _ in range(4):
            display.run_done()
        display.asked(4)
        for _ in range(4):
            display.run_done(reused=True)
    shown = capsys.readouterr().err
    assert "work: 4 of 4 runs" in shown
    assert shown.rstrip().endswith("work: 8 of 8 runs")
    assert display.summary.startswith("4 runs in ")


def test_work_that_names_no_runs_counts_a_run_for_each_point(capsys: pytest.CaptureFixture[str]) -> None:
    with Display("work") as display:
        display.points(1)
        display.run_done()
    assert "work: 1 of 1 runs" in capsys.readouterr().err


def test_no_speed_is_told_while_all_runs_come_from_the_folder() -> None:
    terminal = Console(file=io.StringIO(), force_terminal=True, width=80)
    display = Display("work")
    display._console = terminal
    with display:
        display.points(3)
        display.found(2, 0, 0)
        display.run_done(reused=True)
        display.run_done(reused=True)
        assert display._bar is not None
        assert display._bar.tasks[0].fields["speed"] == ", 2 from the folder"
        display.run_done()
        assert display._bar.tasks[0].fields["speed"].endswith(("/s", "/min"))


@pytest.mark.alone
def test_an_interruption_says_what_was_kept_and_how_to_go_on(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "celltrain", "reproduce", "adsl-abr/fig04", "--replications", "500"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    deadline = time.perf_counter() + 60
    while not any(tmp_path.rglob("records/[!.]*")) and time.perf_counter() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    told = " ".join(stderr.split())
    assert "of 18000 runs are kept in results-replications; the same command goes on there interrupted" in told
