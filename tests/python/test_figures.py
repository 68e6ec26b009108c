"""Static figures: their content, and their legibility."""

from __future__ import annotations

import io
import itertools
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from celltrain import Table, notebook
from celltrain.cli.reproduced import crosstab
from celltrain.papers import catalog, figure
from celltrain.papers.kinds import Experiment
from celltrain.papers.outcome import Outcome
from celltrain.papers.paper import Paper
from celltrain.papers.plot import Plot
from celltrain.papers.units import unit
from celltrain.report import figures
from conftest import Command
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.container import BarContainer
from matplotlib.figure import Figure
from rich.console import Console

UNITS = {"delay_s": "s", "throughput_bps": "bit/s", "ideal_bps": "bit/s", "buffer_cells": "cells", "control": ""}
PANEL: dict[str, Any] = {"y": "throughput_bps", "label": "TCP throughput\nof all [bit/s]"}
PLOT: dict[str, Any] = {"x": "delay_s", "x_label": "added delay [s]", "by": ["buffer_cells"]}


def rows(series: int = 2) -> list[dict[str, Any]]:
    """Return three rows for each series: 1 to 3 Mbit/s after 1, 10 and 30 ms."""
    return [
        {
            "delay_s": delay,
            "throughput_bps": 1e6 * number + 1e4 * buffer,
            "throughput_bps_ci95": 2e5,
            "ideal_bps": 3.5e6,
            "buffer_cells": 100 * (1 + buffer),
            "control": "gfc",
        }
        for buffer in range(series)
        for number, delay in enumerate((0.001, 0.01, 0.03), 1)
    ]


def drawn(plot: dict[str, Any], panel: dict[str, Any], series: int = 2) -> Figure:
    """Draw the rows as an experiment does."""
    return figure.make(Plot.read(plot | {"panel": [panel]}), "a title", rows(series), UNITS)


def legend(shown: Figure) -> list[str]:
    legends = [*shown.legends, *(axes.get_legend() for axes in shown.axes)]
    return [text.get_text() for each in legends if each is not None for text in each.get_texts()]


def first_line(axes: Axes) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.asarray(axes.get_lines()[0].get_xydata(), dtype=np.float64)


def test_the_printed_table_has_the_rows_that_the_panels_show() -> None:
    others = [row | {"control": "none", "throughput_bps": 9e6} for row in rows()]
    plot = Plot.read(PLOT | {"panel": [PANEL | {"where": {"control": "gfc"}}]})
    outcome = SimpleNamespace(experiment=SimpleNamespace(plot=plot), units=UNITS, rows=rows() + others)
    console = Console(width=200, record=True, file=io.StringIO())
    table, caption = crosstab(cast(Outcome, outcome))
    console.print(table)
    console.print(caption)
    text = console.export_text()
    assert "2.010" in text
    assert "9.000" not in text


def test_the_printed_table_says_what_all_its_panels_show_and_counts_are_whole() -> None:
    panels = [PANEL | {"label": f"bits of buffer {number} [bit/s]", "where": {"control": "gfc"}} for number in (1, 2)]
    counted = [row | {"throughput_bps": 4.0, "throughput_bps_ci95": np.nan} for row in rows()]
    plot = Plot.read(PLOT | {"panel": panels})
    outcome = SimpleNamespace(experiment=SimpleNamespace(plot=plot), units=UNITS, rows=counted)
    table, caption = crosstab(cast(Outcome, outcome))
    assert caption == "throughput [bit/s]; across: added delay"
    assert {text for column in table.columns[1:] for text in column.cells} == {"4"}


@pytest.mark.parametrize("kind", ["line", "trace"])
def test_axes_and_all_on_them_are_in_the_unit_of_the_label(kind: str) -> None:
    panel = PANEL | {"range": [0, 4e6], "line_at": 3.5e6, "line_label": "full link"}
    shown = drawn(PLOT | {"kind": kind, "x_range": [0, 0.04]}, panel)
    (axes,) = shown.axes
    assert axes.get_xlabel() == "added delay [ms]"
    assert axes.get_ylabel() == "TCP throughput\nof all [Mbit/s]"
    assert first_line(axes) == pytest.approx(np.array([[1, 1], [10, 2], [30, 3]]))
    assert [*axes.get_xlim(), *axes.get_ylim()] == pytest.approx([0, 40, 0, 4])
    assert np.asarray(axes.get_lines()[-1].get_ydata()) == pytest.approx(3.5)
    if kind == "line":
        interval = axes.collections[0]
        assert isinstance(interval, LineCollection)
        assert interval.get_segments()[0][:, 1] == pytest.approx([0.8, 1.2])


