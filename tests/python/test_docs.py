"""The complete scenarios in the documentation are valid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from celltrain import Scenario

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)

SCENARIOS = [
    pytest.param(block, id=f"{page.relative_to(DOCS)}-{number}")
    for page in sorted(DOCS.rglob("*.md"))
    for number, block in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")), start=1)
    if "[measure]" in block
]


def test_there_are_complete_scenarios_in_the_documentation() -> None:
    assert len(SCENARIOS) >= 3


@pytest.mark.parametrize("text", SCENARIOS)
def test_a_complete_scenario_is_valid(text: str) -> None:
    Scenario.from_toml(text)
