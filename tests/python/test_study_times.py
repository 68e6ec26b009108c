"""How long experiments take: the record, its place in `celltrain reproduce --list`, and the tool that makes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from celltrain.papers import catalog
from celltrain.papers.times import about, recorded
from conftest import Command, tool


def test_the_record_has_only_experiments_that_there_are() -> None:
    names = {f"{paper}/{each}" for paper in catalog.names() for each in catalog.paper(paper).experiments}
    times = recorded()
    assert times
    assert set(times) <= names
    assert all(seconds > 0 for seconds in times.values())


def test_the_list_says_how_long_each_experiment_takes(cli: Command) -> None:
    name, seconds = next(iter(recorded().items()))
    shown = cli("reproduce", "--list").stdout
    assert re.search(rf"^  {name} +{about(seconds)}  \S", shown, re.MULTILINE)
    assert "Times: about, of one core" in shown
    listing = json.loads(cli("reproduce", "--list", "--json").stdout)
    found = {f"{paper['paper']}/{each['id']}": each["cpu_s"] for paper in listing for each in paper["experiments"]}
    assert found == dict.fromkeys(found) | recorded()


def test_the_tool_records_what_is_named_and_forgets_experiments_that_are_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study_times = tool("study_times")
    record = tmp_path / "times.json"
    record.write_text(json.dumps({"adsl-abr/gone": 1.0, "adsl-abr/tab04": 2.0, "adsl-abr/fig04": 3.0}))
    monkeypatch.setattr(study_times, "RECORD", record)
    study_times.main(["adsl-abr/tab04"])
    times = json.loads(record.read_text())
    assert list(times) == ["adsl-abr/fig04", "adsl-abr/tab04"]
    assert times["adsl-abr/fig04"] == 3.0
    assert 0 < times["adsl-abr/tab04"] < 60
    with pytest.raises(SystemExit, match="adsl-abr/absent: no such study or experiment"):
        study_times.main(["adsl-abr/absent"])
