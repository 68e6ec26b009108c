"""Sweeps: designs, replications, stored and reused runs."""

from __future__ import annotations

import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import celltrain
import numpy as np
import pytest
from celltrain import _native
from celltrain.files import json_text
from celltrain.progress import Progress
from celltrain.statistics import mean_and_half_width
from celltrain.stored.seals import sealed_toml
from celltrain.sweeps import (
    Busy,
    Design,
    DesignError,
    InvalidPoints,
    MetricError,
    OtherSweep,
    Range,
    Replications,
    Samples,
    Sweep,
    SweepResults,
    Until,
    collect,
    worker,
)
from celltrain.sweeps.design import listed_points
from celltrain.sweeps.record import Record, key
from celltrain.sweeps.store import Store
from celltrain.sweeps.worker import Task, run_tasks
from conftest import tables_of

EVERY = "links.line.rate.every"
DELAY = "links.line.delay"


class Counts(Progress):
    """Counts the reports of a sweep."""

    def __init__(self) -> None:
        self.ran = self.reused = self.failed = self.done = self.others = 0

    def found(self, runs: int, failed: int, others: int) -> None:
        """Record the number of unrelated records."""
        self.others = others

    def refused(self, runs: int) -> None:
        """Count as failed."""
        self.failed += runs

    def run_done(self, *, failed: bool = False, reused: bool = False) -> None:
        """Count."""
        self.ran += not reused
        self.reused += reused
        self.failed += failed

    def point_done(self) -> None:
        """Count."""
        self.done += 1


# ---- designs


def test_a_grid_has_every_combination_and_its_last_key_varies_fastest() -> None:
    points = list(Design(grid={"a": [1, 2], "b": ["x", "y"]}).points())
    assert points == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"}]


def test_a_list_and_a_grid_are_combined() -> None:
    design = Design(grid={"b": [1, 2]}, listed=[{"a": "x"}, {"a": "y"}])
    assert [tuple(point.values()) for point in design.points()] == [("x", 1), ("x", 2), ("y", 1), ("y", 2)]
    assert design.size == 4


def test_a_latin_hypercube_has_one_point_in_each_part_of_every_range() -> None:
    ranges = {"a": Range(0.0, 8.0), "b": Range(1.0, 256.0, log=True)}
    points = list(Design(samples=Samples(8, ranges)).points())
    assert sorted(int(point["a"]) for point in points) == list(range(8))
    assert sorted(int(np.log2(point["b"])) for point in points) == list(range(8))


@pytest.mark.parametrize("method", ["latin", "random"])
def test_draws_are_those_of_the_seed(method: str) -> None:
    def drawn(seed: int) -> list[dict[str, object]]:
        ranges: dict[str, Range | list[str]] = {"a": Range.parse("64..4096 cells"), "b": ["x", "y"]}
        return list(Samples(20, ranges, "latin" if method == "latin" else "random", seed).points())

    assert drawn(1) == drawn(1) != drawn(2)
    assert {point["b"] for point in drawn(1)} == {"x", "y"}


def test_a_range_of_whole_numbers_reaches_both_bounds_and_no_further() -> None:
    few = Range.parse("1..3")
    assert {few.at(part / 100) for part in range(100)} == {1, 2, 3}
    assert Range.parse("log:1..1000").at(1 - 1e-12) == 1000


@pytest.mark.parametrize("text", ["10", "1..x", "3..1", "1 ms..2 s", "log:0..1", "..", "1...2"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(DesignError):
        Range.parse(text)


def test_a_key_that_varies_twice_is_refused() -> None:
    with pytest.raises(DesignError, match="a: given twice"):
        Design(grid={"a": [1]}, listed=[{"a": 2}])


def test_a_product_without_end_is_refused_before_it_is_made() -> None:
    with pytest.raises(DesignError, match="1000000000000 points"):
        Design(grid={name: range(1000) for name in "abcd"})


def test_an_empty_cell_of_a_list_changes_nothing() -> None:
    points = listed_points(f"{DELAY},hosts.a.count\n5 ms,\n,3\n", "points.csv")
    assert points == [{DELAY: "5 ms"}, {"hosts.a.count": 3}]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a header"),
        ("a\n", "a row"),
        ("a,a\n1,2\n", "each once"),
        ("a,b\n1\n", "point 1 has 1 cells, the header 2"),
    ],
)
def test_a_list_that_is_no_table_is_refused(text: str, says: str) -> None:
    with pytest.raises(DesignError, match=says):
        listed_points(text, "points.csv")


# ---- replications


