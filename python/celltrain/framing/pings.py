"""Round trips of ICMP echoes: measured, or from a capture."""

from __future__ import annotations

import os
import random
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

from celltrain.framing.detect import Sample

#: Octets of the headers of IP and ICMP, and the shortest echo: it holds its number.
HEADERS = 28
_REQUEST, _REPLY = 8, 0
#: How long the answer of a ping may take, in s.
_PATIENCE_S = 2.0
#: Pings in a row without an answer that end a measurement.
_SILENT = 5

_PCAP, _PCAPNG = (0xA1B2C3D4, 0xA1B23C4D), 0x0A0D0D0A
#: Octets before the IP header, by link type: Ethernet, raw IP (three numbers), Linux cooked (two), BSD loopback.
_LINK_HEADERS = {1: 14, 101: 0, 12: 0, 228: 0, 113: 16, 276: 20, 0: 4}


def measured(host: str, octets: range, repeats: int) -> list[Sample]:
    """Ping a host with packets of these lengths, in a random order; return the round trips that came back.

    Raises
    ------
    OSError
        The host is unknown or does not answer, or the system does not permit pings.
    """
    try:
        address = socket.gethostbyname(host)
    except socket.gaierror as error:
        raise OSError(0, f"no host or file of this name: {error.strerror}", host) from error
    probes = [size for size in octets for _ in range(repeats)]
    random.Random(1).shuffle(probes)
    samples: list[Sample] = []
    silent = 0
    with _socket() as pinger:
        pinger.connect((address, 0))
        for number, size in enumerate(probes):
            rtt = _ping(pinger, number & 0xFFFF, size)
            silent = silent + 1 if rtt is None else 0
            if silent == _SILENT:
                raise OSError(0, f"{silent} pings in a row were not answered", host)
            if rtt is not None:
                samples.append(Sample(size, rtt))
    return samples


def _socket() -> socket.socket:
    try:
        return socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    except PermissionError:
        return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)


def _ping(pinger: socket.socket, number: int, size: int) -> float | None:
    payload = bytes(size - HEADERS)
    head = struct.pack("!BBHHH", _REQUEST, 0, 0, os.getpid() & 0xFFFF, number)
    message = head[:2] + struct.pack("!H", _checksum(head + payload)) + head[4:] + payload
    start = time.perf_counter()
    pinger.send(message)
    while (left := start + _PATIENCE_S - time.perf_counter()) > 0:
        pinger.settimeout(left)
        try:
            answer = pinger.recv(1 << 16)
        except TimeoutError:
            return None
        now = time.perf_counter()
        # A raw socket gives the IP header, too.
        answer = answer[(answer[0] & 15) * 4 :] if answer[0] >> 4 == 4 else answer
        if answer[0] == _REPLY and struct.unpack("!H", answer[6:8])[0] == number:
            return now - start
    return None


def _checksum(octets: bytes) -> int:
    octets += bytes(len(octets) % 2)
    total = sum(struct.unpack(f"!{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - int(total)


def captured(file: Path) -> list[Sample]:
    """Return the round trips of the pings in a capture of the sending end (pcap or pcapng).

    Raises
    ------
    ValueError
        It is no capture, or a damaged one.
    OSError
        It cannot be read.
    """
    try:
        return _round_trips(file)
    except (struct.error, IndexError) as error:
        raise ValueError(f"{file}: the capture is damaged: {error}") from error


def _round_trips(file: Path) -> list[Sample]:
    asked: dict[tuple[bytes, bytes, bytes], tuple[float, int]] = {}
    samples = []
    for at, link, frame in _frames(file.read_bytes(), str(file)):
        packet = frame[_LINK_HEADERS.get(link, len(frame)) :]
        if len(packet) < HEADERS or packet[0] >> 4 != 4 or packet[9] != socket.IPPROTO_ICMP:
            continue
        icmp = packet[(packet[0] & 15) * 4 :]
        source, target, number = packet[12:16], packet[16:20], icmp[4:8]
        if icmp[0] == _REQUEST:
            # Of a packet that a capture holds at several places, the first.
            asked.setdefault((source, target, number), (at, struct.unpack("!H", packet[2:4])[0]))
        elif icmp[0] == _REPLY and (sent := asked.pop((target, source, number), None)):
            samples.append(Sample(sent[1], at - sent[0]))
    return samples


def _frames(octets: bytes, name: str) -> Iterator[tuple[float, int, bytes]]:
    """Yield the time, link type and octets of each frame."""
    if len(octets) < 24:
        raise ValueError(f"{name}: expected a capture, pcap or pcapng")
    for order in "<>":
        magic = struct.unpack(f"{order}I", octets[:4])[0]
        if magic in _PCAP:
            yield from _pcap(octets, order, 1e-9 if magic == _PCAP[1] else 1e-6)
            return
    if struct.unpack("<I", octets[:4])[0] != _PCAPNG:
        raise ValueError(f"{name}: expected a capture, pcap or pcapng")
    yield from _pcapng(octets)


def _pcap(octets: bytes, order: str, unit: float) -> Iterator[tuple[float, int, bytes]]:
    link = struct.unpack(f"{order}I", octets[20:24])[0] & 0xFFFF
    place = 24
    while place + 16 <= len(octets):
        seconds, parts, length, _ = struct.unpack(f"{order}IIII", octets[place : place + 16])
        yield seconds + parts * unit, link, octets[place + 16 : place + 16 + length]
        place += 16 + length


def _pcapng(octets: bytes) -> Iterator[tuple[float, int, bytes]]:
    order, place, interfaces = "<", 0, list[tuple[int, float]]()
    while place + 12 <= len(octets):
        kind = struct.unpack(f"{order}I", octets[place : place + 4])[0]
        if kind == _PCAPNG:
            order = "<" if octets[place + 8 : place + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        length = struct.unpack(f"{order}I", octets[place + 4 : place + 8])[0]
        block = octets[place : place + length]
        if length < 12:
            return
        if kind == 1:
            interfaces.append((struct.unpack(f"{order}H", block[8:10])[0], _resolution(block, order)))
        elif kind == 6:
            number, high, low, captured_length = struct.unpack(f"{order}IIII", block[8:24])
            link, unit = interfaces[number]
            yield ((high << 32) + low) * unit, link, block[28 : 28 + captured_length]
        place += length


def _resolution(block: bytes, order: str) -> float:
    """Return the unit of the timestamps of an interface in s (option 9; microseconds without it)."""
    place = 16
    while place + 4 <= len(block) - 4:
        code, length = struct.unpack(f"{order}HH", block[place : place + 4])
        if code == 9:
            value = block[place + 4]
            return float(2.0 ** -(value & 127)) if value & 128 else float(10.0**-value)
        place += 4 + (length + 3) // 4 * 4
    return 1e-6
