"""``celltrain ci`` in real time: commands in namespaces that these tests create."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from celltrain.shipped import find
from conftest import REPOSITORY, Command
from junit_shape import check_shape
from live_lines import need_hosts

LINES = '[lines.line]\npreset = "two-hosts"\nclient = "client"\n'
GUIDE = (REPOSITORY / "docs" / "how-to" / "test-over-lines.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def _hosts() -> None:
    need_hosts()


def results(folder: Path) -> dict[str, Any]:
    """Return the cases of a folder by key, after checking that its files agree."""
    cases = json.loads((folder / "results.json").read_text())["cases"]
    root = ET.parse(folder / "junit.xml").getroot()
    check_shape(root)
    assert [case.attrib["name"] for case in root.iter("testcase")] == [case["name"] for case in cases]
    page = (folder / "report.html").read_text()
    passed = sum(case["state"] == "passed" for case in cases)
    assert f"{passed} of {len(cases)} cases passed." in page
    return {case["key"]: case for case in cases}


def test_the_example_passes_where_it_was_written(cli: Command, tmp_path: Path) -> None:
    assert sorted(find("ci/transfer").files()) == ["client.py", "server.py"]
    assert cli("examples", "ci/transfer", "--out", "transfer.toml").returncode == 0
    done = cli("ci", "transfer.toml", "--out", "out", "--only", "upload", "--jobs", "2")
    assert done.returncode == 0, done.stderr
    cases = results(tmp_path / "out")
    assert list(cases) == ["upload/office", "upload/adsl", "upload/phone"]
    office = cases["upload/office"]["values"]
    # 60000 octets are 42 segments of at most 1460 octets, with headers of 40 or 52 octets each.
    assert 60_000 + 42 * 40 <= office["up.bytes_delivered"] <= 60_000 + 52 * 60
    assert office["up.goodput_bps"] == pytest.approx(8 * office["up.bytes_delivered"] / office["duration"])
    assert cases["upload/adsl"]["values"]["duration"] > office["duration"]


def test_what_goes_wrong_is_told_apart(cli: Command, tmp_path: Path) -> None:
    """A hanging client and a wrong exit code fail; a server that never listens, or ends, is a broken set-up."""
    (tmp_path / "celltrain-ci.toml").write_text(
        LINES
        + """
[tests.hangs]
client = "sleep 97531 & echo begun; sleep 97531"
timeout = "300 ms"
expect = ["duration < 10 s"]
[tests.fails]
client = "echo why >&2; exit 3"
[tests.wanted]
client = "sleep 0.4; exit 3"
repeats = 2
expect = ["exit_code == 3", "duration >= 395 ms", "duration < 800 ms"]
[tests.missed]
client = '''echo '{"ratio": 0.5, "name": "'"$WHO $CELLTRAIN_CI_LINE $CELLTRAIN_CI_SERVER"'"}' '''
env = { WHO = "me" }
expect = ["json.ratio > 60 %", "json.name == 'me line 192.0.2.2'", "down.packets == 0"]
[tests.deaf]
server = "sleep 97531"
client = "true"
startup = "300 ms"
[tests.ends]
server = "echo broken >&2; exit 4"
client = "true"
"""
    )
    done = cli("ci", "--out", "out", "--jobs", "2")
    assert done.returncode == 2
    cases = results(tmp_path / "out")
    states = {key: case["state"] for key, case in cases.items()}
    assert states == {
        "hangs/line": "failed",
        "fails/line": "failed",
        "wanted/line/1": "passed",
        "wanted/line/2": "passed",
        "missed/line": "failed",
        "deaf/line": "error",
        "ends/line": "error",
    }
    assert cases["hangs/line"]["message"] == "the client's command did not end within 300 ms"
    assert cases["hangs/line"]["duration_s"] < 10
    assert cases["fails/line"]["message"] == "the client's command ended with 3"
    assert [check["is_met"] for check in cases["missed/line"]["checks"]] == [False, True, True]
    assert "listens nowhere after 300 ms: does it bind to 0.0.0.0" in cases["deaf/line"]["message"]
    assert "ended with 4 before it listened" in cases["ends/line"]["message"]
    errors = {
        case.attrib["name"]: case.findtext("system-err")
        for case in ET.parse(tmp_path / "out" / "junit.xml").getroot().iter("testcase")
    }
    assert "why" in (errors["fails over line"] or "")
    assert "broken" in (errors["ends over line"] or "")
    assert (tmp_path / "out" / "commands" / "hangs" / "line" / "client.out").read_text() == "begun\n"
    left = [
        process
        for process in Path("/proc").glob("[0-9]*")
        if (process / "cmdline").exists() and b"97531" in (process / "cmdline").read_bytes().split(b"\0")
    ]
    assert left == []
    only = cli("ci", "--out", "out", "--only", "missed")
    assert only.returncode == 1


def test_ctrl_c_keeps_what_has_run_and_leaves_nothing_running(tmp_path: Path) -> None:
    tests = '[tests.first]\nclient = "true"\n[tests.second]\nclient = "sleep 86420"\n[tests.third]\nclient = "true"\n'
    (tmp_path / "celltrain-ci.toml").write_text(LINES + tests)
    process = subprocess.Popen(
        [sys.executable, "-m", "celltrain", "ci", "--out", "out"],
        cwd=tmp_path,
        env=os.environ | {"NO_COLOR": "1"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    waiting = tmp_path / "out" / "commands" / "second" / "line" / "client.out"
    deadline = time.monotonic() + 30
    while not waiting.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "1 of 3 cases have run; out has their results" in told
    cases = results(tmp_path / "out")
    assert [case["state"] for case in cases.values()] == ["passed", "skipped", "skipped"]


def test_the_guide_runs(cli: Command, tmp_path: Path) -> None:
    blocks = dict(re.findall(r"^Put this into `([\w.-]+)`:\n\n```\w+\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL))
    assert sorted(blocks) == ["celltrain-ci.toml", "probe.py"]
    for name, text in blocks.items():
        (tmp_path / name).write_text(text)
    scripts = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    commands = [line for script in scripts for line in script.splitlines()]
    for line in commands:
        words = shlex.split(line.partition(" #")[0])[1:]
        if words[:1] != ["ci"]:
            continue
        done = cli(*words, *(["--replace"] if words[1:2] == ["init"] else []))
        wanted = 1 if "misses" in line else 0
        assert done.returncode == wanted, (line, done.stderr)
        if words[1:2] == ["init"]:
            (tmp_path / "celltrain-ci.toml").write_text(blocks["celltrain-ci.toml"])
