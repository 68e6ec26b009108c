"""Results that are not the study's: in a folder of their own, marked everywhere, never beside stale claims."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import celltrain
import pytest
from celltrain.files import replace_together
from celltrain.papers import catalog
from celltrain.papers.extent import Extent
from celltrain.report.folder import read
from celltrain.report.page import render
from conftest import Command

#: An experiment that takes about a second in full.
EXPERIMENT = "adsl-field/fig16"
PAPER, FIGURE = EXPERIMENT.split("/")


def in_words(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def extent_of(folder: Path) -> str:
    provenance = json.loads((folder / PAPER / f"{FIGURE}.provenance.json").read_text())
    return str(provenance["extent"]["name"])


@pytest.fixture(scope="module")
def studied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an experiment as the study has it."""
    folder = tmp_path_factory.mktemp("study") / "results"
    outcome = celltrain.study(PAPER).experiment(FIGURE).run()
    outcome.write(folder)
    outcome.write_verdicts(folder, outcome.verdicts({FIGURE: outcome.rows}))
    return folder


@pytest.fixture
def folder(studied: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder."""
    shutil.copytree(studied, tmp_path / "results")
    return tmp_path / "results"


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (["--quick"], "quick"),
        (["--replications", "2"], "replications"),
        (["--set", "links.line_down.delay=1 ms"], "changed"),
    ],
)
def test_a_lesser_run_never_replaces_the_study(cli: Command, folder: Path, options: list[str], name: str) -> None:
    before = {path: path.read_bytes() for path in (folder / PAPER).iterdir()}
    refused = cli("reproduce", EXPERIMENT, *options, "--out", "results")
    assert refused.returncode == 2
    assert f"--out results-{name}" in in_words(refused.stderr)
    assert {path: path.read_bytes() for path in (folder / PAPER).iterdir()} == before


def test_a_quick_run_is_marked_everywhere(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", EXPERIMENT, "--quick")
    assert done.returncode == 0, done.stderr
    assert "NOT THE STUDY quick run" in in_words(done.stdout)
    folder = tmp_path / "results-quick"
    assert extent_of(folder) == "quick"
    assert {row["extent"] for row in rows_of(folder / PAPER / f"{FIGURE}.csv")} == {Extent(quick=True).says}
    assert "QUICK" in (folder / PAPER / f"{FIGURE}.svg").read_text()
    assert not (folder / PAPER / f"{FIGURE}.claims.json").exists()
    (chapter,) = read(folder).chapters
    assert chapter.sections[0].warning == Extent(quick=True).says
    facts = {fact.name: fact.value for fact in chapter.facts}
    scenario = (
        celltrain.study(PAPER)
        .experiment(FIGURE)
        .scenario(downlink_bps=4992000, uplink_bps=640000, write_size_bytes=1460)
    )
    assert facts["Duration of a run"] != json.loads(scenario.to_json())["measure"]["duration"]


def test_the_study_replaces_a_quick_run_and_its_marks(cli: Command, tmp_path: Path) -> None:
    assert cli("reproduce", EXPERIMENT, "--quick", "--out", "out").returncode == 0
    assert cli("reproduce", EXPERIMENT, "--out", "out").returncode == 0
    assert extent_of(tmp_path / "out") == "study"
    assert "extent" not in rows_of(tmp_path / "out" / PAPER / f"{FIGURE}.csv")[0]
    assert (tmp_path / "out" / PAPER / f"{FIGURE}.claims.json").exists()


def test_the_page_calls_values_of_kernels_live(folder: Path) -> None:
    claims = folder / PAPER / f"{FIGURE}.claims.json"
    kept = claims.read_text()
    assert ">Simulated</th>" in render(read(folder))
    claims.write_text(kept.replace('"origin": "simulated"', '"origin": "live"'))
    page = render(read(folder))
    claims.write_text(kept)
    assert ">Live</th>" in page
    assert ">Simulated</th>" not in page


def test_claims_about_another_table_are_removed_or_not_shown(folder: Path) -> None:
    claims = folder / PAPER / f"{FIGURE}.claims.json"
    assert read(folder).chapters[0].claims > 0
    kept = claims.read_bytes()
    changed = celltrain.study(PAPER).experiment(FIGURE).with_value("links.line_down.delay", "1 ms").run()
    changed.write(folder)
    assert not claims.exists()
    claims.write_bytes(kept)
    (chapter,) = read(folder).chapters
    assert chapter.claims == 0
    assert any("another table" in note for note in chapter.sections[0].notes)


def test_a_file_that_was_changed_after_the_run_is_named(folder: Path) -> None:
    with (folder / PAPER / f"{FIGURE}.csv").open("a") as file:
        file.write("\n")
    assert f"{FIGURE}.csv was changed after the run." in read(folder).chapters[0].sections[0].notes


class Killed(BaseException):
    """The end of a process, in place of a real one."""


def kills(monkeypatch: pytest.MonkeyPatch, after: int) -> Iterator[None]:
    """End the process after a number of changes to a folder."""
    left = [after]

    def counted(function: str) -> None:
        real = getattr(os, function)

        def change(*arguments: object, **named: object) -> object:
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return real(*arguments, **named)

        monkeypatch.setattr(os, function, change)

    for function in ("replace", "rename", "unlink"):
        counted(function)
    yield


@pytest.mark.parametrize("after", range(12))
def test_files_that_belong_together_have_a_seal_only_when_all_are_there(tmp_path: Path, after: int) -> None:
    old = {"a.csv": "old", "a.svg": "old", "a.claims.json": "old", "a.seal": "old"}
    new = {"a.csv": "new", "a.png": "new", "a.seal": "new"}
    replace_together(tmp_path, old, seal="a.seal", stale="a.*")
    with pytest.MonkeyPatch.context() as monkeypatch:
        next(kills(monkeypatch, after))
        with contextlib.suppress(Killed):
            replace_together(tmp_path, new, seal="a.seal", stale="a.*")
    found = {path.name: path.read_text() for path in tmp_path.glob("a.*")}
    assert "a.seal" not in found or found in (old, new)
    replace_together(tmp_path, new, seal="a.seal", stale="a.*")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == new


def test_the_scenario_of_a_point_runs_alone_with_the_same_numbers(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", "adsl-abr/fig16", "--point", "control=gfc,buffer_cells=512")
    assert done.returncode == 0, done.stderr
    scenario = celltrain.Scenario(tomllib.loads(done.stdout))
    point = celltrain.study("adsl-abr").experiment("fig16").scenario(control="gfc", buffer_cells=512)
    assert scenario.hash == point.hash
    (tmp_path / "scenario.toml").write_text(done.stdout)
    assert celltrain.load(tmp_path / "scenario.toml").hash == point.hash


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("control=gfc", "points have these values, give more of buffer_cells: "),
        ("control=gfc,buffer_cells=3", "no point has these values, there are buffer_cells: "),
        ("ctrl=gfc", "no axis 'ctrl'; there are buffer_cells, control"),
        ("gfc", "expected COLUMN=VALUE"),
    ],
)
def test_a_point_that_is_not_one_is_said(cli: Command, point: str, message: str) -> None:
    done = cli("reproduce", "adsl-abr/fig16", "--point", point)
    assert done.returncode == 2
    assert message in in_words(done.stderr)


def test_a_changed_value_changes_every_point_and_no_claim_is_checked(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", EXPERIMENT, "--set", "links.line_down.delay=50 ms", "--json")
    assert done.returncode == 0, done.stderr
    (report,) = json.loads(done.stdout)
    assert report["claims"] is None
    assert report["extent"]["changes"] == {"links.line_down.delay": "50 ms"}
    original = celltrain.study(PAPER).experiment(FIGURE).run(replications=1)
    pairs = [
        (new["throughput_bps"], old["throughput_bps"]) for new, old in zip(report["rows"], original.rows, strict=True)
    ]
    # A window of 8,760 octets in at least 53 ms.
    assert all(new < 8 * 8760 / 0.053 for new, _ in pairs)
    assert max(old for _, old in pairs) > 2 * 8 * 8760 / 0.053
    assert (tmp_path / "results-changed" / PAPER / f"{FIGURE}.csv").exists()


def test_a_changed_value_that_does_not_fit_is_one_clear_message(cli: Command) -> None:
    done = cli("reproduce", EXPERIMENT, "--set", "links.line_down.dely=50 ms")
    assert done.returncode == 2
    assert "links.line_down.dely, which was changed: unknown key" in in_words(done.stderr)
    assert 'did you mean "delay"?' in in_words(done.stderr)


OWN_SCENARIO = """
measure = { warm_up = "1 s", duration = "5 s" }
hosts = { a = {}, b = {} }
links.line = { between = ["a", "b"], rate = "8 Mbit/s", buffer = "100 cells", delay = "5 ms" }
vcs.v.route = ["a", "b"]
flows.download.vc = "v"
"""
OWN_STUDY = """
title = "Throughput and buffer"
directions.down = { link = "line", flows = "download" }
ideal = { payload_bytes = 1460, line_bytes = 1696 }
replications = { least = 2, most = 2, step = 1, column = "throughput_bps", precision = inf }
point = ["throughput_bps", "throughput_bps_ci95"]
[[experiment]]
id = "buffer"
says = "Throughput over the buffer of the line"
directions = ["down"]
axis = [{ column = "buffer_cells", values = [50, 100, 400], set = { "links.line.buffer" = "{0} cells" } }]
[experiment.plot]
x = "buffer_cells"
x_label = "buffer [cells]"
by = []
panel = [{ y = "throughput_bps", label = "throughput [bit/s]" }]
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Return the folder of a study without overlays and claims."""
    (tmp_path / "my-study").mkdir()
    (tmp_path / "my-study" / "scenario.toml").write_text(OWN_SCENARIO)
    (tmp_path / "my-study" / "experiments.toml").write_text(OWN_STUDY)
    return tmp_path / "my-study"


@pytest.mark.parametrize("selection", ["./my-study", "my-study", "my-study/buffer", "./my-study/"])
def test_a_study_of_one_s_own_is_reproduced_from_its_folder(
    cli: Command, own: Path, tmp_path: Path, selection: str
) -> None:
    done = cli("reproduce", selection)
    assert done.returncode == 0, done.stderr
    assert len(rows_of(tmp_path / "results" / "my-study" / "buffer.csv")) == 3
    assert "0 of 0 claims" not in done.stdout


def test_a_copy_of_a_shipped_study_is_not_taken_for_it(own: Path) -> None:
    copy = own.with_name("adsl-abr")
    own.rename(copy)
    paper, _ = catalog.located(f"{copy}")
    assert paper.name == "adsl-abr-own"


def test_a_folder_without_a_study_is_said(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = cli("reproduce", "./empty")
    assert done.returncode == 2
    assert "./empty: no study: expected a folder with the file experiments.toml" in in_words(done.stderr)
    done = cli("reproduce", "adsl-abrr")
    assert "did you mean 'adsl-abr'?" in in_words(done.stderr)


def test_the_page_shows_published_points_in_the_style_of_their_series(studied: Path) -> None:
    (chapter,) = read(studied).chapters
    (figure,) = chapter.sections[0].figures
    (panel,) = figure.panels
    published = {series.name: series for series in panel.series if series.open}
    simulated = {series.name: series for series in panel.series if not series.open}
    assert len(published) == 8
    assert {name: series.style for name, series in published.items()} == {
        name: simulated[name].style for name in published
    }
