"""All that celltrain reads, mutated: a result, or the error that its reader declares; soon, and in bounded memory."""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from celltrain import Scenario, ScenarioError, dbs
from celltrain.ci import suite
from celltrain.cli.console import BadInput
from celltrain.cli.settings import with_settings
from celltrain.dbs.original.convert import convert
from celltrain.dbs.original.reading import CommandError
from celltrain.framing.pings import captured
from celltrain.packetdrill.reading import parse
from celltrain.packetdrill.script import NotSupported
from celltrain.papers.claims import read_claims
from celltrain.papers.reading import PaperError, StudyFile
from celltrain.scenario import load, mistakes
from celltrain.sweeps import DesignError
from celltrain.sweeps.design import listed_points
from conftest import LINE
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
#: Cases of each target; `make test-all` tries many more.
CASES = settings(
    max_examples=int(os.environ.get("CELLTRAIN_FUZZ", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
#: The longest that reading may take, in s of processor time.
LONGEST_S = 5.0
EXAMPLES = sorted(
    path.read_bytes()
    for path in (ROOT / "python/celltrain/examples").rglob("*.toml")
    if path.stat().st_size < 5_000 and b"[measure]" in path.read_bytes()
)
STUDY = ROOT / "python/celltrain/papers/adsl_abr"
PLAN = b"""
[measure]
interval = "50 ms"
[hosts]
a = {}
b = { netns = "other", address = "127.0.0.1" }
[flows.up]
from = "a"
to = "b"
duration = "500 ms"
connections = 2
pattern = { rate = "8 Mbit/s" }
[probes.ping]
from = "a"
to = "b"
every = "20 ms"
duration = "500 ms"
"""
#: What is put in: numbers without a meaning, quantities at their bounds, and brackets without end.
WORDS = [
    *(
        b"0",
        b"-1",
        b"1e400",
        b"9" * 5_000,
        b"nan",
        b'"1e308 s"',
        b'"18446744073709551616 cells"',
        b'"1 ps"',
        b'"0 bit/s"',
    ),
    *(
        b"[" * 3_000,
        b"{a=" * 500,
        b'"\\u0000"',
        b"\x00",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\r",
        b"'''",
        b"[measure]\n",
        b"\n" * 50,
    ),
]


@st.composite
def mutated(draw: st.DrawFn, seeds: list[bytes]) -> bytes:
    """Draw a seed with some of its octets replaced, repeated, removed or followed by those of another."""
    octets = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(octets)))
        end = min(len(octets), start + draw(st.sampled_from([0, 1, 1, 2, 8, 40])))
        piece = draw(st.one_of(st.sampled_from(WORDS), st.binary(max_size=4), st.just(bytes(octets[start:end]) * 2)))
        octets[start:end] = piece
    return bytes(octets)


@contextmanager
def refused_with(*errors: type[Exception], naming: str = "") -> Iterator[None]:
    """Fail if what is done takes long, or raises anything but these errors, whose messages have this name."""
    start = time.process_time()
    try:
        yield
    except errors as error:
        if naming not in str(error):
            raise
    assert time.process_time() - start < LONGEST_S


@CASES
@given(octets=mutated(EXAMPLES))
def test_a_mutated_scenario_is_read_or_refused(tmp_path: Path, octets: bytes) -> None:
    path = tmp_path / "scenario.toml"
    path.write_bytes(octets)

    with refused_with(ScenarioError, naming=str(path)):
        assert mistakes(path) or load(path).hash
        load(path)


@CASES
@given(
    text=mutated([b"links.line.delay=5 ms", b"hosts.a.count=3", b"probes.queue={every='1 s',record=[]}", b"vcs.vc=1"])
)
def test_a_mutated_setting_is_applied_or_refused(text: bytes) -> None:
    scenario = Scenario.from_toml(LINE)
    with refused_with(ScenarioError, BadInput):
        with_settings(scenario, [os.fsdecode(text)])


@CASES
@given(
    trace=mutated([b"0 1\n0.5 2\n1 3\n", b"# times\n0\n0\n1\n"]),
    repeat=st.sampled_from([None, "1 ps", "10 s", "200000 s"]),
)
def test_a_mutated_trace_of_arrivals_is_read_or_refused(trace: bytes, repeat: str | None) -> None:
    traffic = {"process": "replay", "trace": trace.decode("latin-1")} | ({"repeat": repeat} if repeat else {})
    changes = {"flows": {"upload": {"vc": "vc", "udp": {"packet": "500 bytes", "traffic": traffic}}}}
    with refused_with(ScenarioError):
        Scenario.from_toml(LINE).with_changes(changes)


@CASES
@given(trace=mutated([b"1\n2\n3\n", b"5\n5\n5\n80\n"]))
def test_a_mutated_trace_of_mahimahi_is_read_or_refused(trace: bytes) -> None:
    changes = {"links": {"line": {"rate": {"process": "mahimahi", "trace": trace.decode("latin-1")}}}}
    with refused_with(ScenarioError):
        Scenario.from_toml(LINE.replace("rate = {", "# rate = {")).with_changes(changes)


@CASES
@given(octets=mutated([PLAN]))
def test_a_mutated_plan_is_read_or_refused(tmp_path: Path, octets: bytes) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(octets)
    with refused_with(ScenarioError):
        dbs.load(path)


@CASES
@given(
    name=st.sampled_from(["experiments.toml", "overlays.toml", "claims.toml"]),
    octets=mutated([(STUDY / "claims.toml").read_bytes()[:3_000], (STUDY / "overlays.toml").read_bytes()[:3_000]]),
)
def test_a_mutated_file_of_a_study_is_read_or_refused(tmp_path: Path, name: str, octets: bytes) -> None:
    (tmp_path / name).write_bytes(octets)

    with refused_with(PaperError, naming=str(tmp_path)):
        StudyFile.read(tmp_path / name)
        if name == "claims.toml":
            read_claims(tmp_path)


def _capture() -> bytes:
    """Return a pcap with a request and its reply, on Ethernet."""
    octets = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1)
    for number, kind in enumerate((8, 0)):
        icmp = struct.pack("!BBHHH", kind, 0, 0, 1, 1) + bytes(56)
        ends = (b"\x0a\0\0\1", b"\x0a\0\0\2") if kind else (b"\x0a\0\0\2", b"\x0a\0\0\1")
        packet = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(icmp), 0, 0, 64, 1, 0) + b"".join(ends) + icmp
        frame = bytes(12) + b"\x08\0" + packet
        octets += struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame
    return octets


