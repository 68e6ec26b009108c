"""The harness that measures speed: short runs of everything, and its processing of programs' output."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from harness import bench, history, instructions, measure, program, targets, workloads
from harness.program import Program, ProgramError, Summary
from harness.targets import Bound, Target
from rich.console import Console

PLAN = workloads.Plan.read()
EVERYTHING = PLAN.workloads

#: If nothing is compiled yet, the runner is compiled with everything that it needs.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def runner() -> workloads.Runner:
    """Compile the runner, reusing the output of `cargo test`."""
    return workloads.Runner.build("dev")


@pytest.mark.parametrize("name", EVERYTHING)
def test_a_workload_says_what_it_is_and_can_be_run(name: str, runner: workloads.Runner) -> None:
    workload = EVERYTHING[name]
    assert (workloads.FOLDER / workload.file).read_text().startswith("# ")
    lines = [runner.program(workload, engine, workload.seconds / 200).run() for engine in runner.engines()]
    assert len({line["digest"] for line in lines}) == 1
    assert all(line["cpu"] > 0 and line["cell_hops"] > 0 for line in lines)


def test_every_workload_has_a_page() -> None:
    page = (workloads.ROOT / "docs" / "reference" / "benchmarks.md").read_text()
    assert [name for name in EVERYTHING if f"`{name}`" not in page] == []


def test_ratios_and_targets_are_of_workloads_and_engines(runner: workloads.Runner) -> None:
    assert {name for ratio in PLAN.ratios for name in (ratio.of, ratio.to)} <= set(EVERYTHING)
    assert {asked.workload for asked in PLAN.asked} <= set(EVERYTHING)
    assert {asked.engine for asked in PLAN.asked} == set(runner.engines()) == {"cells", "trains"}


def test_the_runner_counts_each_cell_once_at_each_queue(runner: workloads.Runner) -> None:
    # 335,547 cells/s over three queues; delays of 100 us keep some from the second and third.
    line = runner.program(EVERYTHING["chain"], "cells", 0.01).run()
    assert 3 * 3355 - 3 * 35 <= line["cell_hops"] <= 3 * 3356


def test_the_results_of_a_timed_run_are_those_of_the_package(runner: workloads.Runner) -> None:
    workload = EVERYTHING["lan"]
    line = runner.program(workload, "cells", 0.2).run()
    assert line["digest"] == workload.scenario(0.2).native.run(1).digest


def test_an_unknown_engine_and_a_bad_scenario_are_refused_with_their_reason(runner: workloads.Runner) -> None:
    with pytest.raises(ProgramError, match=r'exit code 2.*no engine "steam"'):
        Program("x", (str(runner.executable), "steam"), "{}").run()
    with pytest.raises(ProgramError, match=r"exit code 2.*standard input"):
        Program("x", (str(runner.executable), "cells"), "{}").run()


def test_the_last_line_of_json_counts() -> None:
    assert program.read_line("x", 'hello\n{"cpu": 1}\n{"cpu": 2}\nbye\n') == {"cpu": 2}


@pytest.mark.parametrize(("output", "message"), [("", "no line of JSON"), ('{"cpu": 1', "no valid JSON")])
def test_output_without_a_whole_line_is_an_error_that_shows_it(output: str, message: str) -> None:
    with pytest.raises(ProgramError, match=f"x: printed {message}"):
        program.read_line("x", output)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(ProgramError, match="cannot run /nowhere/at/all"):
        Program("x", ("/nowhere/at/all",)).run()


def test_programs_take_turns() -> None:
    order: list[str] = []
    script = "print('{\"cpu\": 1}')"
    programs = [Program(name, ("python3", "-c", script)) for name in "ab"]
    lines = program.in_rounds(programs, 2, order.append)
    assert [note[-1] for note in order] == ["a", "b", "a", "b"]
    assert lines == {"a": [{"cpu": 1}] * 2, "b": [{"cpu": 1}] * 2}


def test_a_summary_is_the_median_and_the_range_over_it() -> None:
    assert Summary.of([5.0, 2.0, 4.0]) == Summary(4.0, 0.75)


def line(digest: str = "d", cpu: float = 1e-3) -> dict[str, object]:
    return {"digest": digest, "cpu": cpu, "cell_hops": 1e5, "simulated_s": 0.5, "peak_kib": 2048}


def test_a_cost_is_in_cell_hops_and_simulated_seconds_of_cpu_time() -> None:
    # 1 ms for 100,000 cell-hops: 10 ns each, 100 million/s; half a second in 1 ms: 500 s/s.
    cost = measure.Cost.of("w", "e", [line()], 80.004)
    assert cost.ns_per_cell_hop == Summary(10.0, 0.0)
    assert cost.mcell_hops_per_s == pytest.approx(100.0)
    assert cost.simulated_s_per_s == pytest.approx(500.0)
    assert (cost.peak_mib, cost.instructions_per_cell_hop) == (2.0, 80.0)


def test_rounds_with_different_results_are_an_error() -> None:
    with pytest.raises(ProgramError, match="different results"):
        measure.Cost.of("w", "e", [line(), line("other")], None)


def test_engines_with_different_results_are_named_by_workload() -> None:
    same = [measure.Cost.of("w", engine, [line()], None) for engine in ("cells", "trains")]
    assert measure.disagreements(same) == []
    other = measure.Cost.of("w", "trains", [line("other")], None)
    assert measure.disagreements([same[0], other]) == ["w"]


def test_a_ratio_is_of_the_costs_of_one_engine() -> None:
    ratio = workloads.Ratio("growth", of="large", to="small", bound=Bound(at_most=1.5))
    costs = [
        measure.Cost.of("large", "cells", [line(cpu=3e-3)], 90.0),
        measure.Cost.of("small", "cells", [line(cpu=2e-3)], 50.0),
        measure.Cost.of("small", "trains", [line()], None),
    ]
    (found,) = measure.targets(workloads.Plan({}, (ratio,), ()), costs)
    assert found.value == pytest.approx(1.5)
    assert (found.says, found.engine, found.note) == ("growth", "cells", "instructions 1.80")


def test_what_is_asked_of_an_engine_is_compared_with_its_own_cost() -> None:
    # 10 ns and 20 ns per cell-hop; half a second in 1 ms and in 2 ms.
    costs = [measure.Cost.of("w", "trains", [line()], None), measure.Cost.of("w", "cells", [line(cpu=2e-3)], None)]
    asked = tuple(
        workloads.Asked(figure, "w", engine, figure, bound)
        for engine in ("trains", "cells")
        for figure, bound in (("ns_per_cell_hop", Bound(at_most=15)), ("simulated_s_per_s", Bound(at_least=400)))
    )
    found = measure.targets(workloads.Plan({}, (), asked), costs)
    assert [target.value for target in found] == pytest.approx([10.0, 500.0, 20.0, 250.0])
    assert [target.met for target in found] == [True, True, False, False]


def test_a_target_is_met_at_its_bound_and_never_when_nothing_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        Target("as fast", "trains", Bound(at_most=1.0), 1.0),
        Target("too slow", "cells", Bound(at_least=100), 99.0),
        Target("unknown", "trains", Bound(at_least=100), None, "ns-3 is not installed"),
    ]
    assert [row.met for row in rows] == [True, False, None]
    targets.show(rows, Console(width=120), 1.0)
    shown = capsys.readouterr().out
    assert "Targets: 1 of 3 met" in shown
    lines = {text.split("  ")[0].strip(): text.strip() for text in shown.splitlines()}
    assert lines["as fast"].endswith("met")
    assert lines["too slow"].endswith("MISSED")
    assert lines["unknown"].endswith("ns-3 is not installed  NOT MEASURED")


def test_the_total_of_a_profile_is_read_from_either_form() -> None:
    assert instructions.total("version: 1\nevents: Ir\nsummary: 12345\n") == 12345
    assert instructions.total("fn=(1)\n16 3\ntotals: 67\n") == 67
    with pytest.raises(ProgramError, match="no total"):
        instructions.total("events: Ir\n")


@pytest.mark.skipif(not instructions.available(), reason="valgrind is not installed: instructions are not counted")
def test_counted_instructions_are_repeatable(runner: workloads.Runner) -> None:
    # Seeds of hash tables change set-up by some thousand instructions: 0.6 % of 4,000 cell-hops, 0.05 % of 20,000.
    counts = [instructions.per_cell_hop(runner, EVERYTHING["chain"], "cells", 0.1) for _ in range(2)]
    assert counts[0] == pytest.approx(counts[1], rel=history.TOLERANCE / 4)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make callgrind report these instruction counts for each engine."""
    monkeypatch.setattr(instructions, "available", lambda: True)

    def count(**of: float) -> None:
        monkeypatch.setattr(instructions, "per_cell_hop", lambda _runner, _workload, engine, *_: of[engine])

    return count


