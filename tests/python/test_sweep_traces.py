"""Sweeps over a folder of traces: found, named, checked before the first run, kept once."""

from __future__ import annotations

import csv
import json
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import celltrain
import pytest
from celltrain.stored import Damaged
from celltrain.sweeps import Design, DesignError, InvalidPoints, Replications, Sweep, SweepResults
from celltrain.sweeps.alignment import aligned
from celltrain.sweeps.design import listed_points
from conftest import Command, tables_of

FILE, VARIANT = "links.down.schedule.file", "flows.load.tcp.variant"
#: Rates in Mbit/s. Names out of order, and one that a pattern for CSV must not match.
RATES = {"walk.csv": 4, "bus.csv": 8}
#: A packet of 1500 octets on a line that counts only them; 1448 of them are data beside TCP with timestamps.
SHARE = 1448 / 1500

LINE = """
[measure]
warm_up = "1 s"
duration = "3 s"

[hosts]
server = {}
client = {}

[links.down]
from = "server"
to = "client"
delay = "10 ms"
frames = "raw-ip"
buffer = "60 packets"
schedule = { process = "csv", trace = "time_s,rate_mbps\\n0,1\\n" }

[links.up]
from = "client"
to = "server"
delay = "10 ms"

[vcs.path]
route = ["server", "client"]

[flows.load]
vc = "path"
tcp = { preset = "linux", variant = "cubic", mss = "1448 bytes", window = "1 MB" }
"""


def with_rate(rate: str) -> str:
    """Return the scenario with a rate in place of its schedule."""
    return re.sub("schedule = .*", f"rate = {rate}", LINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the working directory, with a scenario and a folder of traces."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traces").mkdir()
    for name, mbps in RATES.items():
        (tmp_path / "traces" / name).write_text(f"time_s,rate_mbps\n0,{mbps}\n")
    (tmp_path / "traces" / "README").write_text("Two lines.\n")
    (tmp_path / "line.toml").write_text(LINE)
    return tmp_path


def swept(folder: Path, values: list[str], key: str = FILE) -> Sweep:
    """Return a sweep over traces and two controllers."""
    grid = {key: values, VARIANT: ["cubic", "newreno"]}
    return Sweep(celltrain.load(folder / "line.toml"), Design(grid=grid), Replications(1))


def test_each_file_that_a_pattern_matches_is_a_point_with_the_rate_of_its_trace(folder: Path) -> None:
    results = swept(folder, ["traces/*.csv"]).run(folder / "out")
    assert results.points[FILE].to_pylist() == ["bus.csv", "bus.csv", "walk.csv", "walk.csv"]
    means = results.means("flows.throughput_bps", by=[FILE])
    for name, found in zip(means[FILE], means["flows.throughput_bps"], strict=True):
        # The line is nearly full: three seconds have the recovery from slow start, which costs some per cent.
        assert found == pytest.approx(RATES[name] * 1e6 * SHARE, rel=0.1)


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["traces"], ["README", "bus.csv", "walk.csv"]),
        (["traces/walk.csv", "traces/b*"], ["walk.csv", "bus.csv"]),
        (["traces/*.csv", "more/*"], ["traces/bus.csv", "traces/walk.csv", "more/bus.csv"]),
        (["**/*.csv"], ["more/bus.csv", "traces/bus.csv", "traces/walk.csv"]),
    ],
)
def test_folders_patterns_and_files_are_axes_and_equal_names_get_their_folder(
    folder: Path, values: list[str], names: list[str]
) -> None:
    if any("more" in name for name in names):
        (folder / "more").mkdir()
        (folder / "more" / "bus.csv").write_text("time_s,rate_mbps\n0,1\n")
    assert [str(value) for value in Design(grid={FILE: values}).grid[FILE]] == names


def test_a_schedule_takes_files_by_its_short_key_too(folder: Path) -> None:
    by_file = swept(folder, ["traces/*.csv"]).run(folder / "by-file")
    by_table = swept(folder, ["traces/*.csv"], "links.down.schedule").run(folder / "by-table")
    assert by_table.points["scenario_hash"].to_pylist() == by_file.points["scenario_hash"].to_pylist()
    assert by_table.keys == ["links.down.schedule", VARIANT]


def test_a_rate_follows_a_trace_of_mahimahi(folder: Path) -> None:
    # An opportunity a millisecond, for a packet of 1500 octets: 12 Mbit/s.
    (folder / "each-ms.mahi").write_text("1\n")
    key = "links.down.rate.file"
    design = Design(grid={key: ["*.mahi"], "links.down.rate.bin": ["10 ms"]})
    (folder / "line.toml").write_text(with_rate('"1 Mbit/s"'))
    results = Sweep(celltrain.load(folder / "line.toml"), design, Replications(1)).run(folder / "out")
    (found,) = results.means("flows.throughput_bps")["flows.throughput_bps"]
    assert found == pytest.approx(12e6 * SHARE, rel=0.1)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("traces/*.txt", "no file matches 'traces/*.txt'; looked in {}/traces"),
        ("none/*.csv", "no file matches 'none/*.csv'; looked in {}/none"),
        ("traces/bos.csv", "'traces/bos.csv': there is no such file; looked in {}/traces"),
    ],
)
def test_a_pattern_without_files_says_where_it_looked(folder: Path, value: str, says: str) -> None:
    with pytest.raises(DesignError) as caught:
        Design(grid={FILE: [value]})
    assert f"{FILE}: " in str(caught.value)
    assert says.format(folder.resolve()) in str(caught.value)


