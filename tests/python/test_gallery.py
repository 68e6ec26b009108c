"""The gallery shows every experiment of every study, says which runs are quick, and is renewed from results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from celltrain.papers import catalog
from conftest import REPOSITORY
from gallery.__main__ import PAGES, main, pages
from gallery.kept import KEPT, UnfitError, collect, read
from gallery.pages import part

GALLERY = REPOSITORY / PAGES


def folder_with(tmp_path: Path, *, extent: str = "study", experiment: str = "fig04", holds: bool = True) -> Path:
    """Write what ``celltrain reproduce`` writes about an experiment of ``adsl-abr``, with one claim."""
    folder = tmp_path / extent / "adsl-abr"
    folder.mkdir(parents=True)
    said = {"name": extent, "says": "with changed values", "quick": extent == "quick"}
    provenance = {"paper": "adsl-abr", "experiment": experiment, "extent": said, "celltrain": "9.9", "agreement": None}
    (folder / f"{experiment}.provenance.json").write_text(json.dumps(provenance), encoding="utf-8")
    (folder / f"{experiment}.svg").write_text(f"<svg>{extent}</svg>", encoding="utf-8")
    claim = {"id": "adsl-abr.fig04.not-above-ideal", "experiment": experiment, "says": "", "source": "", "check": ""}
    numbers = {"holds": holds, "measured": "", "published": 0.9, "value": 0.8, "values": [0.8], "unit": "1"}
    if extent == "study":
        (folder / f"{experiment}.claims.json").write_text(json.dumps([claim | numbers]), encoding="utf-8")
    return tmp_path / extent


def test_the_pages_are_what_studies_and_results_say() -> None:
    assert main(["--check"]) == 0, "write them with `make gallery`"


def test_every_experiment_is_shown_with_its_figure() -> None:
    kept = read(GALLERY / KEPT)
    for paper in map(catalog.paper, catalog.names()):
        text = (GALLERY / f"{paper.name}.md").read_text(encoding="utf-8")
        for name in paper.experiments:
            assert f"## {name}: " in text
            assert f"{paper.name}/{name}" in kept
            assert (GALLERY / paper.name / f"{name}.svg").stat().st_size > 3000
    figures = {str(path.relative_to(GALLERY).with_suffix("")) for path in GALLERY.glob("*/*.svg")}
    assert figures == set(kept)


def test_a_quick_run_is_marked_and_shows_no_verdict(tmp_path: Path) -> None:
    kept = collect(folder_with(tmp_path, extent="quick"), {}, tmp_path / "gallery")
    text = pages(kept)[PAGES / "adsl-abr.md"]
    assert text.count("**Quick run**") == 1
    assert "holds:" not in text
    assert "fails" not in text.replace("claims fail", "")
    assert "0 of full" not in text


def test_a_full_run_replaces_a_quick_one_and_not_the_other_way(tmp_path: Path) -> None:
    target = tmp_path / "gallery"
    kept = collect(folder_with(tmp_path, extent="quick"), {}, target)
    full = collect(folder_with(tmp_path, holds=False), kept, target)
    assert (target / "adsl-abr" / "fig04.svg").read_text() == "<svg>study</svg>"
    text = pages(full)[PAGES / "adsl-abr.md"]
    assert "- **fails**: No control carries more than the ideal" in text
    assert "**Published 0.9, simulated 0.8, -11.1 %.**" in text
    assert collect(tmp_path / "quick", full, target) == full
    assert (target / "adsl-abr" / "fig04.svg").read_text() == "<svg>study</svg>"


def test_an_experiment_without_results_says_how_to_make_them() -> None:
    paper = catalog.paper("adsl-abr")
    text = part(paper, paper.experiments["fig04"], (), None)
    assert "Not drawn here: `celltrain reproduce adsl-abr/fig04` makes it." in text


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"extent": "changed"}, "with changed values; the gallery shows full and quick runs only"),
        ({"experiment": "fig99"}, "no experiment adsl-abr/fig99"),
    ],
)
def test_results_that_are_not_of_a_study_are_refused(tmp_path: Path, given: dict[str, str], message: str) -> None:
    folder = folder_with(tmp_path, extent=given.get("extent", "study"), experiment=given.get("experiment", "fig04"))
    with pytest.raises(UnfitError, match=message):
        collect(folder, {}, tmp_path / "gallery")


def test_a_folder_without_results_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "no results; make them with `celltrain reproduce --all" in capsys.readouterr().err
