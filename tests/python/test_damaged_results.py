"""Folders of results whose files are cut, emptied, flipped or exchanged: a clear message, and all undamaged results."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from celltrain import Scenario, dbs
from celltrain.cli import main
from celltrain.papers import catalog
from celltrain.papers.reproduce import Options, run
from celltrain.progress import Progress
from celltrain.stored import Damaged
from celltrain.stored.tables import read_parquet
from celltrain.sweeps import SweepResults
from conftest import LINE, tables_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from report_folders import a_run
from test_report_records import a_record

#: How many damages are tried; `make test-all` tries ten times as many.
DAMAGES = int(os.environ.get("CELLTRAIN_DAMAGES", "60"))
PLAN = """
[hosts]
a = {}
b = {}
[flows.up]
from = "a"
to = "b"
duration = "100 ms"
"""
GRID = ("--set", "links.line.rate.every=10 ms,1 s", "--set", "links.line.buffer=50 cells,500 cells")
SWEEP = ("sweep", "line.toml", *GRID, "--replications", "2", "--jobs", "1", "--out")


@dataclass(frozen=True)
class Ended:
    """What a command did: its exit code, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """Return the command line in this process; an exception that reaches the user fails the test."""
    monkeypatch.setenv("NO_COLOR", "1")

    def call(*arguments: str | Path) -> Ended:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments])
        printed = capsys.readouterr()
        code = ended.value.code
        assert isinstance(code, int)
        return Ended(code, printed.out, printed.err)

    return call


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with results of every kind."""
    root = tmp_path_factory.mktemp("kinds")
    (root / "line.toml").write_text(LINE.replace('"1 s"', '"100 ms"').replace('"3 s"', '"1 s"'))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        with pytest.raises(SystemExit) as ended:
            main([*SWEEP, "sweep"])
        assert ended.value.code == 0
    a_run(root / "run")
    a_record(root / "log")
    study = catalog.paper("adsl-abr")
    for outcome in run(study, [study.experiments["fig04"]], Options(quick=True), Progress()):
        outcome.write(root / "study")
    return root


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a measurement between hosts."""
    folder = tmp_path_factory.mktemp("measured") / "dbs"
    assert dbs.run(dbs.Plan.from_toml(PLAN), out=folder).is_complete
    return folder


@st.composite
def damages(draw: st.DrawFn, files: list[Path]) -> Callable[[Path], str]:
    """Draw a way to damage one of these files, which are relative to the folder that it is given."""
    file = draw(st.sampled_from(files))
    other = draw(st.sampled_from(files))
    kind = draw(st.sampled_from(["cut", "empty", "flip", "fill", "exchange", "remove"]))
    at, value = draw(st.floats(0, 1, exclude_max=True)), draw(st.integers(1, 255))

    def damage(folder: Path) -> str:
        path = folder / file
        octets = bytearray(path.read_bytes())
        place = int(at * len(octets))
        if kind == "cut":
            path.write_bytes(octets[:place])
        elif kind == "empty":
            path.write_bytes(b"")
        elif kind == "flip" and octets:
            octets[place] ^= value
            path.write_bytes(octets)
        elif kind == "fill":
            path.write_bytes(octets[:place] + bytes([value]) * (len(octets) - place))
        elif kind == "exchange":
            path.write_bytes((folder / other).read_bytes())
            (folder / other).write_bytes(octets)
        elif kind == "remove":
            path.unlink()
        return f"{kind} {file} at {place} with {value} or {other}"

    return damage


COMMANDS = {
    "run": (("report",),),
    "log": (("report",),),
    "study": (("report",),),
    "sweep": (("results",), ("results", "--table", "index"), ("report",), ("effects",)),
}