def test_a_bad_trace_is_found_before_the_first_run_with_its_file_and_line(folder: Path) -> None:
    (folder / "traces" / "bad.csv").write_text("time_s,rate_mbps\n0,4\n1,fast\n")
    with pytest.raises(InvalidPoints, match=r"2 of 6 points .*\n.*traces/bad\.csv: links\.down\.schedule.*line 3"):
        swept(folder, ["traces/*.csv"]).run(folder / "out", skip_invalid=False)
    assert not (folder / "out").exists()
    (folder / "traces" / "bad.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(DesignError, match=r"traces/bad\.csv:1:1: .*UTF-16"):
        swept(folder, ["traces/*.csv"]).run(folder / "out")


def test_a_process_that_reads_no_file_is_named(folder: Path) -> None:
    (folder / "line.toml").write_text(with_rate('{ process = "list", rates = [{ at = "0 s", rate = "1 Mbit/s" }] }'))
    with pytest.raises(DesignError, match=r"links\.down\.rate\.file: .*process = 'list'.*reads no file"):
        swept(folder, ["traces/*.csv"], "links.down.rate.file").run(folder / "out")
    with pytest.raises(DesignError, match=r"links\.down\.loss\.file: only schedule, rate, traffic read a file"):
        swept(folder, ["traces/*.csv"], "links.down.loss.file").run(folder / "out")


def test_listed_points_and_draws_name_files_too(folder: Path) -> None:
    rows = listed_points(f"{FILE},links.down.buffer\ntraces/bus.csv,20 packets\ntraces/walk.csv,40 packets\n", "a.csv")
    assert [str(row[FILE]) for row in Design(listed=rows).listed] == ["bus.csv", "walk.csv"]
    with pytest.raises(DesignError, match="matches several files"):
        Design(listed=[{FILE: "traces/*"}])


def test_other_processes_get_the_text_and_make_the_same_table(folder: Path) -> None:
    here = swept(folder, ["traces/*.csv"]).run(folder / "here")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        there = swept(folder, ["traces/*.csv"]).run(folder / "there", executor=executor)
    assert tables_of(folder / "there") == tables_of(folder / "here")
    assert here.counts() == there.counts()


def test_a_trace_is_kept_once_and_a_scenario_of_a_point_has_it_again(folder: Path) -> None:
    results = swept(folder, ["traces/*.csv"]).run(folder / "out")
    assert len(list((folder / "out" / "traces").iterdir())) == len(RATES)
    # Results do not need the files.
    for name in RATES:
        (folder / "traces" / name).unlink()
    again = SweepResults(folder / "out")
    scenario = again.scenario_of(3)
    assert scenario is not None
    assert scenario["links"]["down"]["schedule"]["trace"] == "time_s,rate_mbps\n0,4\n"
    assert celltrain.Scenario(scenario).hash == again.points["scenario_hash"][3].as_py()
    assert [dict(label)[FILE] for label in aligned(results, again).labels[0].values()] == again.points[FILE].to_pylist()
    damaged = next(iter((folder / "out" / "traces").iterdir()))
    damaged.write_bytes(damaged.read_bytes()[:-9])
    with pytest.raises(Damaged, match="traces/"):
        [SweepResults(folder / "out").scenario_of(point) for point in range(4)]


def test_the_command_expands_a_quoted_pattern_and_names_its_rows(folder: Path, cli: Command) -> None:
    done = cli(
        "sweep", folder / "line.toml", "--set", f"{FILE}=traces/*.csv", "--set", f"{VARIANT}=cubic,newreno",
        "--replications", "1", "--out", folder / "out", "--plot", folder / "plot.svg", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [row[FILE] for row in json.loads(done.stdout)] == ["bus.csv", "bus.csv", "walk.csv", "walk.csv"]
    assert "bus.csv" in (folder / "plot.svg").read_text()
    grouped = cli("results", folder / "out", "--by", FILE, "--export", folder / "means.csv")
    assert grouped.returncode == 0, grouped.stderr
    rows = csv.DictReader((folder / "means.csv").read_text().splitlines())
    assert [row[FILE] for row in rows] == ["bus.csv", "walk.csv"]
    empty = cli("sweep", folder / "line.toml", "--set", f"{FILE}=traces/*.mahi", "--out", folder / "none")
    assert (empty.returncode, (folder / "none").exists()) == (2, False)
    assert "looked in" in empty.stderr