def test_series_are_named_in_words_with_units_and_never_twice() -> None:
    panels = [PANEL | {"beside": "ideal_bps"}, PANEL]
    shown = figure.make(Plot.read(PLOT | {"panel": panels}), "a title", rows(), UNITS)
    assert legend(shown) == ["buffer 100 cells", "buffer 200 cells", "ideal"]


def test_a_single_series_that_something_is_compared_with_is_named_too() -> None:
    shown = drawn(PLOT | {"by": [], "kind": "trace"}, PANEL | {"beside": "ideal_bps"})
    assert legend(shown) == ["ideal", "throughput"]


def test_bars_over_numbers_say_the_unit_of_each() -> None:
    shown = drawn(PLOT | {"kind": "bar"}, PANEL)
    assert [text.get_text() for text in shown.axes[0].get_xticklabels()] == ["1 ms", "10 ms", "30 ms"]
    assert shown.axes[0].get_xlabel() == "added delay"
    assert [bar.get_height() for bar in shown.axes[0].patches[:3]] == pytest.approx([1, 2, 3])  # type: ignore[attr-defined]


def test_many_traces_have_a_panel_each_on_one_scale() -> None:
    shown = drawn(PLOT | {"kind": "trace"}, PANEL, series=10)
    names = [axes.get_title(loc="left") for axes in shown.axes]
    assert len(set(names)) == len(names) == 10
    assert len({axes.get_ylim() for axes in shown.axes}) == 1
    assert [len(axes.get_lines()) for axes in shown.axes] == [1] * 10


def test_traces_that_are_zero_throughout_share_a_panel() -> None:
    own = [row | {"throughput_bps": row["throughput_bps"] * (row["buffer_cells"] in (200, 400))} for row in rows(5)]
    plot = Plot.read(PLOT | {"kind": "trace", "panel": [PANEL]})
    shown = figure.make(plot, "a title", own, UNITS)
    zero = "buffer 100 cells, buffer 300 cells, buffer 500 cells (0 throughout)"
    assert [axes.get_title(loc="left") for axes in shown.axes] == [zero, "buffer 200 cells", "buffer 400 cells"]
    columns: dict[str, Any] = {column: np.array([row[column] for row in own]) for column in own[0]}
    table = Table(columns | {"control": ["gfc"] * len(own)}, UNITS | {"throughput_bps_ci95": "bit/s"})
    assert [panel.label.partition(":")[0] for panel in figures.of_experiment("", plot, table).panels] == [
        zero,
        "buffer 200 cells",
        "buffer 400 cells",
    ]


def test_a_control_has_one_colour_in_all_figures_of_a_study() -> None:
    numbers = catalog.paper("adsl-abr").series_numbers
    for names in (["no-control", "e2e-abr-er"], ["e2e-abr-er", "gfc", "no-control"]):
        plot = replace(Plot.read(PLOT | {"panel": [PANEL]}), numbers=numbers)
        assert plot.numbers_of(names) == [numbers[name] for name in names]
    # Names of which one is not known, or two have one colour, are numbered by their places.
    assert plot.numbers_of(["no-control", "unknown"]) == [0, 1]
    assert replace(plot, numbers={"a": 1, "b": 9}).numbers_of(["a", "b"]) == [0, 1]


@pytest.mark.parametrize("kind", ["line", "bar"])
def test_of_ten_series_no_two_look_alike_and_the_legend_covers_none(kind: str) -> None:
    shown = drawn(PLOT | {"kind": kind}, PANEL | {"line_at": 1e6, "line_label": "highest possible"}, series=10)
    (axes,) = shown.axes
    if kind == "bar":
        bars = [each[0] for each in axes.containers if isinstance(each, BarContainer)]
        looks = {(to_hex(bar.get_facecolor()), str(bar.get_hatch())) for bar in bars}
    else:
        lines = [line for line in axes.get_lines() if line.get_linestyle() != "None" and line.get_linestyle() != ":"]
        looks = {(to_hex(line.get_color()), str(line.get_linestyle())) for line in lines}
    assert len(looks) == 10
    shown.canvas.draw()
    box, beside = axes.get_window_extent(), shown.legends[0].get_window_extent()
    note = next(text for text in axes.texts if text.get_text() == "highest possible").get_window_extent()
    assert not any(one.overlaps(other) for one, other in itertools.combinations((box, beside, note), 2))
    assert box.width > 5 * shown.dpi
    assert beside.x1 < shown.bbox.x1
    assert beside.height < shown.bbox.height