MANY = settings(
    max_examples=DAMAGES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FEW = settings(MANY, max_examples=max(5, DAMAGES // 10))


def files_of(folder: Path) -> list[Path]:
    """Return the files of a folder, as paths within it."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    return sorted(path.relative_to(folder) for path in files)


def damaged(whole: Path, folder: Path, damage: Callable[[Path], str]) -> str:
    """Copy a folder and damage the copy; return what was done."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    return damage(folder)


def check_message(ended: Ended, what: str) -> None:
    """Fail unless a command worked, or ended with a clear message."""
    assert ended.code in (0, 2), (what, ended)
    assert "Traceback" not in ended.err, (what, ended)
    assert ended.code == 0 or "error: " in ended.err, (what, ended)
    assert "\x1b" not in ended.out + ended.err, (what, ended)


@MANY
@given(data=st.data())
def test_damage_is_a_clear_message_and_never_a_traceback(
    kinds: Path, command: Callable[..., Ended], tmp_path: Path, data: st.DataObject
) -> None:
    kind = data.draw(st.sampled_from(sorted(COMMANDS)))
    damage = data.draw(damages(files_of(kinds / kind)))
    folder = tmp_path / "damaged"
    for command_of, *options in COMMANDS[kind]:
        what = damaged(kinds / kind, folder, damage)
        check_message(command(command_of, folder, *options), what)


@FEW
@given(data=st.data())
def test_damage_to_a_measurement_is_a_clear_message(
    measured: Path, command: Callable[..., Ended], tmp_path: Path, data: st.DataObject
) -> None:
    damage = data.draw(damages(files_of(measured)))
    for words in (("report",), ("dbs", "view")):
        what = damaged(measured, tmp_path / "damaged", damage)
        check_message(command(*words, tmp_path / "damaged"), what)


@FEW
@given(data=st.data())
def test_a_damaged_sweep_is_whole_after_the_same_command(
    kinds: Path, command: Callable[..., Ended], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject
) -> None:
    whole, folder = kinds / "sweep", tmp_path / "again"
    what = damaged(whole, folder, data.draw(damages(files_of(whole))))
    monkeypatch.chdir(kinds)
    ended = command(*SWEEP, folder)
    assert ended.code == 0, (what, ended)
    assert tables_of(folder) == tables_of(whole), what
    assert SweepResults(folder).damaged == {}


def test_a_damaged_record_is_named_and_the_other_runs_are_shown(
    kinds: Path, command: Callable[..., Ended], tmp_path: Path
) -> None:
    folder = tmp_path / "sweep"
    shutil.copytree(kinds / "sweep", folder)
    record = min((folder / "records").glob("*.parquet"))
    octets = bytearray(record.read_bytes())
    octets[len(octets) // 2] ^= 1
    record.write_bytes(octets)
    ended = command("results", folder, "--json")
    assert ended.code == 2
    assert ended.err.count(record.name) == 1
    assert "its checksum differs" in ended.err
    assert "the same sweep command again runs what is missing" in ended.err
    assert '"runs": 1' in ended.out, "the other run of the point"
    assert ended.out.count('"runs": 2') == 3, "the other points"
    assert command("report", folder, "--out", tmp_path / "page.html").code == 2
    assert record.name in (tmp_path / "page.html").read_text()


def test_a_table_in_the_place_of_another_is_damage(kinds: Path, tmp_path: Path) -> None:
    (tmp_path / "flows.parquet").write_bytes((kinds / "sweep/tables/links.parquet").read_bytes())
    with pytest.raises(Damaged, match=r"flows\.parquet: its checksum differs: damaged, or in another's place"):
        read_parquet(tmp_path / "flows.parquet")


def test_each_octet_of_a_table_counts(kinds: Path, tmp_path: Path) -> None:
    octets = (kinds / "sweep/points.parquet").read_bytes()
    path = tmp_path / "points.parquet"
    path.write_bytes(octets)
    assert read_parquet(path).num_rows == 4
    for place in range(len(octets)):
        path.write_bytes(octets[:place] + bytes([octets[place] ^ 0x10]) + octets[place + 1 :])
        with pytest.raises(Damaged):
            read_parquet(path)


def test_a_number_changed_in_a_table_of_a_run_is_found(
    kinds: Path, command: Callable[..., Ended], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    shutil.copytree(kinds / "run", folder)
    flows = folder / "flows.csv"
    flows.write_text(flows.read_text().replace("1", "2", 1))
    ended = command("report", folder)
    assert ended.code == 2
    assert "flows.csv: its checksum differs from that in provenance.json" in ended.err


def test_results_of_versions_without_checksums_in_json_are_read(
    kinds: Path, command: Callable[..., Ended], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    Scenario.from_toml(LINE, "line.toml").run(seed=1).save(folder)
    path = folder / "provenance.json"
    lines = path.read_text().splitlines()
    assert lines[-2].startswith('  "sha256": ')
    path.write_text("\n".join([*lines[:-3], "  }", "}"]))
    assert command("report", folder).code == 0
