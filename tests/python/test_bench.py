"""The harness that measures speed: short runs of everything, and what it makes of programs' output."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from harness import bench, history, instructions, measure, outcomes, peers, program, workloads
from harness.outcomes import Outcome
from harness.program import Program, ProgramError, Summary

EVERYTHING, RATIOS = workloads.read()

#: Where nothing is compiled yet, the runner is, with all that it needs.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def runner() -> workloads.Runner:
    """Compile the runner with what `cargo test` has compiled already."""
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


def test_ratios_are_of_workloads() -> None:
    assert {name for ratio in RATIOS for name in (ratio.of, ratio.to)} <= set(EVERYTHING)


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
    ratio = workloads.Ratio("growth", of="large", to="small", at_most=1.5)
    costs = [
        measure.Cost.of("large", "cells", [line(cpu=3e-3)], 90.0),
        measure.Cost.of("small", "cells", [line(cpu=2e-3)], 60.0),
        measure.Cost.of("small", "trains", [line()], None),
    ]
    (found,) = measure.ratios([ratio], costs)
    assert found.engine == "cells"
    assert [found.cpu, found.instructions] == pytest.approx([1.5, 1.5])


def test_the_total_of_a_profile_is_read_from_either_form() -> None:
    assert instructions.total("version: 1\nevents: Ir\nsummary: 12345\n") == 12345
    assert instructions.total("fn=(1)\n16 3\ntotals: 67\n") == 67
    with pytest.raises(ProgramError, match="no total"):
        instructions.total("events: Ir\n")


@pytest.mark.skipif(not instructions.available(), reason="valgrind is not installed: instructions are not counted")
def test_counted_instructions_are_repeatable(runner: workloads.Runner) -> None:
    counts = [instructions.per_cell_hop(runner, EVERYTHING["chain"], "cells", 0.02) for _ in range(2)]
    assert counts[0] == pytest.approx(counts[1], rel=history.TOLERANCE / 4)


def test_bench_prints_and_records_and_compares_with_the_record(
    runner: workloads.Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(instructions, "per_cell_hop", lambda *_: 100.0)
    monkeypatch.setattr(instructions, "available", lambda: True)
    file = tmp_path / "history.jsonl"
    common = ["--only", "adsl,many-10", "--profile", "dev", "--history", str(file)]
    done = CliRunner().invoke(bench.main, [*common, "--rounds", "1", "--scale", "0.005", "--record"])
    assert done.exit_code == 0, done.output
    recorded = [json.loads(text) for text in file.read_text().splitlines()]
    assert [(entry["workload"], entry["engine"]) for entry in recorded] == [
        (name, engine) for name in ("adsl", "many-10") for engine in runner.engines()
    ]
    assert all(entry["version"] and entry["commit"] and entry["ns_per_cell_hop"] > 0 for entry in recorded)
    monkeypatch.setattr(instructions, "per_cell_hop", lambda *_: 101.9)
    assert CliRunner().invoke(bench.main, [*common, "--check"]).exit_code == 0
    monkeypatch.setattr(instructions, "per_cell_hop", lambda *_: 102.1)
    assert CliRunner().invoke(bench.main, [*common, "--check"]).exit_code == 1


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


# ---- Peers ----


def test_a_peers_line_of_the_chain_is_read_as_cells_and_delay() -> None:
    # 1000 cells in the 4 ms that are left of 5 ms when the first has arrived: 250,000 cells/s.
    seen = {"received": 1000, "simulated_s": 5e-3, "mean_delay_us": 1000.0}
    outcome = outcomes.of_peer("w1", seen)
    assert outcome.throughput == pytest.approx(250_000.0)
    assert outcome.waiting == 1000.0
    assert outcomes.of_peer("w1", {"received": 10, "simulated_s": 1}) == Outcome(10.0, None)


def test_a_queue_of_packets_is_one_of_cells_with_what_is_left_of_the_packet_in_transmission() -> None:
    # 10 packets of 192 cells wait; 96 cells of the one in transmission are left on average; and while a packet comes,
    # for 0.15 of its transmission time, half of its cells are there.
    assert outcomes.queue_cells(10) == pytest.approx(1920 + 96 + 0.15 * 96)


@pytest.mark.parametrize(
    ("other", "differs"),
    [
        (Outcome(100.9, 102.9), []),
        (Outcome(101.1, None), ["throughput"]),
        (Outcome(99.5, 96.9), ["waiting"]),
        (Outcome(0.0, 0.0), ["throughput", "waiting"]),
    ],
)
def test_outcomes_agree_within_1_percent_in_throughput_and_3_in_waiting(other: Outcome, differs: list[str]) -> None:
    assert other.differs_from(Outcome(100.0, 100.0)) == differs


def test_every_program_of_the_peers_is_in_the_plan() -> None:
    _, found = peers.plan()
    assert {peer.source for peer in found} == {
        file.name for file in peers.FOLDER.iterdir() if file.suffix in {".cpp", ".tcl", ".py"}
    }


def test_the_chain_is_the_same_workload_in_the_bare_loops_and_simpy(monkeypatch: pytest.MonkeyPatch) -> None:
    comparisons, found = peers.plan()
    quick = [peer for peer in found if not peer.name.startswith("ns-")]  # their compilation takes a minute
    monkeypatch.setattr(peers, "plan", lambda: (comparisons, quick))
    done = CliRunner().invoke(peers.main, ["--only", "w1", "--rounds", "1", "--scale", "0.02", "--profile", "dev"])
    assert done.exit_code == 0, done.output
    for name in ("bare Lindley loop", "bare event heap", "SimPy"):
        (row,) = [text for text in map(str.strip, done.output.splitlines()) if text.startswith(name)]
        assert row.endswith("the same")


def test_a_peer_that_is_missing_is_named_with_what_to_install_and_the_rest_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    comparisons, found = peers.plan()
    with pytest.raises(peers.Missing, match="apt-get install ns2"):
        next(peer for peer in found if peer.name == "ns-2").prepare()
    assert [comparison.on for comparison in comparisons] == ["w1", "w2"]
