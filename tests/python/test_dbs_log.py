"""The log of each write and read of a measurement, and intervals that are chosen after it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import browser, needs_browser, opened
from celltrain import dbs
from celltrain.dbs.rates import ENDS, Log, NoLogError, notes
from celltrain.dbs.result import COMPACT
from celltrain.table import Table
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser

MS = 1_000_000

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
duration = "420 ms"
connections = 2
write = "1000 bytes"
both_ways = true
pattern = { rate = "8 Mbit/s" }
[flows.voice]
from = "b"
to = "a"
protocol = "udp"
duration = "500 ms"
write = "160 bytes"
pattern = { every = "20 ms" }
[flows.fixed]
from = "a"
to = "b"
bytes = "300 kB"
duration = "2 s"
[probes.ping]
from = "a"
to = "b"
every = "50 ms"
duration = "500 ms"
"""

#: A log of 64 entries: 48 of one write each, then 16 for the rest of the time.
SHORT = """
[measure]
log = 64
[hosts]
a = {}
b = {}
[flows.up]
from = "a"
to = "b"
duration = "500 ms"
write = "1000 bytes"
pattern = { every = "5 ms" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a measurement by daemons of this machine."""
    folder = tmp_path_factory.mktemp("logged") / "lab"
    result = dbs.run(dbs.Plan.from_toml(PLAN), out=folder)
    assert result.is_complete, list(result.tables["missing"].rows())
    return folder


@pytest.fixture(scope="module")
def measured(folder: Path) -> dbs.Measurement:
    return dbs.read(folder)


def own(table: Any, row: dict[str, Any]) -> list[dict[str, Any]]:  # noqa: ANN401 - a table
    """Return the rows of a table about the connection of another row."""
    names = ("repetition", "flow", "from", "to", "connection")
    return [each for each in table.rows() if all(each[name] == row[name] for name in names)]


def test_each_end_of_each_connection_has_a_log_of_all_its_octets(measured: dbs.Measurement) -> None:
    entries = measured.tables["log_entries"]
    flows = list(measured.tables["flows"].rows())
    # Two repetitions of four connections of `up` and its reverse, one of `voice` and one of `fixed`.
    assert len(flows) == 2 * 6
    for flow in flows:
        logs = own(measured.tables["logs"], flow)
        assert [log["end"] for log in logs] == ["sender", "receiver"]
        for log in logs:
            chosen = (entries["repetition"] == log["repetition"]) & (entries["log"] == log["log"])
            assert log["state"] == "complete"
            assert np.isnan(log["exact_until_s"])
            assert np.isnan(log["coarse_s"])
            assert chosen.sum() == log["entries"] == log["operations"]
            assert entries["entry_bytes"][chosen].sum() == log["logged_bytes"] == flow[ENDS[log["end"]]]
            assert (np.diff(entries["time_ns"][chosen]) >= 0).all()


def test_a_datagram_each_20_ms_is_an_entry_each_20_ms(measured: dbs.Measurement) -> None:
    entries = measured.tables["log_entries"]
    for row in measured.tables["logs"].rows():
        if (row["flow"], row["end"]) == ("voice", "sender"):
            chosen = (entries["repetition"] == row["repetition"]) & (entries["log"] == row["log"])
            assert (entries["entry_bytes"][chosen] == 160).all()
            assert len(entries["time_ns"][chosen]) == 25
            # A sender may be late on a busy machine, but never early.
            assert (entries["time_ns"][chosen] >= 20 * MS * np.arange(25)).all()


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("every", ["1 ms", "7.3ms", "100 ms", "1 h"])
def test_intervals_of_any_length_hold_every_octet(measured: dbs.Measurement, end: str, every: str) -> None:
    rates = dbs.throughput(measured, every, end)
    for flow in measured.tables["flows"].rows():
        assert sum(row[ENDS[end]] for row in own(rates, flow)) == flow[ENDS[end]]