def test_steps_end_when_the_interval_is_narrow_enough() -> None:
    rule = Replications(3, 1, Until(0.5, most=7))
    assert list(rule.seeds({})) == [1, 2, 3]
    assert list(rule.seeds({1: 1.0, 2: 1.0})) == [1, 2, 3], "a step that is not whole decides nothing"
    assert list(rule.seeds({1: 1.0, 2: 1.0, 3: 1.0})) == [1, 2, 3]
    assert list(rule.seeds({1: 0.0, 2: 9.0, 3: 0.0})) == [1, 2, 3, 4, 5, 6]
    assert list(rule.seeds({1: 0.0, 2: 9.0, 3: 0.0, 4: 9.0, 5: 0.0, 6: 0.0})) == [1, 2, 3, 4, 5, 6, 7], "the cap"


def test_a_failure_ends_the_steps() -> None:
    assert list(Replications(2, 5, Until(0.01)).seeds({5: 1.0, 6: None})) == [5, 6]


def test_replications_are_added_until_each_interval_is_narrow(line: celltrain.Scenario, tmp_path: Path) -> None:
    design = Design(grid={EVERY: ["10 ms", "1 s"]})
    rule = Replications(3, 1, Until(0.08, "sum(flows.throughput_bps)", most=200))
    results = Sweep(line, design, rule).run(tmp_path)
    runs = [0, 0]
    values = results.values("sum(flows.throughput_bps)")
    for point in (0, 1):
        found = [value for (at, _), value in values.items() if at == point]
        mean, half_width = mean_and_half_width(found)
        assert half_width <= 0.08 * mean
        mean, half_width = mean_and_half_width(found[:-3])
        assert len(found) == 3 or half_width > 0.08 * mean, "no step more than needed"
        runs[point] = len(found)
    assert runs[0] < runs[1] < 200, "a line that changes slowly needs more"


# ---- storing and reusing


def test_a_sweep_has_the_results_of_its_runs(line: celltrain.Scenario, tmp_path: Path) -> None:
    results = Sweep(line, Design(grid={EVERY: ["10 ms", "1 s"]}), Replications(2)).run(tmp_path)
    for number, every in enumerate(["10 ms", "1 s"]):
        for seed in (1, 2):
            alone = line.with_value(EVERY, every).run(seed)
            flows = results.table("flows").to_pandas().query("point == @number and seed == @seed")
            assert flows["throughput_bps"].tolist() == alone.flows["throughput_bps"].tolist()
            queue = results.traces(number, seed)["queue"]
            assert (
                queue["links.line1.queue_cells"].to_pylist()
                == alone.traces["queue"]["links.line1.queue_cells"].tolist()
            )
    assert results.index["digest"][3].as_py() == line.with_value(EVERY, "1 s").run(2).digest
    assert results.table("flows").schema.field("throughput_bps").metadata == {b"unit": b"bit/s"}


def test_a_record_gives_back_the_result(line: celltrain.Scenario) -> None:
    scenario = line.to_json()
    record = Record.decode(run_tasks([Task(scenario, line.hash, 3, _native.__build__)])[0].octets)
    result, alone = record.result(scenario), line.run(3)
    assert result.cross_checked.state == "not cross-checked", "a record does not know what is found out beside runs"
    result.cross_checked = alone.cross_checked
    assert result.provenance == alone.provenance
    assert json_text(result.to_json()) == json_text(alone.to_json())


def test_the_same_sweep_again_runs_nothing(line: celltrain.Scenario, tmp_path: Path) -> None:
    sweep = Sweep(line, Design(grid={EVERY: ["10 ms", "1 s"]}), Replications(3))
    sweep.run(tmp_path)
    first, again = tables_of(tmp_path), Counts()
    sweep.run(tmp_path, progress=again)
    assert (again.ran, again.reused, again.done) == (0, 6, 2)
    assert tables_of(tmp_path) == first


def test_a_larger_design_runs_what_is_missing_and_a_smaller_one_looks_at_its_own(
    line: celltrain.Scenario, tmp_path: Path
) -> None:
    small = Sweep(line, Design(grid={EVERY: ["10 ms"]}), Replications(2))
    small.run(tmp_path)
    before, larger = tables_of(tmp_path), Counts()
    Sweep(line, Design(grid={EVERY: ["1 s", "10 ms"]}), Replications(3)).run(tmp_path, progress=larger)
    assert (larger.ran, larger.reused) == (4, 2)
    with pytest.raises(OtherSweep, match="4 of its 6 runs"):
        small.run(tmp_path)
    counts = Counts()
    small.run(tmp_path, replace=True, progress=counts)
    assert (counts.ran, counts.others) == (0, 4)
    assert tables_of(tmp_path) == before


