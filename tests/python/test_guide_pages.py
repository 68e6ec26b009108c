"""The commands of the pages for a first hour run as written, and print what the pages show."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import REPOSITORY
from guide_pages import follow

DOCS = REPOSITORY / "docs"
#: The pages, with the number of outputs that each shows at least, and the files that its commands leave.
PAGES = {
    "install.md": (0, ()),
    "tutorial/first-graph.md": (4, ("adsl.toml", "buffers.svg")),
    "how-to/bring-your-own-trace.md": (2, ("windows.svg", "mine.trace", "cellular.trace")),
    "explanation/which-peer.md": (1, ()),
    "studies/index.md": (0, ()),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_page_shows_what_its_commands_print(page: str, tmp_path: Path) -> None:
    outputs, files = PAGES[page]
    assert follow(DOCS / page, tmp_path) >= outputs
    for name in files:
        assert (tmp_path / name).stat().st_size > 100


def test_another_output_than_the_one_shown_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\necho 1\n```\n\n```text\n2\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="copy what is printed"):
        follow(page, tmp_path)
    page.write_text("```sh\nfalse\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="false"):
        follow(page, tmp_path)


def test_the_law_in_the_guide_names_what_exists() -> None:
    guide = (DOCS / "how-to" / "add-a-tcp-variant.md").read_text(encoding="utf-8")
    variant = REPOSITORY / "crates" / "celltrain-proto" / "src" / "tcp" / "variant"
    law = (variant / "law.rs").read_text(encoding="utf-8")
    for line in guide.splitlines():
        if line.startswith("| `") and line.count("|") == 4:
            for name in line.split("|")[1].replace("`", "").split(","):
                assert f"fn {name.strip()}(" in law
    assert "use super::law::{MakeLaw, WindowLaw};" in guide
    assert "by standard::Standard<false>;" in (variant / "registry.rs").read_text(encoding="utf-8")
