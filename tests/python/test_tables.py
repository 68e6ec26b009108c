"""Tables that commands print: whole words, 80 columns, four digits, and the same numbers in every format."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from celltrain.cli.console import BadInput
from celltrain.cli.grid import Cells, grid
from celltrain.cli.printing import How
from celltrain.cli.sheet import Column, Sheet
from celltrain.cli.sweep_table import of_comparison
from celltrain.figures import figures
from celltrain.sweeps import Metric
from celltrain.sweeps.headings import headings_of, short_keys
from celltrain.sweeps.summary import Comparison
from conftest import REPOSITORY, Command

THROUGHPUT = "flows.throughput_bps"
LONG = "links.up.control.threshold"


def text_of(columns: list[Cells], width: int, keys: int = 1) -> list[str]:
    return ["".join(text for text, _ in line) for line in grid(columns, width, keys)]


# ---- layout


def test_headings_are_broken_between_words_and_after_the_dots_of_keys() -> None:
    columns = [Cells(LONG, ["64 cells"]), Cells("max longest queue [cells]", ["456"], right=True)]
    assert text_of(columns, 30) == [
        "links.up.  max longest",
        "control.         queue",
        "threshold      [cells]",
        "──────────────────────",
        "64 cells           456",
    ]


def test_no_word_is_broken_whatever_the_width() -> None:
    names = ["bridged-vc-mux-fcs", "vc-mux"]
    columns = [
        Cells("encapsulation", names),
        *(Cells(f"cell loss ratio {number}", ["255 ± 27", "1"], right=True) for number in range(4)),
        Cells("why", ["nothing inspects its cells on their way", ""], wraps=True),
    ]
    whole = "encapsulation cell loss ratio 0 1 2 3 255 ± 27 why nothing inspects its cells on their way"
    for width in range(10, 120):
        lines = text_of(columns, width)
        words = set(" ".join(line for line in lines if "─" not in line).split())
        assert words == {*names, *whole.split()}


def test_columns_without_room_continue_below_after_the_keys() -> None:
    columns = [Cells("link", ["up", "down"]), *(Cells(name * 8, ["1", "2"], right=True) for name in "abc")]
    lines = text_of(columns, 26)
    assert lines[0].split() == ["link", "a" * 8, "b" * 8]
    assert lines[5].split() == ["link", "c" * 8]
    assert [line.split() for line in lines[7:]] == [["up", "1"], ["down", "2"]]
    assert max(map(len, lines)) <= 26


def test_lines_have_no_spaces_at_their_ends() -> None:
    columns = [Cells("a", ["long text", "x"]), Cells("", ["", "of 3"])]
    assert all(line == line.rstrip() for line in text_of(columns, 80))


# ---- numbers


@pytest.mark.parametrize(
    ("values", "unit", "name", "texts", "shown"),
    [
        ([275432.1, 268099.9], "bit/s", "throughput_bps", ["275.4", "268.1"], "kbit/s"),
        ([8e6, 608_812.3], "bit/s", "mean_rate_bps", ["8", "0.6088"], "Mbit/s"),
        ([0.996, 0.000373], "1", "utilization", ["99.6", "0.0373"], "%"),
        ([0.99982, 0.5], "1", "jain_index", ["0.9998", "0.5000"], ""),
        ([1279600.0, 1280400.0], "bit/s", "x_bps", ["1.280", "1.280"], "Mbit/s"),
        ([1.5, 2.5], "s", "rtt_s", ["1.5", "2.5"], "s"),
        ([0.99996, 0.0], "1", "utilization", ["100.0", "0"], "%"),
        ([1234567, 3], "cells", "cells_sent", ["1234567", "3"], "cells"),
        ([-0.0, None], "s", "rtt_mean_s", ["0", "-"], "s"),
        ([-0.00001, 1.5], "1", "x", ["-1e-05", "1.5"], ""),
    ],
)
def test_numbers_have_four_significant_digits_and_a_column_one_unit(
    values: list[float | None], unit: str, name: str, texts: list[str], shown: str
) -> None:
    assert figures(values, unit, name) == (texts, shown)


# ---- sheets


def sheet() -> Sheet:
    return Sheet(
        "links",
        [
            Column("link", ["a", "b", "c"]),
            Column("buffer", ["1 s", "20 ms", "x"]),
            Column("queue_max_cells", [5, None, 90], "longest queue", "cells"),
        ],
    )


def test_rows_are_sorted_by_amounts_with_missing_values_last(capsys: pytest.CaptureFixture[str]) -> None:
    orders = {"queue_max_cells": "acb", "-links.queue_max_cells": "cab", "buffer": "bac", "-link": "cba"}
    for sort, order in orders.items():
        How("csv", sort).show(sheet())
        rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
        assert "".join(row["link"] for row in rows) == order


def test_columns_are_chosen_and_unknown_ones_refused(capsys: pytest.CaptureFixture[str]) -> None:
    How("csv", columns=("queue_max_cells", "link")).show(sheet())
    assert capsys.readouterr().out.splitlines()[:2] == ["queue_max_cells,link", "5,a"]
    with pytest.raises(BadInput, match="no column 'queue_max'; did you mean \"queue_max_cells\""):
        How(sort="queue_max").show(sheet())
    with pytest.raises(BadInput, match="--columns: there is no column 'speed'"):
        How(columns=("speed",)).check(["links.link"])


def test_the_end_of_a_name_is_enough_if_no_other_has_it() -> None:
    columns = [Column(name, [1]) for name in ("links.up.delay", "links.up.rate", "links.down.rate")]
    found = [Sheet("", columns).column(name) for name in ("delay", "up.rate", "rate", "elay")]
    assert [each.name if each else None for each in found] == ["links.up.delay", "links.up.rate", None, None]


def test_both_sides_of_a_comparison_have_one_unit() -> None:
    found = [Comparison({"k": 1}, 6.806e6, 31280.0, -6.77472e6, 788.0, "paired", 5, 0.0, 0.0)]
    shown = {
        each.heading: list(each.texts or ()) for each in of_comparison(Metric.parse(THROUGHPUT), found, "bit/s").columns
    }
    assert (shown["first"], shown["second"]) == (["6.806"], ["0.03128"])


def test_markdown_has_the_units_and_escapes_bars(capsys: pytest.CaptureFixture[str]) -> None:
    How("md").show(Sheet("", [Column("name", ["a|b"]), Column("rtt_s", [0.02], "RTT", "s")]))
    assert capsys.readouterr().out.splitlines() == ["| name | RTT [ms] |", "| --- | ---: |", "| a\\|b | 20 |"]


def test_keys_and_metrics_have_short_headings_that_tell_them_apart() -> None:
    assert short_keys([LONG, "hosts.P.count"]) == {LONG: "control.threshold", "hosts.P.count": "P.count"}
    metrics = [Metric.parse(text) for text in ("max(links[up].queue_max_cells)", "flows.rtt_mean_s")]
    assert list(headings_of(metrics).values()) == ["max longest queue up", "mean RTT"]
    both = [Metric.parse(text) for text in ("flows[ a].rtt_mean_s", "flows[a].rtt_mean_s")]
    assert list(headings_of(both).values()) == [metric.text for metric in both]


# ---- commands


def in_terminal(folder: Path, *arguments: str) -> list[str]:
    """Run a command in a terminal of 80 columns; return the lines of stdout without colours."""
    master, slave = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    done = subprocess.Popen(
        [sys.executable, "-m", "celltrain", *arguments],
        cwd=folder,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        env=environment | {"TERM": "xterm"},
    )
    os.close(slave)
    read = b""
    while True:
        try:
            octets = os.read(master, 4096)
        except OSError:
            break
        if not octets:
            break
        read += octets
    os.close(master)
    assert done.wait(60) == 0
    return re.sub(r"\x1b\[[0-9;]*m", "", read.decode()).splitlines()


EXAMPLE = str(REPOSITORY / "examples" / "adsl.toml")


def test_a_terminal_of_80_columns_and_a_pipe_show_the_same_whole_words(cli: Command, tmp_path: Path) -> None:
    settings = ["--set", f"{LONG}=64 cells,256 cells", "--set", "links.up.rate.every=10 ms,1 s"]
    done = cli("sweep", EXAMPLE, *settings, "--replications", "2", "--out", "out")
    assert done.returncode == 0, done.stderr
    for arguments in (["results", "out"], ["effects", "out"], ["overhead"], ["columns"], ["run", EXAMPLE]):
        piped = cli(*arguments).stdout.splitlines()
        shown = in_terminal(tmp_path, *arguments)
        assert max(map(len, shown)) <= 80, arguments
        assert [line.rstrip() for line in shown] == piped or arguments[0] == "columns", arguments
        assert not [line for line in shown if "…" in line], arguments
    table = cli("results", "out").stdout
    assert f"control.threshold is {LONG}" in table
    assert "threshold" in table.splitlines()[1]


def test_every_format_has_the_same_numbers(cli: Command, line_file: Path) -> None:
    plain = json.loads(cli("run", line_file, "--format", "json").stdout)["tables"]["flows"]
    rows = list(csv.DictReader(io.StringIO(cli("run", line_file, "--columns", "flows", "--format", "csv").stdout)))
    assert [float(row["throughput_bps"]) for row in rows] == [row["throughput_bps"] for row in plain]
    text = cli("run", line_file, "--columns", "flows.flow,flows.throughput_bps", "--format", "md").stdout
    first = next(line for line in text.splitlines() if "upload1" in line).split("|")[2]
    assert float(first) == pytest.approx(plain[0]["throughput_bps"] / 1e6, rel=1e-3)


def test_json_is_sorted_and_has_the_chosen_columns(cli: Command) -> None:
    options = ["--sort", "-line_octets", "--columns", "encapsulation,line_octets", "--json"]
    rows = json.loads(cli("overhead", "40", "100", *options).stdout)
    assert list(rows[0]) == ["encapsulation", "line_octets"]
    assert [row["line_octets"] for row in rows] == sorted((row["line_octets"] for row in rows), reverse=True)


def test_several_tables_in_csv_have_their_names(cli: Command, line_file: Path) -> None:
    lines = cli("run", line_file, "--format", "csv").stdout.splitlines()
    assert [line for line in lines if line.startswith("#")] == ["# flows", "# fairness", "# links"]


def test_messages_stay_on_one_line_in_a_pipe(cli: Command, line_file: Path) -> None:
    for arguments in (["--set", "links.line.bufer=1"], ["--seed", "-1"], ["--columns", "flows.timeout"]):
        done = cli("run", line_file, *arguments)
        assert (done.returncode, len(done.stderr.splitlines())) == (2, 1), done.stderr
        assert done.stderr.startswith("error: ")


def test_a_column_to_sort_by_is_checked_before_the_run(cli: Command, line_file: Path) -> None:
    line_file.write_text(
        line_file.read_text().replace('duration = "3 s"', 'duration = "1000000 s"').split("[probes")[0]
    )
    done = cli("run", line_file, "--sort", "rtt_mean")
    assert (done.returncode, 'did you mean "rtt_mean_s"' in done.stderr) == (2, True), done.stderr


def test_every_command_with_a_result_prints_json(cli: Command, line_file: Path) -> None:
    shown = json.loads(cli("show", line_file, "--json").stdout)
    assert [route["name"] for route in shown["routes"]] == ["vc"]
    trace = json.loads(cli("trace", line_file, "line1", "--duration", "1 s", "--json").stdout)
    assert trace["opportunities_ms"] == sorted(trace["opportunities_ms"])
    assert cli("run", line_file, "--out", "out").returncode == 0
    report = json.loads(cli("report", "out", "--json").stdout)
    assert report["bytes"] == (line_file.parent / report["file"]).stat().st_size


def test_words_beside_tables_go_on_below_each_other_in_a_terminal_and_end_without_spaces_in_a_pipe(
    cli: Command, tmp_path: Path
) -> None:
    listed = in_terminal(tmp_path, "reproduce", "--list")
    (start,) = [number for number, line in enumerate(listed) if "abr-vbr/txt01 " in line]
    column = listed[start].index("Where the queue is")
    assert re.fullmatch(rf" {{{column}}}the switch under UBR", listed[start + 1])
    listed = cli("reproduce", "--list").stdout.splitlines()
    assert any(re.search(r"abr-vbr/txt01 .*Where the queue is.* under UBR$", line) for line in listed)
    narrow = ["reproduce", "abr-vbr/tab03", "-v", "--out", "out"]
    shown = in_terminal(tmp_path, *narrow)
    assert "largest ABR queue [cells]; across: feedback delay" in [it.strip() for it in shown]
    claims = [line for line in cli(*narrow).stdout.splitlines() if "Sect." in line or "v(" in line]
    assert claims
    assert claims == [line.rstrip() for line in claims]
