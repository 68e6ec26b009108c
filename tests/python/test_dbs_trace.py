"""Traffic given write by write: in a plan, and in a file beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from celltrain import ScenarioError, dbs
from conftest import Command

PLAN = """
[measure]
interval = "50 ms"
[hosts]
a = {}
b = {}
[flows.web]
from = "a"
to = "b"
duration = "500 ms"
pattern = { PATTERN }
"""
TRACE = "bytes,interval_s\n3000,0.1\n# a request\n100000, 2e-1\n500,0\n500,0\n"


def written(folder: Path, name: str, text: str | bytes = TRACE, extra: str = "") -> Path:
    """Write a plan with its traffic in a file, and the file."""
    path = folder / "plan.toml"
    path.write_text(PLAN.replace("PATTERN", f'file = "{name}"') + extra)
    if not (folder / name).exists() and not name.startswith(("/", "..")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_file_and_its_trace_are_the_same_plan(tmp_path: Path) -> None:
    loaded = dbs.load(written(tmp_path, "traces/web.csv"))
    trace = [["0 ps", "3000 bytes"], ["100 ms", "100000 bytes"], ["300 ms", "500 bytes"], ["300 ms", "500 bytes"]]
    assert loaded.data["flows"]["web"]["pattern"] == {"trace": trace}
    inline = ", ".join(f'["{at}", "{size}"]' for at, size in trace)
    assert dbs.Plan.from_toml(PLAN.replace("PATTERN", f"trace = [{inline}]")).hash == loaded.hash


def test_the_writes_of_a_file_are_made_at_their_times(tmp_path: Path) -> None:
    result = dbs.run(dbs.load(written(tmp_path, "web.csv")))
    (flow,) = result.tables["flows"].rows()
    assert flow["sent_bytes"] == flow["received_bytes"] == 104_000
    came = [(float(row["time_s"]), float(row["received_bytes"])) for row in result.tables["intervals"].rows()]
    # A busy machine may be late, never early.
    for at, octets in [(0.05, 3_000), (0.25, 103_000), (float("inf"), 104_000)]:
        assert sum(bytes_ for time, bytes_ in came if time <= at) <= octets


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("512,0.1\n", 'line 1: expected "bytes,interval_s"'),
        ("bytes,interval_s\n512;0.1\n", "line 2: expected octets and seconds"),
        ("bytes,interval_s\n1,1\n-5,1\n", "line 3: expected octets and seconds"),
        ("bytes,interval_s\n0,1\n", "line 2: expected 1 to 4194304 bytes, found 0 bytes"),
        ("bytes,interval_s\n", "nothing follows its header"),
        (b"\xff\xfe", "line 1, column 1: begins with the mark of UTF-16; expected UTF-8 without a mark"),
    ],
)
def test_a_wrong_file_is_told_with_plan_key_and_line(cli: Command, tmp_path: Path, text: str | bytes, why: str) -> None:
    path = written(tmp_path, "web.csv", text)
    with pytest.raises(ScenarioError) as caught:
        dbs.load(path)
    assert (caught.value.key, caught.value.line) == ("flows.web.pattern.file", 11)
    assert f'"web.csv": {why}' in str(caught.value)
    done = cli("dbs", "run", "plan.toml")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "plan.toml:11" in done.stderr


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/hostname", "a/../../secret.csv"])
def test_a_file_out_of_the_plans_folder_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.csv").write_text(TRACE)
    folder = tmp_path / "folder"
    (folder / "a").mkdir(parents=True)
    (folder / "plan.toml").write_text(PLAN.replace("PATTERN", f'file = "{name}"'))
    with pytest.raises(ScenarioError, match="outside the plan's folder"):
        dbs.load(folder / "plan.toml")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(PLAN.replace("PATTERN", 'file = "absent.csv"'))
    with pytest.raises(ScenarioError, match=r'"absent\.csv": No such file or directory'):
        dbs.load(tmp_path / "plan.toml")


def test_a_plan_without_a_folder_names_no_file() -> None:
    with pytest.raises(ScenarioError, match="was not read from a file"):
        dbs.Plan.from_toml(PLAN.replace("PATTERN", 'file = "web.csv"'))


def test_datagrams_of_a_trace_are_never_too_short(tmp_path: Path) -> None:
    path = written(tmp_path, "web.csv", "bytes,interval_s\n1200,0.1\n1210,0.1\n", 'protocol = "udp"\n')
    with pytest.raises(ScenarioError, match="line 3: 1210 bytes in datagrams of 1200 bytes leave less than the 28"):
        dbs.load(path)