def test_bench_prints_both_engines_and_targets_and_records_a_line_for_each(
    counted: Callable[..., None], tmp_path: Path
) -> None:
    counted(cells=600.0, trains=60.0)
    file = tmp_path / "history.jsonl"
    arguments = ["--only", "adsl,many-10", "--profile", "dev", "--history", str(file), "--rounds", "1"]
    done = CliRunner().invoke(bench.main, [*arguments, "--scale", "0.005", "--record"])
    assert done.exit_code == 0, done.output
    recorded = [json.loads(text) for text in file.read_text().splitlines()]
    assert [(entry["workload"], entry["engine"], entry["instructions_per_cell_hop"]) for entry in recorded] == [
        (name, engine, count) for name in ("adsl", "many-10") for engine, count in (("cells", 600.0), ("trains", 60.0))
    ]
    assert all(entry["version"] and entry["commit"] and entry["ns_per_cell_hop"] > 0 for entry in recorded)
    assert re.search(r"ADSL, figure 4: simulated s a CPU s +trains +at least 10,000 .*(met|MISSED)", done.output)
    # Measurements of other lengths are not used for comparison.
    assert {entry["scale"] for entry in recorded} == {0.005}
    assert history.last_instructions(file) == {}


@pytest.mark.parametrize(
    ("engine", "now", "exit_code"), [("trains", 61.1, 0), ("trains", 61.3, 1), ("cells", 611.0, 0), ("cells", 613.0, 1)]
)
def test_a_check_fails_where_either_engine_has_2_percent_more_instructions(
    counted: Callable[..., None], tmp_path: Path, engine: str, now: float, exit_code: int
) -> None:
    file = tmp_path / "history.jsonl"
    before = {"cells": 600.0, "trains": 60.0}
    history.append(
        ({"workload": "adsl", "engine": name, "instructions_per_cell_hop": count} for name, count in before.items()),
        file,
    )
    counted(**before | {engine: now})
    arguments = ["--profile", "dev", "--history", str(file), "--check", "--only"]
    done = CliRunner().invoke(bench.main, [*arguments, "adsl"])
    assert done.exit_code == exit_code, done.output
    assert [text.split()[:3] for text in done.output.splitlines() if text.strip().startswith("adsl")] == [
        ["adsl", "cells", "600.0"],
        ["adsl", "trains", "60.0"],
    ]
    # A workload without a record is named; a check of nothing fails.
    done = CliRunner().invoke(bench.main, [*arguments, "adsl,lan"])
    assert done.exit_code == exit_code
    assert "NOT CHECKED" in done.output
    assert "lan/cells, lan/trains" in " ".join(done.output.split())
    assert CliRunner().invoke(bench.main, [*arguments, "lan"]).exit_code == 2


def test_engines_that_disagree_are_an_error_and_nothing_is_recorded(
    counted: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted(cells=600.0, trains=60.0)
    monkeypatch.setattr(measure, "disagreements", lambda _: ["adsl"])
    file = tmp_path / "history.jsonl"
    arguments = ["--only", "adsl", "--profile", "dev", "--history", str(file), "--rounds", "1", "--scale", "0.002"]
    done = CliRunner().invoke(bench.main, [*arguments, "--record"])
    assert done.exit_code == 1
    assert "engines give different results on adsl; nothing was recorded" in " ".join(done.output.split())
    assert not file.exists()


def test_without_valgrind_a_check_says_so_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "available", lambda: False)
    done = CliRunner().invoke(bench.main, ["--only", "chain", "--profile", "dev", "--check"])
    assert done.exit_code == 2
    assert "valgrind is not installed" in done.output


def test_an_unknown_workload_is_refused_with_the_known_ones() -> None:
    done = CliRunner().invoke(bench.main, ["--only", "chian"])
    assert done.exit_code == 2
    assert "greedy-tcp" in done.output


def test_the_records_of_the_project_can_be_read() -> None:
    assert all(value > 0 for value in history.last_instructions().values())
