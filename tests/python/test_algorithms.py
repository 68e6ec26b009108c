"""The reference of algorithms matches the registries in the schema."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def algorithms() -> ModuleType:
    """Load the generator, which is not part of the package."""
    spec = importlib.util.spec_from_file_location("algorithms", ROOT / "tools" / "algorithms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def schema() -> Any:  # noqa: ANN401 - plain data
    return json.loads((ROOT / "docs" / "reference" / "scenario.schema.json").read_text(encoding="utf-8"))


def test_the_page_is_what_the_schema_makes(algorithms: ModuleType) -> None:
    assert algorithms.main(["--check"]) == 0, "renew it with `make schema`"


def test_each_algorithm_of_a_registry_has_a_part_with_all_its_keys(algorithms: ModuleType, schema: Any) -> None:  # noqa: ANN401
    text = algorithms.page(schema)
    for name in algorithms.FAMILIES:
        for member in schema["$defs"][name]["oneOf"]:
            if "title" not in member:
                # A keyword alone, which is a table of defaults.
                continue
            part = text.partition(f"\n### {member['title']}\n")[2].partition("\n### ")[0]
            for key, value in member["properties"].items():
                assert f"| `{key}` |" in part or f'`{key} = "{value["const"]}"`' in part


def test_a_row_tells_type_default_bounds_and_names(algorithms: ModuleType) -> None:
    member = {
        "required": ["kind", "high"],
        "title": "ONE",
        "description": "The first.",
        "properties": {
            "kind": {"const": "one"},
            "high": {
                "title": 'a number of cells such as "256 cells"',
                "type": "string",
                "description": "Upper threshold.",
            },
            "end": {"$ref": "#/$defs/End", "default": "near", "description": "At which end."},
            "weight": {"anyOf": [], "default": 0.25, "description": "Weight. Allowed: more than 0."},
        },
    }
    ends = {"End": {"oneOf": [{"const": "near", "description": "Here."}, {"const": "far", "description": "There."}]}}
    assert algorithms.algorithm(member, ends) == (
        '### ONE\n\n`kind = "one"`: The first.\n\n'
        "| key | type | default | meaning |\n|---|---|---|---|\n"
        "| `high` | cells | required | Upper threshold. |\n"
        '| `end` | name | `"near"` | At which end. `"near"`: Here. `"far"`: There. |\n'
        "| `weight` | fraction | `0.25` | Weight. Allowed: more than 0. |\n"
    )