def test_a_long_legend_takes_nothing_from_the_axes() -> None:
    short, long = (drawn(PLOT | {"by": by}, PANEL) for by in (["control"], ["control", "buffer_cells", "delay_s"]))
    for shown in (short, long):
        shown.canvas.draw()
    widths = [shown.axes[0].get_window_extent().width for shown in (short, long)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)


def texts(axes: Axes, which: str) -> list[str]:
    axis = getattr(axes, f"{which}axis")
    return [axis.get_offset_text().get_text(), *(label.get_text() for label in axis.get_ticklabels(which="both"))]


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_numbers_on_axes_have_no_exponents_and_no_offsets(scale: str) -> None:
    counted = [{"n": 2_000_000 + number, "queue": 2000.0 * number} for number in (1, 2, 9)]
    panel = {"y": "queue", "label": "queue", "scale": scale}
    plot = Plot.read({"x": "n", "x_label": "n", "by": [], "panel": [panel]})
    shown = figure.make(plot, "", counted, {"n": "1", "queue": "1"})
    shown.canvas.draw()
    found = [text for which in "xy" for text in texts(shown.axes[0], which) if text]
    assert len(found) >= 4
    assert not any(sign in text for text in found for sign in ("e", "10^", "+"))


def made_up(paper: Paper, experiment: Experiment) -> list[dict[str, Any]]:
    """Return rows of made-up values with the columns that an experiment draws, two for each panel."""
    plot = experiment.plot
    names = paper.names(experiment) | ({plot.x} if plot.kind == "bar" else set())
    columns = {plot.x, *plot.by, *(column for panel in plot.panels for column in (panel.y, panel.beside) if column)}
    return [
        {column: "name" if column in names else 2e6 * place for column in columns} | dict(panel.where)
        for panel in plot.panels
        for place in (1, 2)
    ]


@pytest.mark.parametrize("paper", [catalog.paper(name) for name in catalog.names()], ids=catalog.names())
def test_no_figure_of_a_study_shows_the_name_of_a_column_or_a_unit_without_its_prefix(paper: Paper) -> None:
    for experiment in paper.experiments.values():
        own = made_up(paper, experiment)
        units = {column: "" if column in paper.names(experiment) else unit(column) for column in own[0]}
        shown = figure.make(experiment.plot, experiment.says, own, units)
        words = [*legend(shown), *(label for axes in shown.axes for label in (axes.get_xlabel(), axes.get_ylabel()))]
        assert not [text for text in words if "_" in text or "[bit/s]" in text or " bit/s" in text], experiment.id


def test_a_panel_of_the_report_has_the_rows_that_it_asks_for_as_the_static_figure_has() -> None:
    own = [row | {"throughput_bps_ci95": 0.0} for row in rows(2)]
    panels = [PANEL | {"where": {"buffer_cells": buffer}} for buffer in (100, 200)]
    plot = Plot.read(PLOT | {"by": ["control", "buffer_cells"], "panel": panels})
    columns: dict[str, Any] = {column: np.array([row[column] for row in own]) for column in own[0]}
    table = Table(columns | {"control": ["gfc"] * len(own)}, UNITS | {"throughput_bps_ci95": "bit/s"})
    page = figures.of_experiment("", plot, table)
    static = figure.make(plot, "", own, UNITS)
    assert page.x.label == static.axes[-1].get_xlabel() == "added delay [ms]"
    for panel, axes in zip(page.panels, static.axes, strict=True):
        assert [series.name for series in panel.series] == ["gfc"]
        assert panel.label == axes.get_ylabel().replace("\n", " ") == "TCP throughput of all [Mbit/s]"
        assert len(first_line(axes)) == 3
    assert page.panels[0].series[0].x != page.panels[1].series[0].x


def test_time_and_traces_in_a_notebook_have_units_and_ten_of_them_ten_looks() -> None:
    columns: dict[str, Any] = {"time_s": np.array([0.0, 0.02])}
    columns |= {f"links.l{number}.rate_bps": np.array([1e6, 2e6]) for number in range(10)}
    units = {name: "s" if name == "time_s" else "bit/s" for name in columns}
    (axes,) = notebook.traces_figure({"probe": (columns, units)}).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("time [ms]", "line rate [Mbit/s]")
    assert first_line(axes) == pytest.approx(np.array([[0, 1], [20, 2]]))
    assert len({(line.get_color(), line.get_linestyle()) for line in axes.get_lines()}) == 10


def test_the_terminal_shows_the_table_in_the_units_of_the_figure(cli: Command, tmp_path: Path) -> None:
    done = cli("reproduce", "abr-vbr/tab01", "--quick", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    shown = " ".join((done.stdout + done.stderr).split())
    assert "TCP throughput [Mbit/s]; across: buffer of each source" in shown
    assert " 1000 cells " in shown