def test_intervals_of_the_plan_are_those_that_were_recorded(measured: dbs.Measurement) -> None:
    rates = dbs.throughput(measured, "50 ms")
    for flow in measured.tables["flows"].rows():
        computed, recorded = own(rates, flow), own(measured.tables["intervals"], flow)
        for one, other in zip(computed, recorded, strict=True):
            assert one["received_bytes"] == other["received_bytes"]
            assert one["time_s"] == pytest.approx(other["time_s"], abs=1e-9)
            assert one["throughput_bps"] == pytest.approx(other["throughput_bps"])


logs = st.lists(st.tuples(st.integers(0, 40), st.integers(1, 10**9)), max_size=60)


@given(logs, st.integers(1, 50), st.integers(0, 300), st.integers(1, 300), st.integers(0, 600))
def test_each_octet_is_in_the_interval_of_its_time(
    steps: list[tuple[int, int]], every: int, start: int, duration: int, until: int
) -> None:
    times = np.cumsum([step for step, _ in steps], dtype=np.int64)
    octets = np.array([size for _, size in steps], dtype=np.int64)
    log = Log({}, times, octets, start, start + duration, min(until, start + duration))
    ends, sums = log.intervals(every)
    assert sums.sum() == octets.sum()
    whole = start + every * np.arange(1, len(sums) + 1)
    cut = (whole - every < start + duration) & (start + duration < whole)
    assert (ends == np.where(cut, start + duration, whole)).all()
    for index, last in enumerate(whole):
        first = -1 if index == 0 else last - every
        assert sums[index] == octets[(times >= first) & (times < last)].sum()
    # They go on to the end of the time that was measured, or to the last octet after it; early ones need one interval.
    beyond = max(min(until, start + duration), max(times[-1], start) + 1 if len(times) else 0)
    assert len(sums) == max(0, -((start - beyond) // every))


@given(logs, st.integers(1, 50), st.integers(2, 9))
def test_long_intervals_are_sums_of_short_ones(steps: list[tuple[int, int]], every: int, times: int) -> None:
    at = np.cumsum([step for step, _ in steps], dtype=np.int64)
    log = Log({}, at, np.array([size for _, size in steps], dtype=np.int64), 0, 10**6, 0)
    short, long = log.intervals(every)[1], log.intervals(every * times)[1]
    padded = np.pad(short, (0, len(long) * times - len(short)))
    assert (padded.reshape(-1, times).sum(axis=1) == long).all()


def test_octets_of_a_week_at_the_highest_rates_do_not_overflow(measured: dbs.Measurement) -> None:
    entries = measured.tables["log_entries"]
    large = Table(entries.columns | {"entry_bytes": np.full(len(entries), 10**12)}, entries.units)
    grown = dbs.Measurement(measured.tables | {"log_entries": large}, measured.provenance)
    rates = dbs.throughput(grown, "168 h")
    # 25 datagrams, each of 10^12 octets, in the half second of the flow.
    voice = [row["throughput_bps"] for row in rates.rows() if row["flow"] == "voice"]
    assert voice == pytest.approx([25 * 8e12 / 0.5] * 2)


def test_a_full_log_becomes_coarse_says_since_when_and_leaves_nothing_out(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(SHORT)
    done = cli("dbs", "run", "plan.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    # 48 writes at 0, 5, ..., 235 ms; the next one is at 240 ms. The remaining time, 6 s longer than the flow, is in 16
    # entries.
    assert "log of the sender, up (1) a → b, repetition 1: each operation up to 24" in said
    result = dbs.read(tmp_path / "out")
    row: dict[str, Any] = next(each for each in result.tables["logs"].rows() if each["end"] == "sender")
    assert row["exact_until_s"] == pytest.approx(0.24, abs=0.05)
    assert row["coarse_s"] == pytest.approx((6.5 - row["exact_until_s"]) / 16, abs=1e-6)
    assert row["entries"] < row["operations"] == 100
    assert row["logged_bytes"] == 100_000
    assert dbs.throughput(result, "10 ms", "sender")["sent_bytes"].sum() == 100_000
    fine = dbs.throughput(result, "5 ms", "sender")["sent_bytes"][:40]
    assert fine.sum() == pytest.approx(40_000, abs=5_000)
    assert len(list(notes(result))) == 2


def test_view_draws_intervals_of_any_length_and_both_ends(cli: Command, folder: Path) -> None:
    done = cli("dbs", "view", folder, "--every", "100ms", "--out", "page.html")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "throughput" in lines
    assert "written" in lines
    assert max(map(len, lines[lines.index("throughput") :])) <= 80
    plain = cli("dbs", "view", folder, "--out", "plain.html").stdout.splitlines()
    assert "written" not in plain


@pytest.mark.parametrize(
    ("every", "why"),
    [
        ("5", "expected a"),
        ("1 ns", "expected an interval of 1 us to 168 h, found 1 ns"),
        ("5 mS", "mS"),
        ("0 s", "found 0 s"),
        ("169 h", "found 169 h"),
        ("1us", "choose longer ones"),
    ],
)
def test_an_interval_that_is_none_or_too_short_is_refused(cli: Command, folder: Path, every: str, why: str) -> None:
    done = cli("dbs", "view", folder, f"--every={every}", "--out", "page.html")
    assert done.returncode == 2
    assert why in " ".join(done.stderr.split())


def without_log(folder: Path, target: Path) -> Path:
    """Make of a measurement what older versions wrote."""
    target.mkdir()
    for file in folder.iterdir():
        if not file.name.startswith("log"):
            (target / file.name).write_bytes(file.read_bytes())
    provenance = json.loads((folder / "provenance.json").read_text())
    del provenance["plan"]["measure"]["log"], provenance["units"]["logs"], provenance["units"]["log_entries"]
    provenance["celltrain"] = "0.0.1"
    # Older versions wrote no checksum of it.
    del provenance["sha256"]
    (target / "provenance.json").write_text(json.dumps(provenance))
    return target


def test_older_results_open_and_say_what_to_do_for_other_intervals(cli: Command, folder: Path, tmp_path: Path) -> None:
    old = without_log(folder, tmp_path / "old")
    done = cli("dbs", "view", old)
    assert done.returncode == 0, done.stderr
    assert 'class="intervals"' not in (old / "report.html").read_text()
    done = cli("dbs", "view", old, "--every", "100ms")
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "--every 100ms" in said
    assert "measured by celltrain 0.0.1 without a log of writes and reads: measure again with this version" in said
    assert "recorded intervals of 50 ms" in said


def test_a_plan_without_logs_has_none_and_says_so(tmp_path: Path) -> None:
    result = dbs.run(dbs.Plan.from_toml(SHORT.replace("log = 64", "log = 0")), out=tmp_path)
    assert result.is_complete
    assert len(result.tables["logs"]) == len(result.tables["log_entries"]) == 0
    with pytest.raises(NoLogError, match=r"`measure\.log` = 0"):
        dbs.throughput(dbs.read(tmp_path), "10 ms")


@pytest.mark.parametrize("log", [1, 63, 10_000_001])
def test_a_log_of_another_length_is_refused(log: int) -> None:
    with pytest.raises(ValueError, match=r"measure\.log: expected 64 to 10000000, found .*; 0 for no log"):
        dbs.Plan.from_toml(SHORT.replace("log = 64", f"log = {log}"))


def test_entries_of_logs_are_stored_as_parquet_and_printed_on_request(
    cli: Command, folder: Path, measured: dbs.Measurement, tmp_path: Path
) -> None:
    assert (folder / "logs.csv").exists()
    for table in COMPACT:
        assert (folder / f"{table}.parquet").exists()
        assert not (folder / f"{table}.csv").exists()
    # A time and octets: CSV would take some 30 octets.
    entries = len(measured.tables["log_entries"])
    assert (folder / "log_entries.parquet").stat().st_size < 10 * entries + 4_000
    (tmp_path / "plan.toml").write_text(SHORT)
    done = cli("dbs", "run", "plan.toml", "--json", "--columns", "log_entries.entry_bytes,logs.entries")
    tables = json.loads(done.stdout)["tables"]
    assert len(tables["log_entries"]) == sum(row["entries"] for row in tables["logs"])
    done = cli("dbs", "run", "plan.toml", "--json")
    assert "log_entries" not in json.loads(done.stdout)["tables"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    yield from browser()


@needs_browser
@pytest.mark.parametrize("every", [None, "100ms"])
def test_the_page_offers_intervals_and_a_window(
    chromium: Browser, cli: Command, folder: Path, measured: dbs.Measurement, tmp_path: Path, every: str | None
) -> None:
    file = tmp_path / "page.html"
    chosen = ("--every", every) if every else ()
    assert cli("dbs", "view", folder, "--out", file, *chosen).returncode == 0
    seen = opened(chromium, file)
    page = seen.page
    page.locator("figure").first.scroll_into_view_if_needed()
    page.wait_for_selector("figure.drawn .intervals:not([hidden])")
    field = page.locator("figure").first.locator(".every")
    assert float(field.input_value()) == (100 if every else 50)
    field.fill("7.3")
    field.press("Enter")
    rates = dbs.throughput(measured, "7.3 ms")
    flows = [row for row in measured.tables["flows"].rows() if row["repetition"] == 1]
    for flow in flows:
        number = f" ({flow['connection']})" if str(flow["flow"]).startswith("up") else ""
        name = f"{flow['flow']}{number} {flow['from']} → {flow['to']}"
        drawn = page.evaluate(
            "(name) => { const {x, y} = views[0].panels[0].series.find((each) => each.name === name);"
            " return [Array.from(x), Array.from(y)]; }",
            name,
        )
        computed = own(rates, flow)
        assert drawn[0][1:] == pytest.approx([row["time_s"] for row in computed])
        assert drawn[1][:-1] == pytest.approx([row["throughput_bps"] for row in computed])
    # Parallel connections are still added up, and other panels are as they were.
    both, one, two = (
        page.evaluate("(name) => Array.from(views[0].panels[0].series.find((each) => each.name === name).y)", name)
        for name in ("up a → b, all 2", "up (1) a → b", "up (2) a → b")
    )
    assert both == pytest.approx([first + second for first, second in zip(one, two, strict=False)])
    # A window is the same for all panels, and the throughput in it comes from the log.
    page.locator("figure").first.locator(".low").fill("0.2")
    page.locator("figure").first.locator(".high").fill("0.4")
    page.locator("figure").first.locator(".high").press("Enter")
    assert page.evaluate("views[0].window") == [0.2, 0.4]
    entries = measured.tables["log_entries"]
    row = next(
        each
        for each in measured.tables["logs"].rows()
        if (each["repetition"], each["flow"], each["end"]) == (1, "voice", "receiver")
    )
    inside = (entries["log"] == row["log"]) & (entries["repetition"] == 1)
    inside &= (entries["time_ns"] >= 200 * MS) & (entries["time_ns"] < 400 * MS)
    octets = int(entries["entry_bytes"][inside].sum())
    means = page.locator("figure").first.locator(".means li").all_text_contents()
    assert any(text.startswith("voice b → a: ") and text.endswith(f", {octets} bytes") for text in means), means
    # A wrong length changes nothing.
    before = page.evaluate("views[0].panels[0].series[0].y.length")
    field.fill("0.00001")
    field.press("Enter")
    assert page.evaluate("views[0].panels[0].series[0].y.length") == before
    seen.expect_quiet(file)
    page.context.close()
