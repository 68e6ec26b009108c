"""Figures of runs and sweeps: files, widths of a paper, axes with numbers, and sparklines."""

from __future__ import annotations

from pathlib import Path

import celltrain
import numpy as np
import pytest
from celltrain import drawing
from celltrain.cli.console import BadInput
from celltrain.cli.plotting import Asked
from celltrain.cli.sparklines import of_traces
from celltrain.sweeps import Design, Replications, Sweep, SweepResults
from celltrain.sweeps.figure import PlotError
from celltrain.table import Table
from conftest import LINE, Command
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer

EVERY, BUFFER = "links.line.rate.every", "links.line.buffer"
HEADS = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}


@pytest.fixture(scope="module")
def swept(scenario: celltrain.Scenario, tmp_path_factory: pytest.TempPathFactory) -> SweepResults:
    grid = {EVERY: ["1 s", "10 ms"], BUFFER: ["400 cells", "2000 cells"]}
    return Sweep(scenario, Design(grid), Replications(2)).run(tmp_path_factory.mktemp("swept"))


# ---- files


@pytest.mark.parametrize("kind", drawing.KINDS)
def test_a_figure_is_the_same_file_each_time(line: celltrain.Scenario, kind: str) -> None:
    result = line.run(seed=1)
    first, second = (drawing.image(result.plot(width="one"), kind) for _ in range(2))
    assert first.startswith(HEADS[kind])
    assert first == second


@pytest.mark.parametrize(("width", "inches"), [("one", 3.5), ("two", 7.16)])
def test_a_figure_for_a_paper_has_its_width_and_font_and_no_title(
    swept: SweepResults, width: str, inches: float
) -> None:
    figure = swept.plot("flows.throughput_bps", "flows.rtt_mean_s", width=width)
    assert figure.get_figwidth() == inches
    assert figure.get_suptitle() == ""
    figure.canvas.draw()
    for axes in figure.axes:
        assert axes.get_title() == ""
        texts = [axes.yaxis.label, *axes.get_xticklabels(), *axes.get_yticklabels()]
        assert {text.get_fontfamily()[0] for text in texts} == {"STIXGeneral"}
        assert {text.get_fontsize() for text in texts} <= {7.5, 8.0}
    pdf = drawing.image(figure, "pdf")
    # Journals refuse Type 3 fonts.
    assert (b"/Type3" in pdf, b"/CIDFontType2" in pdf) == (False, True)


def test_an_unknown_width_and_a_wrong_suffix_are_refused(line: celltrain.Scenario) -> None:
    with pytest.raises(ValueError, match="expected one of 'one', 'two'"):
        line.run(seed=1).plot(width="three")
    with pytest.raises(BadInput, match=r"expected a name that ends with \.pdf, \.svg or \.png"):
        Asked.parse("a.jpeg", Path())


# ---- sweeps


def lines_of(axes: Axes) -> dict[str, list[list[float]]]:
    """Return the points of each line by its name."""
    containers = [each for each in axes.containers if isinstance(each, ErrorbarContainer)]
    return {str(each.get_label()): np.asarray(each.lines[0].get_xydata()).tolist() for each in containers}


def test_the_x_axis_of_a_sweep_has_numbers_in_order(swept: SweepResults) -> None:
    (axes,) = swept.plot().axes
    assert axes.get_xlabel() == "rate.every [ms]"
    assert axes.get_xscale() == "log"
    lines = lines_of(axes)
    assert list(lines) == ["buffer 400 cells", "buffer 2000 cells"]
    assert [x for x, _ in lines["buffer 400 cells"]] == pytest.approx([10, 1000])
    row = next(row for row in swept.means().rows() if (row[EVERY], row[BUFFER]) == (0.01, 400))
    factor = 1e-6 if "[Mbit/s]" in axes.get_ylabel() else 1e-3
    assert lines["buffer 400 cells"][0][1] == pytest.approx(float(row["flows.throughput_bps"]) * factor)


def test_keys_are_known_by_their_ends_and_others_are_averaged(swept: SweepResults) -> None:
    (axes,) = swept.plot("flows.throughput_bps", x="buffer", by=[]).axes
    assert axes.get_xlabel() == "line.buffer [cells]"
    (line,) = lines_of(axes).values()
    rows = [row for row in swept.means().rows() if row[BUFFER] == 400]
    factor = 1e-6 if "[Mbit/s]" in axes.get_ylabel() else 1e-3
    mean = sum(float(row["flows.throughput_bps"]) for row in rows) / len(rows)
    assert len(rows) == 2
    assert line[0][1] == pytest.approx(mean * factor)
    with pytest.raises(PlotError, match=r"x=links\.line\.delay: .* does not vary it"):
        swept.plot(x="links.line.delay")


