"""`celltrain report`: the content of the page, and the errors for a broken folder."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from celltrain import Scenario
from celltrain.report import folder as results
from celltrain.report.document import Report
from celltrain.report.packing import pack
from celltrain.report.page import render
from celltrain.report.source import ReportError
from celltrain.stored.seals import sealed_json
from celltrain.sweeps import Design, Replications, Sweep
from celltrain.sweeps.parameters import parameter
from conftest import LINE, Command
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from report_folders import EXPERIMENTS, HOSTILE, STUDY, a_run, a_sweep, hostile_run, tables


class _Texts(HTMLParser):
    """The visible text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self._hidden = "", False

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._hidden else f"{data} "


def text_of(page: str) -> str:
    parser = _Texts()
    parser.feed(page)
    return " ".join(parser.text.split())


def test_a_run_is_reported_with_what_made_it(cli: Command, tmp_path: Path, line_file: Path) -> None:
    assert cli("run", line_file, "--seed", "7", "--out", "out").returncode == 0
    done = cli("report", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("wrote out/report.html (")
    text = text_of((tmp_path / "out" / "report.html").read_text())
    provenance = json.loads((tmp_path / "out" / "provenance.json").read_text())
    for said in ("Seed 7", "Duration 3 s", provenance["scenario_hash"], provenance["result_digest"], "upload2"):
        assert said in text


def test_a_study_is_reported_with_verdicts_beside_what_was_published(study_folder: Path) -> None:
    report = results.read(study_folder)
    (chapter,) = report.chapters
    assert (chapter.claims, chapter.holding, len(chapter.failing), chapter.unchecked) == (3, 1, 1, 1)
    text = text_of(render(report))
    assert "1 of 3 claims hold." in text
    assert "✗ fails It fails. Sect. 1 Check of fails v('x') > 1 2 2.5" in text
    # The study was run quickly: a single run has no interval, and is no mean.
    assert "One run of each point" in text
    assert "95 % confidence interval" not in text
    assert "its only structure" in text or re.search(r"all \d+ structures", text)


def test_every_experiment_of_a_study_has_its_section_and_figure(study_folder: Path) -> None:
    (chapter,) = results.read(study_folder).chapters
    assert [section.key for section in chapter.sections] == sorted(EXPERIMENTS)
    assert all(len(section.figures) == 1 for section in chapter.sections)


def test_the_folder_of_one_study_is_reported_as_well(study_folder: Path) -> None:
    assert len(results.read(study_folder / STUDY).chapters) == 1


def test_a_sweep_is_reported_with_its_means_and_what_failed(tmp_path: Path) -> None:
    (chapter,) = results.read(a_sweep(tmp_path)).chapters
    facts = {fact.name: fact.value for fact in chapter.facts}
    assert (facts["Points"], facts["Runs done"], facts["Runs failed"]) == ("6", "8", "4")
    every, points, _, failed = chapter.sections
    (figure,) = every.figures
    assert figure.x.label == "links.line.rate.every [ms]"
    assert [series.name for series in figure.panels[0].series] == ["buffer 500 cells", "buffer 9 cells"]
    assert len(points.grids[0].rows) == 6
    assert {row[0] for row in failed.grids[0].rows} == {"2", "5"}


def test_a_sweep_is_reported_with_the_traces_of_each_point_on_one_axis_of_time(tmp_path: Path) -> None:
    (chapter,) = results.read(a_sweep(tmp_path)).chapters
    (traces,) = (section for section in chapter.sections if section.key == "traces")
    (figure,) = traces.figures
    assert figure.kind == "trace"
    assert [panel.label for panel in figure.panels] == ["links.line1: queue [cells]", "flows.upload1: cwnd [bytes]"]
    runs = [
        "every 10 ms, buffer 500 cells",
        "every 10 ms, buffer 9 cells",
        "every 1 s, buffer 500 cells",
        "every 1 s, buffer 9 cells",
    ]
    assert all([series.name for series in panel.series] == runs for panel in figure.panels)
    assert not traces.notes


def test_of_many_points_the_first_the_last_and_some_between_are_traced_and_the_report_says_so(tmp_path: Path) -> None:
    base = Scenario.from_toml(LINE, "line.toml")
    buffers = [f"{size} cells" for size in range(100, 900, 100)]
    Sweep(base, Design(grid={"links.line.buffer": buffers}), Replications(1)).run(tmp_path)
    (chapter,) = results.read(tmp_path).chapters
    (traces,) = (section for section in chapter.sections if section.key == "traces")
    drawn = [series.name for series in traces.figures[0].panels[0].series]
    assert (drawn[0], drawn[-1], len(drawn)) == ("buffer 100 cells", "buffer 800 cells", 6)
    assert "6 of 8 points are drawn" in traces.notes[0]


def test_a_sweep_of_one_point_shows_its_traces_as_a_run_does(tmp_path: Path) -> None:
    Sweep(Scenario.from_toml(LINE, "line.toml"), replications=Replications(2)).run(tmp_path)
    (chapter,) = results.read(tmp_path).chapters
    (traces,) = (section for section in chapter.sections if section.key == "traces")
    assert [series.name for series in traces.figures[0].panels[0].series] == ["links.line1"]
    assert traces.grids[0].title == "Recorded quantities"


@pytest.mark.parametrize(
    ("values", "label", "places"),
    [
        (["10 ms", "1 s"], "key [ms]", [10, 1000]),
        (["1 Mbit/s", "500 kbit/s", "10 cells/s"], "key [kbit/s]", [1000, 500, 4.24]),
        ([1, 2.5], "key", [1, 2.5]),
        (["64 KiB", "9140 bytes"], "key [bytes]", [65536, 9140]),
        (["1 s", "1 cells"], "key", ["1 s", "1 cells"]),
        (["1 s", None], "key", ["1 s", "not set"]),
        ([True, False], "key", ["True", "False"]),
        (["fast", "1 furlong"], "key", ["fast", "1 furlong"]),
    ],
)
def test_values_of_one_unit_are_places_on_an_axis_and_others_are_names(
    values: list[object], label: str, places: list[object]
) -> None:
    found = parameter("key", values)
    assert found.label == label
    assert list(found.values) == (pytest.approx(places) if isinstance(places[0], int) else places)


def test_a_page_is_the_same_octet_for_octet(tmp_path: Path) -> None:
    folder = a_run(tmp_path / "run")
    assert render(results.read(folder)) == render(results.read(folder))


def test_the_page_can_go_elsewhere(cli: Command, tmp_path: Path) -> None:
    a_run(tmp_path / "run")
    assert cli("report", "run", "--out", "page.html").returncode == 0
    assert (tmp_path / "page.html").exists()
    assert not (tmp_path / "run" / "report.html").exists()


def test_the_policy_admits_the_page_s_own_code_and_nothing_else(tmp_path: Path) -> None:
    page = render(results.read(a_run(tmp_path / "run")))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    assert "default-src &#39;none&#39;" in policy
    assert "unsafe" not in policy
    assert not re.search(r"\b(?:src|href)=\"(?!#|data:image/svg|https://github\.com/leeoniya/uPlot\")", page)


def test_a_rate_without_limit_is_not_drawn(tmp_path: Path) -> None:
    unlimited = np.finfo(np.float64).max
    columns = {
        "time_s": np.arange(3.0),
        "a.acr_bps": np.full(3, unlimited),
        "b.acr_bps": np.array([unlimited, 1e6, 2e6]),
    }
    units = {"time_s": "s", "a.acr_bps": "bit/s", "b.acr_bps": "bit/s"}
    (chapter,) = results.read(tables(tmp_path / "run", {"probe": columns}, {"probe": units})).chapters
    (traces,) = (section for section in chapter.sections if section.key == "traces")
    assert [series.name for series in traces.figures[0].panels[0].series] == ["b"]
    assert traces.figures[0].panels[0].label == "ACR [Mbit/s]"
    assert traces.grids[0].rows == [("b.acr_bps", "Mbit/s", "2", "1", "1.5", "2")]


def test_names_of_users_are_text(tmp_path: Path) -> None:
    page = render(results.read(hostile_run(tmp_path / "run")))
    assert HOSTILE not in page
    assert HOSTILE in text_of(page)


def _without_provenance(folder: Path) -> None:
    (folder / "provenance.json").unlink()


def _tables_of_others(folder: Path) -> None:
    for path in folder.iterdir():
        if path.suffix != ".html":
            path.unlink()
    (folder / "mine.csv").write_text("a,b\n1,2\n")


def _experiment_without_provenance(folder: Path) -> None:
    _tables_of_others(folder)
    (folder / "adsl-abr").mkdir()
    for suffix in ("csv", "svg"):
        (folder / "adsl-abr" / f"fig04.{suffix}").touch()


def _broken_json(folder: Path) -> None:
    (folder / "provenance.json").write_text('{"units": ')


def _list_for_object(folder: Path) -> None:
    (folder / "provenance.json").write_text("[]")


def _no_units(folder: Path) -> None:
    (folder / "provenance.json").write_text('{"scenario": {}}')


def _file_elsewhere(folder: Path) -> None:
    (folder / "provenance.json").write_text('{"scenario": {}, "units": {"../secret": {}}}')


def _missing_table(folder: Path) -> None:
    (folder / "flows.csv").unlink()


def _of_an_earlier_version(folder: Path) -> None:
    """Remove the checksums, which earlier versions did not write."""
    provenance = json.loads((folder / "provenance.json").read_text())
    del provenance["files"], provenance["sha256"]
    (folder / "provenance.json").write_text(json.dumps(provenance))


def _changed_row(folder: Path) -> None:
    (folder / "flows.csv").write_text((folder / "flows.csv").read_text().replace("1", "2", 1))


def _short_row(folder: Path) -> None:
    _of_an_earlier_version(folder)
    (folder / "flows.csv").write_text("flow,vc\na,b\nc\n")


def _empty_table(folder: Path) -> None:
    _of_an_earlier_version(folder)
    (folder / "flows.csv").write_text("")


def _no_text(folder: Path) -> None:
    _of_an_earlier_version(folder)
    (folder / "flows.csv").write_bytes(b"flow\n\xff\xfe\n")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_without_provenance, "out: tables without provenance.json, which celltrain writes last: the writing was"),
        (_tables_of_others, "out: no results in it: expected the folder that was given to --out"),
        (_experiment_without_provenance, "out: tables without adsl-abr/fig04.provenance.json, which celltrain writes"),
        (_broken_json, "out/provenance.json: not the JSON that celltrain writes"),
        (_list_for_object, "out/provenance.json: expected an object, found list"),
        (_no_units, "out/provenance.json: units: expected dict, found nothing"),
        (_file_elsewhere, "out/provenance.json: units: '../secret' names no table"),
        (_missing_table, "out/flows.csv: No such file or directory"),
        (_changed_row, "out/flows.csv: its checksum differs from that in provenance.json"),
        (_short_row, "out/flows.csv: not the CSV that celltrain writes"),
        (_empty_table, "out/flows.csv: expected a header that names each column once"),
        (_no_text, "out/flows.csv: not the CSV that celltrain writes"),
    ],
)
def test_a_broken_folder_is_one_clear_message_and_leaves_the_former_page(
    cli: Command, tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    folder = a_run(tmp_path / "out")
    (folder / "report.html").write_text("former")
    damage(folder)
    done = cli("report", "out")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert (folder / "report.html").read_text() == "former"


def test_open_shows_the_page_in_the_browser_or_says_that_there_is_none(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = a_run(tmp_path / "out")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/shown\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{browser} %s")
    done = cli("report", "out", "--open")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "shown").read_text().strip() == (folder / "report.html").as_uri()
    # No browser is set, or found.
    monkeypatch.delenv("BROWSER")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    done = cli("report", "out", "--open")
    assert (done.returncode, "no browser could be started here: open out/report.html" in done.stderr) == (2, True)


def test_a_folder_that_is_not_there_is_said(cli: Command) -> None:
    done = cli("report", "absent")
    assert (done.returncode, "absent: no such folder" in done.stderr) == (2, True)


def test_a_plot_that_does_not_fit_its_table_is_said(tmp_path: Path, study_folder: Path) -> None:
    source = next(study_folder.glob("*/*.provenance.json"))
    folder = tmp_path / "paper"
    folder.mkdir()
    provenance = json.loads(source.read_text())
    provenance["plot"]["x"] = "absent"
    (folder / "fig.provenance.json").write_text(sealed_json(provenance))
    (folder / "fig.csv").write_bytes(source.with_name(source.name.replace(".provenance.json", ".csv")).read_bytes())
    with pytest.raises(ReportError, match="plot: does not fit the table"):
        results.read(tmp_path)


def test_rows_beyond_the_bound_are_counted_and_their_file_is_named(tmp_path: Path) -> None:
    rows = {"flow": [f"f{index}" for index in range(1000)], "throughput_bps": np.arange(1000.0)}
    folder = tables(tmp_path / "run", {"flows": rows}, {"flows": {"flow": "", "throughput_bps": "bit/s"}})
    report = results.read(folder)
    assert "600 more rows in flows.csv." in text_of(render(report))
    assert len(_rows(report)) == 400


def _rows(report: Report) -> list[object]:
    return list(report.chapters[0].sections[0].grids[0].rows)


def test_missing_values_and_guarded_names_are_read_as_they_were(tmp_path: Path) -> None:
    folder = tables(tmp_path / "run", {}, {"flows": {"flow": "", "throughput_bps": "bit/s"}})
    (folder / "flows.csv").write_text('flow,throughput_bps\n\'=a,\n"b\nc",2000000\n')
    assert _rows(results.read(folder)) == [("=a", ""), ("b\nc", "2")]


def unpacked(packed: dict[str, object]) -> npt.NDArray[np.float64]:
    """Unpack a column as the page does."""
    length = packed["length"]
    assert isinstance(length, int)
    if "step" in packed:
        start, step = packed["start"], packed["step"]
        assert isinstance(start, float)
        assert isinstance(step, float)
        return np.asarray(start + step * np.arange(length), dtype=np.float64)
    octets = zlib.decompress(base64.b64decode(str(packed["data"])))
    values = np.frombuffer(octets, dtype=f"<{packed['type']}").astype(np.float64)
    assert len(values) == length
    return values


@given(arrays.arrays(np.float64, st.integers(0, 50), elements=st.floats(allow_infinity=False, width=64)))
def test_packed_columns_keep_their_values(values: npt.NDArray[np.float64]) -> None:
    packed = pack(values, exact=True)
    if "step" in packed:
        assert np.all(np.abs(unpacked(packed) - values) <= 1.1e-3 * abs(packed["step"]))
    else:
        np.testing.assert_array_equal(unpacked(packed), values)


@pytest.mark.parametrize(
    ("values", "kind"),
    [([0, 255, 3], "u1"), ([0, 256, 3], "u2"), ([0, 65536, 3], "u4"), ([0, 2**32, 3], "f8"), ([-1, 0, 5], "f8")],
)
def test_whole_numbers_take_the_smallest_type_that_holds_them(values: list[float], kind: str) -> None:
    assert pack(np.array(values, dtype=np.float64))["type"] == kind
