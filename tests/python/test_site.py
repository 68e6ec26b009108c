"""The built documentation: no table, link or markup that fails to show, and no page wider than a phone."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import browser as started_browser
from browser import needs_browser
from conftest import REPOSITORY
from playwright.sync_api import Browser
from site_pages import Page, read

#: The width of a usual phone, in CSS pixels.
PHONE = 390


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the documentation, with warnings as errors."""
    pytest.importorskip("sphinx")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return read(site)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    yield from started_browser()


def test_no_page_has_markup_that_was_not_understood(pages: dict[Path, Page]) -> None:
    assert len(pages) > 80
    assert [found for page in pages.values() for found in page.unrendered()] == []


def test_every_link_within_the_site_leads_somewhere(pages: dict[Path, Page]) -> None:
    assert [found for page in pages.values() for found in page.dead(pages)] == []


def test_the_first_page_has_a_picture_three_doors_and_no_decisions(site: Path, pages: dict[Path, Page]) -> None:
    first = pages[(site / "index.html").resolve()]
    assert any("/fig04" in link for link in first.links)
    assert {"Simulate.", "Reproduce.", "Emulate and measure."} <= {
        door
        for door in ("Simulate.", "Reproduce.", "Emulate and measure.")
        if any(door in text for text in first.prose)
    }
    for door in ("tutorial/first-graph.html", "gallery/index.html", "how-to/open-a-line.html", "install.html"):
        assert door in first.links
    # Below the first level the menu is folded.
    menu = re.findall(r'class="toctree-l1[^"]*"><a [^>]*href="([^"#]*)', (site / "index.html").read_text("utf-8"))
    assert "decisions/index.html" in menu
    assert [link for link in menu if link.startswith("decisions/0")] == []


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("<p>| key | type |\n|---|---|\n| a | b |</p>", True),
        ("<p>| `tau` | time | required |</p>", True),
        ("<p>see [the page](page.md)</p>", True),
        ("<p>```text</p>", True),
        ("<p>with \u2013set</p>", True),
        ("<p>with --set, 1\u20132</p>", False),
        ("<p>a || b and |x| of <code>[a](b)</code></p>", False),
        ("<pre>| a | b |\n|---|---|</pre>", False),
        ("<table><tr><td>a</td><td>b</td></tr></table>", False),
    ],
)
def test_a_table_broken_by_an_empty_line_is_found(tmp_path: Path, written: str, seen: bool) -> None:  # noqa: FBT001
    path = tmp_path / "page.html"
    path.write_text(f"<article>{written}</article>", encoding="utf-8")
    assert bool(list(Page(path).unrendered())) is seen


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#x"></a><a href="#y"></a><a href="c.html"></a>', encoding="utf-8")
    (tmp_path / "b.html").write_text('<p id="x"></p><a href="https://example.org/none"></a>', encoding="utf-8")
    pages = read(tmp_path)
    assert [found for page in pages.values() for found in page.dead(pages)] == [
        "a.html: #y: the page has no such place",
        "a.html: c.html: there is no such file",
    ]


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_scrolls_sideways_on_a_phone(
    site: Path, pages: dict[Path, Page], browser: Browser, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": PHONE, "height": 844}, color_scheme="dark" if scheme == "dark" else "light"
    )
    # The width does not depend on the colours: in the dark a page of each folder is enough.
    chosen = list(pages) if scheme == "light" else list({path.parent: path for path in pages}.values())
    tab = context.new_page()
    wide, backgrounds = [], set()
    for path in chosen:
        tab.goto(path.as_uri(), wait_until="domcontentloaded")
        width = tab.evaluate("document.scrollingElement.scrollWidth")
        if width > PHONE:
            wide.append(f"{path.relative_to(site.resolve())}: {width} px")
        backgrounds.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
    context.close()
    assert wide == []
    (background,) = backgrounds
    lightness = sum(int(part) for part in background.removeprefix("rgb(").rstrip(")").split(",")) / 3
    assert lightness < 60 if scheme == "dark" else lightness > 200
