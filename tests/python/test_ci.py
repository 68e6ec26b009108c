"""``celltrain ci``: the file, its mistakes, tests in virtual time, and what is written."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from browser import browser, needs_browser, opened
from celltrain.ci import quantities, suite
from celltrain.ci.junit import document
from celltrain.ci.outcome import Outcome, State
from celltrain.ci.page import page
from celltrain.ci.suite import Case
from celltrain.ci.threshold import Check, Threshold, over_runs
from celltrain.papers.reading import Mistake, PaperError
from conftest import Command
from junit_shape import check_shape

MODEL = """
[lines.slow]
preset = "two-hosts"
set = { "links.line.rate" = "1 Mbit/s", "measure.duration" = "3 s" }

[tests.model]
simulate = true
repeats = 3
expect = ["links[line*,from=server].utilization > 50 %", "mean(flows.throughput_bps) < 2 Mbit/s"]
"""


def mistake(tmp_path: Path, text: str) -> str:
    path = tmp_path / "celltrain-ci.toml"
    path.write_text(text)
    with pytest.raises(PaperError) as caught:
        suite.read(path)
    return str(caught.value).removeprefix(f"{path}:")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("simulate", "simulat", '7:1: tests.model.simulat: unknown key; did you mean "simulate"?'),
        ('"two-hosts"', '"two-host"', '3:1: lines.slow.preset: no preset "two-host"; did you mean "two-hosts"?'),
        ("preset = ", "example = ", '3:1: lines.slow.example: no example "two-hosts"'),
        ("repeats = 3", "repeats = 0", "8:1: tests.model.repeats: expected a whole number from 1 on, found 0"),
        ("repeats = 3", 'lines = ["slo"]', 'no line "slo"; did you mean "slow"?'),
        (
            "simulate = true",
            'client = "a"\nsimulate = true',
            "expected either `client`, a command, or `sim",
        ),
        ("repeats = 3", 'server = "a"', "`server` is for tests in real time"),
        ("> 50 %", "> 50 ms", "links[line*,from=server].utilization has no unit, found a limit in s"),
        ("> 50 %", "~ 50 %", "expected QUANTITY SIGN LIMIT"),
        (".utilization", ".utilisation", 'no column of the table links "utilisation"; did you mean "utilization"?'),
        ("links[", "linkz[", 'no table "linkz"; did you mean "links"?'),
        ("links.line.rate", "links.lime.rate", 'links has no "lime"'),
        ('preset = "two-hosts"', "", "expected one of `scenario`, `example` and `preset`"),
        ("lines.slow", 'lines."../x"', "expected a name of letters"),
    ],
)
def test_a_mistake_is_reported_with_its_place_and_the_nearest_name(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in MODEL
    assert message in mistake(tmp_path, MODEL.replace(old, new))


def test_mistakes_of_tests_in_real_time_are_found_before_anything_runs(tmp_path: Path) -> None:
    live = MODEL.partition("[tests")[0] + '[tests.t]\nclient = "true"\n'
    for more, message in [
        ('expect = ["up.los_ratio < 1"]', 'no quantity "up.los_ratio"; did you mean "up.loss_ratio"?'),
        ('expect = ["duration < 1 Mbit/s"]', "duration has the unit s, found a limit in bit/s"),
        ('expect = ["exit_code == ok"]', 'the limit "ok" is no number'),
        ('timeout = "10"', "tests.t.timeout: "),
    ]:
        assert message in mistake(tmp_path, live + more)
    wrong = live.replace('preset = "two-hosts"', 'preset = "two-hosts"\nclient = "cliet"')
    assert 'no end of VC data "cliet"; did you mean "client"?' in mistake(tmp_path, wrong)
    assert "lines.slow.vc: " in mistake(tmp_path, live.replace("preset", 'vc = "no"\npreset'))


def test_a_mistake_on_the_command_line_shows_its_line(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "celltrain-ci.toml").write_text(MODEL.replace("simulate", "simulat"))
    done = cli("ci")
    assert done.returncode == 2
    assert "7 | simulat = true" in done.stderr
    assert not (tmp_path / "results").exists()
    assert "No such file" in cli("ci", "none.toml").stderr


def test_a_met_threshold_passes_and_a_missed_one_exits_with_1(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "celltrain-ci.toml").write_text(MODEL)
    done = cli("ci", "--out", "out", "--junit", "xml/celltrain.xml")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" met ") == 2
    (tmp_path / "celltrain-ci.toml").write_text(MODEL.replace("< 2 Mbit/s", "< 1 kbit/s"))
    missed = cli("ci", "--out", "out", "--junit", "xml/celltrain.xml", "--format", "csv")
    assert missed.returncode == 1
    assert [row.split(",")[3] for row in missed.stdout.splitlines()] == ["verdict", "met", "missed"]
    root = ET.parse(tmp_path / "xml" / "celltrain.xml").getroot()
    check_shape(root)
    failure = root.find("testsuite/testcase/failure")
    assert failure is not None
    assert "missed: mean(flows.throughput_bps) < 1 kbit/s; found " in failure.attrib["message"]
    assert "kbit/s" in failure.attrib["message"].partition("found")[2]
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("1", "1", "0")
    assert (tmp_path / "out" / "junit.xml").read_text() == (tmp_path / "xml" / "celltrain.xml").read_text()
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert [case["state"] for case in results["cases"]] == ["failed"]
    assert [check["is_met"] for check in results["cases"][0]["checks"]] == [True, False]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "0 of 1 cases passed." in page
    assert "mean(flows.throughput_bps) &lt; 1 kbit/s" in page


def test_a_metric_without_rows_is_a_broken_set_up(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "celltrain-ci.toml").write_text(MODEL.replace("links[line*", "links[no*"))
    done = cli("ci", "--out", "out")
    assert done.returncode == 2
    assert "no row of links matches" in done.stderr
    assert ET.parse(tmp_path / "out" / "junit.xml").getroot().find("testsuite/testcase/error") is not None


def test_cases_are_listed_and_chosen(cli: Command, tmp_path: Path) -> None:
    second = '[lines.fast]\npreset = "two-hosts"\n'
    (tmp_path / "celltrain-ci.toml").write_text(second + MODEL)
    listed = json.loads(cli("ci", "--list", "--json").stdout)
    assert [(case["test"], case["line"]) for case in listed] == [("model", "fast"), ("model", "slow")]
    done = cli("ci", "--only", "*/slow", "--json", "--out", "out")
    assert [case["key"] for case in json.loads(done.stdout)] == ["model/slow"]
    wrong = cli("ci", "--only", "model/slo")
    assert wrong.returncode == 2
    assert 'did you mean "model/slow"?' in wrong.stderr


def test_an_annotation_names_the_file_on_github(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    (tmp_path / "celltrain-ci.toml").write_text(MODEL.replace("> 50 %", "> 200 %"))
    done = cli("ci", "--out", "out")
    assert re.search(r"^::error file=celltrain-ci.toml::model over slow: missed: .*200 %25", done.stderr, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("x < 10 ms", 0.01, False),
        ("x <= 10 ms", 0.01, True),
        ("x >= 1 Mbit/s", 2e6, True),
        ("x == 3", 3.0, True),
        ("x < 5 %", 0.04, True),
        ('x == "ok"', "ok", True),
        ('x != "ok"', "ok", False),
        ("x == true", True, True),
        # Neither a number nor a text is true.
        ("x == true", 1.0, False),
        ("x == 1", "1", False),
        ("x > 0", math.nan, False),
        ("x != 0", math.nan, False),
    ],
)
def test_a_threshold_compares(text: str, value: float | str | bool, holds: bool) -> None:  # noqa: FBT001
    assert Threshold.parse(text).is_met(value) is holds


def test_only_a_whole_interval_meets_a_threshold() -> None:
    # Three runs: Student's t of 4.303, so the interval of 1, 2 and 3 is 2 ± 2.48.
    below = Threshold.parse("x < 4")
    missed = over_runs(below, [1.0, 2.0, 3.0], "")
    assert not missed.is_met
    assert missed.half_width == pytest.approx(2.484, abs=1e-3)
    assert "more repeats" in missed.why
    assert over_runs(Threshold.parse("x < 4.5"), [1.0, 2.0, 3.0], "").is_met
    assert over_runs(below, [3.9], "").is_met
    wrong = over_runs(below, [5.0, 5.0], "")
    assert (wrong.is_met, wrong.why) == (False, "")


def test_the_json_of_a_client_is_all_that_it_prints_or_its_last_object() -> None:
    assert quantities.last_object('{"a":\n 1}') == {"a": 1}
    assert quantities.last_object('log {\n{"a": 1}\n{"a": 2}\ndone') == {"a": 2}
    assert quantities.last_object("[1, 2]\n3") is None

    def check(text: str, printed: object) -> tuple[bool, str]:
        found = quantities.judged(Threshold.parse(text), {}, printed)
        return found.is_met, found.why

    printed = {"rtt": {"p": [0.1, 0.2]}, "goodput": 3}
    assert check("json.rtt.p.1 <= 200 ms", printed) == (True, "")
    assert check("json.goodput == 3", printed) == (True, "")
    assert check("json.godput == 3", printed)[1].endswith('has no "godput"; did you mean "goodput"?')
    assert check("json.rtt == 3", printed) == (False, "json.rtt is an object, not a value")
    assert check("json.rtt == 3", None) == (False, "the client printed no JSON object")
    with pytest.raises(Mistake, match="no quantity"):
        quantities.checked(Threshold.parse("json < 1"))


def test_junit_has_every_state_and_no_character_that_xml_forbids() -> None:
    cases = [Case(f"t{n // 3}", "adsl", n + 1, n, 5, is_live=True) for n in range(4)]
    outcomes = [
        Outcome(cases[0], State.PASSED, 1.5, output={"client.out": "a\x00\x1b[1m<b>\ufffe"}),
        Outcome(cases[1], State.FAILED, 2.0, message="it hung & died"),
        Outcome(cases[2], State.ERROR, message="no\x07 server", values={"up.packets": 3.0, "x": math.nan}),
        Outcome(cases[3], State.SKIPPED, message="interrupted"),
    ]
    root = ET.fromstring(document("mine", outcomes, "2026-11-24T03:00:00"))
    check_shape(root)
    assert [each.attrib["name"] for each in root] == ["t0", "t1"]
    assert [[inner.tag for inner in case] for case in root.iter("testcase")] == [
        ["system-out"],
        ["failure"],
        ["error", "system-out"],
        ["skipped"],
    ]
    text = root.findtext("testsuite/testcase/system-out")
    assert text is not None
    assert text.endswith("a\ufffd\ufffd[1m<b>\ufffd")
    names = [case.attrib["name"] for case in root.iter("testcase")]
    assert names[0] == "t0 over adsl, repeat 1"
    assert len(set(names)) == 4


def test_init_writes_a_suite_and_a_workflow_and_keeps_what_exists(cli: Command, tmp_path: Path) -> None:
    done = cli("ci", "init")
    assert done.returncode == 0, done.stderr
    workflow = tmp_path / ".github" / "workflows" / "celltrain.yml"
    assert "celltrain ci celltrain-ci.toml --out results/ci" in workflow.read_text()
    own = suite.read(tmp_path / "celltrain-ci.toml")
    assert [case.name for case in own.cases()] == ["download over fast", "download over slow", "model over slow"]
    assert max(map(len, (tmp_path / "celltrain-ci.toml").read_text().splitlines())) <= 125
    workflow.write_text("mine")
    again = cli("ci", "init")
    assert again.returncode == 2
    assert "celltrain.yml" in again.stderr
    assert workflow.read_text() == "mine"
    ran = cli("ci", "--only", "model")
    assert ran.returncode == 0, ran.stderr


@needs_browser
def test_the_page_is_quiet_and_fits_a_phone_in_the_dark(tmp_path: Path) -> None:
    (tmp_path / "celltrain-ci.toml").write_text(MODEL)
    own = suite.read(tmp_path / "celltrain-ci.toml")
    case = Case("model", "slow", 1, 1, 1, is_live=True)
    outcomes = [
        Outcome(case, State.FAILED, 1.0, [Check("x" * 60 + " < 3 s", is_met=False, value=4.0, unit="s")]),
        Outcome(case, State.ERROR, message="<script>alert(1)</script>", output={"client.err": "y" * 300}),
    ]
    file = tmp_path / "report.html"
    file.write_text(page(own, outcomes, "2026-11-24T03:00:00"))
    # As a generator, `browser` ends its browser when the loop does.
    for started in browser():
        seen = opened(started, file, scheme="dark", width=390)
        seen.expect_quiet(file)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"
        assert seen.page.locator("section h3").first.inner_text() == "✗ failed model over slow"
        assert seen.page.locator(".verdict li").nth(1).inner_text() == "model over slow: <script>alert(1)</script>"
