"""The output of a measurement: tables in files, a drawing in the terminal, and a page in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from browser import browser, needs_browser, opened
from celltrain import dbs
from celltrain.dbs.series import quantities
from celltrain.dbs.view import draw
from celltrain.sparkline import WIDTH, sparkline
from conftest import Command
from playwright.sync_api import Browser

PLAN = """
[measure]
interval = "50 ms"
tcp_info = "50 ms"
repetitions = 2
pause = "0 s"
[hosts]
a = {}
b = {}
[flows.up]
from = "a"
to = "b"
start = "100 ms"
duration = "500 ms"
connections = 2
write = "1000 bytes"
pattern = { rate = "8 Mbit/s" }
[flows.voice]
from = "b"
to = "a"
protocol = "udp"
duration = "500 ms"
write = "160 bytes"
pattern = { every = "20 ms" }
[probes.ping]
from = "a"
to = "b"
every = "20 ms"
duration = "500 ms"
"""
TITLES = ["throughput", "sequence", "RTT", "window", "sent again", "one-way delay", "jitter", "lost"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a measurement of everything that can be drawn."""
    folder = tmp_path_factory.mktemp("measurement") / "lab"
    result = dbs.run(dbs.Plan.from_toml(PLAN), out=folder)
    assert result.is_complete, list(result.tables["missing"].rows())
    return folder


@pytest.fixture(scope="module")
def measured(folder: Path) -> dbs.Measurement:
    return dbs.read(folder)


def test_parquet_has_the_tables_of_the_csv_files_with_units(folder: Path, measured: dbs.Measurement) -> None:
    for name, table in measured.tables.items():
        stored = pq.read_table(folder / f"{name}.parquet")
        assert stored.column_names == list(table.columns)
        for column in table:
            found = stored[column].to_pylist()
            assert stored.schema.field(column).metadata[b"unit"].decode() == table.units[column]
            known = [None if isinstance(value, float) and np.isnan(value) else value for value in table[column]]
            assert found == known


def test_every_quantity_is_drawn_and_nothing_else(measured: dbs.Measurement) -> None:
    assert [quantity.title for quantity in quantities(measured.tables, 1)] == TITLES
    assert quantities(measured.tables, 3) == []


def test_the_sequence_of_a_connection_ends_with_all_its_octets(measured: dbs.Measurement) -> None:
    sequence = next(each for each in quantities(measured.tables, 2) if each.title == "sequence")
    received = {line.of: line for line in sequence.lines if line.what == "received"}
    for row in measured.tables["flows"].rows():
        number = f" ({row['connection']:.0f})" if row["flow"] == "up" else ""
        if row["repetition"] == 2:
            line = received[f"{row['flow']}{number} {row['from']} → {row['to']}"]
            assert line.values[-1] == row["received_bytes"]
            assert line.times[0] == row["start_s"]
    for line in sequence.lines:
        assert (np.diff(line.values) >= 0).all(), line.name
    # The kernel also counts the 28 octets of the greeting; unacknowledged data were sent.
    sent, acknowledged = (
        next(line.values for line in sequence.lines if line.what == what) for what in ("sent", "acknowledged")
    )
    # Acknowledgments of the connection's SYN and FIN count as one octet each.
    assert (sent + 2 >= acknowledged).all()


def test_parallel_connections_are_added_up(measured: dbs.Measurement) -> None:
    throughput = quantities(measured.tables, 1)[0].lines
    assert [line.name for line in throughput[:3]] == ["up a → b, all 2", "up (1) a → b", "up (2) a → b"]
    length = len(throughput[0].values)
    np.testing.assert_allclose(throughput[0].values, throughput[1].values[:length] + throughput[2].values[:length])
    # From the start of the flow; on a busy machine late data arrive after its end.
    assert throughput[0].times[0] == 0.1
    assert throughput[0].times[-1] > 0.6 - 1e-9


def test_a_drawing_fits_80_columns_and_says_least_and_greatest(measured: dbs.Measurement) -> None:
    lines = list(draw(measured))
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line in TITLES] == TITLES
    assert "  voice b → a: always 0 datagrams" in lines


