"""The reference pages match the core's descriptions of its columns and keys."""

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from celltrain import _native
from celltrain.columns import COLUMNS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """Load the generator, which is not part of the package."""
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


def test_every_key_of_a_scenario_is_described() -> None:
    def undescribed(schema: Any, path: str) -> Iterator[str]:  # noqa: ANN401 - plain data
        if isinstance(schema, list):
            for index, part in enumerate(schema):
                yield from undescribed(part, f"{path}/{index}")
        elif isinstance(schema, dict):
            properties = schema.get("properties", {})
            yield from (f"{path}/{key}" for key, value in properties.items() if "description" not in value)
            for name, part in schema.items():
                yield from undescribed(part, f"{path}/{name}")

    assert list(undescribed(json.loads(_native.schema()), "")) == []


def test_a_row_tells_type_bounds_default_and_names(reference: ModuleType) -> None:
    ends = {"End": {"oneOf": [{"const": "near", "description": "Here."}, {"const": "far", "description": "There."}]}}
    end = {"$ref": "#/$defs/End", "default": "near", "description": 'At which end;\n`"far"` needs a route.'}
    assert reference.key("end", end, ends, is_required=False) == (
        '| `end` | name | `"near"` | At which end; `"far"` needs a route. `"near"`: Here. |'
    )
    count = {"type": ["integer", "null"], "description": "Of them. Allowed: 1 to 9. Default: by its size."}
    assert reference.key("n", count, {}, is_required=False) == "| `n` | whole number, 1 to 9 | by its size | Of them. |"
    assert reference.key("n", count, {}, is_required=True) == "| `n` | whole number, 1 to 9 | required | Of them. |"


def test_a_mark_of_an_unknown_kind_is_an_error(reference: ModuleType) -> None:
    with pytest.raises(KeyError, match="verses"):
        reference.page("<!-- verses: 3 -->\n", reference.WRITERS)