def test_parameters_are_numbers_and_counts_are_integers(swept: SweepResults) -> None:
    means = swept.means()
    assert means[EVERY].tolist() == [1.0, 1.0, 0.01, 0.01]
    assert [means[name].dtype.kind for name in (EVERY, BUFFER, "points", "runs")] == ["f", "i", "i", "i"]
    assert (means.units[EVERY], means.units[BUFFER]) == ("s", "cells")
    assert "12345678" in repr(Table({"n": np.array([12345678])}, {"n": "1"}))


def test_a_full_grid_has_a_dimension_for_each_key(swept: SweepResults) -> None:
    pytest.importorskip("xarray")
    found = swept.to_xarray("flows.throughput_bps")
    assert dict(found.sizes) == {EVERY: 2, BUFFER: 2, "seed": 2}
    value = found["flows.throughput_bps"].sel({EVERY: 0.01, BUFFER: 400, "seed": 2}).item()
    assert value == swept.values("flows.throughput_bps")[2, 2]
    assert found[EVERY].attrs["units"] == "s"


def test_points_that_are_no_grid_have_one_dimension(scenario: celltrain.Scenario, tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    points = [{BUFFER: "100 cells", EVERY: "1 s"}, {BUFFER: "200 cells", EVERY: "2 s"}]
    found = Sweep(scenario, Design(listed=points), Replications(1)).run(tmp_path / "out").to_xarray()
    assert dict(found.sizes) == {"point": 2, "seed": 1}
    assert found[BUFFER].values.tolist() == [100, 200]


def test_a_missing_package_is_said(swept: SweepResults, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'celltrain\[xarray\]'"):
        swept.to_xarray()


# ---- the command line


def test_plot_takes_a_file_and_what_is_drawn() -> None:
    asked = Asked.parse("a.pdf,x=buffer,y=max(links[a,from=s].queue_max_cells),y=flows.rtt_mean_s,by=every", Path("d"))
    assert (asked.file, asked.x, asked.by) == (Path("a.pdf"), "buffer", ("every",))
    assert asked.y == ("max(links[a,from=s].queue_max_cells)", "flows.rtt_mean_s")
    assert Asked.parse("x=buffer", Path("d")).file == Path("d/plot.svg")
    for text in ("x=a,x=b", "a.pdf,b.pdf", "z=a"):
        with pytest.raises(BadInput, match="--plot"):
            Asked.parse(text, Path())


def test_commands_write_figures(cli: Command, line_file: Path, tmp_path: Path) -> None:
    assert cli("run", line_file, "--plot", "run.pdf", "--width", "one").returncode == 0
    done = cli(
        "sweep", line_file, "--set", f"{EVERY}=10 ms,1 s", "--replications", "2", "--plot", "s.png", "--out", "o"
    )
    assert (done.returncode, "wrote s.png" in done.stderr) == (0, True), done.stderr
    assert cli("results", "o", "--plot", "x=every,y=flows.rtt_mean_s").returncode == 0
    for name in ("run.pdf", "s.png", "o/plot.svg"):
        assert (tmp_path / name).read_bytes().startswith(HEADS[name.rpartition(".")[2]])


def test_a_run_that_records_nothing_is_refused_before_it_runs(cli: Command, tmp_path: Path) -> None:
    text = LINE.partition("[probes")[0].replace('duration = "3 s"', 'duration = "1000000 s"')
    (tmp_path / "long.toml").write_text(text)
    done = cli("run", "long.toml", "--plot", "a.svg")
    assert (done.returncode, "records nothing; give it a probe" in done.stderr) == (2, True), done.stderr
    hint = done.stderr.partition("--set '")[2].rpartition("'")[0]
    assert hint.startswith("probes.line=")


# ---- the terminal


def test_probes_are_drawn_as_bars_with_their_range() -> None:
    times = np.arange(0.0, 10.0, 0.1)
    table = Table(
        {"time_s": times, "links.a.queue_cells": np.where(times < 5, 0, 8), "links.a.rate_bps": np.full(100, 2e6)},
        {"time_s": "s", "links.a.queue_cells": "cells", "links.a.rate_bps": "bit/s"},
    )
    title, queue, rate = of_traces({"line": table}, 80)
    assert title == "line, 0 to 9.9 s"
    assert queue.endswith("0 to 8 cells")
    bars = queue.removeprefix("links.a.queue_cells").removesuffix("0 to 8 cells").strip()
    # Half of the time the queue is empty; one bar is partly in both halves.
    assert len(bars.lstrip("▁▂▃▄▅▆▇")) == bars.count("█") == pytest.approx(20, abs=1)
    assert rate.endswith("always 2 Mbit/s")
    assert max(map(len, (queue, rate))) <= 80


def test_a_run_shows_its_probes(cli: Command, line_file: Path) -> None:
    lines = cli("run", line_file).stdout.splitlines()
    assert any(line.startswith("links.line1.queue_cells  ") and "cells" in line for line in lines)
    assert max(map(len, lines)) <= 80
