"""Texts with markup in every place of every kind of page and drawing: opened in a real browser, none runs a script.

All texts of the files of results are replaced, as far as the page still takes them for results, and the policy of the
page (CSP), which would stop scripts that got in, is taken away: escaping alone must do.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import tomli_w
from browser import browser, needs_browser, opened
from celltrain import Scenario, dbs, notebook
from celltrain.ci import suite
from celltrain.ci.outcome import Outcome, State
from celltrain.ci.page import page as ci_page
from celltrain.ci.threshold import Check
from celltrain.lessons.marking import Mark, Marked
from celltrain.refused import Refused
from celltrain.report import folder as results
from celltrain.report.page import render
from celltrain.stored.objects import read_object
from celltrain.stored.seals import sealed_json, sealed_toml
from celltrain.stored.tables import read_parquet, write_parquet
from celltrain.trust.case import not_run
from celltrain.trust.registry import ROWS
from celltrain.trust.row import RowResult
from celltrain.trust.table import to_markdown
from conftest import LINE
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page
from report_folders import a_run
from test_report_records import a_record

#: Ends every element and attribute that it may be in, and runs a script in each way that HTML has for it.
HOSTILE = (
    "\"'>--></title></style></textarea></script><script>window.pwned = 1</script>"
    "<img src=x onerror='window.pwned = 1'><svg onload='window.pwned = 1'>[x](javascript:window.pwned=1)"
)
#: The same for the name of a file or folder, which has no slash.
NAME = "\"'><img src=x onerror='window.pwned = 1'><svg onload='window.pwned = 1'>"
PLAN = """
[hosts]
a = {}
b = {}
[flows.up]
from = "a"
to = "b"
duration = "100 ms"
[probes.ping]
from = "a"
to = "b"
every = "20 ms"
duration = "100 ms"
"""


@dataclass(frozen=True)
class Place:
    """A text in a file of results: the way to it from the top of the file."""

    file: Path
    way: tuple[str | int, ...]


def texts(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:  # noqa: ANN401 - any JSON value
    """Yield the ways to all texts of an object."""
    if isinstance(value, str):
        yield way
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, (*way, key))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from texts(item, (*way, number))


def put(value: Any, way: Sequence[str | int]) -> None:  # noqa: ANN401 - any JSON value
    """Replace the text at the end of a way."""
    for step in way[:-1]:
        value = value[step]
    value[way[-1]] = HOSTILE


def columns(path: Path) -> Iterator[str]:
    """Yield the names of the columns of a Parquet file that hold texts."""
    for field in read_parquet(path).schema:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        if pa.types.is_string(kind):
            yield field.name


def places(folder: Path) -> list[Place]:
    """Return all texts of a folder of results. Those of CSV are not among them: their columns are in its provenance."""
    found: list[Place] = []
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        file = path.relative_to(folder)
        if path.suffix == ".json":
            value = json.loads(path.read_text())
            # A list, and a scenario whose checksum is elsewhere, are not sealed.
            ways = texts(read_object(path) if "sha256" in value else value)
            found += [Place(file, way) for way in ways if way[:1] != ("files",)]
        elif path.suffix == ".toml":
            found += [Place(file, way) for way in texts(tomllib.loads(path.read_text()))]
        elif path.suffix == ".parquet":
            found += [Place(file, (name,)) for name in columns(path)]
        elif path.suffix == ".csv":
            found.append(Place(file, ()))
    return found


def spoil(folder: Path, chosen: Sequence[Place]) -> None:
    """Put the text into places of a folder, and renew the checksums."""
    for file in {place.file for place in chosen}:
        path, ways = folder / file, [place.way for place in chosen if place.file == file]
        if path.suffix == ".json":
            sealed = "sha256" in json.loads(path.read_text())
            value = read_object(path) if sealed else json.loads(path.read_text())
            for way in ways:
                put(value, way)
            path.write_text(sealed_json(value) if sealed else json.dumps(value))
        elif path.suffix == ".toml":
            data = tomllib.loads(path.read_text())
            for way in ways:
                put(data, way)
            path.write_text(sealed_toml(tomli_w.dumps(data)))
        elif path.suffix == ".parquet":
            table = read_parquet(path)
            for (name,) in ways:
                at = table.column_names.index(str(name))
                table = table.set_column(
                    at, table.schema.field(at).with_type(pa.string()), pa.array([HOSTILE] * len(table), pa.string())
                )
            write_parquet(path, table)
        else:
            path.write_text(_spoiled_csv(path.read_text()))


def _spoiled_csv(text: str) -> str:
    """Replace the first word of each row, if it is no number."""
    head, *rows = text.splitlines()
    quoted = '"' + HOSTILE.replace('"', '""') + '"'
    spoiled = [f"{quoted},{row.partition(',')[2]}" if row[:1].isalpha() else row for row in rows]
    return "\n".join([head, *spoiled]) + "\n"


def without_checksums_of_csv(folder: Path) -> None:
    """Write provenances as earlier versions did, so that CSV files may be changed."""
    for path in folder.rglob("*provenance.json"):
        value = read_object(path)
        value.pop("files", None)
        path.write_text(sealed_json(value))


def a_study_with_claims(folder: Path) -> Path:
    from celltrain.papers import catalog
    from celltrain.papers.claims import Verdict
    from celltrain.papers.reproduce import Options, run
    from celltrain.progress import Progress

    study = catalog.paper("adsl-abr")
    for outcome in run(study, [study.experiments["tab01"]], Options(quick=True), Progress()):
        outcome.write(folder)
        verdict = Verdict("adsl-abr.tab01.x", "tab01", "It holds.", "Sect. 1", "v('x') > 1", True, "", 2.0, 2.5, (2.5,))
        outcome.write_verdicts(folder, [verdict])
    return folder


def a_small_sweep(folder: Path) -> Path:
    from celltrain.sweeps import Design, Replications, Sweep

    grid = {"links.line.buffer": ["500 cells", "x"]}
    Sweep(Scenario.from_toml(LINE, "line.toml"), Design(grid=grid), Replications(1)).run(folder)
    return folder


def a_measurement(folder: Path) -> Path:
    assert dbs.run(dbs.Plan.from_toml(PLAN), out=folder).is_complete
    return folder


KINDS: dict[str, Callable[[Path], Path]] = {
    "run": a_run,
    "sweep": a_small_sweep,
    "reproduction": a_study_with_claims,
    "log": a_record,
    "measurement": a_measurement,
}


def is_shown(folder: Path) -> bool:
    """Return whether a page takes what is in a folder for results; anything but a refusal fails the test."""
    try:
        render(results.read(folder))
    except Refused:
        return False
    return True


def accepted(clean: Path, folder: Path) -> list[Place]:
    """Return the places in which a page takes the text, found by trying halves; spoil the folder with all of them."""

    def with_spoiled(chosen: Sequence[Place]) -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(clean, folder)
        spoil(folder, chosen)
        return is_shown(folder)

    found: list[Place] = []

    def add(group: Sequence[Place]) -> None:
        nonlocal found
        if with_spoiled([*found, *group]):
            found = [*found, *group]
        elif len(group) > 1:
            half = len(group) // 2
            add(group[:half])
            add(group[half:])

    add(places(clean))
    assert with_spoiled(found)
    return found


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    yield from browser()


def without_policy(html: str) -> str:
    """Take away what stops foreign scripts."""
    start = html.index('<meta http-equiv="Content-Security-Policy"')
    return html[:start] + html[html.index(">", start) + 1 :]


def expect_harmless(page: Page, html: str = "") -> None:
    """Expect that no script ran, also after a visit of all figures, and that there is none but those of the page."""
    for number in range(page.locator("figure").count()):
        page.locator("figure").nth(number).scroll_into_view_if_needed()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.wait_for_timeout(100)
    assert page.evaluate("window.pwned") is None
    for kind, text in page.evaluate("[...document.scripts].map((each) => [each.type, each.textContent])"):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
        assert kind == "application/json" or f"sha256-{digest}" in html, text[:200]
    assert page.locator("[onerror], [onload], [href^='javascript:' i]").count() == 0
    assert page.locator("img:not([src^='data:'])").count() == 0


@needs_browser
@pytest.mark.parametrize("kind", KINDS)
def test_no_text_of_results_runs_a_script(chromium: Browser, tmp_path: Path, kind: str) -> None:
    clean = KINDS[kind](tmp_path / "clean")
    without_checksums_of_csv(clean)
    folder = tmp_path / NAME
    assert len(accepted(clean, folder)) >= 5, "texts that nobody checks"
    file = tmp_path / "page.html"
    html = render(results.read(folder))
    file.write_text(without_policy(html))
    seen = opened(chromium, file)
    assert "window.pwned" in seen.page.inner_text("body"), "the text is shown"
    expect_harmless(seen.page, html)
    assert [each for each in seen.complaints if each.startswith("error")] == []
    seen.page.context.close()


@needs_browser
def test_no_text_of_a_suite_runs_a_script(chromium: Browser, tmp_path: Path) -> None:
    path = tmp_path / "celltrain-ci.toml"
    path.write_text(
        f"name = {json.dumps(HOSTILE)}\n[lines.slow]\npreset = 'adsl'\nvc = 'down'\n"
        f"[tests.model]\nclient = {json.dumps(HOSTILE)}\nlines = ['slow']\n"
    )
    own = suite.read(path)
    (case,) = own.cases()
    outcomes = [
        Outcome(case, State.FAILED, 1.0, [Check(HOSTILE, is_met=False, value=HOSTILE, unit=HOSTILE, why=HOSTILE)]),
        Outcome(case, State.ERROR, message=HOSTILE, notes=[HOSTILE], output={"client.err": HOSTILE}),
    ]
    file = tmp_path / "page.html"
    html = ci_page(own, outcomes, HOSTILE)
    file.write_text(without_policy(html))
    seen = opened(chromium, file)
    assert seen.page.inner_text("body").count("window.pwned") > 10
    expect_harmless(seen.page, html)
    seen.page.context.close()


@needs_browser
def test_a_drawing_opened_by_itself_runs_no_script(chromium: Browser, tmp_path: Path) -> None:
    drawing = tmp_path / "network.svg"
    drawing.write_text(Scenario.from_toml(LINE, NAME).topology().svg())
    page = chromium.new_page()
    page.goto(drawing.as_uri())
    assert page.evaluate("window.pwned") is None
    assert page.locator("script, img, foreignObject, [onload], [onerror]").count() == 0
    page.close()


@needs_browser
def test_the_page_of_trust_runs_no_script(chromium: Browser, tmp_path: Path) -> None:
    case = not_run(HOSTILE, HOSTILE, HOSTILE)
    markdown = to_markdown([RowResult(ROWS[0].name, (case,), HOSTILE, HOSTILE)], quick=True)
    # Like a renderer that lets HTML through, as GitHub's does before it sanitizes it.
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    (tmp_path / "page.html").write_text(f"<!DOCTYPE html><meta charset=utf-8>{html}")
    page = chromium.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    assert page.inner_text("body").count("window.pwned = 1") >= 3
    expect_harmless(page)
    page.close()


@needs_browser
def test_no_name_in_a_notebook_runs_a_script(chromium: Browser, tmp_path: Path) -> None:
    table = ({HOSTILE: [HOSTILE] * 3}, {HOSTILE: HOSTILE})
    shown = notebook.result_html(
        HOSTILE, {"flows": ({"flow": [HOSTILE]}, {"flow": HOSTILE})}, b""
    ) + notebook.table_html(*table, HOSTILE)
    shown += Marked((Mark(HOSTILE, is_right=False, says=HOSTILE),))._repr_html_()
    (tmp_path / "page.html").write_text(f"<!DOCTYPE html><meta charset=utf-8>{shown}")
    page = chromium.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    expect_harmless(page)
    page.close()
