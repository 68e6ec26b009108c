"""One end of a connection: the core's sender and receiver, whose segments form one stream.

The core fixes its options at creation, but SYNs negotiate them: after the negotiation the end is created again with the
agreed options, and the opening is repeated up to the present.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from celltrain import _native
from celltrain.packetdrill.script import NotSupported, Options, Packet
from celltrain.packetdrill.settings import DEFAULT_MSS, FLOW, Proposal, Settings, agree

_MOST_UNSCALED = 65_535
#: The largest value of the MSS option.
_LARGEST_MSS = 65_535


@dataclass(frozen=True)
class Seen:
    """A segment that our TCP sent: its time (ps), and its content in the numbering of scripts."""

    time_ps: int
    packet: Packet


class Endpoint:
    """A connection under test.

    Parameters
    ----------
    settings
        Settings of its TCP.
    is_active
        Whether it connects; otherwise it waits for a SYN.
    """

    def __init__(self, settings: Settings, *, is_active: bool) -> None:
        self.settings = settings
        self.is_active = is_active
        self.sent: list[Seen] = []
        self.peer_scale: int | None = None
        self._agreed = settings.proposal
        self._opening: list[tuple[int, Callable[[], None]]] = []
        self._has_moved = False
        self._is_opened = False
        self.written = 0
        #: When data last arrived, or else when the connection was opened.
        self.received_ps = 0
        self._closed_first = True
        self._error = ""
        self._peer_timestamps: dict[int, int] = {}
        self._make(settings.proposal)

    # ---- Options ----

    def _make(self, agreed: Proposal) -> None:
        scenario = self.settings.scenario(agreed).native
        self._agreed = agreed
        self.sender = _native.TcpSender(scenario, FLOW)
        self.first_ssthresh = self.sender.ssthresh
        self.receiver = _native.TcpReceiver(scenario, FLOW, manual=True)
        self._end = _native.TcpEnd(self.sender, self.receiver)

    def _do(self, now_ps: int, step: Callable[[], None]) -> None:
        """Do a step of the opening, and record it for :meth:`_remake`."""
        self._opening.append((now_ps, step))
        step()

    def _remake(self, agreed: Proposal) -> None:
        self._make(agreed)
        for now_ps, step in self._opening:
            step()
            # These segments were sent before; the core continues only if they are taken.
            self._poll(now_ps)

    def _poll(self, now_ps: int) -> list[_native.TcpSegment]:
        return list(iter(lambda: self._end.poll_transmit(now_ps), None))

    def change(self, settings: Settings) -> None:
        """Change options, as long as only the opening has happened.

        Raises
        ------
        NotSupported
            Data have already been transferred.
        """
        if self._has_moved:
            raise NotSupported("a socket option that is changed after data have been transferred")
        self.settings = settings
        own = settings.proposal
        self._remake(replace(self._agreed, mss=min(self._agreed.mss, own.mss)) if self._opening else own)

    @property
    def mss(self) -> int:
        """Octets of data in a full segment."""
        return self.sender.mss

    # ---- The application ----

    @property
    def state(self) -> str:
        """The state of the connection, with Linux's names without ``TCP_``."""
        if self.receiver.state == "SYN-RECEIVED":
            return "SYN_RECV"
        sender, has_peer_fin = self.sender.state, self.receiver.state == "CLOSE-WAIT"
        if sender == "ESTABLISHED":
            return "CLOSE_WAIT" if has_peer_fin else "ESTABLISHED"
        if sender == "FIN-WAIT-1" and has_peer_fin:
            return "CLOSING" if self._closed_first else "LAST_ACK"
        if sender == "TIME-WAIT" and not self._closed_first:
            return "CLOSE"
        names = {"SYN-SENT": "SYN_SENT", "CLOSED": "CLOSE", "TIME-WAIT": "TIME_WAIT"}
        return names.get(sender, sender.replace("FIN-WAIT-", "FIN_WAIT"))

    @property
    def is_established(self) -> bool:
        """Whether the opening is complete."""
        return self._is_opened

    def connect(self, now_ps: int) -> None:
        """Open actively."""
        self._do(now_ps, lambda: self.sender.connect(now_ps))
        self.drain(now_ps)

    def write(self, now_ps: int, octets: int) -> None:
        """Write data; the send buffer is unlimited."""
        self._has_moved = True
        self.written += octets
        self.sender.write(now_ps, octets)
        self.drain(now_ps)

    def read(self, now_ps: int, octets: int) -> int:
        """Read data; return the number of octets."""
        got = self.receiver.read(now_ps, octets)
        self.drain(now_ps)
        return got

    def close(self, now_ps: int) -> None:
        """Close our direction after the written data; before the peer answers, the connection (RFC 9293 3.10.4)."""
        if not self._is_opened:
            self.abort(now_ps)
            return
        self._closed_first = self.receiver.state != "CLOSE-WAIT"
        self._has_moved = True
        self.sender.close(now_ps)
        self.drain(now_ps)

    def abort(self, now_ps: int) -> None:
        """Abort the connection; a peer that knows it gets a reset."""
        self.sender.abort(now_ps)
        self.drain(now_ps)
        self.receiver.on_segment(now_ps, _native.TcpSegment(rst=True))

    def take_error(self) -> str:
        """Return, once, the errno that a reset has left for the next call; empty without one."""
        error, self._error = self._error, ""
        return error

    # ---- Time ----

    @property
    def next_timeout_ps(self) -> int | None:
        """When :meth:`on_timer` is due."""
        return self._end.next_timeout_ps

    def on_timer(self, now_ps: int) -> None:
        """Run the timers that are due."""
        if self._is_opened:
            self._end.on_timer(now_ps)
        else:
            self._do(now_ps, lambda: self._end.on_timer(now_ps))
        self.drain(now_ps)

    # ---- Segments that arrive ----

    def on_packet(self, now_ps: int, packet: Packet) -> None:
        """Process a segment of the peer.

        Raises
        ------
        NotSupported
            It contains something that the core does not support.
        """
        if packet.options is None:
            raise NotSupported("<...> on a segment of the peer")
        if self._opening and self.state == "CLOSE":
            self._answer_closed(now_ps, packet)
        elif "R" in packet.flags:
            self._on_reset(now_ps, packet)
        elif "S" in packet.flags:
            self._on_syn(now_ps, packet, packet.options)
        elif packet.ack is None and "." in packet.flags:
            raise NotSupported("an acknowledgment without a number")
        elif packet.ack is None:
            # RFC 9293 3.10.7.4: one without ACK is dropped.
            return
        elif not self._is_opened:
            self._on_opening_ack(now_ps, packet, packet.options)
        else:
            self._has_moved = self._has_moved or packet.length > 0
            self.received_ps = now_ps if packet.length else self.received_ps
            self._end.on_segment(now_ps, self._segment(packet, packet.options))
        self.drain(now_ps)

    def _answer_closed(self, now_ps: int, packet: Packet) -> None:
        """Answer a segment after the end with a reset that has the number the peer expects (RFC 9293 3.10.7.1)."""
        if packet.ack is None:
            raise NotSupported("an answer to a segment without ACK")
        self.receiver.on_segment(now_ps, _native.TcpSegment(rst=True))
        self.receiver.on_segment(now_ps, _native.TcpSegment(ack=packet.ack - 1, rst="R" in packet.flags))
        while (segment := self.receiver.poll_transmit(now_ps)) is not None:
            self.sent.append(Seen(now_ps, Packet("R", segment.seq + 1, 0, None, 0, Options())))

    def _on_reset(self, now_ps: int, packet: Packet) -> None:
        if self._is_opened and packet.seq != self.receiver.rcv_nxt + 1:
            raise NotSupported("a reset that is not for the next octet")
        if not self.is_active and not self._is_opened:
            raise NotSupported("a reset of a connection that is not open yet")
        self._error = "ECONNRESET" if self._is_opened else "ECONNREFUSED"
        # A reset ends both directions, whatever was negotiated.
        self._end.on_segment(now_ps, _native.TcpSegment(rst=True))

    def _on_syn(self, now_ps: int, packet: Packet, options: Options) -> None:
        if packet.length:
            raise NotSupported("data on a SYN")
        if self.is_active and "." not in packet.flags:
            raise NotSupported("simultaneous opening")
        if self._is_opened:
            raise NotSupported("a SYN on an open connection")
        if not self._opening or self.is_active:
            self._agree(packet, options)
        syn = self._syn(packet, options.timestamp)
        self._do(now_ps, lambda: self._end.on_segment(now_ps, syn))
        self._is_opened = self.is_active
        self.received_ps = now_ps

    def _agree(self, packet: Packet, options: Options) -> None:
        """Create the end again with the options that both SYNs agree on."""
        own, flags = self.settings.proposal, set(packet.flags)
        proposes_ecn = flags >= {"E", "W"}
        ecn = self.settings.ecn_passive and proposes_ecn if not self.is_active else own.ecn and "E" in flags
        peer = Proposal(
            options.mss or DEFAULT_MSS,
            options.sack_permitted,
            options.timestamp is not None,
            options.window_scale,
            ecn,
        )
        agreed = agree(own, peer, ecn=ecn)
        self.peer_scale = options.window_scale if agreed.window_scale is not None else None
        self._remake(agreed)

    def _syn(self, packet: Packet, timestamp: tuple[int, int] | None) -> _native.TcpSegment:
        flags = set(packet.flags)
        return _native.TcpSegment(
            window=packet.window or 0,
            syn=True,
            ece="E" in flags,
            cwr="W" in flags,
            timestamp=self._translated(timestamp),
            window_scale=self._agreed.window_scale if self.peer_scale is not None else None,
            # The agreed value is not more than the peer accepts.
            mss=min(self._agreed.mss, _LARGEST_MSS),
        )

    def _on_opening_ack(self, now_ps: int, packet: Packet, options: Options) -> None:
        """Process the acknowledgment of our SYN."""
        if self.is_active or not self._opening:
            raise NotSupported("a segment before the connection is open")
        segment = self._segment(packet, options)
        self._do(now_ps, lambda: self._end.on_segment(now_ps, segment))
        self._is_opened = True
        if packet.length or "F" in packet.flags:
            self._has_moved = True

    def _translated(self, timestamp: tuple[int, int] | None) -> tuple[int, int] | None:
        """Return a timestamp of the peer whose echo is the value of our clock instead of the script's."""
        if timestamp is None:
            return None
        return timestamp[0], self._peer_timestamps.get(timestamp[1], timestamp[1])

    def _segment(self, packet: Packet, options: Options) -> _native.TcpSegment:
        if packet.ack is not None and packet.ack < 1:
            raise NotSupported("an acknowledgment of less than our SYN")
        if packet.seq < 1:
            raise NotSupported("a segment that begins before the peer's first octet")
        ack = (packet.ack or 1) - 1
        blocks = [(start - 1, end - 1) for start, end in options.sack]
        if any(end <= start for start, end in blocks):
            raise NotSupported("an empty block of SACK")
        return _native.TcpSegment(
            seq=packet.seq - 1,
            len=packet.length,
            ack=ack,
            window=(packet.window or 0) << (self.peer_scale or 0),
            sack=blocks,
            fin="F" in packet.flags,
            ece="E" in packet.flags,
            cwr="W" in packet.flags,
            timestamp=self._translated(options.timestamp if self._agreed.timestamps else None),
            congestion_experienced=packet.ip_info == "ce",
        )

    # ---- Segments that leave ----

    def drain(self, now_ps: int) -> None:
        """Collect the segments that our TCP sends now."""
        for segment in self._poll(now_ps):
            self.sent.append(Seen(now_ps, self._syn_packet(segment) if segment.syn else self._packet(segment)))

    def _syn_packet(self, syn: _native.TcpSegment) -> Packet:
        flags = "S" + ("E" if syn.ece else "") + ("W" if syn.cwr else "") + ("" if self.is_active else ".")
        options = Options(self.settings.proposal.mss, self._agreed.sack, syn.window_scale, syn.timestamp)
        return Packet(flags, 0, 0, None if self.is_active else 1, min(syn.window, _MOST_UNSCALED), options)

    def _packet(self, segment: _native.TcpSegment) -> Packet:
        letters = {"F": segment.fin, "R": segment.rst, "E": segment.ece, "W": segment.cwr}
        flags = "".join(letter for letter, is_set in letters.items() if is_set) + "."
        blocks = tuple((start + 1, end + 1) for start, end in segment.sack)
        window = segment.window >> (self._agreed.window_scale or 0)
        options = Options(timestamp=segment.timestamp, sack=blocks)
        ecn = "ect0" if segment.ecn_capable else ""
        return Packet(flags, segment.seq + 1, segment.len, segment.ack + 1, window, options, ecn)

    def tell_timestamp(self, in_script: int, ours: int) -> None:
        """Record the script's number for our clock's value ``ours``, which echoes will use."""
        self._peer_timestamps[in_script] = ours
