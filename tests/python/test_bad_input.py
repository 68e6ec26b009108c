"""Pages of bad scenarios, in Markdown: each is run, and its message is compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Command

PAGES = Path(__file__).parent / "bad_input"
CASE = re.compile(
    r"^## (?P<title>.+?)\n\n```toml\n(?P<toml>.*?)```\n\n```text\n(?P<text>.*?)```", re.MULTILINE | re.DOTALL
)
CASES = [(page.stem, match) for page in sorted(PAGES.glob("*.md")) for match in CASE.finditer(page.read_text())]


@pytest.mark.parametrize("match", [m for _, m in CASES], ids=[f"{page}: {match['title']}" for page, match in CASES])
def test_a_bad_scenario_is_answered_with_one_clear_message(cli: Command, tmp_path: Path, match: re.Match[str]) -> None:
    (tmp_path / "scenario.toml").write_text(match["toml"])
    done = cli("run", "scenario.toml")
    message = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (2, "")
    for part in match["text"].splitlines():
        assert part in message
    assert message.startswith("error: ")
    assert "Traceback" not in message


def test_every_heading_of_the_pages_is_run() -> None:
    headings = sum(page.read_text().count("\n## ") for page in PAGES.glob("*.md"))
    assert len(CASES) == headings > 0
