"""Files that are no recordings: one clear error with file and line, no traceback, and nothing written."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from celltrain.recordings import segments
from celltrain.recordings.convert import convert
from celltrain.recordings.formats import FORMATS
from celltrain.recordings.lines import BadRecording
from celltrain.recordings.segments import Options
from conftest import Command
from hypothesis import given
from hypothesis import strategies as st
from recording_files import DEFAULTS, NAMES
from test_recordings import LIGHT, PINGS, TEXTS

#: A recording of each format that is as it must be.
GOOD = {
    "csv": ("time_s,rate_mbps,delay_ms\n0,1,20\n1,2,30\n",),
    "mahimahi": ("5\n10\n",),
    "leo": ("5\n10\n", "20\n"),
    "cellreplay": ("5\n40\n", LIGHT),
    "netem-trace": (TEXTS,),
    "tc": ("tc qdisc add dev d root netem rate 1mbit\nsleep 1\n",),
    "ping": (PINGS,),
}
BAD = [
    ("csv", "", "line.csv:1: nothing; expected a header"),
    ("csv", "time_s,rate_mbps\n", "line.csv:2: nothing; expected a row at time 0"),
    ("csv", "time_s,rate\n0,1\n", 'line.csv:1: "rate"; no unit; expected one of rate_bps, rate_kbps'),
    ("csv", "time_s,speed_mbps\n0,1\n", 'line.csv:1: "speed_mbps"; unknown column; expected a header of time_s'),
    ("csv", "time_s,loss,packet_loss\n0,1,1\n", 'line.csv:1: "packet_loss"; a second column of the loss; expected one'),
    ("csv", "rate_mbps\n1\n", 'line.csv:1: "rate_mbps"; expected a column time_s, time_ms or time_us'),
    ("csv", "time_s\n1\n", "line.csv:1: .*expected a column of a rate, a delay or a loss"),
    ("csv", "time_s,rate_mbps\n0,-1\n", 'line.csv:2: "-1"; expected a rate in mbps'),
    ("csv", "time_s,rate_mbps\n0,nan\n", 'line.csv:2: "nan"; expected a rate in mbps'),
    ("csv", "time_s,rate_mbps\n0,1e300\n", 'line.csv:2: "1e300"; expected a rate in mbps'),
    ("csv", "time_s,rate_mbps\n0,1_000\n", 'line.csv:2: "1_000"; expected a rate in mbps'),
    ("csv", "time_s,rate_mbps\n0,1\n2,1\n1,1\n", 'line.csv:4: "1,1"; expected a time after that of the row before'),
    ("csv", "time_s,rate_mbps\n1,1\n", 'line.csv:2: "1,1"; expected time 0'),
    ("csv", "time_s,rate_mbps\n0,1\n1,\n", 'line.csv:3: ""; expected a rate in mbps'),
    ("csv", "time_s,rate_mbps\n0,1\n\n2,1\n", 'line.csv:3: ""; 1 fields; expected 2'),
    ("csv", "time_s,rate_mbps\n0,1,2\n", 'line.csv:2: "0,1,2"; 3 fields; expected 2'),
    ("csv", "time_s,rate_mbps\n0,0\n1,0\n", "the rate is always 0; expected a line that sends"),
    ("csv", "time_s,ip_rate_gbps\n0,400000\n", r"the rate from 0 ms on is 4.52267e\+14 bit/s; expected"),
    ("mahimahi", "", "line.trace:1: nothing; expected a whole number of milliseconds"),
    ("mahimahi", "0\n0\n", 'line.trace:2: "0"; expected a last line above 0'),
    ("mahimahi", "5\n-1\n", 'line.trace:2: "-1"; expected a whole number of milliseconds'),
    ("mahimahi", "5\n1.5\n", 'line.trace:2: "1.5"; expected a whole number'),
    ("mahimahi", "5\n4\n", 'line.trace:2: "4"; expected at least 5'),
    ("mahimahi", "5\n\n6\n", 'line.trace:2: ""; expected a whole number'),
    ("mahimahi", "5\n4294967296\n", 'line.trace:2: "4294967296"; expected a whole number of milliseconds, at most'),
    ("mahimahi", "9" * 70_000, "line.trace:1: a line of more than 65536 octets"),
    ("mahimahi", "5\n\x1b[31m\n", r'line.trace:2: "\\x1b\[31m"; expected'),
    ("leo", ("5\n", ""), "delay_1.txt:1: nothing; expected a one-way delay"),
    ("leo", ("5\n", "20\n-3\n"), 'delay_1.txt:2: "-3"; expected a one-way delay in whole milliseconds'),
    ("leo", ("5\n", "3600001\n"), "delay_1.txt:1: .*0 to 3600000"),
    ("leo", ("5\n4\n", "20\n"), 'bw_1.txt:2: "4"; expected at least 5'),
    ("cellreplay", ("5\n", "0 20 0\n9 20 0\n"), "light:3: nothing; expected at least 3 rows"),
    ("cellreplay", ("5\n", "0 20 0\n9 20 x\n"), 'light:2: "x"; expected whole milliseconds'),
    ("cellreplay", ("5\n", "0\n"), 'light:1: "0"; expected a base delay'),
    ("cellreplay", ("5\n", "3 20 0\n"), 'light:1: "3"; expected 0, the start'),
    (
        "cellreplay",
        ("5\n", "0 20 0\n9 20 0\n8 20 0\n"),
        'light:3: "8"; expected at least 9, the time of the row before',
    ),
    ("cellreplay", ("5\n", "0 20 0\n0 20 0\n0 20 0\n"), "the recording has no duration|light"),
    ("netem-trace", "", "rate.json:1: column 1: Expecting value; expected JSON"),
    ("netem-trace", "{", "rate.json:1: column 2: Expecting property name"),
    ("netem-trace", "[" * 100_000, "lists in lists without end"),
    ("netem-trace", "[]", 'rate.json: "\\[\\]"; expected a table with one type'),
    ("netem-trace", '{"SawtoothBwConfig":{}}', "SawtoothBwConfig: .*others draw random numbers"),
    ("netem-trace", '{"StaticRwndConfig":{}}', '"StaticRwndConfig"; expected static, repeated and trace'),
    ("netem-trace", '{"StaticBwConfig":{"duration":"1s"}}', "StaticBwConfig.bw: .*null.*; expected a rate such as"),
    ("netem-trace", '{"StaticBwConfig":{"bw":"-1Mbps"}}', 'StaticBwConfig.bw: "-1Mbps"; expected a rate'),
    (
        "netem-trace",
        '{"StaticBwConfig":{"bw":"1Mbps","duration":"soon"}}',
        '.duration: "soon"; expected a time such as',
    ),
    ("netem-trace", '{"StaticBwConfig":{"bw":"1Mbps","duration":"0s"}}', "no time passes in this trace"),
    ("netem-trace", '{"StaticLossConfig":{"loss":[2]}}', 'StaticLossConfig.loss: "\\[2\\]"; expected a list of prob'),
    ("netem-trace", '{"StaticLossConfig":{"loss":[NaN]}}', "expected a list of probabilities, 0 to 1"),
    ("netem-trace", '{"RepeatedBwPatternConfig":{"pattern":[],"count":9}}', "no time passes in this trace"),
    ("netem-trace", '{"RepeatedBwPatternConfig":{"pattern":[{}]}}', r"pattern\[0\]: .*expected a table with one type"),
    ("netem-trace", '{"RepeatedBwPatternConfig":{"pattern":3}}', "pattern: .*expected a list of traces"),
    ("netem-trace", '{"RepeatedBwPatternConfig":{"count":-1}}', "count: .*expected a whole number"),
    ("netem-trace", '{"TraceBwConfig":{"pattern":[["1ms"]]}}', r"TraceBwConfig.pattern\[0\]: .*expected a pair"),
    (
        "netem-trace",
        '{"RepeatedBwPatternConfig":{"count":1,"pattern":[{"RepeatedBwPatternConfig":{"pattern":[],"count":0}}]}}',
        "count: .*expected 1 or more",
    ),
    ("ping", "", "ping.txt:1: no reply; expected lines of ping -D"),
    ("ping", "64 bytes from h: icmp_seq=1 ttl=5 time=1 ms\n", "ping.txt:1: .*expected an instant in brackets"),
    ("ping", "[1.000000] 64 bytes from h: icmp_seq=1 ttl=5 time=-1 ms\n", 'ping.txt:1: "-1"; expected a round trip'),
    ("tc", "", "line.sh:1: no step; expected lines such as tc qdisc change"),
    ("tc", "sleep x\n", 'line.sh:1: "x"; expected a time such as 0.5'),
    ("tc", "sleep -1\n", 'line.sh:1: "-1"; expected a time such as 0.5'),
    ("tc", "rm -rf x\n", 'line.sh:1: "rm -rf x"; expected tc qdisc change dev DEVICE root netem'),
    ("tc", "tc qdisc add dev d root tbf rate 1mbit\n", "line.sh:1: .*expected add, change or replace, .*and netem"),
    ("tc", "tc qdisc add dev d root netem rate 5xbit\n", 'line.sh:1: "5xbit"; expected a rate such as 5mbit'),
    ("tc", "tc qdisc add dev d root netem rate 0\n", 'line.sh:1: "0"; expected a rate such as 5mbit, at least 8bit'),
    ("tc", "tc qdisc add dev d root netem delay -1ms\n", 'line.sh:1: "-1ms"; expected a time such as 20ms'),
    ("tc", "tc qdisc add dev d root netem delay\n", 'line.sh:1: ""; expected a time such as 20ms'),
    ("tc", "tc qdisc add dev d root netem loss 101%\n", 'line.sh:1: "101%"; expected a loss such as 1%'),
    ("tc", "tc qdisc add dev d root netem loss gemodel 1%\n", 'line.sh:1: "gemodel"; expected loss PERCENT'),
    ("tc", "tc qdisc add dev d root netem speed 1\n", 'line.sh:1: "speed"; expected options of netem: rate'),
    ("tc", "tc qdisc add dev d root netem rate 1mbit -1600\n", "line.sh:1: .*overhead that leaves octets"),
    (
        "tc",
        "1 tc qdisc add dev d root netem loss 1%\n0 tc qdisc add dev d root netem\n",
        'line.sh:2: "0"; expected a time',
    ),
    (
        "tc",
        "tc qdisc add dev d root netem\ntc qdisc add dev e root netem\n",
        'line.sh:2: "e"; expected the steps of one',
    ),
    ("tc", "tc qdisc add dev 'd root\n", "line.sh:1: .*expected closed quotes"),
    (
        "tc",
        "tc qdisc add dev d root netem\nsleep 1\ntc qdisc change dev d root netem rate 1mbit\nsleep 1\n",
        "steps without a rate before the first with one",
    ),
]


@pytest.mark.parametrize(("source", "texts", "message"), BAD)
def test_what_is_wrong_is_told_with_its_place(
    tmp_path: Path, source: str, texts: str | tuple[str, ...], message: str
) -> None:
    texts = (texts,) if isinstance(texts, str) else texts
    with pytest.raises(BadRecording, match=message):
        attempt(tmp_path, source, [text.encode() for text in texts])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(NAMES[source][: len(texts)])


def attempt(folder: Path, source: str, files: list[bytes], options: Options = DEFAULTS) -> None:
    paths = [folder / name for name in NAMES[source][: len(files)]]
    for path, octets in zip(paths, files, strict=True):
        path.write_bytes(octets)
    convert(paths, FORMATS[source], [folder / "out.csv"], FORMATS["csv"], options, replace=True)


@pytest.mark.parametrize("source", list(FORMATS))
@pytest.mark.parametrize(
    ("octets", "message"),
    [
        (b"\0\1\2\3", "it has a NUL"),
        (b"\xe9t\xe9\n", "not text in UTF-8: octet 0xe9|not a text file in UTF-8: octet 0xe9"),
        ("5\n".encode("utf-16"), "UTF-16|UTF-8"),
        (random.Random(1).randbytes(1000), "octet|NUL|UTF-8"),
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path: Path, source: str, octets: bytes, message: str) -> None:
    for index in range(len(GOOD[source])):
        files = [text.encode() for text in GOOD[source]]
        files[index] = octets
        with pytest.raises(BadRecording, match=message):
            attempt(tmp_path, source, files)
        assert not (tmp_path / "out.csv").exists()


@given(
    source=st.sampled_from(list(FORMATS)),
    changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255), st.booleans()), min_size=1, max_size=4),
)
def test_a_damaged_file_is_read_or_refused(
    source: str, changes: list[tuple[int, int, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    files = [bytearray(text.encode()) for text in GOOD[source]]
    for place, octet, replaces in changes:
        file = files[place % len(files)]
        at = place % (len(file) + 1)
        file[at : at + int(replaces)] = bytes([octet])
    try:
        attempt(folder, source, [bytes(file) for file in files])
    except BadRecording:
        is_read = False
    else:
        is_read = True
    # Whatever else is raised fails the test.
    assert [path.name for path in folder.glob("*out*")] == ["out.csv"] * is_read


#: Runs the command and says how much memory it took, in KiB. The system's `ru_maxrss` would count the tests from which
#: it was started.
LIMITED = r"""
import re, sys
from celltrain.cli import main
try:
    main(sys.argv[1:])
