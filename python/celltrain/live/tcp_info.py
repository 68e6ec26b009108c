"""The Linux kernel's state of a TCP connection: ``struct tcp_info``."""

from __future__ import annotations

import socket
import sys
from dataclasses import dataclass

_BYTES = 192
#: Offsets of the fields that are read; those of 64 bits come last.
_WORDS = {
    "mss": 16,
    "unacked": 24,
    "sacked": 28,
    "lost": 32,
    "retransmitting": 36,
    "srtt_us": 68,
    "cwnd": 80,
    "retransmitted": 100,
    "unsent": 144,
    "segments": 156,
}
_LONGS = {"busy_us": 168, "window_limited_us": 176, "buffer_limited_us": 184}
_FLAGS, _APPLICATION_LIMITED = 7, 1


@dataclass(frozen=True)
class TcpInfo:
    """The state of a sending connection.

    Segment size in octets; segments sent and not acknowledged, and of these the segments known to have arrived, assumed
    lost, and retransmitted; smoothed RTT in us; congestion window in segments; retransmissions since the start; octets
    written and not yet sent; segments with data since the start; times since the start, in us, with data in flight,
    limited by the receiver's window, and by the send buffer; whether the application limited the latest rate sample.
    """

    mss: int
    unacked: int
    sacked: int
    lost: int
    retransmitting: int
    srtt_us: int
    cwnd: int
    retransmitted: int
    unsent: int
    segments: int
    busy_us: int
    window_limited_us: int
    buffer_limited_us: int
    sample_is_application_limited: bool

    @classmethod
    def of(cls, connection: socket.socket) -> TcpInfo:
        """Ask the kernel."""
        return cls.parse(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _BYTES))

    @classmethod
    def parse(cls, info: bytes) -> TcpInfo:
        """Read the kernel's answer; fields that an older kernel lacks are 0."""
        info = info.ljust(_BYTES, b"\0")
        words = {name: _number(info, offset, 4) for name, offset in _WORDS.items()}
        longs = {name: _number(info, offset, 8) for name, offset in _LONGS.items()}
        limited = bool(info[_FLAGS] & _APPLICATION_LIMITED)
        return cls(**words, **longs, sample_is_application_limited=limited)

    @property
    def is_application_limited(self) -> bool:
        """Whether the window has room but the application has provided no data.

        The kernel's own rule, from ``tcp_rate_check_app_limited``, or its flag. The flag alone is not enough: a rate
        sample below the highest one does not set it.
        """
        in_flight = self.unacked - self.sacked - self.lost + self.retransmitting
        has_room = self.unsent < self.mss and in_flight < self.cwnd and self.lost <= self.retransmitting
        return has_room or self.sample_is_application_limited


def _number(info: bytes, offset: int, length: int) -> int:
    return int.from_bytes(info[offset : offset + length], sys.byteorder)
