"""Files are complete or absent."""

from __future__ import annotations

import json
import os
from pathlib import Path

import celltrain
import pytest
from celltrain.files import atomic_write, csv_text, json_text, output_folder


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    atomic_write(path, "old")
    atomic_write(path, "new")
    assert path.read_text() == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]


def test_a_failure_leaves_what_was_there_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    atomic_write(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.csv"]


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(OSError, match="taken"):
        output_folder(tmp_path / "taken" / "results")


def test_numbers_are_written_exactly_and_whole_ones_without_point() -> None:
    rows = [{"a": 0.1 + 0.2, "b": 3.0, "c": float("nan")}]
    assert csv_text(["a", "b", "c"], rows) == "a,b,c\n0.30000000000000004,3,\n"


def test_a_name_is_never_a_formula_in_a_spreadsheet() -> None:
    assert csv_text(["a", "b"], [{"a": "=1+1", "b": -1.5}]) == "a,b\n'=1+1,-1.5\n"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file here")
def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(celltrain.ScenarioError, match="larger than 16 MiB"):
        celltrain.load("/dev/zero")


def test_json_has_no_nan() -> None:
    text = json_text([float("inf"), {"a": (float("nan"), 1.5)}])
    assert json.loads(text) == [None, {"a": [None, 1.5]}]