except SystemExit as done:
    print(done.code, re.search(r"VmHWM:\s+(\d+)", open("/proc/self/status").read())[1])
"""


def limited(*words: str | Path) -> tuple[str, int, int]:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "convert", *map(str, words)],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    code, memory = done.stdout.split()[-2:]
    return done.stdout + done.stderr, int(code), int(memory)


@pytest.mark.parametrize("source", list(FORMATS))
def test_a_gigabyte_that_is_no_recording_takes_little_memory(tmp_path: Path, source: str) -> None:
    paths = [tmp_path / name for name in NAMES[source][: len(GOOD[source])]]
    for path in paths:
        with path.open("wb") as file:
            file.truncate(1 << 30)
    said, code, memory = limited(*paths, "--from", source, "--out", tmp_path / "out")
    assert code == 2
    assert re.search("has a NUL|larger than 16 MiB", said), said
    assert memory < 128 << 10


def test_a_long_trace_is_read_in_parts(tmp_path: Path) -> None:
    trace = tmp_path / "long.trace"
    with trace.open("w") as file:
        for start in range(0, 2_000_000, 100_000):
            file.write("".join(f"{at // 8}\n" for at in range(start, start + 100_000)))
    said, code, memory = limited(trace, "--bin", "1 s", "--out", tmp_path / "out")
    assert (code, "format: mahimahi" in said) == (0, True)
    assert memory < 128 << 10


def test_a_pattern_that_repeats_too_often_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from celltrain.recordings import netem_trace

    monkeypatch.setattr(netem_trace, "_MOST_STEPS", 1000)
    text = (
        '{"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":"1Mbps","duration":"1ns"}}],"count":9999999}}'
    )
    with pytest.raises(BadRecording, match="more than 1000 steps, repetitions included"):
        attempt(tmp_path, "netem-trace", [text.encode()])


def test_a_recording_that_is_too_long_for_a_scenario_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from celltrain.recordings import csv_rows

    monkeypatch.setattr(csv_rows, "_MOST_ROWS", 1)
    (tmp_path / "a").write_text(GOOD["csv"][0])
    done = convert([tmp_path / "a"], FORMATS["csv"], [tmp_path / "b"], FORMATS["csv"], DEFAULTS, replace=False)
    assert done.notes == [
        "note: no scenario reads 2 rows of 0 MiB; at most 1 rows of 64 MiB: a larger --bin makes fewer"
    ]
    monkeypatch.setattr(segments, "_LONGEST", 10**12)
    with pytest.raises(BadRecording, match="longer than 100 days, at 1 s"):
        convert([tmp_path / "a"], FORMATS["csv"], [tmp_path / "b"], FORMATS["csv"], DEFAULTS, replace=True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent", "--out", "o"], "absent: No such file or directory"),
        ([".", "--from", "csv", "--out", "o"], "no ordinary file"),
        (["pipe", "--out", "o"], "pipe: no ordinary file; expected one"),
        (["good.csv", "--out", "good.csv"], "the file that is read; expected another"),
        (["good.csv", "--out", "there"], "there exists: name another with --out, or --replace"),
        (["good.csv", "--out", "no/o"], "in no folder; expected a file in a folder that exists"),
        (["good.csv", "--out", "."], "a folder; expected a file"),
        (["good.csv", "--out", "a", "--out", "b"], "--out names 2 files; expected --out 1 times: one file"),
        (["good.csv", "--to", "leo", "--out", "a"], "expected --out 2 times: two files, bw_N.txt and delay_N.txt"),
        (["good.csv", "--to", "leo", "--out", "a", "--out", "./a"], "--out a twice; expected different files"),
        (["good.csv", "--to", "netem-trace", "--out", "a"], "expected --out 2 times: rate and delay, one file each"),
        (["good.csv", "good.csv", "--from", "csv", "--out", "o"], "--from csv: 2 files; expected one file"),
        (["good.csv", "--only", "loss", "--out", "o"], "has rate and delay, but --only chooses loss"),
        (
            ["good.csv", "--only", "delay", "--to", "mahimahi", "--out", "o"],
            "--to mahimahi needs a rate; the recording",
        ),
        (["good.csv", "--bin", "5", "--out", "o"], "--bin '5': .*expected"),
        (["good.csv", "--bin", "1 us", "--out", "o"], "--bin '1 us': expected at least 1 ms"),
        (["good.csv", "--end", "1 s", "--out", "o"], "good.csv:3: --end 1 s is not after the last row"),
        (["good.csv", "--load", "light", "--out", "o"], "--load is not for --from csv; expected it with cellreplay"),
        (["loss.csv", "--loss", "0.1", "--out", "o"], "--loss: the recording has its own loss"),
        (["good.csv", "--from", "mahimahi", "--end", "3 s", "--out", "o"], "--end is not for --from mahimahi"),
        (["good.csv", "--loss", "2", "--out", "o"], "2.0 is not in the range"),
        (["good.csv", "--loss", "nan", "--out", "o"], "the loss from 0 ms on is nan; expected 0 to 1"),
        (["good.csv", "--end", "-1 s", "--out", "o"], "--end '-1 s': .*expected"),
        (["good.csv", "--end", "101 days", "--out", "o"], "--end '101 days': "),
        (["good.csv", "--end", "2500 h", "--out", "o"], "the recording is longer than 100 days"),
        (["good.csv", "--to", "ping", "--out", "o"], "'ping' is not one of"),
    ],
)
def test_words_that_do_not_fit_are_told(cli: Command, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "good.csv").write_text(GOOD["csv"][0])
    (tmp_path / "loss.csv").write_text("time_s,loss\n0,0\n")
    (tmp_path / "there").write_text("kept")
    os.mkfifo(tmp_path / "pipe")
    done = cli("convert", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(message, " ".join(done.stderr.split())), done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["good.csv", "loss.csv", "pipe", "there"]
    assert (tmp_path / "there").read_text() == "kept"


def test_a_link_is_replaced_and_what_it_leads_to_stays(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text(GOOD["csv"][0])
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "link").symlink_to("kept")
    assert cli("convert", "good.csv", "--out", "link", "--replace").returncode == 0
    assert (tmp_path / "link").read_text().startswith("time_s,")
    assert (tmp_path / "kept").read_text() == "kept"


def test_a_write_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.csv").write_text(GOOD["csv"][0])

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        convert([tmp_path / "good.csv"], FORMATS["csv"], [tmp_path / "o"], FORMATS["csv"], DEFAULTS, replace=False)
    assert [path.name for path in tmp_path.iterdir()] == ["good.csv"]
