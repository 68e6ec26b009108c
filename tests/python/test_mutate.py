"""Conditions of the engine can be removed."""

import sys
from collections.abc import Collection
from pathlib import Path
from subprocess import CompletedProcess
from types import ModuleType

import mutants
import mutation_page
import property_survey
import pytest
import survey
from conftest import tool
from mutation_record import Catch, Condition, MutationError, Record, read

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
    (condition,) = read(CONDITIONS)
    assert condition.file == "src/merge.rs"
    assert mutate.without(condition, "a; if first < second {}") == "a; if true {}"


@pytest.mark.parametrize("text", ["", "if first < second; if first < second"])
def test_what_is_not_said_exactly_once_cannot_be_taken_out(mutate: ModuleType, text: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "merge.rs").write_text(text)
    (problem,) = mutate.problems(tmp_path, read(CONDITIONS))
    assert f"{text.count('if')} times, not once" in problem


def test_a_list_with_unknown_keys_or_two_of_a_name_is_refused() -> None:
    head, row = CONDITIONS.split("[[condition]]")
    with pytest.raises(MutationError, match="the keys are"):
        read(CONDITIONS + 'because = "x"')
    with pytest.raises(MutationError, match="twice"):
        read(f"{head}[[condition]]{row}[[condition]]{row}")


def test_the_first_bad_network_is_read_from_the_output_of_the_hunt(mutate: ModuleType) -> None:
    assert mutate.first_found(HUNT) == Catch("network", "116", "too long")
    assert mutate.first_found(HUNT.replace("116", "118")).what == "117"
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


#: Evaluates networks without conditions 1, 2 and 7: 1 changes network 3, 2 changes all, 7 does not end on network 1.
PROGRAM = """\
import sys
first, end = map(int, sys.argv[3:5])
ask = lambda: sys.stdin.readline().strip()
open_ = set(map(int, ask().split()))
for network in range(first, end):
    for condition in sorted(open_):
        print(network, condition, flush=True)
        if condition == 7 and network == 1:
            sys.exit(3)
        if condition == 2 or (condition, network) == (1, 3):
            print(network, condition, "flows row 0: 1 and 2", flush=True)
            if ask() == "yes":
                open_.discard(condition)
    print(network, flush=True)
"""


@pytest.fixture
def networks(tmp_path: Path) -> survey.Survey:
    """Survey five networks with a program of a few lines."""
    program = tmp_path / "mutants"
    program.write_text(f"#!{sys.executable}\n{PROGRAM}")
    program.chmod(0o755)
    return survey.Survey(program, seed=1, cells=100, networks=5, method="trains")


def test_each_condition_has_its_first_network_even_if_a_run_does_not_end(networks: survey.Survey) -> None:
    asked: list[tuple[int, int]] = []

    def confirm(condition: int, network: int) -> int | None:
        asked.append((condition, network))
        # The change of condition 2 on network 0 does not count.
        return None if (condition, network) == (2, 0) else network

    caught = dict(networks.first_networks([1, 2, 7, 8], confirm))
    assert caught == {1: 3, 2: 1, 7: 1}
    assert asked == [(2, 0), (2, 1), (7, 1), (1, 3)]


def test_a_survey_whose_program_fails_says_so(networks: survey.Survey) -> None:
    networks.program.write_text(f"#!{sys.executable}\nraise SystemExit(4)\n")
    with pytest.raises(survey.SurveyError, match="ended with 4 at network 0"):
        list(networks.first_networks([1], lambda condition, network: network))


#: What a property prints: 4 changes a network; without 7, the process ends.
PROPERTY = """\
running 1 test
test both_engines_agree ...
at 3

at 4

removed 4 flows row 0 delivered: 1 cell by cell, 2 in trains

at none

at 7
"""


def test_a_property_goes_on_without_the_condition_whose_removal_ends_it() -> None:
    drawn: list[set[int]] = []

    def draw(open_: Collection[int]) -> CompletedProcess[str]:
        drawn.append(set(open_))
        return CompletedProcess([], 0, "at 3\n\nat none\n") if 7 not in open_ else CompletedProcess([], 3, PROPERTY)

    caught = dict(property_survey.caught("both_engines_agree", draw, [3, 4, 7]))
    assert caught == {
        4: "flows row 0 delivered: 1 cell by cell, 2 in trains",
        7: "the run does not end, or takes too much memory",
    }
    assert drawn == [{3, 4, 7}, {3}]


def test_a_property_that_fails_with_all_conditions_catches_none() -> None:
    failed = CompletedProcess([], 101, "at 3\n\nat none\ntest result: FAILED\n")
    with pytest.raises(property_survey.PropertyError, match="both_engines_agree fails with all conditions"):
        list(property_survey.caught("both_engines_agree", lambda open_: failed, [3]))


def test_the_tests_of_the_engines_try_conditions_on_each_network() -> None:
    text = (ROOT / "crates/celltrain-sim/tests/engines/main.rs").read_text("utf-8")
    assert "mutant_networks::without_each(text, seed, || with_all(text, seed))" in property_survey.with_trials(text)
    with pytest.raises(property_survey.PropertyError, match="0 functions"):
        property_survey.with_trials("fn main() {}")


def test_outcomes_are_kept_as_they_come_and_the_page_tells_them(tmp_path: Path) -> None:
    file = tmp_path / "mutations.csv"
    conditions = [Condition(name, "f", "a", "b", f"it {name}s") for name in ("merge", "ask", "wait")]
    conditions.append(Condition("skip", "f", "a", "b", "it skips", equivalent="it cannot be false"))
    record = Record.read(file, conditions)
    record.put(conditions[1], Catch("no network"), seed=1, networks=30)
    record.put(conditions[0], Catch("network", "17", "links row 0, sent: 1 and 2"), seed=2, networks=30)
    again = Record.read(file, conditions)
    assert [it in again for it in conditions] == [True, False, False, False]
    assert again.is_caught(conditions[0])
    assert not again.is_caught(conditions[1])
    assert again.problems() == []
    assert [again.has_met(conditions[1], seed=1, networks=it) for it in (30, 31)] == [True, False]
    assert not again.has_met(conditions[0], seed=2, networks=30)
    assert Record.read(file, conditions[:1]).problems() == ["ask in mutations.csv is no condition"]
    text = mutation_page.page(conditions, again)
    assert "Of 3 conditions, 1 are caught by a network, 0 by a property, 0 by a test; 1 are not caught yet" in text
    assert "| `merge` | it merges | network 17 of seed 2 |" in text
    assert "| `ask` | it asks | no network of 30; tests not tried |" in text
    assert "| `wait` | it waits | not tried |" in text
    assert "| `skip` | it cannot be false |" in text


def test_the_page_tells_the_outcome_of_each_condition(capsys: pytest.CaptureFixture[str]) -> None:
    status = mutation_page.main(["--check"])
    assert status == 0, capsys.readouterr().err
