"""The reference pages are what the core says of its columns and keys."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from celltrain.columns import COLUMNS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """Load the generator, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "tools" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_core_makes(reference: ModuleType) -> None:
    assert reference.main(["--check"]) == 0, "renew them with `make reference`"


def test_every_column_of_results_has_a_row_in_a_page(reference: ModuleType) -> None:
    pages = (ROOT / reference.PAGES / name for name in ("results.md", "scenario.md"))
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for table, columns in COLUMNS.items():
        for column in columns.values():
            assert f"| `{column.name}` | {column.unit} | {column.kind} | " in text, (table, column)


def test_a_mark_of_an_unknown_kind_is_an_error(reference: ModuleType) -> None:
    with pytest.raises(KeyError, match="verses"):
        reference.page("<!-- verses: 3 -->\n", reference.WRITERS)
