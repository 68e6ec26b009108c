"""The drawings of the documentation match their descriptions."""

from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import pytest
from conftest import tool

ROOT = Path(__file__).resolve().parents[2]

BOXES = """
title = "Two boxes"
says = "One leads to the other."
size = [200, 60]
box = [
  { name = "a", at = [40, 30], box = [40, 20], lines = ["a"] },
  { name = "b", at = [140, 30], box = [40, 20], lines = ["<b> & c"] },
]
arrow = [{ from = "a", to = "b" }]
"""


@pytest.fixture(scope="module")
def drawings() -> ModuleType:
    """Load the generator, which is not part of the package."""
    return tool("drawings")


def written(drawings: ModuleType, folder: Path, description: str) -> Path:
    """Write a description and its picture into a folder like ours."""
    for name in ("docs/drawings", "docs/images"):
        (folder / name).mkdir(parents=True)
    (folder / "docs" / "drawings" / "boxes.toml").write_text(description, encoding="utf-8")
    assert drawings.main([], folder) == 0
    return folder / "docs" / "images" / "boxes.svg"


def test_all_pictures_are_up_to_date(drawings: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert drawings.main(["--check"]) == 0, capsys.readouterr().err


def test_every_picture_is_on_a_page() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").rglob("*.md"))
    names = [path.stem for path in (ROOT / "docs" / "drawings").glob("*.toml")]
    assert names
    assert [name for name in names if f"images/{name}.svg" not in pages] == []


def test_an_arrow_leads_from_edge_to_edge(drawings: ModuleType, tmp_path: Path) -> None:
    picture = ET.fromstring(written(drawings, tmp_path, BOXES).read_text(encoding="utf-8"))
    lines = [element for element in picture.iter() if element.tag.endswith("polyline")]
    # The last seven pixels are the head.
    assert [line.get("points") for line in lines] == ["60,30 113,30"]
    assert "<b> & c" in "".join(picture.itertext())


def test_a_picture_that_is_not_what_its_description_makes_is_told_of(
    drawings: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = written(drawings, tmp_path, BOXES)
    assert drawings.main(["--check"], tmp_path) == 0
    picture.write_text("other", encoding="utf-8")
    assert drawings.main(["--check"], tmp_path) == 1
    assert "boxes.svg does not match its description: run `make drawings`" in capsys.readouterr().err


def test_a_mistake_names_the_file(drawings: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(drawings.DrawingError, match=r"boxes\.toml: no box is named 'd'"):
        written(drawings, tmp_path, BOXES.replace('to = "b"', 'to = "d"'))
