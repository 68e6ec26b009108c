"""Bulk TCP at the ends of a line: ``python -m celltrain.live.bulk send|receive SETTINGS``; results are JSON."""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

_WINDOW_CLAMP = 10
_TCP_INFO_BYTES = 192
#: Offsets in the kernel's ``tcp_info``: smoothed RTT in us, segments sent again, segments with data sent.
_RTT, _RETRANSMITTED, _DATA_SEGMENTS = 68, 100, 156
_SAMPLE_EVERY_S = 0.01
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Bulk:
    """One connection that sends as much as it can."""

    address: str
    port: int
    #: When measuring starts and ends, from the start of the connection.
    warm_up_s: float
    end_s: float
    congestion: str | None = None
    mss: int | None = None
    #: The largest window that the receiver offers.
    window: int | None = None
    send_buffer: int | None = None

    def as_argument(self) -> str:
        """Write it as the programs of this module read it."""
        return json.dumps(asdict(self))


def _socket(bulk: Bulk) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if bulk.mss is not None:
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, bulk.mss)
    return made


def receive(bulk: Bulk) -> dict[str, Any]:
    """Take one connection; count what comes within the measured time."""
    with _socket(bulk) as listener:
        if bulk.window is not None:
            listener.setsockopt(socket.IPPROTO_TCP, _WINDOW_CLAMP, bulk.window)
        listener.bind((bulk.address, bulk.port))
        listener.listen(1)
        print("ready", flush=True)
        listener.settimeout(30)
        connection, _ = listener.accept()
    with connection:
        connection.settimeout(bulk.end_s + 30)
        start = time.monotonic()
        received = 0
        # The sender ends with a reset, so that what waits in its buffer need not cross the line.
        with suppress(ConnectionResetError):
            while chunk := connection.recv(_CHUNK):
                if bulk.warm_up_s <= time.monotonic() - start < bulk.end_s:
                    received += len(chunk)
    return {"bytes": received, "throughput_bps": 8 * received / (bulk.end_s - bulk.warm_up_s)}


def send(bulk: Bulk) -> dict[str, Any]:
    """Send as much as the connection takes; sample what the kernel knows of it."""
    with _socket(bulk) as connection:
        if bulk.congestion is not None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, bulk.congestion.encode())
        if bulk.send_buffer is not None:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, bulk.send_buffer)
        connection.settimeout(30)
        connection.connect((bulk.address, bulk.port))
        connection.settimeout(_SAMPLE_EVERY_S)
        used = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0").decode()
        start = time.monotonic()
        data, rtts = bytes(_CHUNK), []
        next_sample = bulk.warm_up_s
        first = last = (0, 0)
        while (elapsed := time.monotonic() - start) < bulk.end_s:
            with suppress(TimeoutError):
                connection.send(data)
            if elapsed >= next_sample:
                info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
                rtts.append(_field(info, _RTT) / 1e6)
                last = (_field(info, _RETRANSMITTED), _field(info, _DATA_SEGMENTS))
                first = last if len(rtts) == 1 else first
                next_sample = elapsed + _SAMPLE_EVERY_S
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sent = last[1] - first[1]
    return {"congestion": used, "rtts_s": rtts, "retransmitted": last[0] - first[0], "segments": sent}


def _field(info: bytes, offset: int) -> int:
    return int.from_bytes(info[offset : offset + 4], sys.byteorder)


def main() -> None:
    """Do what the command line says."""
    role, argument = sys.argv[1:]
    bulk = Bulk(**json.loads(argument))
    try:
        result = send(bulk) if role == "send" else receive(bulk)
    except OSError as error:
        sys.exit(f"error: {role} {bulk.address}:{bulk.port}: {error}")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
