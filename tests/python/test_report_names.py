"""Names of traces at their ends, in a real browser: readable, apart from each other, and only where they have room."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from browser import browser, needs_browser, opened
from celltrain.report import folder as results
from celltrain.report.page import render
from playwright.sync_api import Browser, Page
from report_folders import tables

SVG = "{http://www.w3.org/2000/svg}"
#: The contrast that WCAG 2.2 (1.4.3) asks of text.
READABLE = 4.5


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    yield from browser()


def page_of_queues(folder: Path, ends: Sequence[float], name: str = "up") -> Path:
    """Write the page of a run with a queue for each end: all are 0 up to 9 s."""
    columns = {f"links.{name}{place}.queue_cells": np.array([0.0] * 9 + [end]) for place, end in enumerate(ends)}
    own = {"time_s": np.arange(1.0, 11.0)} | columns
    units = dict.fromkeys(columns, "cells") | {"time_s": "s"}
    tables(folder, {"line": own}, {"line": units})
    file = folder / "report.html"
    file.write_text(render(results.read(folder)))
    return file


def boxes(page: Page) -> list[tuple[float, float]]:
    """Return upper and lower end of each name, from above."""
    found = page.evaluate(
        "[...document.querySelectorAll('.named .legend li')].map((each) => each.getBoundingClientRect())"
    )
    return sorted((box["top"], box["bottom"]) for box in found)


@needs_browser
@pytest.mark.parametrize("width", [390, 1400])
def test_names_stand_at_the_ends_of_their_traces_and_do_not_overlap(
    chromium: Browser, tmp_path: Path, width: int
) -> None:
    # Two ends far from all others, and four that lie on each other.
    file = page_of_queues(tmp_path, [0, 100, 50, 50, 51, 50.5])
    seen = opened(chromium, file, width=width)
    page = seen.page
    page.wait_for_selector(".named .legend li")
    places = boxes(page)
    assert len(places) == 6
    assert all(bottom <= top for (_, bottom), (top, _) in itertools.pairwise(places))
    for series in (0, 1):
        end, middle = page.evaluate(
            """(series) => {
                const { plot, legend } = views[0].panels[0];
                const box = legend.children[series].getBoundingClientRect();
                const end = plot.root.getBoundingClientRect().top
                    + plot.valToPos(views[0].panels[0].series[series].y[9], "y", true) / uPlot.pxRatio;
                return [end, (box.top + box.bottom) / 2];
            }""",
            series,
        )
        assert middle == pytest.approx(end, abs=2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    seen.expect_quiet(file)
    page.context.close()


@needs_browser
def test_names_follow_a_zoom_and_that_of_a_hidden_trace_goes_below(chromium: Browser, tmp_path: Path) -> None:
    seen = opened(chromium, page_of_queues(tmp_path, [100, 50]))
    page = seen.page
    page.wait_for_selector(".named .legend li")
    first, second = page.locator(".legend li").first, page.locator(".legend li").last
    whole = first.bounding_box()
    page.evaluate("views[0].zoom(1, 5)")
    page.wait_for_timeout(50)
    zoomed = first.bounding_box()
    assert whole is not None
    assert zoomed is not None
    assert zoomed["y"] > whole["y"] + 30
    page.evaluate("views[0].reset()")
    first.locator("button").click()
    page.wait_for_timeout(50)
    hidden, shown = first.bounding_box(), second.bounding_box()
    assert hidden is not None
    assert shown is not None
    assert hidden["y"] > shown["y"]
    page.context.close()


@needs_browser
@pytest.mark.parametrize(
    ("count", "name", "width"), [(7, "up", 1400), (7, "up", 390), (2, "a-link-with-a-rather-long-name", 390)]
)
def test_where_names_have_no_room_the_legend_stays(
    chromium: Browser, tmp_path: Path, count: int, name: str, width: int
) -> None:
    seen = opened(chromium, page_of_queues(tmp_path, range(count), name), width=width)
    seen.page.wait_for_selector("figure.drawn")
    assert seen.page.locator(".named").count() == 0
    assert seen.page.locator(".legend .swatch:visible").count() == count
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    seen.page.context.close()


def luminance(colour: str) -> float:
    """Return the relative luminance of ``#rrggbb``, as WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_names_are_readable_in_every_colour(chromium: Browser, tmp_path: Path, scheme: str) -> None:
    seen = opened(chromium, page_of_queues(tmp_path, [1]), scheme=scheme)
    colours = seen.page.evaluate("[...Array(COLOURS).keys(), 'behind'].map((number) => themeColour(`name-${number}`))")
    paper = luminance(seen.page.evaluate("themeColour('paper')"))
    for colour in colours:
        lighter, darker = sorted((luminance(colour), paper), reverse=True)
        assert (lighter + 0.05) / (darker + 0.05) >= READABLE, colour
    seen.page.context.close()


@needs_browser
def test_a_saved_drawing_has_the_names_where_the_screen_has_them(chromium: Browser, tmp_path: Path) -> None:
    seen = opened(chromium, page_of_queues(tmp_path, [100, 50]))
    page = seen.page
    page.wait_for_selector(".named .legend li")
    with page.expect_download() as download:
        page.locator(".export", has_text="SVG").click()
    download.value.save_as(tmp_path / "figure.svg")
    texts = {text.text: text for text in ET.parse(tmp_path / "figure.svg").getroot().iter(f"{SVG}text")}
    assert texts["links.up0"].get("fill") == page.evaluate("themeColour('name-2')")
    assert texts["links.up1"].get("fill") == page.evaluate("themeColour('name-3')")
    # Dots, of which there are two to a pixel.
    apart = float(str(texts["links.up1"].get("y"))) - float(str(texts["links.up0"].get("y")))
    above, below = boxes(page)
    assert apart / page.evaluate("uPlot.pxRatio") == pytest.approx(below[0] - above[0], abs=1)
    page.context.close()


@needs_browser
@pytest.mark.parametrize("width", [760, 1400])
def test_on_paper_names_are_in_a_legend_below_the_plot(chromium: Browser, tmp_path: Path, width: int) -> None:
    seen = opened(chromium, page_of_queues(tmp_path, [100, 50]), width=width)
    page = seen.page
    page.wait_for_selector(".named .legend li")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    chart, entry = page.locator(".chart").bounding_box(), page.locator(".legend li").first.bounding_box()
    assert chart is not None
    assert entry is not None
    assert entry["y"] >= chart["y"] + chart["height"]
    swatch, name = (
        page.locator(".legend .swatch").first.bounding_box(),
        page.locator(".legend .name").first.bounding_box(),
    )
    assert swatch is not None
    assert name is not None
    assert name["x"] >= swatch["x"] + swatch["width"]
    page.context.close()
