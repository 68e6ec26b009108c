"""The complete scenarios in the documentation are valid, and the things that it names exist."""

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
    # One that reads a file is run beside it: test_guide_pages.
    if "[measure]" in block and "file = " not in block
]


def test_there_are_complete_scenarios_in_the_documentation() -> None:
    assert len(SCENARIOS) >= 3


@pytest.mark.parametrize("text", SCENARIOS)
def test_a_complete_scenario_is_valid(text: str) -> None:
    Scenario.from_toml(text)


def test_no_page_hides_that_a_command_fails() -> None:
    pages = [*DOCS.rglob("*.md"), DOCS.parent / "README.md", DOCS.parent / "CONTRIBUTING.md"]
    assert [page.name for page in pages if "|| true" in page.read_text(encoding="utf-8")] == []


CRATES = DOCS.parent / "crates"
#: A Rust test as named in the pages: with its module, or at least five words long.
TEST_NAME = re.compile(r"`(?:(?:found|conditions|classes|groups|parts|processes)::\w+|[a-z0-9]+(?:_[a-z0-9]+){4,})`")
MUTATION = re.compile(r"mutations? ((?:`[a-z*-]+`(?:, )?)+)")


def test_the_tests_that_hold_an_invariant_exist() -> None:
    page = (DOCS / "explanation" / "train-engine.md").read_text(encoding="utf-8")
    named = {match.strip("`").rpartition("::")[2] for match in TEST_NAME.findall(page)}
    assert len(named) > 40
    sources = "".join(path.read_text(encoding="utf-8") for path in (CRATES / "celltrain-sim").rglob("*.rs"))
    defined = set(re.findall(r"\bfn (\w+)|^ +(\w+) => \"", sources, re.MULTILINE))
    assert named - {name for pair in defined for name in pair} == set()


def test_the_conditions_that_hold_an_invariant_exist() -> None:
    page = (DOCS / "explanation" / "train-engine.md").read_text(encoding="utf-8")
    named = {name.strip("`, ") for names in MUTATION.findall(page) for name in names.split(", ")}
    assert len(named) > 20
    conditions = (CRATES / "celltrain-hunt" / "mutations.toml").read_text(encoding="utf-8")
    written = [f'name = "{name.rstrip("*")}' + ("" if name.endswith("*") else '"') for name in sorted(named)]
    missing = [name for name in written if name not in conditions]
    assert missing == []


def test_the_files_of_the_engine_that_pages_name_exist() -> None:
    engine = CRATES / "celltrain-sim" / "src" / "engine"
    if not (engine / "trains").is_dir():
        pytest.skip("the engine has no rooms yet")
    rooms = "state|schedule|plan|queue|source|host|trains|cells|observe|build"
    named = re.compile(rf"`(?:engine/)?((?:{rooms})/[\w/]+\.rs)`")
    pages = [DOCS / "explanation" / name for name in ("architecture.md", "train-engine.md")]
    files = {name for page in pages for name in named.findall(page.read_text(encoding="utf-8"))}
    assert len(files) > 20
    assert sorted(name for name in files if not (engine / name).is_file()) == []
