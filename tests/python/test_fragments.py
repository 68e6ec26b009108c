"""Fragments of IP packets, from a scenario to the packets in a capture."""

from __future__ import annotations

import struct
from pathlib import Path

from conftest import Command

#: Datagrams of 2076 octets, ten per second, over an MTU of 1500.
LINE = """
[measure]
duration = "1 s"
[hosts]
a = {}
b = {}
[links.line]
between = ["a", "b"]
rate = "2 Mbit/s"
buffer = "1000 cells"
delay = "1 ms"
mtu = "1500 bytes"
[vcs.vc]
route = ["a", "b"]
[flows.f]
vc = "vc"
udp = { packet = "2076 bytes", traffic = { process = "cbr", rate = "166080 bit/s" } }
"""

#: Type of the block of a packet, and link type of bare IP packets (draft-ietf-opsawg-pcapng).
PACKET, INTERFACE, RAW = 6, 1, 101


def ip_packets(capture: Path) -> list[tuple[int, bytes]]:
    """Return the IP packets of a capture, each with its interface."""
    octets, at = capture.read_bytes(), 0
    kinds: list[int] = []
    packets = []
    while at < len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        if kind == INTERFACE:
            kinds.append(struct.unpack_from("<H", octets, at + 8)[0])
        if kind == PACKET:
            interface, _, _, captured = struct.unpack_from("<IIII", octets, at + 8)
            if kinds[interface] == RAW:
                packets.append((interface, octets[at + 28 : at + 28 + captured]))
        at += length
    return packets


def test_a_capture_shows_fragments_after_the_vc_and_the_datagram_before_it(cli: Command, tmp_path: Path) -> None:
    (tmp_path / "line.toml").write_text(LINE, encoding="utf-8")
    assert cli("run", "line.toml", "--pcap", "line.pcapng").returncode == 0
    packets = ip_packets(tmp_path / "line.pcapng")
    sent, received = ([octets for host, octets in packets if host == end] for end in (0, 1))
    assert [len(octets) for octets in sent] == [2_076] * 10
    assert [len(octets) for octets in received] == [1_500, 596] * 10
    for whole, first, last in zip(sent, received[::2], received[1::2], strict=True):
        fields = [struct.unpack_from(">HHH", octets, 2) for octets in (first, last)]
        (length, one, flags), (rest, other, end) = fields
        assert (length, rest, one) == (1_500, 596, other)
        # MF and no offset; then 1480 octets, 185 units, and no more.
        assert (flags, end) == (0x2000, 185)
        assert first[20:] + last[20:] == whole[20:]


def test_a_segment_that_does_not_fit_is_refused_with_the_size_that_does(cli: Command, tmp_path: Path) -> None:
    text = LINE[: LINE.index("udp")] + 'tcp = { mss = "1461 bytes" }\n'
    (tmp_path / "line.toml").write_text(text, encoding="utf-8")
    done = cli("run", "line.toml")
    assert done.returncode == 2
    assert "give `tcp.mss` at most 1460 bytes" in done.stderr
