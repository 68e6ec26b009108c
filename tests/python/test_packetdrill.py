"""packetdrill scripts: our own pass, and the runner fails on differences and refuses what it does not support."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from celltrain.packetdrill import OWN_SCRIPTS, Options, Outcome, Result, run_file, run_text, scripts_in
from celltrain.packetdrill.reading import Unreadable, parse
from celltrain.packetdrill.script import Call, Direction, Packet
from celltrain.packetdrill.settings import Settings
from celltrain.packetdrill.sysctl import Commands
from conftest import Command

#: Scripts where our TCP departs from the RFC; an entry is removed when the core is fixed.
DEFECTS = {
    "window-shrinks": "a smaller window at the same numbers is not taken, as in BSD and Linux (RFC 9293 3.10.7.4)",
}

OPENED = """
    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
  +.1 < S 0:0(0) win 65535 <mss 1000,sackOK>
   +0 > S. 0:0(0) ack 1 <mss 1460,sackOK>
  +.1 < . 1:1(0) ack 1 win 65535
   +0 accept(3, ..., ...) = 4
"""
LINES = OPENED.count("\n")


def run(events: str, *, before: str = "") -> Outcome:
    """Run events on a connection that a peer has opened."""
    return run_text(before + OPENED + events, "test", Path())


@pytest.mark.parametrize("script", scripts_in(OWN_SCRIPTS), ids=lambda path: path.stem)
def test_our_tcp_does_what_our_script_of_an_rfc_says(script: Path, request: pytest.FixtureRequest) -> None:
    if script.stem in DEFECTS:
        request.applymarker(pytest.mark.xfail(reason=DEFECTS[script.stem], strict=True))
    outcome = run_file(script)
    assert (outcome.result, outcome.line, outcome.message) == (Result.PASSED, 0, "")


def test_every_script_of_ours_names_its_rfc() -> None:
    for script in scripts_in(OWN_SCRIPTS):
        assert script.read_text("utf-8").startswith("// RFC "), script


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("+0 > . 1:1001(1000) ack 2", "(acknowledgment)"),
        ("+0 > . 2:1002(1000) ack 1", "(sequence numbers)"),
        ("+0 > . 1:501(500) ack 1", "(sequence numbers)"),
        ("+0 > F. 1:1001(1000) ack 1", "(flags)"),
        ("+0 > . 1:1001(1000) ack 1 <TS val 1 ecr 2>", "(timestamps)"),
        ("+0 > . 1:1001(1000) ack 1 <sack 1:2>", "(sack)"),
        ("+.1 > . 1:1001(1000) ack 1", "seen at 0.200000 s"),
        ("+.01~+.2 > . 1:1001(1000) ack 1", "seen at 0.200000 s"),
        ("+0 > . 1:2001(2000) ack 1", "nothing was sent until 0.204000 s"),
        ("+0 %{ assert tcpi_unacked == 2 }%", "tcpi_unacked is 1"),
        ("+0 read(4, ..., 10) = 10", "it blocks"),
        ("+0 write(4, ..., 10) = 20", "it returned 10"),
    ],
)
def test_what_differs_from_the_script_fails_at_its_line(event: str, message: str) -> None:
    outcome = run(f"+0 write(4, ..., 1000) = 1000\n{event}\n")
    assert (outcome.result, outcome.line) == (Result.FAILED, LINES + 2)
    assert message in outcome.message


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ("+0 < R 2:2(0)", "a reset that is not for the next octet"),
        ("+0 < . 1:11(10) ack 1 win 100 urg 5", "urgent data"),
        ("+0 < . 1:11(10) win 100", "an acknowledgment without a number"),
        ("+0 > . 1:11(10) ack 1 urg 5", "urgent data"),
        ("+0 < . 1:1(0) ack 1 win 100 <FO abcd1234>", "FO abcd1234"),
        ("+0 write(4, 0, 10) = -1 EFAULT (Bad address)", "write() of given data"),
        ("+0 > [ect1] . 1:1(0) ack 1", "(ect1) of an IP header"),
        ("+0 epoll_create(1) = 5", "epoll_create()"),
        ("+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0", "TCP_CORK"),
        ("+0 ioctl(4, FIONREAD, [0]) = 0", "ioctl() with FIONREAD"),
        ("+0 %{ assert tcpi_sacked == 0 }%", "tcpi_sacked"),
        ("+0 %{ import os }%", "import os"),
        ("+0 `iptables -F`", "iptables -F"),
        ("+0 `tc qdisc replace dev tun0 root fq`", "pacing by the queue fq"),
        ("+0 `sysctl -q net.ipv4.tcp_reordering=7`", "tcp_reordering=7"),
        ("+0 > . 1:1(0) ack 1 win", "the language here is not read"),
        ("+0 < icmp unreachable", "the language here is not read"),
        ("+0 < . 0:0(0) ack 1 win 100", "begins before the peer's first octet"),
        ("+0 < . 1:1(0) ack 99999999999999999999 win 100", "a value here"),
        ("+0 setsockopt(4, SOL_TCP, TCP_MAXSEG, [0], 4) = 0", "a value here"),
        ("+0 `sysctl -q net.ipv4.tcp_rmem=much`", "a value here"),
    ],
)
def test_what_the_runner_or_our_tcp_has_not_is_named_and_never_passes(event: str, what: str) -> None:
    outcome = run(event + "\n")
    assert (outcome.result, outcome.line) == (Result.NOT_SUPPORTED, LINES + 1)
    assert what in outcome.message


def test_options_that_the_runner_does_not_know_are_not_supported() -> None:
    assert run("", before="--strict_segments\n").message == "the option --strict_segments"
    assert "a value here" in run("", before="--mtu=large\n").message
    assert run("", before="--ip_version=ipv4\n").notes == ("--ip_version=ipv4: no effect, addresses are not modelled",)
    merged = "--mss=1000: no effect, long segments of the peer arrive as one"
    assert run("", before="--mss=1000\n").notes == (merged,)


def test_bbr_without_sack_is_not_supported() -> None:
    text = "`sysctl -q net.ipv4.tcp_congestion_control=bbr`" + OPENED.replace(",sackOK", "")
    assert run_text(text, "test", Path()).message == "BBR without selective acknowledgments"


def test_the_queues_of_a_socket_are_counted() -> None:
    events = "+0 write(4, ..., 1500) = 1500\n+0 < . 1:101(100) ack 1001 win 65535\n"
    counts = "+0 ioctl(4, SIOCOUTQ, [500]) = 0\n+0 ioctl(4, SIOCINQ, [100]) = 0\n"
    assert run(f"{events}{counts}").message == ""
    assert "SIOCINQ to be 90; it is 100" in run(f"{events}+0 ioctl(4, SIOCINQ, [90]) = 0\n").message


def test_blocking_calls_return_when_the_script_says() -> None:
    assert run("+0...0.3 read(4, ..., 10) = 10\n+.1 < . 1:11(10) ack 1 win 65535\n").result is Result.FAILED
    assert run("+0...0.1 read(4, ..., 10) = 10\n+.1 < . 1:11(10) ack 1 win 65535\n").result is Result.PASSED
    never = run("+0...0.1 read(4, ..., 10) = 10\n")
    assert (never.result, never.line) == (Result.FAILED, LINES + 1)
    assert "it blocks" in never.message


def test_times_are_within_the_tolerance_of_the_script() -> None:
    late = "+0 write(4, ..., 1000) = 1000\n+.006 > . 1:1001(1000) ack 1\n"
    assert run(late).result is Result.FAILED
    assert run(late, before="--tolerance_usecs=7000\n").result is Result.PASSED
    assert run("+0 write(4, ..., 1000) = 1000\n* > . 1:1001(1000) ack 1\n").result is Result.PASSED


def test_settings_without_an_effect_are_noted() -> None:
    outcome = run("`sysctl -q net.ipv4.tcp_slow_start_after_idle=0 net.ipv4.tcp_min_tso_segs=10`\n")
    assert outcome.result is Result.PASSED
    assert outcome.notes == (
        "net.ipv4.tcp_slow_start_after_idle=0: not in our TCP, slow start after idle cannot be switched off",
        "net.ipv4.tcp_min_tso_segs=10: no effect, segments are not joined",
    )


def test_commands_are_read_from_files_and_never_run(tmp_path: Path) -> None:
    (tmp_path / "defaults.sh").write_text(
        '#!/bin/sh\n# sets\nsysctl -q net.ipv4.tcp_timestamps=0 net.ipv4.tcp_rmem="4096 8 $((15*1024*1024))" > x\n'
    )
    commands = Commands(Settings.of_preset("linux"), [])
    commands.read("./defaults.sh\nset_sysctls.py /proc/sys/net/ipv4/tcp_congestion_control=reno", tmp_path)
    assert commands.settings.proposal.timestamps is False
    assert commands.settings.proposal.window_scale == 8
    assert commands.settings.control == "reno"
    assert not (tmp_path / "x").exists()


def test_the_grammar_reads_comments_ranges_and_arguments() -> None:
    script = parse(
        "--tolerance_usecs=10\n// a\n/* b\n */ 0 < S 0:0(0) win 5 <mss 1,nop,nop,TS val 2 ecr 3>\n"
        "+.1~+.2 > (ce) 80 > 90 P. 1:3(2) ack 1 <...>\n# c\n"
        '+0...0.1 f(3, A|B, [1], {x = h(8), 2}, "t"...) = -1 EPIPE (Broken pipe)\n',
    )
    assert script.options == {"tolerance_usecs": "10"}
    first, second, third = script.events
    assert isinstance(first.action, Packet)
    assert isinstance(second.action, Packet)
    assert first.action.options is not None
    assert (first.line, first.action.options.timestamp) == (4, (2, 3))
    assert (second.when.start, second.when.end, second.when.is_relative) == (0.1, 0.2, True)
    assert (second.direction, second.action.ip_info, second.action.options) == (Direction.OUTBOUND, "ce", None)
    assert third.action == Call("f", (3, frozenset({"A", "B"}), (1,), (("x", ("h", 8)), 2), "t"), -1, "EPIPE", 0.1)


def test_defines_stand_for_values() -> None:
    defined = parse("0 f(WORD, OTHER) = 0", {"WORD": "0x10"}).events[0].action
    assert isinstance(defined, Call)
    assert defined.arguments == (16, "OTHER")


def test_lengths_that_contradict_their_numbers_are_refused() -> None:
    with pytest.raises(Unreadable, match="1:11 are not 5 octets"):
        parse("0 > . 1:11(5) ack 1")


def test_scripts_with_lines_missing_or_numbers_changed_have_an_outcome() -> None:
    draw = random.Random(1)
    scripts = [path.read_text("utf-8").splitlines() for path in scripts_in(OWN_SCRIPTS)]
    for _ in range(150):
        lines = list(draw.choice(scripts))
        at = draw.randrange(len(lines))
        numbers = list(re.finditer(r"\d+", lines[at]))
        if numbers:
            number = draw.choice(numbers)
            other = draw.choice([0, 1, 65_535, 1 << 31, 1 << 40, 1 + int(number[0])])
            lines[at] = f"{lines[at][: number.start()]}{other}{lines[at][number.end() :]}"
        else:
            del lines[at]
        assert run_text("\n".join(lines), "changed", OWN_SCRIPTS).result in Result


def test_other_presets_are_under_test_if_asked_for() -> None:
    syn = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 fcntl(3, F_SETFL, O_NONBLOCK) = 0\n"
    syn += "+0 connect(3, ..., ...) = -1 EINPROGRESS\n+0 > S 0:0(0) <mss 1460>\n"
    assert run_text(syn, "test", Path(), Options("4.3bsd-reno")).result is Result.PASSED
    assert run_text(syn, "test", Path()).result is Result.FAILED


def test_the_command_prints_a_line_for_each_script(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "good.pkt").write_text(OPENED)
    (tmp_path / "bad.pkt").write_text(OPENED + "+0 > . 1:2(1) ack 1\n")
    done = cli("packetdrill", tmp_path, "--json")
    assert done.returncode == 1
    assert [(Path(one["script"]).name, one["result"]) for one in json.loads(done.stdout)] == [
        ("bad.pkt", "failed"),
        ("good.pkt", "passed"),
    ]
    done = cli("packetdrill", tmp_path / "good.pkt")
    assert (done.returncode, done.stdout.split()[0]) == (0, "passed")
    assert cli("packetdrill", tmp_path / "none").returncode == 2
    assert cli("packetdrill", tmp_path / "good.pkt", "--tcp", "nonsense").returncode == 2