def test_what_was_not_measured_is_blank() -> None:
    bars = sparkline(np.array([1.0, 2.0]), np.array([5.0, 5.0]), 4.0, holds=True)
    quarter = WIDTH // 4
    assert bars == " " * quarter + "█" * quarter + " " * 2 * quarter


def test_view_draws_here_and_writes_the_page(cli: Command, folder: Path, tmp_path: Path) -> None:
    done = cli("dbs", "view", folder, "--out", "page.html", "--repetition", "2")
    assert done.returncode == 0, done.stderr
    assert "one-way delay" in done.stdout
    assert "wrote page.html" in done.stderr
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")
    assert not (folder / "report.html").exists()
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_report_makes_the_same_page_as_view(cli: Command, folder: Path, tmp_path: Path) -> None:
    assert cli("report", folder, "--out", "one.html").returncode == 0
    assert cli("dbs", "view", folder, "--out", "other.html").returncode == 0
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "other.html").read_bytes()


def test_a_repetition_that_is_not_there_is_said(cli: Command, folder: Path) -> None:
    done = cli("dbs", "view", folder, "--repetition", "3")
    assert done.returncode == 2
    assert "has 2" in done.stderr


@pytest.mark.parametrize("command", [("dbs", "view"), ("report",)])
@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("provenance.json", "{", "not"),
        ("provenance.json", "{}", "not the output of `celltrain dbs run`: 'units'"),
        ("intervals.parquet", "", "intervals.parquet"),
        ("intervals.parquet", "no table", "intervals.parquet"),
    ],
)
def test_a_broken_folder_is_one_clear_message(
    cli: Command, folder: Path, tmp_path: Path, command: tuple[str, ...], file: str, text: str, why: str
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    for part in folder.iterdir():
        (broken / part.name).write_bytes(part.read_bytes())
    (broken / file).write_text(text)
    done = cli(*command, "broken")
    assert done.returncode == 2
    assert why in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
    assert not (broken / "report.html").exists()


def test_what_is_missing_is_on_the_page(cli: Command, tmp_path: Path) -> None:
    plan = PLAN.replace("b = {}", 'b = { netns = "no-such-namespace", address = "127.0.0.1" }')
    (tmp_path / "plan.toml").write_text(plan)
    assert cli("dbs", "run", "plan.toml", "--out", "out").returncode == 1
    assert cli("report", "out").returncode == 0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "parts are missing" in page
    assert "no-such-namespace" in page


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    yield from browser()


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_draws_all_panels_on_one_axis_and_asks_nothing_of_the_network(
    chromium: Browser, cli: Command, folder: Path, tmp_path: Path, scheme: str
) -> None:
    file = tmp_path / "page.html"
    assert cli("report", folder, "--out", file).returncode == 0
    seen = opened(chromium, file, scheme=scheme)
    page = seen.page
    for index in range(page.locator("figure").count()):
        page.locator("figure").nth(index).scroll_into_view_if_needed()
    page.wait_for_function("document.querySelectorAll('figure.drawn').length === 2")
    assert (
        page.evaluate("views.map((view) => view.panels.map((panel) => panel.spec.label.split(' [')[0]))")
        == [TITLES] * 2
    )
    # A zoom of one panel is a zoom of all panels of the repetition, and of no other.
    page.evaluate("views[0].zoom(0.2, 0.4)")
    windows = page.evaluate("views.map((view) => view.panels.map((panel) => panel.plot.scales.x.max))")
    assert windows[0] == [0.4] * len(TITLES)
    assert min(windows[1]) > 0.5
    # The values of a connection are those of the table.
    drawn = page.evaluate("Math.max(...views[0].panels[0].series.find((each) => each.name === 'voice b → a').y)")
    intervals = dbs.read(folder).tables["intervals"].rows()
    own = [row["throughput_bps"] for row in intervals if row["flow"] == "voice" and row["repetition"] == 1]
    assert drawn == pytest.approx(max(own))
    legend = page.locator("figure").first.locator(".legend button").first
    legend.click()
    assert legend.get_attribute("aria-pressed") == "false"
    seen.expect_quiet(file)
    page.context.close()
