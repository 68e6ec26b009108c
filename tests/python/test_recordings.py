"""Recordings in the formats of other tools, each written by hand, with what they say of a line."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from celltrain.recordings.cells import cell_loss, line_rate
from celltrain.recordings.detect import detected
from celltrain.recordings.formats import FORMATS
from celltrain.recordings.lines import BadRecording
from celltrain.recordings.numbers import MS, PS
from celltrain.recordings.segments import Notes, Options, Segment
from conftest import Command
from recording_files import NAMES, read, through


def near(found: list[Segment], expected: list[Segment]) -> None:
    """Compare segments whose rates and losses are rounded."""
    for one, other in zip(found, expected, strict=True):
        assert tuple(one) == pytest.approx(tuple(other))


#: 32 cells of 424 bits in 10 ms: an opportunity for 1500 octets in the usual interval.
ONE = 1_356_800.0


def test_an_opportunity_is_a_packet_of_1500_octets_in_its_interval(tmp_path: Path) -> None:
    # Two opportunities in (0, 10] ms, none in (10, 30], one in (30, 35]: the period ends with the last line.
    segments, notes = read(tmp_path, "mahimahi", "0\n10\n35\n")
    assert segments == [
        Segment(0, 10 * MS, 2 * ONE),
        Segment(10 * MS, 30 * MS, 0.0),
        Segment(30 * MS, 35 * MS, 2 * ONE),
    ]
    assert notes == [
        "assumed: an opportunity carries a packet of 1500 octets, 13568 bits in its cells",
        "assumed: opportunities are gathered into rates over 10 ms",
    ]


def test_leo_has_a_delay_each_10_ms_and_ends_with_the_shorter_file(tmp_path: Path) -> None:
    segments, notes = read(tmp_path, "leo", "10\n20\n35\n", "24\n24\n18\n")
    assert segments == [
        Segment(0, 10 * MS, ONE, 24 * MS),
        Segment(10 * MS, 20 * MS, ONE, 24 * MS),
        Segment(20 * MS, 30 * MS, 0.0, 18 * MS),
    ]
    assert "assumed: the rate, of 35 ms, is cut and starts again after 30 ms" in notes


def test_the_delays_of_leo_alone_do_not_need_its_trace(tmp_path: Path) -> None:
    segments, _ = read(tmp_path, "leo", "not read\n", "24\n18\n", options=Options(only=("delay",)))
    assert segments == [Segment(0, 10 * MS, None, 24 * MS), Segment(10 * MS, 20 * MS, None, 18 * MS)]


#: Delays of 20, 30 and 30 ms at 0, 20 and 40 ms, and trains of 3, 2 and 2 packets in 2, 0 and 4 ms.
LIGHT = "0 20 0 0 2\n20 30 0 0\n40 30 0 4\n"


def test_cellreplay_has_packets_of_1400_octets_and_delays_in_straight_lines(tmp_path: Path) -> None:
    segments, notes = read(tmp_path, "cellreplay", "10\n40\n", LIGHT)
    # 1400 octets are 30 cells, 12,720 bits. In the middle of the first 10 ms the delay is 22.5 ms.
    assert [(each.stop // MS, each.rate, (each.delay or 0) / MS) for each in segments] == [
        (10, 1_272_000.0, 22.5),
        (20, 0.0, 27.5),
        (30, 0.0, 30.0),
        (40, 1_272_000.0, 30.0),
    ]
    assert "left out: the trains of the light load: a line has one rate; --load light takes theirs" in notes


def test_the_light_load_of_cellreplay_has_the_rate_of_its_trains(tmp_path: Path) -> None:
    segments, _ = read(tmp_path, "cellreplay", "10\n40\n", LIGHT, options=Options(load="light", only=("rate",)))
    # After the first packet, two more within 2 ms; one more within the first millisecond. The last row is the end.
    assert segments == [
        Segment(0, 20 * MS, 2 * 12_720 / 2e-3),
        Segment(20 * MS, 40 * MS, 12_720 / 1e-3),
    ]


STRUCTS = (
    '{"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":{"gbps":0,"bps":12000000},"duration":'
    '{"secs":1,"nanos":0}}},{"StaticBwConfig":{"bw":{"gbps":0,"bps":24000000},"duration":{"secs":1,"nanos":0}}}],'
    '"count":2}}'
)
TEXTS = (
    '{"RepeatedBwPatternConfig":{"pattern":[{"StaticBwConfig":{"bw":"12Mbps","duration":"1s"}},'
    '{"StaticBwConfig":{"bw":"24Mbps","duration":"500ms 500ms"}}],"count":2}}'
)


@pytest.mark.parametrize("text", [STRUCTS, TEXTS])
def test_netem_trace_repeats_a_pattern_as_often_as_it_says(tmp_path: Path, text: str) -> None:
    segments, _ = read(tmp_path, "netem-trace", text)
    # 12 Mbit/s of packets of 1500 octets are 13.568 Mbit/s in cells.
    assert [(each.stop, each.rate) for each in segments] == [
        (1 * PS, 13.568e6),
        (2 * PS, 27.136e6),
        (3 * PS, 13.568e6),
        (4 * PS, 27.136e6),
    ]


def test_netem_trace_has_pairs_delays_and_chains_of_losses(tmp_path: Path) -> None:
    rate = '{"TraceBwConfig":{"pattern":[["1ms",["2Mbps","4Mbps"]],["2ms",["1Mbps"]]]}}'
    delay = '{"StaticDelayConfig":{"delay":"10ms","duration":"4ms"}}'
    # After a packet that arrives, a tenth is lost; after a lost one, half. Runs of 2 begin after 10: 2 of 12.
    loss = '{"RepeatedLossPatternConfig":{"pattern":[{"StaticLossConfig":{"loss":[0.1,0.5]}}],"count":1}}'
    segments, notes = read(tmp_path, "netem-trace", rate, delay, loss)
    assert [(each.start // MS, each.delay, each.rate) for each in segments[:3]] == [
        (0, 10 * MS, line_rate(2e6, 1500)),
        (1, 10 * MS, line_rate(4e6, 1500)),
        (2, 10 * MS, line_rate(1e6, 1500)),
    ]
    assert segments[0].loss == pytest.approx(cell_loss(2 / 12, 1500))
    # None of them repeats, so the last values hold to the end of the longest.
    assert segments[-1].stop == PS
    assert "left out: bursts of losses: the mean of a list of probabilities is taken" in notes
    assert "assumed: a value without a duration lasts 1 s, as in netem-trace" in notes


def test_netem_trace_is_read_from_toml_as_rattan_does(tmp_path: Path) -> None:
    path = tmp_path / "loss.toml"
    path.write_text(
        "[RepeatedLossPatternConfig]\ncount = 0\n[[RepeatedLossPatternConfig.pattern]]\n"
        '[RepeatedLossPatternConfig.pattern.StaticLossConfig]\nloss = [0.5]\nduration = "1s"\n'
    )
    recording = FORMATS["netem-trace"].read([path], Options(), Notes())
    assert recording.repeats
    near(list(recording.segments), [Segment(0, PS, None, None, cell_loss(0.5, 1500))])


def test_tc_counts_ethernet_and_a_change_sets_what_it_does_not_name(tmp_path: Path) -> None:
    script = (
        "#!/bin/sh\nset -e\nsudo tc qdisc add dev eth0 root netem rate 5mbit delay 20ms loss 1%  # start\n"
        "sleep 0.5\ntc qdisc change dev eth0 root netem delay 10\nsleep 1\n"
    )
    segments, _ = read(tmp_path, "tc", script)
    # A packet of 1500 octets has 1514 on Ethernet and 13,568 bits in cells. The delay is in us; the rate stays.
    rate = 5e6 * 13_568 / (8 * 1514)
    near(
        segments,
        [
            Segment(0, PS // 2, rate, 20 * MS, cell_loss(0.01, 1500)),
            Segment(PS // 2, 3 * PS // 2, rate, MS // 100, 0.0),
        ],
    )


def test_tc_takes_times_before_lines_octets_per_second_and_cells(tmp_path: Path) -> None:
    script = (
        "0 tc qdisc replace dev eth0 parent 1:1 handle 10: netem rate 100kbps\n"
        '0.25 tc qdisc change dev "eth0" root netem rate 1mibit -6 48 5 limit 100\n'
        "0.5 tc qdisc change dev eth0 root netem rate 13568kbit -6 48 5\n"
    )
    segments, notes = read(tmp_path, "tc", script)
    assert notes[0] == "left out: netem's limit, which a recording does not have"
    # With AAL5's trailer for Ethernet's header, netem's cells are ours: the rate is that of the line.
    near(
        segments,
        [
            Segment(0, PS // 4, 800e3 * 13_568 / (8 * 1514), 0, 0.0),
            Segment(PS // 4, PS // 2, 2.0**20, 0, 0.0),
            Segment(PS // 2, 3 * PS // 4, 13.568e6, 0, 0.0),
        ],
    )


def test_what_no_step_of_tc_names_stays_a_key_of_the_link(tmp_path: Path) -> None:
    script = tmp_path / "line.sh"
    script.write_text("tc qdisc add dev d root netem delay 20ms 5ms\nsleep 1\ntc qdisc del dev d root\n")
    notes = Notes()
    recording = FORMATS["tc"].read([script], Options(), notes)
    assert recording.has == ("delay",)
    assert list(notes.lines) == [
        "left out: jitter: a link has its own key, `jitter`",
        "assumed: a change without delay or loss sets them to none, one without rate leaves it, as in Linux",
    ]


def test_the_columns_of_csv_say_whose_rate_delay_and_loss_they_are(tmp_path: Path) -> None:
    text = "# a log\ntime_ms, ip_rate_kbps, rtt_ms, packet_loss_percent\r\n0,12000,40,0\r\n500,0,41.5,1\r\n"
    segments, notes = read(tmp_path, "csv", text, options=Options(end=PS))
    near(
        segments,
        [
            Segment(0, PS // 2, 13.568e6, 20 * MS, 0.0),
            Segment(PS // 2, PS, 0.0, 20_750_000_000, cell_loss(0.01, 1500)),
        ],
    )
    assert notes == [
        "assumed: the one-way delay is half of the round trip",
        "assumed: the rate is that of IP packets of 1500 octets; the line's has their cells",
        "assumed: a packet of 1500 octets is lost with any of its cells, which are lost independently",
    ]


#: Written as ping of iputils does: the third one was lost, the fourth came twice, the fifth took long.
PINGS = """\
PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
[1700000000.024000] 64 bytes from 192.0.2.1: icmp_seq=65534 ttl=55 time=24.0 ms
[1700000000.031000] 64 bytes from 192.0.2.1: icmp_seq=65535 ttl=55 time=26 ms
[1700000000.055000] 64 bytes from host (192.0.2.1): icmp_seq=1 ttl=55 time=40.0 ms
[1700000000.055500] 64 bytes from host (192.0.2.1): icmp_seq=1 ttl=55 time=40.5 ms (DUP!)
[1700000000.130000] 64 bytes from 192.0.2.1: icmp_seq=2 ttl=55 time=100 ms

