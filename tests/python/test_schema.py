"""The JSON Schema of a scenario agrees with the parser."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import jsonschema
import pytest
from celltrain import _native
from celltrain.papers import catalog
from conftest import LINE, REPOSITORY

SCHEMA: dict[str, Any] = json.loads(_native.schema())
# Created once: jsonschema.validate would check the schema itself for every scenario.
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_the_shipped_schema_is_up_to_date() -> None:
    shipped = (REPOSITORY / "docs" / "reference" / "scenario.schema.json").read_text()
    assert json.loads(shipped) == SCHEMA, "renew it with `make schema`"


@pytest.mark.parametrize("path", sorted((REPOSITORY / "examples").glob("*.toml")), ids=lambda path: path.name)
def test_every_example_is_valid(path: Any) -> None:  # noqa: ANN401
    VALIDATOR.validate(tomllib.loads(path.read_text()))


def test_every_point_of_every_paper_is_valid() -> None:
    for name in catalog.names():
        paper = catalog.paper(name)
        for experiment in paper.experiments.values():
            for point in paper.points(experiment):
                VALIDATOR.validate(point.scenario)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("buffer", "bufer"), ('"2000 cells"', "2000"), ('"uniform"', '"unifrm"'), ('"5 ms"', '"five ms"')],
)
def test_what_is_refused_is_invalid_too(right: str, wrong: str) -> None:
    text = LINE.replace(right, wrong, 1)
    with pytest.raises(_native.ScenarioError):
        _native.Scenario.from_toml(text, "line.toml")
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(tomllib.loads(text))
