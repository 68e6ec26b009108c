"""Every rule of the standards has a test, and the page that shows it is up to date."""

import shutil
from pathlib import Path
from types import ModuleType

import pytest
from conftest import tool

ROOT = Path(__file__).resolve().parents[2]

RULES = """
spellings = ["ACR", "VS/VD"]
[[group]]
title = "Source behaviour"
prefix = "source_rule"
source = "TM 4.0 §5.10.4 rule {number}"
rows = [
  { number = "1", says = "one" },
  { number = "1.2", says = "a part of it" },
  { number = "3", says = "three" },
  { number = "5", says = "five", absent = "Not modelled." },
]
"""

RUST = """
// #[test] fn source_rule_7_in_a_comment() {}
#[test]
#[ignore = "it is slow [1]"]
fn source_rule_03_acr_of_vsvd() {}
    proptest! {
        #[test]
        fn source_rule_3a_any_acr(n in 1_u64..5) {}
    }
fn source_rule_9_is_no_test() {}
#[test] fn source_rule_1_2_parts() {}
#[test] fn source_rule_1_32_cells_are_left() {}
#[test] fn another_name() {}
"""


@pytest.fixture(scope="module")
def conformance() -> ModuleType:
    """Load the generator, which is not part of the package."""
    return tool("conformance")


def test_every_rule_has_a_test_and_the_page_is_up_to_date(
    conformance: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    status = conformance.main(["--check"])
    assert status == 0, capsys.readouterr().err


def test_tests_belong_to_the_rule_that_their_name_begins_with(conformance: ModuleType) -> None:
    groups, spellings = conformance.read_rules(RULES)
    assert conformance.assign(groups, list(conformance.tests_of("a.rs", RUST))) == []
    found = {
        number: [conformance.sentence(says, spellings) for says, _ in rule.tests]
        for number, rule in groups[0].rules.items()
    }
    assert found == {
        "1": ["32 cells are left"],
        "1.2": ["Parts"],
        "3": ["ACR of VS/VD", "Any ACR"],
        "5": [],
    }
    assert conformance.gaps(groups) == []


@pytest.mark.parametrize(
    ("removed", "message"),
    [
        ("source_rule_1_2_parts", "source_rule 1.2 (TM 4.0 §5.10.4 rule 1.2: a part of it) has no test"),
        ("another_name", None),
    ],
)
def test_a_rule_without_a_test_is_named(conformance: ModuleType, removed: str, message: str | None) -> None:
    groups, _ = conformance.read_rules(RULES)
    conformance.assign(groups, list(conformance.tests_of("a.rs", RUST.replace(removed, "renamed"))))
    assert conformance.gaps(groups) == ([] if message is None else [message])


def test_a_test_of_an_unlisted_rule_and_a_needless_reason_are_named(conformance: ModuleType) -> None:
    groups, _ = conformance.read_rules(RULES)
    text = RUST + "#[test]\nfn source_rule_6_new() {}\n#[test]\nfn source_rule_5_now_modelled() {}\n"
    problems = conformance.assign(groups, list(conformance.tests_of("a.rs", text)))
    assert [problem.split(": ")[1] for problem in problems] == ["source_rule_6_new"]
    assert "source_rule_5_now_modelled" in conformance.gaps(groups)[0]


@pytest.mark.parametrize(
    ("core", "simulator", "said"),
    [
        ("pub struct Dgcra;", "use Other;", []),
        ("pub struct Dgcra;", "use Dgcra;", ["celltrain-sim names Dgcra; drop `unreachable`"]),
        ("pub struct Dgcra2;", "use Other;", ["celltrain-proto has no Dgcra; correct `unreachable`"]),
        ('"dgcra" => dgcra::Dgcra(Keys);', "use Other;", ["Dgcra is in a registry of celltrain-proto; drop `unreach"]),
    ],
)
def test_what_no_scenario_reaches_is_told_as_long_as_it_is_true(
    conformance: ModuleType, tmp_path: Path, core: str, simulator: str, said: list[str]
) -> None:
    for crate, text in (("proto", core), ("sim", simulator)):
        source = tmp_path / f"crates/celltrain-{crate}/src"
        source.mkdir(parents=True)
        (source / "lib.rs").write_text(text)
    rules = RULES.replace('says = "one"', 'says = "one", unreachable = { "dynamic GCRA" = "Dgcra" }')
    groups, spellings = conformance.read_rules(rules)
    found = conformance.reached(groups, tmp_path)
    assert len(found) == len(said)
    assert all(expected in problem for expected, problem in zip(said, found, strict=True))
    page = conformance.page(groups, spellings)
    assert "Only in the protocol core, not reachable from scenarios: dynamic GCRA." in page


def test_a_page_that_is_out_of_date_fails_and_is_left_alone(
    conformance: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in (conformance.RULES, conformance.PAGE):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(ROOT / file, tmp_path / file)
    (tmp_path / "crates").symlink_to(ROOT / "crates")
    page = tmp_path / conformance.PAGE
    page.write_text(page.read_text("utf-8") + "more\n", "utf-8")
    assert conformance.main(["--check", "--root", str(tmp_path)]) == 1
    assert "make conformance" in capsys.readouterr().err
    assert page.read_text("utf-8").endswith("more\n")
