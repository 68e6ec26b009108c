"""Conditions of the engine can be removed."""

from pathlib import Path
from types import ModuleType

import mutants
import pytest
from conftest import tool

ROOT = Path(__file__).resolve().parents[2]

CONDITIONS = """
folder = "src"
[[condition]]
name = "order"
file = "merge.rs"
was = "if first < second"
becomes = "if true"
why = "the lower one goes first"
"""

HUNT = """\
100 networks, 0 findings, 0 stalled, 0 too long (30.1 networks/s)
network 117: engines: cell by cell / in trains: flows row 0 delivered: 1 and 2
network 116: too long, skipped
120 networks, 1 findings, 0 stalled, 1 too long, 0 old ones still fail
"""


RUST = """\
const LEAST: u32 = 1;
pub fn first(a: u32, b: u32) -> bool {
    let all = |x: u32| { x < b };
    all(a) && a > LEAST
}
const fn second(a: u32) -> u32 { a + 1 }
"""


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    """Load the tool, which is not part of the package."""
    return tool("mutate")


def test_each_condition_is_said_once_by_its_file(mutate: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    status = mutate.main(["--check"])
    assert status == 0, capsys.readouterr().err


def test_a_condition_is_taken_out_of_its_file(mutate: ModuleType) -> None:
    (condition,) = mutate.read(CONDITIONS)
    assert condition.file == "src/merge.rs"
    assert mutate.without(condition, "a; if first < second {}") == "a; if true {}"


@pytest.mark.parametrize("text", ["", "if first < second; if first < second"])
def test_what_is_not_said_exactly_once_cannot_be_taken_out(mutate: ModuleType, text: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "merge.rs").write_text(text)
    (problem,) = mutate.problems(tmp_path, mutate.read(CONDITIONS))
    assert f"{text.count('if')} times, not once" in problem


def test_a_list_with_unknown_keys_or_two_of_a_name_is_refused(mutate: ModuleType) -> None:
    head, row = CONDITIONS.split("[[condition]]")
    with pytest.raises(mutate.MutationError, match="the keys are"):
        mutate.read(CONDITIONS + 'because = "x"')
    with pytest.raises(mutate.MutationError, match="twice"):
        mutate.read(f"{head}[[condition]]{row}[[condition]]{row}")


def test_the_first_network_that_is_no_good_is_read_from_what_the_hunt_prints(mutate: ModuleType) -> None:
    assert mutate.first_found(HUNT) == mutate.Catch(116, "too long")
    assert mutate.first_found(HUNT.replace("116", "118")).network == 117
    assert mutate.first_found(HUNT.splitlines()[0]) is None


def test_a_function_has_a_body_for_each_condition_and_the_plain_one() -> None:
    removals = [
        mutants.Removal(3, "x < b", "true"),
        mutants.Removal(5, "b: u32) -> bool {\n", "b: u32) -> bool {\n//\n"),
    ]
    body = "{\n    let all = |x: u32| { x < b };\n    all(a) && a > LEAST\n}"
    chosen = (
        f"{{ if crate::removed::is(3) {body.replace('x < b', 'true')}"
        f" else if crate::removed::is(5) {body.replace('{', '{' + chr(10) + '//', 1)} else {body} }}"
    )
    assert mutants.with_choice(RUST, removals) == RUST.replace(body, chosen)


@pytest.mark.parametrize("was", ["const LEAST: u32 = 1", "a + 1", "pub fn first"])
def test_what_is_not_called_at_run_time_cannot_be_chosen(was: str) -> None:
    with pytest.raises(mutants.ChoiceError, match="not in the body"):
        mutants.with_choice(RUST, [mutants.Removal(0, was, was.replace("1", "2").replace("first", "last"))])
