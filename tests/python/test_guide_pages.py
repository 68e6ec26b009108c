"""The commands and scripts of all pages run as written, and print what the pages show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from celltrain.cli import COMMANDS
from conftest import REPOSITORY
from guide_pages import follow, pages, steps, untold

DOCS = REPOSITORY / "docs"
#: What the commands of a page leave, where that is more than what they print.
FILES = {
    "docs/tutorial/first-graph.md": ("adsl.toml", "buffers.svg"),
    "docs/how-to/bring-your-own-trace.md": ("windows.svg", "mine.trace", "cellular.trace"),
    "docs/how-to/draw-a-network.md": ("adsl.svg",),
    "docs/how-to/draw-figures.md": (
        "adsl.pdf", "adsl.svg", "delay.png", "cubic-bbr.pdf", "buffers.pdf", "fig05-changed.pdf",
    ),
    "docs/how-to/factorial-design.md": ("effects.svg", "residuals.svg", "residuals.png", "levels.png"),
    "docs/how-to/own-study.md": ("gfc.toml", "results/report.html"),
    "docs/how-to/report.md": ("out/report.html", "adsl-abr.html"),
    "docs/how-to/sweep.md": ("means.csv", "flows.parquet", "results/python/index.parquet"),
}  # fmt: skip
#: Blocks that are not run; a page with a new one says why, and this number grows.
MOST_EXCUSES = 25
IN_REAL_TIME = {page for page in pages() if any(step.is_live for step in steps((REPOSITORY / page).read_text("utf-8")))}


@pytest.mark.parametrize("page", sorted({*pages()} - IN_REAL_TIME))
def test_a_page_shows_what_its_commands_print(page: str, tmp_path: Path) -> None:
    text = (REPOSITORY / page).read_text("utf-8")
    if "import" in text and "xarray" in text:
        pytest.importorskip("xarray")
    assert follow(REPOSITORY / page, tmp_path) == sum(
        step.shown is not None and not step.excuse for step in steps(text)
    )
    for name in FILES.get(page, ()):
        assert (tmp_path / name).stat().st_size > 100, name


def test_the_examples_in_the_help_of_commands_run(tmp_path: Path) -> None:
    """In the order in which one needs what another leaves; a study's figure takes too long here."""
    first = ["sweep", "results", "effects"]
    scripts = {
        name: [step.text for step in steps((DOCS / "reference" / "commands" / f"{name}.md").read_text("utf-8"))]
        for name in [*first, *sorted({*COMMANDS} - {*first, "reproduce"})]
    }
    assert sum(map(len, scripts.values())) >= 5
    page = tmp_path / "page.md"
    fenced = "".join(f"```sh\n{text}```\n\n" for texts in scripts.values() for text in texts)
    page.write_text(f"<!-- first: mkdir -p ~/.local/share/bash-completion/completions -->\n{fenced}", encoding="utf-8")
    follow(page, tmp_path)
    for name in ("my.toml", "effects.svg", "results/adsl/index.parquet"):
        assert (tmp_path / name).stat().st_size > 100


def test_the_scripts_of_ten_lines_have_no_more() -> None:
    guide = (DOCS / "how-to" / "draw-figures.md").read_text(encoding="utf-8")
    scripts = [step.text for step in steps(guide) if step.language == "python"]
    assert len(scripts) == 4
    assert [text for text in scripts if len([line for line in text.splitlines() if line]) > 10] == []


def every_page() -> Iterator[tuple[str, str]]:
    for path in [REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md"))]:
        if not {"commands", "templates"} & {*path.parts}:
            yield str(path.relative_to(REPOSITORY)), path.read_text("utf-8")


def test_no_command_stands_in_a_block_that_is_not_run() -> None:
    assert [f"{page}: {what}" for page, text in every_page() for what in untold(text)] == []


def test_few_blocks_are_not_run_and_tests_that_run_the_same_exist() -> None:
    excuses = [(page, step.excuse) for page, text in every_page() for step in steps(text) if step.excuse]
    assert len(excuses) <= MOST_EXCUSES, excuses
    for page, excuse in excuses:
        assert len(excuse.split()) >= 2, (page, excuse)
        for name in re.findall(r"tests/[\w./]+|test_\w+\.py", excuse):
            assert list(REPOSITORY.rglob(name)) if "/" not in name else (REPOSITORY / name).exists(), (page, name)


def test_a_comment_about_a_block_is_understood() -> None:
    """A misspelt comment would be ignored, and its block run, or not."""
    for page, text in every_page():
        for comment in re.findall(r"<!--(.*?)-->", text, re.DOTALL):
            assert re.match(
                r" (first: |not run: |exits with \d+ $|real time $|quoted(?: table)?: |Made by )", comment
            ), (
                page,
                comment,
            )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("```sh\necho 1\n```\n\n```text\n2\n```\n", "copy what is printed"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "copy what is printed"),
        ("```sh\nfalse\n```\n", "false"),
        ("<!-- exits with 1 -->\n```sh\ntrue\n```\n", "true"),
        ("<!-- exits with 1 -->\n```sh\necho 1 >&2; exit 1\n```\n\n```text\n2\n```\n", "copy what is printed"),
        ("<!-- first: false -->\n", "false"),
    ],
)
def test_what_a_page_says_wrongly_is_found(text: str, message: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{text}\n```sh\ntrue\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=message):
        follow(page, tmp_path)


def test_a_block_with_an_excuse_is_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- not run: takes long -->\n```sh\nfalse\n```\n\n```text\n2\n```\n", encoding="utf-8")
    assert follow(page, tmp_path) == 0


def test_the_law_in_the_guide_names_what_exists() -> None:
    guide = (DOCS / "how-to" / "add-a-tcp-variant.md").read_text(encoding="utf-8")
    variant = REPOSITORY / "crates" / "celltrain-proto" / "src" / "tcp" / "variant"
    law = (variant / "law.rs").read_text(encoding="utf-8")
    for line in guide.splitlines():
        if line.startswith("| `") and line.count("|") == 4:
            for name in line.split("|")[1].replace("`", "").split(","):
                assert f"fn {name.strip()}(" in law
    assert "use super::law::{MakeLaw, WindowLaw};" in guide
    assert "by standard::Standard<false>;" in (variant / "mod.rs").read_text(encoding="utf-8")
