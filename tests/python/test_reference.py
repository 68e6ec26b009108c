"""The reference pages are what the core says of its columns, keys and algorithms."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from celltrain import _native
from celltrain.cli.columns import tables
from celltrain.registries import registered_names
from conftest import REPOSITORY, tool

reference = tool("reference")


def test_the_pages_are_what_the_core_makes() -> None:
    assert reference.main(["--check"]) == 0, "renew them with `make reference`"


def page(name: str) -> str:
    path: Path = REPOSITORY / reference.PAGES / name
    return path.read_text(encoding="utf-8")


def test_every_column_has_a_row_in_a_page() -> None:
    text = page("results.md") + page("scenario.md")
    for table, columns in tables().items():
        for column in columns.values():
            assert f"| `{column.name}` | {column.unit} | {column.kind} | " in text, (table, column)


def members(name: str) -> list[dict[str, Any]]:
    """Give the variants of a table of a scenario."""
    found: list[dict[str, Any]] = reference.definitions()[name]["oneOf"]
    return found


def tables_of(name: str) -> list[dict[str, Any]]:
    """Give those of them that are tables, and no name alone."""
    return [member for member in members(name) if "properties" in member]


REGISTRIES = (
    "Control",
    "QueueManagement",
    "Discard",
    "Scheduling",
    "Loss",
    "Jitter",
    "RateProcess",
    "HostLan",
    "Traffic",
    "TcpVariant",
)


@pytest.mark.parametrize("registry", REGISTRIES)
def test_each_algorithm_of_a_registry_has_a_part_with_all_its_keys(registry: str) -> None:
    text = page("algorithms.md")
    for member in tables_of(registry):
        # RED, CoDel and others serve queues of cells and of packets, with keys of their own.
        parts = [part.partition("\n### ")[0] for part in text.split(f"\n### {member['title']}\n")[1:]]

        def has_all(part: str, keys: dict[str, dict[str, str]] = member["properties"]) -> bool:
            return all(f"| `{key}` |" in part or f'`{key} = "{it.get("const")}"`' in part for key, it in keys.items())

        assert any(map(has_all, parts)), member["title"]


@pytest.mark.parametrize("table", ["QueueManagement", "Discard", "Scheduling", "HostLan", "Loss", "Jitter", "Traffic"])
def test_each_variant_of_a_table_has_a_row_in_its_overview(table: str) -> None:
    text = page("scenario.md")
    for member in tables_of(table):
        (chosen,) = (value["const"] for value in member["properties"].values() if "const" in value)
        assert f'\n| `"{chosen}"` | ' in text, chosen


def test_each_preset_is_in_the_overview_of_what_it_is() -> None:
    told = page("scenario.md").partition("| `preset` | what it is |")[2].partition("\n\n")[0]
    assert [each["const"] for each in members("Preset") if f'`"{each["const"]}"`' not in told] == []


def test_the_names_of_algorithms_are_those_of_the_schema() -> None:
    for registry in REGISTRIES:
        named = {
            value["const"]: member["title"]
            for member in tables_of(registry)
            for value in member["properties"].values()
            if "const" in value
        }
        assert registered_names(registry) == named


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


def test_a_row_tells_type_bounds_default_and_names() -> None:
    ends = {"End": {"oneOf": [{"const": "near", "description": "Here."}, {"const": "far", "description": "There."}]}}
    end = {"$ref": "#/$defs/End", "default": "near", "description": 'At which end;\n`"far"` needs a route.'}
    assert reference.key("end", end, ends, is_required=False) == (
        "`end`",
        "name",
        '`"near"`',
        'At which end; `"far"` needs a route. `"near"`: Here.',
    )
    count = {"type": ["integer", "null"], "description": "Of them. Allowed: 1 to 9. Default: by its size."}
    for default, is_required in (("by its size", False), ("required", True)):
        told = reference.key("n", count, {}, is_required=is_required)
        assert told == ("`n`", "whole number, 1 to 9", default, "Of them.")


def test_an_algorithm_is_told_with_its_keys() -> None:
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
            "weight": {
                "anyOf": [{"type": "number"}, {"type": "string", "pattern": "[0-9]+/[0-9]+"}],
                "default": 0.25,
                "description": "Weight. Allowed: more than 0.",
            },
        },
    }
    assert reference.algorithm(member, {}) == (
        '### ONE\n\n`kind = "one"`: The first.\n\n'
        "| key | type | default | meaning |\n|---|---|---|---|\n"
        "| `high` | cells | required | Upper threshold. |\n"
        "| `weight` | fraction, more than 0 | `0.25` | Weight. |\n"
    )


def test_a_mark_of_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(KeyError, match="verses"):
        reference.page("<!-- verses: 3 -->\n", reference.WRITERS)
