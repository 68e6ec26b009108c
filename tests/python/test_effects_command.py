"""Effects of real sweeps, through the command line and from stored results."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from pathlib import Path

import celltrain
import numpy as np
import pytest
from celltrain.cli import main
from celltrain.sweeps import Design, Metric, Replications, Sweep, SweepResults, Until
from celltrain.sweeps.effects import effects
from celltrain.sweeps.effects_figure import MOST_BARS, figure, residuals_figure
from celltrain.sweeps.responses import EffectsError, responses
from conftest import Command
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

EVERY, DELAY, BUFFER = "links.line.rate.every", "links.line.delay", "links.line.buffer"
THROUGHPUT = "flows.throughput_bps"
GRID = {EVERY: ["10 ms", "1 s"], DELAY: ["5 ms", "20 ms"]}

Fails = Callable[..., str]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, scenario: celltrain.Scenario) -> SweepResults:
    """Return a sweep over two factors, with three replications."""
    design = Design(grid=GRID, kind="two-level")
    return Sweep(scenario, design, Replications(3)).run(tmp_path_factory.mktemp("swept"))


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Fails:
    """Return the command line in this process, which must refuse its arguments, and gives the message."""

    def run(*arguments: str | Path) -> str:
        with pytest.raises(SystemExit) as ended:
            main(list(map(str, arguments)))
        message = capsys.readouterr().err
        assert ended.value.code == 2, message
        return " ".join(message.split())

    return run


# ---- commands


def test_a_two_level_sweep_is_run_and_analysed(
    cli: Command, line_file: Path, tmp_path: Path, scenario: celltrain.Scenario
) -> None:
    settings = [f"--set={key}={','.join(values)}" for key, values in GRID.items()]
    done = cli("sweep", line_file, "--design", "two-level", *settings, "--replications", "3", "--out", "out")
    assert done.returncode == 0, done.stderr

    done = cli("effects", "out", "--export", "effects.csv", "--plot", "e.svg", "--residuals", "r.png", "--signs")
    assert done.returncode == 0, done.stderr
    for text in ("4 points, 3 replications", "sign table", "95 % intervals, from the effects of each seed", "[Mbit/s]"):
        assert text in " ".join(done.stdout.split())
    with (tmp_path / "effects.csv").open() as file:
        rows = {row["term"]: row for row in csv.DictReader(file)}
    assert list(rows) == ["mean", "A", "B", "AB", "seeds", "error", "total"]

    def mean(every: str, delay: str) -> float:
        runs = scenario.with_value(EVERY, every).with_value(DELAY, delay).run_many([1, 2, 3])
        return float(sum(run.flows["throughput_bps"].mean() for run in runs)) / 3

    low, low_high, high_low, high = (mean(every, delay) for every in GRID[EVERY] for delay in GRID[DELAY])
    assert float(rows["mean"]["effect"]) == pytest.approx((low + low_high + high_low + high) / 4)
    assert float(rows["A"]["effect"]) == pytest.approx((-low - low_high + high_low + high) / 4)
    assert float(rows["B"]["effect"]) == pytest.approx((-low + low_high - high_low + high) / 4)
    assert float(rows["AB"]["effect"]) == pytest.approx((low - low_high - high_low + high) / 4)
    assert rows["A"]["keys"] == EVERY
    parts = [float(row["variation"]) for name, row in rows.items() if name not in ("mean", "total")]
    assert sum(parts) == pytest.approx(1)
    assert (tmp_path / "e.svg").read_bytes().startswith(b"<?xml")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_independent_runs_and_factors_are_chosen_by_options(cli: Command, swept: SweepResults) -> None:
    done = cli("effects", swept.folder, "--independent", "--json")
    assert done.returncode == 0, done.stderr
    rows = {row["term"]: row for row in json.loads(done.stdout)}
    assert "seeds" not in rows
    assert rows["error"]["dof"] == 8
    assert rows["A"]["effect_ci95"] == rows["AB"]["effect_ci95"]

    done = cli("effects", swept.folder, "--multiplicative")
    assert done.returncode == 0, done.stderr
    assert "factor on the geometric mean" in done.stdout
    assert " x 0." in done.stdout


def test_a_fraction_is_a_part_of_the_full_design(cli: Command, line_file: Path, scenario: celltrain.Scenario) -> None:
    grid = {**GRID, BUFFER: ["100 cells", "2000 cells"]}
    settings = [f"--set={key}={','.join(values)}" for key, values in grid.items()]
    fraction = ["--design", "fractional", "--generator", "C = AB"]
    done = cli("sweep", line_file, *fraction, *settings, "--replications", "2", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "2^(3-1) design of resolution III, I = ABC" in done.stderr
    done = cli("effects", "out", "--json")
    rows = {row["term"]: row for row in json.loads(done.stdout)}
    assert rows["C"]["aliases"] == "AB"
    full = effects(Sweep(scenario, Design(grid=grid), Replications(2)).run(line_file.parent / "full"), THROUGHPUT, 3)
    parts = {term.name: term.estimates[0].value for term in full.terms}
    for one, other in (("A", "BC"), ("B", "AC"), ("C", "AB")):
        assert rows[one]["effect"] == pytest.approx(parts[one] + parts[other])
    assert "A = BC" in cli("effects", "out").stdout


def test_one_replication_has_no_intervals_and_says_so(cli: Command, line_file: Path) -> None:
    settings = [f"--set={key}={','.join(values)}" for key, values in GRID.items()]
    assert cli("sweep", line_file, *settings, "--replications", "1", "--out", "out").returncode == 0
    done = cli("effects", "out", "--plot", "out.svg")
    assert done.returncode == 0, done.stderr
    assert "one replication gives no error estimate and so no intervals" in " ".join(done.stdout.split())
    assert "±" not in done.stdout
    done = cli("effects", "out", "--residuals", "residuals.svg")
    assert (done.returncode, "one replication has no residuals" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--design", "two-level", "--set", f"{EVERY}=1 s,2 s,3 s"], f"{EVERY}: a two-level design needs two values"),
        (["--design", "two-level"], "needs factors"),
        (["--design", "two-level", "--set", f"{EVERY}=1 s,2 s", "--draw", f"{DELAY}=1..9 ms"], "leave out listed"),
        (["--design", "fractional", "--set", f"{EVERY}=1 s,2 s"], "needs a generator"),
        (["--design", "fractional", "--set", f"{EVERY}=1 s,2 s", "--generator", "B = A"], "expected at least 3"),
        (["--set", f"{EVERY}=1 s,2 s", "--generator", "C = AB"], "only a fractional design has generators"),
        (["--design", "half"], "'half' is not one of"),
    ],
)
def test_a_design_that_cannot_be_is_refused(line_file: Path, fails: Fails, arguments: list[str], says: str) -> None:
    assert says in fails("sweep", line_file, "--out", line_file.parent / "out", *arguments)
    assert not (line_file.parent / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--metric", "speed"], "expected a metric such as"),
        (["--metric", "flows.speed"], "flows has no numbers 'speed'"),
        (["--plot", "effects.eps"], "--plot effects.eps: expected a name that ends with .pdf, .svg or .png"),
        (["--residuals", "r"], "--residuals r: expected a name"),
        (
            ["--plot", "e.svg", "--metric", "flows.rtt_mean_s", "--metric", THROUGHPUT],
            "a figure has one metric, found 2",
        ),
        (["--export", "effects.txt"], "expected a name that ends with .csv, .parquet or .json"),
        (["--multiplicative", "--metric", "sum(links.cells_lost)"], "a multiplicative model needs values above 0"),
        (["--order", "0"], "0 is not in the range"),
    ],
)
def test_what_cannot_be_analysed_is_refused(swept: SweepResults, fails: Fails, arguments: list[str], says: str) -> None:
    assert says in fails("effects", swept.folder, *arguments)


# ---- stored results


def test_a_list_of_all_combinations_in_any_order_is_a_factorial_design(
    swept: SweepResults, scenario: celltrain.Scenario, tmp_path: Path
) -> None:
    points = [{EVERY: "10 ms", DELAY: "5 ms"}, {EVERY: "1 s", DELAY: "20 ms"}]
    points += [{EVERY: "1 s", DELAY: "5 ms"}, {EVERY: "10 ms", DELAY: "20 ms"}]
    shuffled = Sweep(scenario, Design(listed=points), Replications(3)).run(tmp_path)
    one, other = effects(swept, THROUGHPUT), effects(shuffled, THROUGHPUT)
    assert [term.name for term in one.terms] == [term.name for term in other.terms]
    for before, after in zip(one.terms, other.terms, strict=True):
        assert before.estimates[0].value == pytest.approx(after.estimates[0].value)
        assert before.estimates[0].half_width == pytest.approx(after.estimates[0].half_width)


def test_a_key_with_one_value_is_no_factor(scenario: celltrain.Scenario, tmp_path: Path) -> None:
    grid = {BUFFER: ["2000 cells"], EVERY: ["10 ms", "100 ms", "1 s"]}
    found = effects(Sweep(scenario, Design(grid=grid), Replications(2)).run(tmp_path), THROUGHPUT)
    assert [(factor.letter, factor.key) for factor in found.responses.factors] == [("A", EVERY)]
    assert [estimate.levels for estimate in found.terms[0].estimates] == [("10 ms",), ("100 ms",), ("1 s",)]


@pytest.mark.parametrize(
    ("design", "says"),
    [
        (
            Design(listed=[{EVERY: "10 ms", DELAY: "5 ms"}, {EVERY: "1 s", DELAY: "20 ms"}]),
            "the 2 points are not a full",
        ),
        (Design(listed=[{EVERY: "1 s"}, {EVERY: "1 s"}, {EVERY: "10 ms"}]), "each combination of the 2 values"),
        (Design(), "nothing varies"),
    ],
)
def test_points_that_are_no_factorial_design_are_refused(
    scenario: celltrain.Scenario, tmp_path: Path, design: Design, says: str
) -> None:
    results = Sweep(scenario, design, Replications(1)).run(tmp_path)
    with pytest.raises(EffectsError, match=says):
        effects(results, THROUGHPUT)


def test_a_point_without_a_finished_run_is_named(cli: Command, line_file: Path) -> None:
    options = ["--set", f"{BUFFER}=100 cells,-1", "--replications", "2", "--skip-invalid", "--out", "out"]
    done = cli("sweep", line_file, *options)
    assert done.returncode == 1
    done = cli("effects", "out")
    message = " ".join(done.stderr.split())
    assert done.returncode == 2
    assert f"{THROUGHPUT} of point 1 ({BUFFER} = -1): failed: " in message
    assert "effects need all points: correct the cause and sweep again with --retry-failed" in message


def test_seeds_missing_at_some_points_are_left_out_and_named(scenario: celltrain.Scenario, tmp_path: Path) -> None:
    rule = Replications(3, 1, Until(0.08, "sum(flows.throughput_bps)", most=200))
    results = Sweep(scenario, Design(grid={EVERY: ["10 ms", "1 s"]}), rule).run(tmp_path)
    found = responses(results, Metric.parse(THROUGHPUT))
    runs = [sum(at == point for at, _ in results.values(THROUGHPUT)) for point in (0, 1)]
    assert runs[0] < runs[1]
    assert found.seeds == tuple(range(1, runs[0] + 1))
    assert len(found.left_out) == runs[1] - runs[0]
    assert found.left_out[0] == f"seed {runs[0] + 1}: point 0: not run"


def test_a_lost_run_is_left_out_and_named(cli: Command, line_file: Path, tmp_path: Path) -> None:
    assert cli("sweep", line_file, "--set", f"{EVERY}=10 ms,1 s", "--replications", "3", "--out", "out").returncode == 0
    results = SweepResults(tmp_path / "out")
    lost = next(row for row in results.index.to_pylist() if (row["point"], row["seed"]) == (1, 2))
    (tmp_path / "out" / "records" / lost["record"]).unlink()
    done = cli("effects", "out")
    assert done.returncode == 0, done.stderr
    assert "2 points, 2 replications" in done.stdout
    assert f"{THROUGHPUT}: seeds that not all points have are left out (1):" in done.stderr
    assert "seed 2: point 1: missing" in done.stderr


def test_a_run_without_a_value_is_left_out_and_named(swept: SweepResults, monkeypatch: pytest.MonkeyPatch) -> None:
    values = swept.values(THROUGHPUT)
    monkeypatch.setattr(SweepResults, "values", lambda *_: values | {(1, 2): math.nan, (3, 2): math.inf})
    found = responses(swept, Metric.parse(THROUGHPUT))
    assert found.seeds == (1, 3)
    assert found.left_out == ("seed 2: point 1 and 1 more: no value",)


def test_seeds_without_a_common_one_are_refused(swept: SweepResults, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {(0, 1): 1.0, (1, 2): 1.0, (2, 1): 1.0, (3, 1): 1.0}
    monkeypatch.setattr(SweepResults, "values", lambda *_: values)
    with pytest.raises(EffectsError, match="no seed has a value at all points"):
        responses(swept, Metric.parse(THROUGHPUT))


# ---- figures


def drawn_heights(axes: Axes) -> list[float]:
    """Return the heights of bars, negative for those below zero."""
    return [bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)]


def test_the_figure_shows_the_terms_with_their_intervals(swept: SweepResults) -> None:
    found = effects(swept, THROUGHPUT)
    above, below = figure(found).axes
    names = [label.get_text() for label in below.get_xticklabels()]
    assert names == ["A", "B", "AB", "seeds", "error"]
    heights = [100 * part.part for part in [*(term.variation for term in found.terms), found.seeds, found.error]]
    assert drawn_heights(above) == pytest.approx(heights)
    # The throughput of Mbit/s has effects of kbit/s.
    assert below.get_ylabel() == "effect [kbit/s]"
    assert drawn_heights(below) == pytest.approx([term.estimates[0].value / 1e3 for term in found.terms])
    assert len(below.containers) == 2 * len(found.terms), "bars, and an interval for each"


def test_a_figure_of_many_levels_shows_the_terms_with_the_most_variation(
    scenario: celltrain.Scenario, tmp_path: Path
) -> None:
    grid = {BUFFER: [f"{cells} cells" for cells in range(100, 107)], DELAY: [f"{delay} ms" for delay in range(1, 8)]}
    found = effects(Sweep(scenario, Design(grid=grid), Replications(1)).run(tmp_path), THROUGHPUT)
    assert sum(len(term.estimates) for term in found.terms) == 7 + 7 + 49 > MOST_BARS
    _, below = figure(found).axes
    assert 7 <= len(below.patches) <= 49
    assert "only the terms with the most variation" in figure(found).axes[0].get_title(loc="left")


def test_residuals_are_drawn_against_predictions(swept: SweepResults) -> None:
    found = effects(swept, THROUGHPUT)
    (axes,) = residuals_figure(found).axes
    x, y = np.asarray(axes.lines[0].get_xdata()), np.asarray(axes.lines[0].get_ydata())
    # The unit is that of the predictions, Mbit/s.
    assert x.tolist() == pytest.approx((found.predicted.ravel() / 1e6).tolist())
    assert (y**2).sum() == pytest.approx(found.error.sum_of_squares / 1e12)
    assert y.sum() == pytest.approx(0, abs=1e-9)