def _capture_ng() -> bytes:
    """Return the beginning of a pcapng: section, interface, one packet."""
    section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    interface = struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
    frame = _capture()[40:140]
    length = 32 + len(frame)
    packet = struct.pack("<IIIIIII", 6, length, 0, 0, 0, len(frame), len(frame)) + frame + struct.pack("<I", length)
    return section + interface + packet


@CASES
@given(octets=mutated([_capture(), _capture_ng()]))
def test_a_mutated_capture_is_read_or_refused(tmp_path: Path, octets: bytes) -> None:
    path = tmp_path / "pings.pcap"
    path.write_bytes(octets)

    with refused_with(ValueError, naming=str(path)):
        captured(path)


def test_the_captures_that_are_mutated_are_captures(tmp_path: Path) -> None:
    path = tmp_path / "pings.pcap"
    path.write_bytes(_capture())
    (sample,) = captured(path)
    assert sample.octets == 84
    assert sample.rtt_s == pytest.approx(1.0)
    path.write_bytes(_capture_ng())
    assert captured(path) == []


SUITE = b"""
[lines.slow]
preset = "two-hosts"
set = { "links.up.delay" = "5 ms" }
[tests.model]
simulate = true
lines = ["slow"]
repeats = 2
expect = ["flows.throughput_bps > 1 kbit/s", "links.utilization <= 0.9"]
[tests.real]
client = "true"
server = "sleep 9"
timeout = "5 s"
expect = ["duration < 10 s", "exit_code == 0"]
"""
POINTS = b'links.line.delay,links.line.buffer\n5 ms,20 cells\n"9 ms",30 cells\n'
SCRIPTS = [path.read_bytes() for path in sorted((ROOT / "python/celltrain/packetdrill").rglob("*.pkt"))[:8]]
COMMANDS = re.findall(rb"```text\n(.*?)```", (ROOT / "docs/reference/command-files.md").read_bytes(), re.DOTALL)


@CASES
@given(octets=mutated([SUITE]))
def test_a_mutated_suite_is_read_or_refused(tmp_path: Path, octets: bytes) -> None:
    path = tmp_path / "celltrain-ci.toml"
    path.write_bytes(octets)
    with refused_with(PaperError, naming=str(path)):
        suite.read(path)


@CASES
@given(octets=mutated([POINTS]))
def test_a_mutated_list_of_points_is_read_or_refused(octets: bytes) -> None:
    with refused_with(DesignError):
        listed_points(octets.decode("latin-1"), "points.csv")


@CASES
@given(octets=mutated(SCRIPTS))
def test_a_mutated_script_of_packetdrill_is_read_or_refused(octets: bytes) -> None:
    with refused_with(NotSupported):
        parse(octets.decode("latin-1"))


@CASES
@given(octets=mutated(COMMANDS))
def test_a_mutated_command_file_is_converted_or_refused(octets: bytes) -> None:
    with refused_with(CommandError):
        convert(octets.decode("latin-1"))


def test_there_is_something_to_mutate() -> None:
    assert len(SCRIPTS) == 8
    assert COMMANDS


def test_points_may_have_lines_of_any_system_and_what_is_no_csv_is_named() -> None:
    for end in ("\n", "\r\n", "\r"):
        assert listed_points(f"a,b{end}1,x{end}", "points.csv") == [{"a": 1, "b": "x"}]
    with pytest.raises(DesignError, match=r"points\.csv:2: not CSV: field larger than field limit"):
        listed_points("a\n" + "9" * 200_000, "points.csv")
