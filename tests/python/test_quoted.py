"""Figures quoted in pages match their sources; the check finds wrong ones."""

import json
from pathlib import Path
from types import ModuleType

import pytest
from conftest import REPOSITORY, tool

CLAIMS = "[[claim]]\nid = 1\n[[claim]]\nid = 2\n"
RECORDS = [
    {"workload": "chain", "engine": "trains", "scale": 1.0, "ns_per_cell_hop": 9.9, "instructions": 21.15},
    {"workload": "chain", "engine": "trains", "scale": 1.0, "ns_per_cell_hop": 1.334, "instructions": 21.15},
    {"workload": "chain", "engine": "trains", "scale": 0.1, "ns_per_cell_hop": 7.7, "instructions": 21.15},
    {"workload": "chain", "simulated_s": 3},
]


@pytest.fixture(scope="module")
def quoted() -> ModuleType:
    """Load the check, which is not part of the package."""
    return tool("quoted")


def found(quoted: ModuleType, root: Path, page: str) -> list[str]:
    (root / "README.md").write_text(page)
    (root / "claims.toml").write_text(CLAIMS)
    (root / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.11"\nfast = true\n')
    (root / "history.jsonl").write_text("".join(json.dumps(record) + "\n" for record in RECORDS))
    return list(quoted.problems(root))


def test_this_repository_quotes_its_sources(quoted: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    status = quoted.main(["--root", str(REPOSITORY)])
    assert status == 0, capsys.readouterr().err
    pages = [page for pattern in quoted.PAGES for page in REPOSITORY.glob(pattern)]
    assert sum(len(quoted.MARKER.findall(page.read_text("utf-8"))) for page in pages) >= 5


@pytest.mark.parametrize(
    "page",
    [
        "Of the 2 <!-- quoted: claims.toml claim# --> claims one holds.",
        "CPython 3.11 <!-- quoted: pyproject.toml project.requires-python --> or newer.",
        "In 7 rounds 1.33 ns and 21 "
        "<!-- quoted: history.jsonl chain.trains.ns_per_cell_hop chain.trains.instructions -->.",
        "It takes 1.3 <!-- quoted: history.jsonl chain.trains.ns_per_cell_hop -->, 1 <!-- quoted: claims.toml claim# "
        "within 50 % -->.",
        "1.4 ns <!-- quoted: history.jsonl chain.trains.ns_per_cell_hop within 5 % -->",
    ],
)
def test_figures_that_their_source_rounds_to_pass(quoted: ModuleType, tmp_path: Path, page: str) -> None:
    assert found(quoted, tmp_path, page) == []


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("Of the 3 <!-- quoted: claims.toml claim# --> claims", "quotes 3, but the source has 2"),
        ("1.32 <!-- quoted: history.jsonl chain.trains.ns_per_cell_hop -->", "quotes 1.32, but the source has 1.334"),
        ("1.4 ns <!-- quoted: history.jsonl chain.trains.ns_per_cell_hop within 4 % -->", "quotes 1.4"),
        ("2 <!-- quoted: claims.toml claims# -->", "the source has no claims#"),
        ("2 <!-- quoted: claim.toml claim# -->", "there is no such file (claim.toml claim#)"),
        ("2 <!-- quoted: pyproject.toml project.fast -->", "is no number"),
        ("Two <!-- quoted: claims.toml claim# --> claims", "1 keys, but 0 figures"),
        ("<!-- quoted table: claims.toml claim# -->\n\nText.", "no table comes behind"),
    ],
)
def test_a_wrong_figure_fails(quoted: ModuleType, tmp_path: Path, page: str, said: str) -> None:
    (problem,) = found(quoted, tmp_path, "One.\n" + page)
    assert problem.startswith("README.md: line 2: ")
    assert said in problem


TABLE = """
<!-- quoted table: history.jsonl - {row}.trains.ns_per_cell_hop {row}.trains.instructions -->

| workload | own | ns | instructions |
|---|---|---|---|
| `chain` | 5 | NS | **21.2** |

1.9
"""


def test_a_table_is_compared_by_row_and_column(quoted: ModuleType, tmp_path: Path) -> None:
    assert found(quoted, tmp_path, TABLE.replace("NS", "1.33 ns")) == []
    assert found(quoted, tmp_path, TABLE.replace("NS", "-")) == []
    (problem,) = found(quoted, tmp_path, TABLE.replace("NS", "1.4"))
    assert problem.startswith("README.md: line 6: quotes 1.4, but the source has 1.334")
    (problem,) = found(quoted, tmp_path, TABLE.replace("NS", "1.33 | 7"))
    assert "4 columns, but 3 keys" in problem
