"""The animation of a run on its page: it moves, pauses, and stands still where no motion is wanted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from browser import Opened, browser, needs_browser, opened
from celltrain import Scenario
from celltrain.report import folder as results
from celltrain.report.document import Section
from celltrain.report.page import render
from celltrain.report.stage import Stage
from conftest import LINE
from playwright.sync_api import Browser, Page
from report_folders import a_sweep

#: A network with everything that has a gauge, from the start on.
LIVELY = LINE.replace(
    'record = ["links.line1.queue_cells", "flows.upload1.cwnd_bytes"]',
    'record = ["links.line1.queue_cells", "links.line1.rate_bps", "links.line1.lost_cells",'
    ' "vcs.vc1.forward.acr_bps", "flows.upload1.cwnd_bytes", "flows.upload1.rtt_s"]',
).replace('route = ["a", "s", "b"]', 'route = ["a", "s", "b"]\nforward = { service = "ubr", pcr = "3 Mbit/s" }')


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    yield from browser()


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    Scenario.from_toml(LIVELY, "line.toml").run(seed=1).save(folder)
    file = folder / "report.html"
    file.write_text(render(results.read(folder)))
    return file


def traces_of(folder: Path) -> Section:
    (chapter,) = results.read(folder).chapters
    return next(section for section in chapter.sections if section.key == "traces")


def test_a_gauge_stands_where_its_quantity_is(page_file: Path) -> None:
    section = traces_of(page_file.parent)
    stage = section.stage
    assert isinstance(stage, Stage)
    assert [gauge.label for gauge in stage.wide.gauges] == [
        "ACR of vc1.forward",
        "cwnd of upload1",
        "queue of line1",
        "rate of line1",
    ]
    panels = section.figures[0].panels
    recorded = [panels[gauge.panel].series[gauge.series].recorded for gauge in stage.wide.gauges]
    assert recorded[-2:] == ["links.line1.queue_cells", "links.line1.rate_bps"]
    assert [gauge.full for gauge in stage.wide.gauges] == [None, None, 2000, None]
    boxes = {box.name: box for box in stage.wide.boxes}
    assert set(boxes) == {"a ×2", "s", "b ×2"}
    start, end = boxes["s"], boxes["b ×2"]
    for gauge in stage.wide.gauges[:2]:
        assert boxes["a ×2"].x < gauge.x < boxes["a ×2"].x + boxes["a ×2"].width
    for gauge in stage.wide.gauges[2:]:
        assert start.x + start.width < gauge.x < end.x
    assert stage.tall.width < stage.wide.width
    assert stage.tall.height > stage.wide.height


def test_a_run_without_a_gauge_and_a_sweep_have_no_animation(tmp_path: Path) -> None:
    text = LINE.replace('"links.line1.queue_cells", "flows.upload1.cwnd_bytes"', '"flows.upload1.rtt_s"')
    Scenario.from_toml(text, "line.toml").run(seed=1).save(tmp_path / "run")
    assert traces_of(tmp_path / "run").stage is None
    assert traces_of(a_sweep(tmp_path / "sweep")).stage is None


def state(page: Page) -> dict[str, Any]:
    """Return what the player shows."""
    found: dict[str, Any] = page.evaluate(
        """() => ({
            at: views[0].player.at,
            slider: Number(document.querySelector(".instant").value),
            cursors: views[0].panels.map(({ plot }) => plot.posToVal(plot.cursor.left, "x")),
            bars: views[0].player.gauges.map((gauge) => Number(gauge.bar.getAttribute("width"))),
            texts: views[0].player.gauges.map((gauge) => gauge.value.textContent),
        })"""
    )
    return found


def wait(page: Page, condition: str) -> None:
    """Wait until something holds; the page's policy forbids Playwright's own way, which evaluates text in the page."""
    deadline = time.monotonic() + 20
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"{condition}: still false after 20 s"
        page.wait_for_timeout(20)


@dataclass
class Playing:
    """A page whose player is in view."""

    opened: Opened
    page: Page = field(init=False)

    def __post_init__(self) -> None:
        self.page = self.opened.page
        self.page.wait_for_selector(".stage:not([hidden])")


@pytest.fixture
def playing(chromium: Browser, page_file: Path) -> Iterator[Playing]:
    shown = Playing(opened(chromium, page_file))
    yield shown
    shown.opened.expect_quiet(page_file)
    shown.page.context.close()


@needs_browser
def test_it_stands_still_until_played_moves_bars_and_cursors_together_and_pauses(playing: Playing) -> None:
    page = playing.page
    before = state(page)
    page.wait_for_timeout(300)
    assert state(page) == before
    page.locator(".play").click()
    wait(page, "views[0].player.at > 1.2")
    page.locator(".play").click()
    paused = state(page)
    assert 1.2 < paused["at"] < 3
    assert paused["slider"] == pytest.approx((paused["at"] - 1) / 2 * 1000, abs=1)
    assert paused["cursors"] == [pytest.approx(paused["at"], abs=1e-6)] * len(paused["cursors"])
    assert paused["bars"] != before["bars"]
    page.wait_for_timeout(300)
    assert state(page) == paused


@needs_browser
def test_it_stops_at_the_end_and_starts_again(playing: Playing) -> None:
    page = playing.page
    page.evaluate("views[0].player.moveTo(2.99)")
    page.locator(".play").click()
    wait(page, "views[0].player.at === 3")
    assert page.locator(".play").inner_text() == "Play"
    page.locator(".play").click()
    wait(page, "views[0].player.at < 2")


@needs_browser
def test_bars_show_the_samples_that_hold_at_the_cursor(playing: Playing) -> None:
    page = playing.page
    page.evaluate("views[0].player.moveTo(2.05)")
    shown = state(page)
    cells = page.evaluate(
        """() => {
            const { x, y } = views[0].panels[0].series[0];
            return y[x.findLastIndex((time) => time <= 2.05)];
        }"""
    )
    queue = next(place for place, text in enumerate(shown["texts"]) if text.endswith("cells"))
    assert shown["texts"][queue] == f"{cells:g} cells"
    assert shown["bars"][queue] == pytest.approx(64 * cells / 2000)


@needs_browser
def test_a_faster_speed_is_faster(playing: Playing) -> None:
    page = playing.page
    speeds = [
        float(value) for value in page.locator(".speed option").evaluate_all("all => all.map((one) => one.value)")
    ]
    assert speeds == sorted(speeds)
    # The whole run of 2 s takes about 20 s at the speed proposed.
    assert 2 / float(page.locator(".speed").input_value()) == pytest.approx(20, rel=0.5)
    page.locator(".speed").select_option(index=len(speeds) - 1)
    page.locator(".play").click()
    wait(page, "views[0].player.at === 3")


@needs_browser
def test_keys_play_and_move_the_instant(playing: Playing) -> None:
    page = playing.page
    page.locator(".play").focus()
    page.keyboard.press("Space")
    assert page.locator(".play").inner_text() == "Pause"
    page.keyboard.press("Space")
    assert page.locator(".play").inner_text() == "Play"
    page.locator(".instant").focus()
    page.keyboard.press("End")
    assert state(page)["at"] == 3
    page.keyboard.press("ArrowLeft")
    assert state(page)["at"] == pytest.approx(3 - 2 / 1000)
    assert page.locator(".instant").get_attribute("aria-valuetext") == page.locator(".clock").inner_text()


@needs_browser
def test_the_bars_follow_a_pointer_over_a_curve_and_come_back(playing: Playing) -> None:
    page = playing.page
    before = state(page)
    plot = page.locator(".u-over").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    plot.hover(position={"x": 0.75 * box["width"], "y": box["height"] - 10})
    assert state(page)["slider"] == pytest.approx(750, abs=3)
    page.mouse.move(2, 2)
    page.wait_for_timeout(50)
    assert state(page)["bars"] == before["bars"]


@needs_browser
def test_it_plays_what_a_zoom_shows(playing: Playing) -> None:
    page = playing.page
    page.evaluate("views[0].zoom(2, 2.5)")
    assert state(page)["at"] == 2
    page.locator(".instant").focus()
    page.keyboard.press("End")
    assert state(page)["at"] == pytest.approx(2.5)


@needs_browser
def test_without_motion_it_goes_step_by_step(chromium: Browser, page_file: Path) -> None:
    seen = opened(chromium, page_file, less_motion=True)
    page = seen.page
    page.wait_for_selector(".stage:not([hidden])")
    button = page.locator(".play")
    assert button.inner_text() == "Step"
    button.click()
    stepped = state(page)
    assert stepped["at"] == pytest.approx(1 + 2 / 50)
    page.wait_for_timeout(300)
    assert state(page) == stepped
    page.emulate_media(reduced_motion="no-preference")
    wait(page, "document.querySelector('.play').textContent === 'Play'")
    button.click()
    wait(page, "views[0].player.at > 1.1")
    page.emulate_media(reduced_motion="reduce")
    page.wait_for_timeout(100)
    still = state(page)
    page.wait_for_timeout(300)
    assert state(page) == still
    seen.expect_quiet(page_file)
    page.context.close()


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_it_fits_and_its_letters_are_readable(chromium: Browser, page_file: Path, scheme: str) -> None:
    seen = opened(chromium, page_file, width=390, scheme=scheme)
    page = seen.page
    page.locator(".stage").scroll_into_view_if_needed()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # The network stays in view, and the page where it is, while it plays.
    page.locator(".panel").nth(1).evaluate("panel => panel.scrollIntoView({ block: 'center' })")
    page.wait_for_timeout(200)
    place = page.evaluate("scrollY")
    assert place > 0
    page.locator(".play").click()
    wait(page, "views[0].player.at > 1.1")
    page.locator(".play").click()
    assert page.evaluate("scrollY") == place
    assert page.evaluate("document.querySelector('.stage').getBoundingClientRect().top") == 0
    heights = page.locator(".network-of-run text").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(heights) >= 10
    page.set_viewport_size({"width": 1400, "height": 900})
    page.wait_for_timeout(100)
    box = page.locator(".network-of-run svg").bounding_box()
    assert box is not None
    assert box["width"] > box["height"]
    page.context.close()