--- 192.0.2.1 ping statistics ---
5 packets transmitted, 4 received, +1 duplicates, 20% packet loss, time 40ms
"""


def test_a_log_of_ping_has_half_of_its_round_trips(tmp_path: Path) -> None:
    segments, notes = read(tmp_path, "ping", PINGS)
    # Sent at 0, 5, 15 and 30 ms; nothing is sent in (20, 30) ms, where the delay before holds.
    assert segments == [
        Segment(0, 10 * MS, None, 12_500_000_000),
        Segment(10 * MS, 20 * MS, None, 20 * MS),
        Segment(20 * MS, 30 * MS, None, 20 * MS),
        Segment(30 * MS, 40 * MS, None, 50 * MS),
    ]
    assert notes == [
        "assumed: the one-way delay is half of the round trip",
        "assumed: the delay of every 10 ms is the mean of those of the pings sent in it, if any",
        "left out: pings without an answer, 1 or 0.2 of all, lost on either way: --loss takes a part of it",
    ]


ROWS = "time_s,rate_bps,delay_ms,loss\n0,13568000,20,0\n0.5,27136000,31.5,0.25\n"


def test_a_script_for_tc_has_the_cells_of_the_line(tmp_path: Path) -> None:
    (tmp_path / "line.csv").write_text(ROWS)
    _, (there, _) = through(tmp_path, ROWS, "tc", options=Options(end=PS))
    # Of 32 cells, each lost with 1/4, all arrive with (3/4)^32.
    lost = 100 * (1 - 0.75**32)
    lines = (tmp_path / "0" / "line.sh").read_text().splitlines()
    assert lines[-6:] == [
        "while true; do",
        'tc qdisc change dev "$dev" root netem rate 13568000bit -6 48 5 delay 20ms loss 0%',
        "sleep 0.5",
        f'tc qdisc change dev "$dev" root netem rate 27136000bit -6 48 5 delay 31.5ms loss {lost:.10g}%',
        "sleep 0.5",
        "done",
    ]
    assert there.use == "sudo sh line.sh DEVICE"
    if shell := shutil.which("sh"):
        subprocess.run([shell, "-n", tmp_path / "0" / "line.sh"], check=True)


def test_a_trace_for_netem_is_what_rattan_reads(tmp_path: Path) -> None:
    _, (there, _) = through(tmp_path, ROWS, "netem-trace", options=Options(end=PS))
    assert (tmp_path / "0" / "rate.json").read_text() == (
        '{"RepeatedBwPatternConfig":{"pattern":[\n{"StaticBwConfig":{"bw":"12000000bps","duration":"500ms"}},\n'
        '{"StaticBwConfig":{"bw":"24000000bps","duration":"500ms"}}\n],"count":0}}\n'
    )
    assert '"delay":"31ms 500us"' in (tmp_path / "0" / "delay.json").read_text()
    assert there.use.startswith('BwReplay: trace = "rate.json", DelayReplay')


def test_the_light_file_of_cellreplay_has_a_row_before_and_at_each_step(tmp_path: Path) -> None:
    through(tmp_path, "time_s,rate_bps,delay_ms\n0,1272000,20\n0.5,1272000,31\n", "cellreplay", options=Options(end=PS))
    assert (tmp_path / "0" / "light").read_text() == "0 20 0\n499 20 0\n500 31 0\n1000 31 0\n"
    heavy = (tmp_path / "0" / "heavy").read_text().split()
    assert heavy == [str(each) for each in range(10, 1001, 10)]


@pytest.mark.parametrize(
    ("texts", "names", "expected"),
    [
        (["time_s,loss\n0,0\n"], ["a"], "csv"),
        (["# c\nrtt_ms,time_ms\n1,0\n"], ["a"], "csv"),
        (["1\n2\n3\n"], ["a"], "mahimahi"),
        (["1\n2\n", "5\n4\n"], ["bw_1.txt", "delay_1.txt"], "leo"),
        (["1\n2\n", LIGHT], ["a", "b"], "cellreplay"),
        ([TEXTS], ["a"], "netem-trace"),
        (['{"StaticBwConfig":' + " " * 100_000 + "{}}"], ["a"], "netem-trace"),
        ([PINGS], ["a"], "ping"),
        (["# x\ntc qdisc change dev d root netem rate 1mbit\n"], ["a"], "tc"),
    ],
)
def test_a_format_is_found_where_the_content_leaves_no_doubt(
    tmp_path: Path, texts: list[str], names: list[str], expected: str
) -> None:
    assert detected(written(tmp_path, texts, names)) == expected


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["22\n22\n22\n"], ["delay"]),  # Delays, or opportunities at one instant.
        (["1\n2\n", "5\n4\n"], ["a", "b"]),
        (["5\n4\n"], ["a"]),
        ([""], ["a"]),
        (["hello\n"], ["a"]),
        (["1\n2\n", "1\n2\n", "1\n2\n"], ["a", "b", "c"]),
        (["{" + " " * 100_000], ["a"]),
    ],
)
def test_a_format_in_doubt_must_be_named(tmp_path: Path, texts: list[str], names: list[str]) -> None:
    with pytest.raises(BadRecording, match=r"is not certain; expected --from FORMAT"):
        detected(written(tmp_path, texts, names))


def written(folder: Path, texts: list[str], names: list[str]) -> list[Path]:
    for name, text in zip(names, texts, strict=True):
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in names]


def test_the_command_says_what_it_assumed_and_ends_with_the_line_for_a_link(cli: Command, tmp_path: Path) -> None:
    written(tmp_path, ["10\n20\n", "24\n18\n"], ["bw_1.txt", "delay_1.txt"])
    done = cli("convert", "bw_1.txt", "delay_1.txt", "--loss", "0.002", "--out", "line.csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "format: leo, as the content says\n"
        "assumed: an opportunity carries a packet of 1500 octets, 13568 bits in its cells\n"
        "assumed: opportunities are gathered into rates over 10 ms\n"
        "assumed: a line of the delays lasts 10 ms, and is a one-way delay\n"
        "assumed: a packet with a shorter delay waits for the one before it; in LeoReplayer it overtakes\n"
        "assumed: --loss is of packets of 1500 octets, each lost with any of its cells, which are lost independently\n"
        "wrote line.csv: csv, 20 ms\n"
        'schedule = { process = "csv", file = "line.csv", repeat = "20 ms" }\n'
    )


def test_names_of_files_are_quoted(cli: Command, tmp_path: Path) -> None:
    written(tmp_path, ["10\n20\n"], ["a trace"])
    done = cli("convert", "a trace", "--out", 'é "b"\n.csv')
    assert done.stdout.splitlines()[-1] == r'schedule = { process = "csv", file = "é \"b\"\n.csv", repeat = "20 ms" }'
    done = cli("convert", "a trace", "--to", "tc", "--out", "a line; ls")
    assert done.stdout.splitlines()[-1] == "sudo sh 'a line; ls' DEVICE"


def test_the_formats_of_the_command_are_those_of_the_registry() -> None:
    from celltrain.cli.convert import NAMES as NAMES_OF_COMMAND
    from celltrain.cli.convert import WRITTEN

    assert tuple(FORMATS) == NAMES_OF_COMMAND
    assert tuple(name for name, each in FORMATS.items() if each.write is not None) == WRITTEN
    assert set(FORMATS) == set(NAMES)