def test_a_changed_scenario_does_not_reuse_a_record(line: celltrain.Scenario, tmp_path: Path) -> None:
    Sweep(line, replications=Replications(2)).run(tmp_path)
    counts, changed = Counts(), Sweep(line.with_value(DELAY, "6 ms"), replications=Replications(2))
    before = tables_of(tmp_path)
    with pytest.raises(OtherSweep, match="which varies nothing: 2 of its 2 runs"):
        changed.run(tmp_path)
    assert tables_of(tmp_path) == before
    changed.run(tmp_path, replace=True, progress=counts)
    assert (counts.ran, counts.reused, counts.others) == (2, 0, 2)


def test_another_version_does_not_reuse_a_record(
    line: celltrain.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = Sweep(line, replications=Replications(2))
    sweep.run(tmp_path)
    monkeypatch.setattr(_native, "__build__", f"{celltrain.__version__}+other")
    counts = Counts()
    sweep.run(tmp_path, progress=counts)
    assert (counts.ran, counts.reused, counts.others) == (2, 0, 2)


def test_a_worker_of_another_version_fails_the_run(line: celltrain.Scenario) -> None:
    record = Record.decode(run_tasks([Task(line.to_json(), line.hash, 1, "0.0.1+cafe0000")])[0].octets)
    assert record.status == "failed"
    assert "install the same" in str(record.error)


def test_points_with_one_scenario_share_their_runs(line: celltrain.Scenario, tmp_path: Path) -> None:
    counts = Counts()
    design = Design(grid={DELAY: ["5 ms", "0.005 s"]})
    results = Sweep(line, design, Replications(2)).run(tmp_path, progress=counts)
    assert (counts.ran, counts.done) == (2, 2)
    assert results.counts()["done"] == 4
    assert list(results.values("flows.throughput_bps")) == [(0, 1), (0, 2), (1, 1), (1, 2)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_tables_do_not_depend_on_where_runs_are_done(line: celltrain.Scenario, tmp_path: Path, jobs: int) -> None:
    sweep = Sweep(line, Design(grid={EVERY: ["10 ms", "1 s"]}), Replications(3))
    sweep.run(tmp_path / "one", jobs=1)
    if jobs == 1:
        with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
            sweep.run(tmp_path / "two", executor=processes)
    else:
        sweep.run(tmp_path / "two", jobs=2)
    assert tables_of(tmp_path / "one") == tables_of(tmp_path / "two")


# ---- failures


def test_a_point_that_cannot_be_run_is_recorded_and_the_others_are_run(
    line: celltrain.Scenario, tmp_path: Path
) -> None:
    counts = Counts()
    design = Design(grid={"limits.memory_mib": [0.001, 1000.0]})
    results = Sweep(line, design, Replications(2)).run(tmp_path, progress=counts)
    assert results.index["status"].to_pylist() == ["failed", "failed", "done", "done"]
    assert "limits.memory_mib" in results.index["error"][0].as_py()
    assert (counts.failed, counts.done) == (2, 2)


def test_points_that_cannot_be_run_are_named_before_anything_runs(line: celltrain.Scenario, tmp_path: Path) -> None:
    design = Design(grid={DELAY: ["1 ms", "2 ms"], "links.line.buffer": ["100 cells", "-1"]})
    with pytest.raises(
        InvalidPoints, match=r"2 of 4 points .*\n  point 1 \(links\.line\.delay = 1 ms, links\.line\.buffer = -1\)"
    ):
        Sweep(line, design).run(tmp_path / "out", skip_invalid=False)
    assert not (tmp_path / "out").exists()


def test_fewer_seeds_do_not_replace_the_tables_of_more(line: celltrain.Scenario, tmp_path: Path) -> None:
    Sweep(line, replications=Replications(3)).run(tmp_path)
    with pytest.raises(OtherSweep, match="1 of its 3 runs"):
        Sweep(line, replications=Replications(2)).run(tmp_path)


def test_a_sweep_of_which_no_point_can_be_run_is_refused(line: celltrain.Scenario, tmp_path: Path) -> None:
    with pytest.raises(celltrain.ScenarioError, match=r"links\.line\.bufer: unknown key"):
        Sweep(line, Design(grid={"links.line.bufer": [1, 2]})).run(tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_past_its_deadline_fails(line: celltrain.Scenario, tmp_path: Path) -> None:
    design = Design(grid={"measure.duration": ["3 s", "1000000 s"]})
    results = Sweep(line, design, Replications(1), deadline_s=0.5).run(tmp_path)
    assert results.index["status"].to_pylist() == ["done", "failed"]
    assert results.index["error"][1].as_py() == "longer than the deadline of 0.5 s"


def test_what_failed_is_run_again_only_when_asked(line: celltrain.Scenario, tmp_path: Path) -> None:
    sweep, store = Sweep(line, replications=Replications(2)), Store(tmp_path)
    store.make()
    failure = Record.failure(line.hash, 1, "out of memory")
    store.write(key(line.hash, 1, _native.__build__), failure.encode(), failed=True)
    counts = Counts()
    assert sweep.run(tmp_path, progress=counts).index["error"].to_pylist() == ["out of memory", None]
    assert (counts.ran, counts.reused, counts.failed) == (1, 1, 1)
    counts = Counts()
    assert sweep.run(tmp_path, retry_failed=True, progress=counts).index["error"].to_pylist() == [None, None]
    assert (counts.ran, counts.reused, counts.failed) == (1, 1, 0)
    assert not list(tmp_path.glob("records/*.failed.parquet"))


def test_a_metric_that_no_table_has_ends_a_sweep_and_loses_no_run(line: celltrain.Scenario, tmp_path: Path) -> None:
    with pytest.raises(MetricError, match="flows has no numbers 'speed'; it has throughput_bps"):
        Sweep(line, replications=Replications(2, until=Until(0.1, "flows.speed"))).run(tmp_path)
    counts = Counts()
    Sweep(line, replications=Replications(2)).run(tmp_path, progress=counts)
    assert counts.reused >= 1


def test_one_folder_has_one_writer(line: celltrain.Scenario, tmp_path: Path) -> None:
    with Store(tmp_path).writing(), pytest.raises(Busy, match="another process"):
        Sweep(line).run(tmp_path)
    Sweep(line, replications=Replications(1)).run(tmp_path)


def test_a_record_that_is_empty_after_a_failure_of_power_is_run_again(line: celltrain.Scenario, tmp_path: Path) -> None:
    first = Sweep(line, replications=Replications(2)).run(tmp_path)
    whole = tables_of(tmp_path)
    (tmp_path / "records" / first.index["record"][0].as_py()).write_bytes(b"")
    assert SweepResults(tmp_path).counts()["missing"] == 1
    assert Sweep(line, replications=Replications(2)).run(tmp_path).counts()["done"] == 2
    assert tables_of(tmp_path) == whole


def test_short_runs_go_together_and_long_ones_are_stored_one_by_one(
    line: celltrain.Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [Task(line.to_json(), line.hash, seed, _native.__build__) for seed in range(1, 4)]
    monkeypatch.setattr(worker, "LONG_S", 60.0)
    assert len(run_tasks(tasks)) == 3
    monkeypatch.setattr(worker, "LONG_S", 0.0)
    assert len(run_tasks(tasks)) == 1


def test_an_outcome_travels_to_another_process_as_the_octets_of_its_record(line: celltrain.Scenario) -> None:
    (outcome,) = run_tasks([Task(line.to_json(), line.hash, 1, _native.__build__)])
    travelled = pickle.loads(pickle.dumps(outcome))
    assert (travelled.status, travelled.octets, travelled.record) == ("done", outcome.octets, None)
    assert outcome.record is not None


def test_tables_that_are_not_in_memory_any_more_are_read(
    line: celltrain.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Sweep(line, replications=Replications(3)).run(tmp_path / "kept")
    monkeypatch.setattr(collect, "_RECENT_BYTES", 20_000)
    Sweep(line, replications=Replications(3)).run(tmp_path / "read")
    assert tables_of(tmp_path / "kept") == tables_of(tmp_path / "read")


def test_a_damaged_record_is_run_again(line: celltrain.Scenario, tmp_path: Path) -> None:
    sweep = Sweep(line, replications=Replications(2))
    sweep.run(tmp_path)
    tables = tables_of(tmp_path)
    record = min(tmp_path.glob("records/*.parquet"))
    record.write_bytes(record.read_bytes()[:-40])
    assert list(SweepResults(tmp_path).damaged) == [record]
    assert SweepResults(tmp_path).counts() == {"done": 1, "failed": 0, "missing": 1}
    assert sweep.run(tmp_path).counts()["done"] == 2
    assert tables_of(tmp_path) == tables


def test_a_folder_without_a_sweep_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no sweep in this folder"):
        SweepResults(tmp_path)


def test_a_folder_of_a_later_form_is_refused(line: celltrain.Scenario, tmp_path: Path) -> None:
    Sweep(line, replications=Replications(1)).run(tmp_path)
    asked = tmp_path / "sweep.toml"
    text = "\n".join(asked.read_text().splitlines()[:-1]) + "\n"
    asked.write_text(sealed_toml(text.replace("form = 1", "form = 2")))
    with pytest.raises(ValueError, match="a newer celltrain"):
        SweepResults(tmp_path)
