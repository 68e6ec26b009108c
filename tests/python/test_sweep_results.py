"""The results of a sweep: metrics, summaries, comparisons, exports, the commands."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import celltrain
import duckdb
import numpy as np
import pyarrow as pa
import pytest
from celltrain.cli import main
from celltrain.sweeps import Design, Metric, MetricError, Replications, Sweep, SweepResults
from celltrain.sweeps.alignment import aligned
from celltrain.sweeps.errors import MismatchError
from celltrain.sweeps.summary import compare, summary
from conftest import Command
from pyarrow import parquet
from scipy import stats

EVERY, DELAY = "links.line.rate.every", "links.line.delay"
THROUGHPUT = "flows.throughput_bps"


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, scenario: celltrain.Scenario) -> SweepResults:
    """Return a sweep over two keys, with three runs each."""
    design = Design(grid={EVERY: ["10 ms", "1 s"], DELAY: ["5 ms", "20 ms"]})
    return Sweep(scenario, design, Replications(3)).run(tmp_path_factory.mktemp("swept"))


def runs_of(scenario: celltrain.Scenario, every: str, delay: str) -> list[celltrain.Result]:
    """Run a point of the sweep, without a sweep."""
    return scenario.with_value(EVERY, every).with_value(DELAY, delay).run_many([1, 2, 3])


# ---- metrics

FLOWS = pa.table(
    {
        "point": [0, 0, 0, 0, 1, 1],
        "seed": [1, 1, 2, 2, 1, 1],
        "flow": ["up1", "down1", "up1", "down1", "up1", "down1"],
        "variant": ["reno", "sack", "reno", "sack", "reno", "sack"],
        "rate": [1.0, 3.0, 5.0, math.nan, math.nan, math.nan],
    }
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("flows.rate", [2.0, 5.0, math.nan]),
        ("mean(flows.rate)", [2.0, 5.0, math.nan]),
        ("sum(flows.rate)", [4.0, 5.0, math.nan]),
        ("min( flows.rate )", [1.0, 5.0, math.nan]),
        ("max(flows.rate)", [3.0, 5.0, math.nan]),
        ("flows[down1].rate", [3.0, math.nan, math.nan]),
        ("flows[up*].rate", [1.0, 5.0, math.nan]),
        ("flows[*,variant=sack].rate", [3.0, math.nan, math.nan]),
        ("flows[variant=reno].rate", [1.0, 5.0, math.nan]),
    ],
)
def test_a_metric_is_one_number_of_each_run(text: str, values: list[float]) -> None:
    found = Metric.parse(text).by_run(FLOWS)
    assert list(found) == [(0, 1), (0, 2), (1, 1)]
    assert list(found.values()) == pytest.approx(values, nan_ok=True)


@pytest.mark.parametrize(
    "text", ["flows", "flows.", "(flows.rate)", "median(flows.rate)", "sum(flows.rate", "a.b.c", ""]
)
def test_what_is_no_metric_is_refused(text: str) -> None:
    with pytest.raises(MetricError):
        Metric.parse(text)


def test_a_metric_that_the_table_lacks_is_refused_with_what_there_is() -> None:
    with pytest.raises(MetricError, match="it has rate"):
        Metric.parse("flows.variant").by_run(FLOWS)
    with pytest.raises(MetricError, match="flow is one of up1, down1"):
        Metric.parse("flows[left].rate").by_run(FLOWS)
    with pytest.raises(MetricError, match="no column 'size'"):
        Metric.parse("flows[size=3].rate").by_run(FLOWS)


# ---- summaries


def test_a_point_has_the_mean_of_its_runs_and_students_interval(
    swept: SweepResults, scenario: celltrain.Scenario
) -> None:
    rows = summary(swept, [Metric.parse(THROUGHPUT)])
    assert [(row[EVERY], row[DELAY]) for row in rows] == [
        ("10 ms", "5 ms"), ("10 ms", "20 ms"), ("1 s", "5 ms"), ("1 s", "20 ms"),
    ]  # fmt: skip
    values = [float(run.flows["throughput_bps"].mean()) for run in runs_of(scenario, "1 s", "5 ms")]
    interval = stats.t.interval(0.95, 2, np.mean(values), stats.sem(values))
    assert rows[2][THROUGHPUT] == pytest.approx(np.mean(values))
    assert rows[2][f"{THROUGHPUT}_ci95"] == pytest.approx((interval[1] - interval[0]) / 2)
    assert (rows[2]["points"], rows[2]["runs"]) == (1, 3)


def test_where_a_row_joins_points_seeds_are_what_is_independent(
    swept: SweepResults, scenario: celltrain.Scenario
) -> None:
    (_, row) = summary(swept, [Metric.parse(THROUGHPUT)], by=[EVERY])
    each = [
        [float(run.flows["throughput_bps"].mean()) for run in runs_of(scenario, "1 s", delay)]
        for delay in ("5 ms", "20 ms")
    ]
    by_seed = np.mean(each, axis=0)
    assert row[EVERY] == "1 s"
    assert (row["points"], row["runs"]) == (2, 6)
    assert row[THROUGHPUT] == pytest.approx(by_seed.mean())
    assert row[f"{THROUGHPUT}_ci95"] == pytest.approx(stats.t.ppf(0.975, 2) * stats.sem(by_seed))


def test_a_summary_by_what_does_not_vary_is_refused(swept: SweepResults) -> None:
    with pytest.raises(MismatchError, match=r"what varies is links\.line\.rate\.every, links\.line\.delay"):
        summary(swept, [], by=["hosts.a.count"])


# ---- comparisons


def test_equal_seeds_are_compared_in_pairs(swept: SweepResults, scenario: celltrain.Scenario, tmp_path: Path) -> None:
    other = Sweep(scenario.with_value("links.line.buffer", "100 cells"), Design(grid={EVERY: ["1 s"], DELAY: ["5 ms"]}))
    other_results = other.run(tmp_path)
    (found,), alone = compare(swept, other_results, Metric.parse(THROUGHPUT))
    ours, theirs = (
        np.array([results.values(THROUGHPUT)[point, seed] for seed in (1, 2, 3)])
        for results, point in ((swept, 2), (other_results, 0))
    )
    expected = stats.ttest_rel(theirs, ours)
    assert (found.test, found.runs) == ("paired", 3)
    assert found.values == {EVERY: "1 s", DELAY: "5 ms"}
    assert found.difference == pytest.approx((theirs - ours).mean())
    assert found.p == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert found.difference_ci95 == pytest.approx((interval.high - interval.low) / 2)
    assert len(alone) == 3


def test_other_seeds_are_compared_by_welchs_test(
    swept: SweepResults, scenario: celltrain.Scenario, tmp_path: Path
) -> None:
    other = Sweep(scenario, Design(grid={EVERY: ["1 s"], DELAY: ["5 ms"]}), Replications(4, first_seed=10)).run(
        tmp_path
    )
    (found,), _ = compare(swept, other, Metric.parse(THROUGHPUT))
    ours = [value for (point, _), value in swept.values(THROUGHPUT).items() if point == 2]
    theirs = list(other.values(THROUGHPUT).values())
    assert (found.test, found.runs) == ("welch", 7)
    assert found.p == pytest.approx(stats.ttest_ind(ours, theirs, equal_var=False).pvalue)


def test_a_sweep_does_not_differ_from_itself(swept: SweepResults) -> None:
    found, alone = compare(swept, swept, Metric.parse(THROUGHPUT))
    assert [(each.difference, each.p, each.significant()) for each in found] == [(0.0, 1.0, False)] * 4
    assert not alone


def test_many_points_raise_the_bar(swept: SweepResults, scenario: celltrain.Scenario, tmp_path: Path) -> None:
    design = Design(grid={EVERY: ["10 ms", "1 s"], DELAY: ["5 ms", "20 ms"]})
    other = Sweep(scenario.with_value("links.line.rate.high", "2.1 Mbit/s"), design, Replications(3)).run(tmp_path)
    found, _ = compare(swept, other, Metric.parse(THROUGHPUT))
    expected = stats.false_discovery_control([each.p for each in found])
    assert [each.p_adjusted for each in found] == pytest.approx(expected.tolist())


def test_sweeps_over_other_keys_are_not_compared(
    swept: SweepResults, scenario: celltrain.Scenario, tmp_path: Path
) -> None:
    other = Sweep(scenario, Design(grid={EVERY: ["3 s", "5 s"]}), Replications(2)).run(tmp_path)
    with pytest.raises(MismatchError, match="every is 10 ms, 1 s and 3 s, 5 s"):
        compare(swept, other, Metric.parse(THROUGHPUT))


def test_a_key_that_only_one_sweep_varies_is_a_constant_of_the_other(
    swept: SweepResults, scenario: celltrain.Scenario, tmp_path: Path
) -> None:
    # 1000 ms is 1 s: values are compared as the core reads them.
    constant = scenario.with_value(DELAY, "20 ms")
    other = Sweep(constant, Design(grid={EVERY: ["1000 ms", "0.01 s"]}), Replications(3)).run(tmp_path)
    found, alone = compare(swept, other, Metric.parse(THROUGHPUT))
    assert [(each.values[DELAY], each.difference, each.test) for each in found] == [("20 ms", 0, "paired")] * 2
    assert len(alone) == 2


def test_constants_that_differ_are_listed_and_do_not_prevent_a_comparison(
    scenario: celltrain.Scenario, tmp_path: Path
) -> None:
    grids = [{EVERY: ["10 ms", "1 s"], DELAY: [delay]} for delay in ("5 ms", "20 ms")]
    first, second = (
        Sweep(scenario, Design(grid=grid), Replications(2)).run(tmp_path / str(number))
        for number, grid in enumerate(grids)
    )
    found, alone = compare(first, second, Metric.parse("flows.rtt_mean_s"))
    assert [each.values for each in found] == [{EVERY: "10 ms"}, {EVERY: "1 s"}]
    assert all(each.difference != 0 for each in found)
    assert alone == []
    assert aligned(first, second).constants == {DELAY: ("5 ms", "20 ms")}


# ---- files


def test_the_index_and_the_tables_are_queried_with_duckdb(swept: SweepResults) -> None:
    rows = duckdb.execute(
        f"""
        SELECT "{EVERY}", count(DISTINCT seed), avg(throughput_bps)
        FROM '{swept.folder}/index.parquet' JOIN '{swept.folder}/tables/flows.parquet' USING (point, seed)
        WHERE status = 'done' GROUP BY 1 ORDER BY 1
        """
    ).fetchall()
    expected = {row[EVERY]: row[THROUGHPUT] for row in summary(swept, [Metric.parse(THROUGHPUT)], by=[EVERY])}
    assert rows == [(every, 3, pytest.approx(expected[every])) for every in ("1 s", "10 ms")]


def test_results_are_read_without_index_and_tables(swept: SweepResults) -> None:
    before = SweepResults(swept.folder)
    index, flows = before.index, before.table("flows")
    moved = swept.folder / "index.parquet"
    moved.rename(swept.folder / "away")
    after = SweepResults(swept.folder)
    assert after.index.drop_columns(["wall_s"]).to_pydict() == index.drop_columns(["wall_s"]).to_pydict()
    assert after.table("flows").column_names == flows.column_names
    assert after.values(THROUGHPUT) == before.values(THROUGHPUT)
    (swept.folder / "away").rename(moved)


def test_traces_of_all_runs_make_one_table(swept: SweepResults) -> None:
    table = swept.with_keys(swept.trace("queue"))
    assert table.column_names[:5] == ["point", "seed", EVERY, DELAY, "time_s"]
    assert len(table) == 12 * 21


# ---- commands


def test_a_sweep_is_summarised_exported_and_compared(cli: Command, line_file: Path, tmp_path: Path) -> None:
    done = cli("sweep", line_file, "--set", f"{EVERY}=10 ms,1 s", "--replications", "2", "--out", "out", "--json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)
    assert [row[EVERY] for row in rows] == ["10 ms", "1 s"]
    assert "4 runs in" in done.stderr

    done = cli("results", "out", "--by", EVERY)
    assert done.returncode == 0, done.stderr
    assert "Mbit/s" in done.stdout

    for name in ("means.csv", "means.parquet", "means.json", "flows.csv"):
        options = ["--table", "flows"] if name == "flows.csv" else []
        assert cli("results", "out", "--export", name, *options).returncode == 0
    with (tmp_path / "means.csv").open() as file:
        exported = list(csv.DictReader(file))
    assert [float(row[THROUGHPUT]) for row in exported] == [row[THROUGHPUT] for row in rows]
    assert parquet.read_table(tmp_path / "means.parquet")[THROUGHPUT].to_pylist() == [row[THROUGHPUT] for row in rows]
    assert [row[THROUGHPUT] for row in json.loads((tmp_path / "means.json").read_text())] == [
        row[THROUGHPUT] for row in rows
    ]
    with (tmp_path / "flows.csv").open() as file:
        assert [row[EVERY] for row in csv.DictReader(file)] == ["10 ms"] * 4 + ["1 s"] * 4

    done = cli("results", "out", "--compare", "out", "--check", "--json", "--metric", THROUGHPUT)
    assert done.returncode == 0, done.stderr
    assert [row["p"] for row in json.loads(done.stdout)] == [1.0, 1.0]


def test_a_check_finds_a_difference(cli: Command, line_file: Path) -> None:
    slow = line_file.with_name("slow.toml")
    slow.write_text(line_file.read_text().replace('"5 ms"', '"200 ms"'))
    for name in ("line", "slow"):
        assert cli("sweep", f"{name}.toml", "--out", name).returncode == 0
    done = cli("results", "line", "--compare", "slow", "--check", "--metric", "flows.rtt_mean_s")
    assert (done.returncode, "differs" in done.stdout) == (1, True)


def test_a_sweep_never_replaces_another_one_unasked(cli: Command, line_file: Path) -> None:
    assert cli("sweep", line_file, "--set", f"{EVERY}=10 ms", "--replications", "2", "--out", "out").returncode == 0
    other = ["sweep", line_file, "--set", f"{DELAY}=9 ms", "--replications", "2", "--out", "out"]
    index = (line_file.parent / "out" / "index.parquet").read_bytes()
    done = cli(*other)
    assert done.returncode == 2
    assert "out holds another sweep" in done.stderr
    assert "--replace" in done.stderr
    assert (line_file.parent / "out" / "index.parquet").read_bytes() == index
    assert cli(*other, "--replace").returncode == 0


def test_failures_are_listed_and_the_exit_code_says_so(cli: Command, line_file: Path) -> None:
    options = ["--set", "links.line.buffer=100 cells,-1", "--replications", "2", "--out", "out"]
    done = cli("sweep", line_file, *options)
    assert (done.returncode, (line_file.parent / "out").exists()) == (2, False)
    assert "1 of 2 points cannot be run" in done.stderr
    done = cli("sweep", line_file, *options, "--skip-invalid")
    assert done.returncode == 1
    assert "2 of 4 runs failed" in done.stderr
    assert "point 1: " in done.stderr
    assert "links.line.buffer" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--set", "links.line.bufer=1,2"], 'did you mean "buffer"?'),
        (["--set", "links.line.buffer"], "expected KEY=VALUES"),
        (["--set", "a=1", "--set", "a=2"], "given twice"),
        (["--draw", "links.line.buffer=9..1"], "lower bound first"),
        (["--points", "none.csv"], "No such file"),
        (["--until", "200%"], "expected a part of the mean"),
        (["--metric", "speed"], "expected a metric such as"),
        (["--until", "2%", "--metric", "flows.speed"], "flows has no numbers 'speed'; expected one of"),
        (["--jobs", "2", "--dask", "tcp://127.0.0.1:9"], "exclude each other"),
    ],
)
def test_bad_input_is_named(
    line_file: Path,
    arguments: list[str],
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(line_file.parent)
    with pytest.raises(SystemExit) as ended:
        main(["sweep", str(line_file), "--out", str(line_file.parent / "out"), *arguments])
    stderr = capsys.readouterr().err
    assert ended.value.code == 2, stderr
    assert says in " ".join(stderr.split())
