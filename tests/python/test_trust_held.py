"""A row of the table of trust that gets worse fails, although others are known to differ."""

from pathlib import Path
from types import ModuleType

import pytest
from conftest import tool

PAGE = """\
| row | verdict | cases that meet their target | largest miss |
|---|---|---|---|
| [ns2](#ns2) | differs | 337 of 360 | 3.37 |
| [shares](#shares) | agrees | 9 of 9 | 0.27 |
| [kernel](#kernel) | not run |  |  |
"""


@pytest.fixture(scope="module")
def held() -> ModuleType:
    """Load the check, which is not part of the package."""
    return tool("trust_held")


def test_the_kept_table_holds_against_itself(held: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert held.main([str(held.KEPT)]) == 0
    assert capsys.readouterr().err == ""
    kept = held.read(held.KEPT.read_text("utf-8"))
    assert len(kept) >= 7
    assert sum(row is not None for row in kept.values()) >= 6


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("337 of 360", "338 of 360", None),
        ("337 of 360", "337 of 370", None),
        ("337 of 360", "336 of 360", "ns2: 336 of 360 cases meet their target, 337 in the kept table"),
        ("337 of 360", "337 of 350", "ns2: 350 cases, 360"),
        ("agrees | 9 of 9", "differs | 8 of 9", "shares: 8 of 9"),
        ("| [shares](#shares) | agrees | 9 of 9 | 0.27 |\n", "", "shares: the row is gone"),
    ],
)
def test_a_row_that_gets_worse_fails(
    held: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, said: str | None
) -> None:
    (tmp_path / "kept.md").write_text(PAGE)
    (tmp_path / "now.md").write_text(PAGE.replace(old, new))
    monkeypatch.setattr(held, "KEPT", tmp_path / "kept.md")
    assert held.main([str(tmp_path / "now.md")]) == (said is not None)
    problems, _ = held.compare(held.read(PAGE.replace(old, new)), held.read(PAGE))
    assert (said is None and problems == []) or (said is not None and said in problems[0])


def test_what_was_not_run_is_named(held: ModuleType) -> None:
    now = held.read(PAGE.replace("differs | 337 of 360 | 3.37", "not run |  |  "))
    assert held.compare(now, held.read(PAGE)) == ([], ["ns2"])


def test_an_unreadable_page_fails(held: ModuleType) -> None:
    assert held.compare({}, {})[0] != []
