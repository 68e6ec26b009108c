"""A real browser for tests: Debian's Chromium, driven by Playwright; without them these tests are skipped."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="NOT TESTED: no Chromium here; `apt-get install chromium` lets the page's tests run"
)


@dataclass
class Opened:
    """A page, and everything that went wrong in it."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def expect_quiet(self, file: Path) -> None:
        """Expect no console message, no error, and no request except for the page itself."""
        assert self.complaints == []
        assert self.requests == [file.as_uri()]


def browser() -> Iterator[Browser]:
    """Yield the browser, and close it."""
    assert CHROMIUM is not None
    with sync_playwright() as playwright:
        # Chromium's own sandbox does not work for root, as tests often run in containers.
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def opened(
    browser: Browser, file: Path, *, scheme: str = "light", width: int = 1400, less_motion: bool = False
) -> Opened:
    """Open a file, and wait until its numbers are unpacked; ``less_motion`` for a reader who wants none."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce" if less_motion else "no-preference",
    )
    seen = Opened(context.new_page())

    def console(message: ConsoleMessage) -> None:
        seen.complaints.append(f"{message.type}: {message.text}")

    def error(problem: Error) -> None:
        seen.complaints.append(f"error: {problem.message}")

    def request(asked: Request) -> None:
        seen.requests.append(asked.url)

    seen.page.on("console", console)
    seen.page.on("pageerror", error)
    seen.page.on("request", request)
    seen.page.goto(file.as_uri())
    seen.page.wait_for_selector("html[data-loaded]", timeout=60_000)
    return seen
