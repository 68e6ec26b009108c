"""One end of a connection: the core's sender and receiver behind one pair of sequence spaces.

The core has a sender of data and a receiver of data, each for one direction. Here both share a connection: the sender
owns our sequence numbers, with SYN, data and FIN; the receiver owns our acknowledgments. What the core does not join
is refused: an acknowledgment that would ride on data (:class:`NotSupported`).

The core fixes its options when it is made, but the SYNs agree on them: the ends are made anew with what was agreed on,
and the opening is repeated up to now.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from celltrain import _native
from celltrain.packetdrill.script import NotSupported, Options, Packet
from celltrain.packetdrill.settings import DEFAULT_MSS, FLOW, Proposal, Settings, agree

_MOST_UNSCALED = 65_535
#: What the option of the largest segment can tell.
_LARGEST_MSS = 65_535


@dataclass(frozen=True)
class Seen:
    """A segment that our TCP sent: when (ps), and what, in the numbering of scripts."""

    time_ps: int
    packet: Packet


class Endpoint:
    """A connection under test.

    Parameters
    ----------
    settings
        Its TCP.
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
        self._answers_syn = False
        self._closed_first = True
        self._acknowledged = 0
        self._peer_syn: Packet | None = None
        self._peer_timestamps: dict[int, int] = {}
        self._make(settings.proposal)

    # ---- Options ----

    def _make(self, agreed: Proposal) -> None:
        scenario = self.settings.scenario(agreed).native
        self._agreed = agreed
        self.sender = _native.TcpSender(scenario, FLOW)
        self.receiver = _native.TcpReceiver(scenario, FLOW, manual=True)

    def _do(self, now_ps: int, step: Callable[[], None]) -> None:
        """Do a step of the opening, and keep it for :meth:`_remake`."""
        self._opening.append((now_ps, step))
        step()

    def _remake(self, agreed: Proposal) -> None:
        self._make(agreed)
        for now_ps, step in self._opening:
            step()
            # What leaves has left already; asking for it is what lets the core go on.
            self._poll(now_ps)

    def _poll(self, now_ps: int) -> tuple[list[_native.TcpSegment], list[_native.TcpSegment]]:
        """Take what both ends send now: the receiver's acknowledgments, and the sender's segments."""
        acks = list(iter(lambda: self.receiver.poll_transmit(now_ps), None))
        return acks, list(iter(lambda: self.sender.poll_transmit(now_ps), None))

    def change(self, settings: Settings) -> None:
        """Take other options, as long as nothing but the opening has happened.

        Raises
        ------
        NotSupported
            Data have moved.
        """
        if self._has_moved:
            raise NotSupported("a socket option that is changed after data have moved")
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
        """The state of the whole connection, with the names of Linux without ``TCP_``."""
        sender, has_peer_fin = self.sender.state, self.receiver.state == "CLOSE-WAIT"
        if sender == "ESTABLISHED":
            return "CLOSE_WAIT" if has_peer_fin else "ESTABLISHED"
        if sender == "FIN-WAIT-1" and has_peer_fin:
            return "CLOSING" if self._closed_first else "LAST_ACK"
        if sender == "TIME-WAIT" and not self._closed_first:
            return "CLOSE"
        names = {"SYN-SENT": "SYN_SENT" if self.is_active else "SYN_RECV", "CLOSED": "CLOSE", "TIME-WAIT": "TIME_WAIT"}
        return names.get(sender, sender.replace("FIN-WAIT-", "FIN_WAIT"))

    @property
    def is_established(self) -> bool:
        """Whether the opening is over."""
        return self._is_opened

    def connect(self, now_ps: int) -> None:
        """Open actively."""
        self._do(now_ps, lambda: self.sender.connect(now_ps))
        self.drain(now_ps)

    def write(self, now_ps: int, octets: int) -> None:
        """Hand over data; the send buffer has no bound."""
        self._has_moved = True
        self.sender.write(now_ps, octets)
        self.drain(now_ps)

    def read(self, now_ps: int, octets: int) -> int:
        """Take data; returns how many octets."""
        got = self.receiver.read(now_ps, octets)
        self.drain(now_ps)
        return got

    def close(self, now_ps: int) -> None:
        """End our direction behind what was written.

        Raises
        ------
        NotSupported
            The connection is not open yet.
        """
        if not self._is_opened:
            raise NotSupported("the end of a connection that is not open yet")
        self._closed_first = self.receiver.state != "CLOSE-WAIT"
        self._has_moved = True
        self.sender.close(now_ps)
        self.drain(now_ps)

    # ---- Time ----

    @property
    def next_timeout_ps(self) -> int | None:
        """When :meth:`on_timer` is due."""
        due = [time for time in (self.sender.next_timeout_ps, self.receiver.next_timeout_ps) if time is not None]
        return min(due, default=None)

    def on_timer(self, now_ps: int) -> None:
        """Let the timers act that are due."""
        if self._is_opened:
            self._on_timer(now_ps)
        else:
            self._do(now_ps, lambda: self._on_timer(now_ps))
        self.drain(now_ps)

    def _on_timer(self, now_ps: int) -> None:
        self.sender.on_timer(now_ps)
        self.receiver.on_timer(now_ps)

    # ---- Segments that arrive ----

    def on_packet(self, now_ps: int, packet: Packet) -> None:
        """Take a segment of the peer.

        Raises
        ------
        NotSupported
            It has something that the core does not know.
        """
        if packet.options is None:
            raise NotSupported("<...> on a segment of the peer")
        if "S" in packet.flags:
            self._on_syn(now_ps, packet, packet.options)
        elif not self._is_opened:
            self._on_opening_ack(now_ps, packet, packet.options)
        else:
            self._on_segment(now_ps, packet, packet.options)
        self.drain(now_ps)

    def _on_syn(self, now_ps: int, packet: Packet, options: Options) -> None:
        if packet.length:
            raise NotSupported("data on a SYN")
        if self.is_active and "." not in packet.flags:
            raise NotSupported("simultaneous opening")
        if self._is_opened or (self._opening and not self.is_active):
            raise NotSupported("a repeated SYN")
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
        self._peer_syn = packet
        self._remake(agreed)
        if self.is_active:
            self._do(now_ps, lambda: self._open_actively(now_ps, packet, options))
            self._is_opened = True
            self._answers_syn = True
        else:
            self._do(now_ps, lambda: self._on_first_syn(now_ps, packet, options))

    def _on_first_syn(self, now_ps: int, packet: Packet, options: Options) -> None:
        self.receiver.on_segment(now_ps, self._syn(packet, options.timestamp))
        self.sender.connect(now_ps)

    def _open_actively(self, now_ps: int, packet: Packet, options: Options) -> None:
        """Take the answer to our SYN; the core's receiver learns from it as from a SYN of the peer."""
        self._on_syn_ack(now_ps, packet, options.timestamp)
        syn = replace(packet, flags="SEW" if self._agreed.ecn else "S")
        self.receiver.on_segment(now_ps, self._syn(syn, options.timestamp))
        # Its own SYN is ours, which has left and is acknowledged.
        self.receiver.poll_transmit(now_ps)
        self.receiver.on_segment(now_ps, _native.TcpSegment())

    def _on_syn_ack(self, now_ps: int, packet: Packet, timestamp: tuple[int, int] | None) -> None:
        if timestamp is not None:
            timestamp = timestamp[0], self._peer_timestamps.get(timestamp[1], timestamp[1])
        self.sender.on_segment(now_ps, self._syn(packet, timestamp))

    def _syn(self, packet: Packet, timestamp: tuple[int, int] | None) -> _native.TcpSegment:
        flags = set(packet.flags)
        return _native.TcpSegment(
            window=packet.window or 0,
            syn=True,
            ece="E" in flags,
            cwr="W" in flags,
            timestamp=timestamp,
            window_scale=self._agreed.window_scale if self.peer_scale is not None else None,
            # What was agreed on is no more than the peer takes.
            mss=min(self._agreed.mss, _LARGEST_MSS),
        )

    def _on_opening_ack(self, now_ps: int, packet: Packet, options: Options) -> None:
        """Take the acknowledgment of our SYN: each direction of the core sees what opens it."""
        syn = self._peer_syn
        if self.is_active or syn is None or packet.ack is None:
            raise NotSupported("a segment before the connection is open")

        def open_both() -> None:
            self.receiver.on_segment(now_ps, self._segment(packet, options))
            self._on_syn_ack(now_ps, syn, options.timestamp)
            # The core's sender answers a SYN; here that answer was our SYN.
            self._drop(self.sender, now_ps)
            self.sender.on_segment(now_ps, self._segment(replace(packet, length=0), options))

        self._do(now_ps, open_both)
        self._is_opened = True
        if packet.length or "F" in packet.flags:
            self._has_moved = True

    @staticmethod
    def _drop(end: _native.TcpSender, now_ps: int) -> None:
        while (segment := end.poll_transmit(now_ps)) is not None:
            if segment.len or segment.syn or segment.fin:
                raise NotSupported("data that wait for the opening of a passive end")

    def _on_segment(self, now_ps: int, packet: Packet, options: Options) -> None:
        if packet.ack is None:
            raise NotSupported("a segment without ACK")
        self._has_moved = self._has_moved or packet.length > 0
        segment = self._segment(packet, options)
        self.receiver.on_segment(now_ps, segment)
        self.sender.on_segment(now_ps, segment)

    def _segment(self, packet: Packet, options: Options) -> _native.TcpSegment:
        if packet.ack is not None and packet.ack < 1:
            raise NotSupported("an acknowledgment of less than our SYN")
        if packet.seq < 1:
            raise NotSupported("a segment that begins before the peer's first octet")
        ack = (packet.ack or 1) - 1
        blocks = [(start - 1, end - 1) for start, end in options.sack]
        if any(end <= start for start, end in blocks):
            raise NotSupported("an empty block of SACK")
        timestamp = options.timestamp if self._agreed.timestamps else None
        if timestamp is not None:
            timestamp = timestamp[0], self._peer_timestamps.get(timestamp[1], timestamp[1])
        return _native.TcpSegment(
            seq=packet.seq - 1,
            len=packet.length,
            ack=ack,
            window=(packet.window or 0) << (self.peer_scale or 0),
            sack=blocks,
            fin="F" in packet.flags,
            ece="E" in packet.flags,
            cwr="W" in packet.flags,
            timestamp=timestamp,
            congestion_experienced=packet.ip_info == "ce",
        )

    # ---- Segments that leave ----

    def drain(self, now_ps: int) -> None:
        """Collect what our TCP sends now.

        Raises
        ------
        NotSupported
            An acknowledgment would ride on data.
        """
        acks, data = self._poll(now_ps)
        if not self._is_opened:
            self._drain_opening(now_ps, acks, data)
            return
        for ack in acks:
            self._acknowledged = ack.ack
            self._send(now_ps, self._ack_packet(ack))
        for segment in data:
            is_bare = not (segment.len or segment.fin)
            if is_bare and not self._answers_syn:
                continue
            if acks or self._acknowledged < self.receiver.rcv_nxt:
                raise NotSupported("an acknowledgment that rides on data or a FIN")
            self._answers_syn = False
            self._send(now_ps, self._data_packet(segment))

    def _drain_opening(self, now_ps: int, acks: list[_native.TcpSegment], data: list[_native.TcpSegment]) -> None:
        """Send a SYN: ours alone, or joined with the acknowledgment of the peer's."""
        syns = [segment for segment in (acks if not self.is_active else data) if segment.syn]
        for syn in syns:
            flags = "S" + ("E" if syn.ece else "") + ("W" if syn.cwr else "") + ("" if self.is_active else ".")
            options = Options(
                self.settings.proposal.mss,
                self._agreed.sack,
                syn.window_scale,
                syn.timestamp,
            )
            window = min(syn.window, _MOST_UNSCALED) if not self.is_active else None
            self._send(now_ps, Packet(flags, 0, 0, None if self.is_active else 1, window, options))

    def _ack_packet(self, segment: _native.TcpSegment) -> Packet:
        # The receiver has no data of its own: it acknowledges behind all that our sender has sent.
        seq = self.sender.snd_max + 1
        blocks = tuple((start + 1, end + 1) for start, end in segment.sack)
        flags = ("E" if segment.ece else "") + "."
        window = segment.window >> (self._agreed.window_scale or 0)
        return Packet(flags, seq, 0, segment.ack + 1, window, Options(timestamp=segment.timestamp, sack=blocks))

    def _data_packet(self, segment: _native.TcpSegment) -> Packet:
        flags = ("F" if segment.fin else "") + ("W" if segment.cwr else "") + "."
        options = Options(timestamp=segment.timestamp)
        ecn = "ect0" if segment.ecn_capable else ""
        return Packet(flags, segment.seq + 1, segment.len, self.receiver.rcv_nxt + 1, None, options, ecn)

    def _send(self, now_ps: int, packet: Packet) -> None:
        self.sent.append(Seen(now_ps, packet))

    def tell_timestamp(self, in_script: int, ours: int) -> None:
        """Note that the script calls our clock's value ``ours`` by another number, as echoes will do."""
        self._peer_timestamps[in_script] = ours
