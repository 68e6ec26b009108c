"""Control characters, markup and encodings in what users give: shown escaped, with the place, and never obeyed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import browser, needs_browser
from celltrain import Scenario, ScenarioError
from celltrain.cli import main
from celltrain.cli.printing import How
from celltrain.cli.safe import SafeConsole
from celltrain.cli.sheet import Column, Sheet
from celltrain.files import json_text
from celltrain.printable import escaped
from celltrain.scenario import load, mistakes
from conftest import LINE
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.table import Table
from rich.text import Text

#: Sets the window's title, clears the screen, and moves text to the right.
CONTROLS = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e"
MARKUP = [
    "<script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'>",
    "[x](javascript:window.pwned=1)",
    '"><svg onload="window.pwned = 1">',
    "| a |\n\n<script>window.pwned = 1</script>",
    "`` ` <script>window.pwned = 1</script>",
    "\\<script>window.pwned = 1</script>",
    "x](javascript:window.pwned=1)",
]


@given(st.text())
def test_escaped_text_has_nothing_that_controls_a_terminal(text: str) -> None:
    shown = escaped(text)
    assert all(character.isprintable() or character in "\t\n" or ord(character) >= 0xA0 for character in shown)
    assert not set(shown) & set("\x00\x1b\x7f\x9b\u202e\u2066")
    assert escaped(shown) == shown


@pytest.mark.parametrize("make", [str, Text, lambda text: Text.assemble(("x", "bold"), text)])
def test_a_console_escapes_what_it_is_given(make: Callable[[str], str | Text]) -> None:
    file = io.StringIO()
    console = SafeConsole(file=file, force_terminal=True, color_system="truecolor", width=200, highlight=False)
    console.print(make(CONTROLS), style="bold", markup=False)
    table = Table("name")
    table.add_row(make(CONTROLS))
    console.print(table)
    shown = file.getvalue()
    assert shown.count(r"\x1b]0;title") == 2
    assert "\x1b[2J" not in shown
    assert "\x1b[1m" in shown, "its own styles stay"
    assert not set(shown) & set("\x07\x9b\u202e")


@pytest.mark.parametrize("command", ["validate", "run", "show"])
@pytest.mark.parametrize("content", ["[measure]\n", f"# {CONTROLS}\nx = 1 {CONTROLS}\n", f'"{CONTROLS[1:3]}" = 1\n'])
def test_a_name_with_escapes_is_shown_escaped(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str, content: str
) -> None:
    path = tmp_path / f"{CONTROLS}.toml"
    path.write_text(content)
    with pytest.raises(SystemExit) as ended:
        main([command, str(path)])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert r"\x1b]0;title" in printed.err
    assert not set(printed.out + printed.err) & set("\x1b\x07\x9b\u202e")


def test_json_has_no_character_that_a_terminal_obeys() -> None:
    text = json_text({CONTROLS: CONTROLS})
    assert not set(text) & set(CONTROLS) - set("]0;title[2J31m")
    assert json.loads(text) == {CONTROLS: CONTROLS}


NO_TEXT = {
    "a mark of UTF-8": (b"\xef\xbb\xbf" + LINE.encode(), (1, 1), "begins with the mark of UTF-8"),
    "UTF-16": (LINE.encode("utf-16"), (1, 1), "begins with the mark of UTF-16"),
    "UTF-16 without a mark": (LINE.strip().encode("utf-16-le"), (1, 2), "it has a NUL"),
    "UTF-32": (LINE.encode("utf-32"), (1, 1), "begins with the mark of UTF-32"),
    "Latin-1": ("a = 1\nb = 'ü'\n".encode("latin-1"), (2, 6), "not a text file in UTF-8: octet 0xfc"),
    "a cut character": (b"a = 1\nb = '\xc3", (2, 6), "not a text file in UTF-8: octet 0xc3"),
    "a key twice": (b"[measure]\na = 1\na = 2\n", (3, 1), "duplicate key"),
    "a table twice": (b"[measure]\n[hosts]\n[measure]\n", (3, 2), "duplicate key"),
    "a lone carriage return": (b"[measure]\ra = 1\n", (1, 11), "carriage return"),
    "TOML 1.1": (LINE.replace("{ count = 2 }", "{\n count = 2 }").encode(), (7, 6), "not valid TOML 1.0"),
}


@pytest.mark.parametrize("name", NO_TEXT)
def test_a_file_that_is_no_toml_is_refused_with_the_place(tmp_path: Path, name: str) -> None:
    octets, place, why = NO_TEXT[name]
    path = tmp_path / "scenario.toml"
    path.write_bytes(octets)
    with pytest.raises(ScenarioError, match=rf"scenario\.toml:{place[0]}:{place[1]}: .*{why}") as raised:
        load(path)
    assert (raised.value.line, raised.value.column) == place
    (mistake, *_) = mistakes(path)
    assert (mistake.line, mistake.column) == place
    assert why in str(mistake)


def test_lines_may_end_as_in_windows(tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    path.write_bytes(LINE.replace("\n", "\r\n").encode())
    assert load(path).hash == Scenario.from_toml(LINE).hash
    path.write_bytes(LINE.replace('"5 ms"', '"5 x"').replace("\n", "\r\n").encode())
    assert mistakes(path)[0].line == LINE[: LINE.index('"5 ms"')].count("\n") + 1


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    yield from browser()


@needs_browser
def test_markdown_tables_run_no_script(chromium: object, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    columns = [Column("name", MARKUP), *(Column(f"c{each}", ["1"] * len(MARKUP), each) for each in MARKUP)]
    How("md").show(Sheet(MARKUP[0], columns), Sheet(MARKUP[2], columns))
    markdown = capsys.readouterr().out
    page = tmp_path / "page.html"
    # Like a renderer that lets HTML through, as GitHub's does before it sanitizes it.
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown)
    page.write_text(f"<!DOCTYPE html><meta charset=utf-8>{html}")
    assert html.count("<tr>") == 2 * (1 + len(MARKUP)), "each row is a row"
    opened = chromium.new_page()  # type: ignore[attr-defined]
    opened.goto(page.as_uri())
    for link in opened.locator("a").all():
        link.click()
    assert opened.locator("script, img, svg, a").count() == 0
    assert opened.evaluate("window.pwned") is None
    assert "<script>" in opened.inner_text("body"), "it is shown"


def test_a_table_in_markdown_keeps_ordinary_text(capsys: pytest.CaptureFixture[str]) -> None:
    How("md").show(Sheet("", [Column("rate", ["1 | 2", "a_b"], "rate [kbit/s]")]))
    assert capsys.readouterr().out == "| rate [kbit/s] |\n| --- |\n| 1 \\| 2 |\n| a_b |\n"
