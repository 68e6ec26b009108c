"""System calls of scripts: sockets, and their single connection."""

from __future__ import annotations

from dataclasses import dataclass

from celltrain.packetdrill.endpoint import Endpoint
from celltrain.packetdrill.script import Call, NotSupported, Packet, Value
from celltrain.packetdrill.settings import Settings
from celltrain.packetdrill.sysctl import Commands

_O_RDWR, _O_NONBLOCK = 0x2, 0x800
#: Socket options that have no effect on segments here.
_NEUTRAL = {
    "SO_REUSEADDR",
    "SO_REUSEPORT",
    "SO_PRIORITY",
    "SO_MARK",
    "IP_TOS",
    "IP_MTU_DISCOVER",
    "SO_SNDBUF",
    "SO_SNDBUFFORCE",
}
#: Error numbers that a reset leaves.
_ERRNOS = {"ECONNREFUSED": 111, "ECONNRESET": 104}
#: A result: a number, or -1 and an errno.
_Answer = tuple[int, str]


class Failed(Exception):
    """The TCP under test did not behave as expected; ``line`` is the line of another event that caused it."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


@dataclass
class _Socket:
    listens: bool = False
    is_blocking: bool = True
    is_connection: bool = False
    writes_are_over: bool = False
    reads_are_over: bool = False


@dataclass(frozen=True)
class _Blocked:
    """A waiting call: when it must return, and the line that requires it."""

    call: Call
    end_ps: int
    tolerance_ps: int
    line: int


class Sockets:
    """The sockets of a script, by descriptor; one connection at a time.

    Parameters
    ----------
    commands
        Current settings; connections start with them.
    """

    def __init__(self, commands: Commands) -> None:
        self._commands = commands
        self.endpoint: Endpoint | None = None
        self._sockets: dict[int, _Socket] = {}
        self._is_accepted = False
        self._blocked: list[_Blocked] = []

    @property
    def blocked_until_ps(self) -> int | None:
        """When the last of the blocking calls must return."""
        return max((blocked.end_ps for blocked in self._blocked), default=None)

    def change(self, settings: Settings) -> None:
        """Change the settings of the existing connection.

        Raises
        ------
        NotSupported
            It has already transferred data.
        """
        if self.endpoint is not None:
            self.endpoint.change(settings)

    def on_packet(self, now_ps: int, packet: Packet) -> None:
        """Pass a segment to the connection, or to a listener.

        Raises
        ------
        NotSupported
            No socket expects it; the kernel would send a reset.
        """
        if self.endpoint is None:
            if "S" not in packet.flags or not any(socket.listens for socket in self._sockets.values()):
                raise NotSupported("resets in answer to a segment that no socket expects")
            self.endpoint = Endpoint(self._commands.settings, is_active=False)
        self.endpoint.on_packet(now_ps, packet)

    def call(self, call: Call, now_ps: int, end_ps: int | None, tolerance_ps: int, line: int) -> None:
        """Carry out a call, and check its result.

        Raises
        ------
        Failed
            It has a different result.
        NotSupported
            The call is not supported here.
        """
        answer = self._try(call, now_ps)
        if answer is not None:
            if end_ps is not None and end_ps > now_ps + tolerance_ps:
                raise Failed(f"expected {call.name}() to block until {end_ps / 1e12:.6f} s; it returned at once")
            _check(call, answer)
        elif end_ps is None:
            raise Failed(f"expected {call.name}() to return; it blocks")
        else:
            self._blocked.append(_Blocked(call, end_ps, tolerance_ps, line))

    def check_blocked(self, now_ps: int) -> None:
        """Check which of the blocking calls return now.

        Raises
        ------
        Failed
            One returns at the wrong time, or with the wrong result.
        """
        for blocked in list(self._blocked):
            answer = self._try(blocked.call, now_ps)
            if answer is None and now_ps <= blocked.end_ps + blocked.tolerance_ps:
                continue
            self._blocked.remove(blocked)
            name = f"{blocked.call.name}()"
            if answer is None:
                raise Failed(f"expected {name} to return until {blocked.end_ps / 1e12:.6f} s; it blocks", blocked.line)
            if abs(now_ps - blocked.end_ps) > blocked.tolerance_ps:
                expected = f"expected {name} to return at {blocked.end_ps / 1e12:.6f} s"
                raise Failed(f"{expected}; it did at {now_ps / 1e12:.6f} s", blocked.line)
            _check(blocked.call, answer)

    def _try(self, call: Call, now_ps: int) -> _Answer | None:
        """Carry out a call; None if it blocks."""
        arguments = call.arguments
        match call.name:
            case "socket":
                return self._socket(call)
            case "close":
                return self._close(_number(arguments, 0), now_ps)
            case "bind":
                return 0, ""
            case "listen":
                self._of(arguments).listens = True
                return 0, ""
            case "accept":
                return self._accept(call)
            case "connect":
                return self._connect(self._of(arguments), now_ps)
            case "write" | "send":
                return self._write(call, now_ps)
            case "read" | "recv":
                return self._read(call, now_ps)
            case "shutdown":
                return self._shutdown(call, now_ps)
            case "fcntl":
                return self._fcntl(call)
            case "setsockopt":
                return self._set_option(arguments)
            case "getsockopt":
                return self._get_option(arguments)
            case "ioctl":
                return self._ioctl(call)
        raise NotSupported(f"{call.name}()")

    # ---- Calls ----

    def _socket(self, call: Call) -> _Answer:
        kind = call.arguments[1] if len(call.arguments) > 1 else None
        words = kind if isinstance(kind, frozenset) else {kind}
        if "SOCK_STREAM" not in words:
            raise NotSupported(f"sockets other than SOCK_STREAM: {kind}")
        return self._new(_Socket(is_blocking="SOCK_NONBLOCK" not in words), call), ""

    def _new(self, socket: _Socket, call: Call) -> int:
        """Give a socket the descriptor that the script uses for it."""
        number = call.result
        if not isinstance(number, int) or number < 0 or number in self._sockets:
            raise NotSupported(f"{call.name}() = {number}")
        self._sockets[number] = socket
        return number

    def _accept(self, call: Call) -> _Answer | None:
        socket = self._of(call.arguments)
        if not socket.listens:
            return -1, "EINVAL"
        if self.endpoint is None or self.endpoint.is_active or not self.endpoint.is_established or self._is_accepted:
            return None if socket.is_blocking else (-1, "EAGAIN")
        self._is_accepted = True
        return self._new(_Socket(is_connection=True), call), ""

    def _connect(self, socket: _Socket, now_ps: int) -> _Answer | None:
        if not socket.is_connection:
            if self.endpoint is not None:
                raise NotSupported("a second connection")
            socket.is_connection = True
            self.endpoint = Endpoint(self._commands.settings, is_active=True)
            self.endpoint.connect(now_ps)
            return None if socket.is_blocking else (-1, "EINPROGRESS")
        assert self.endpoint is not None
        if self.endpoint.is_established:
            return 0, ""
        if error := self.endpoint.take_error():
            return -1, error
        if self.endpoint.sender.is_dropped:
            return -1, "ETIMEDOUT"
        return None if socket.is_blocking else (-1, "EALREADY")

    def _write(self, call: Call, now_ps: int) -> _Answer:
        socket, endpoint = self._connection(call)
        octets = _number(call.arguments, 2)
        if call.arguments[1] is not None:
            raise NotSupported(f"{call.name}() of given data")
        if len(call.arguments) > 3 and call.arguments[3] not in (0, "MSG_NOSIGNAL", "MSG_DONTWAIT"):
            raise NotSupported(f"{call.name}() with {call.arguments[3]}")
        if error := endpoint.take_error():
            return -1, error
        if socket.writes_are_over or endpoint.sender.is_dropped:
            return -1, "EPIPE"
        if not endpoint.is_established:
            raise NotSupported("data that are written before the connection is open")
        endpoint.write(now_ps, octets)
        return octets, ""

    def _read(self, call: Call, now_ps: int) -> _Answer | None:
        socket, endpoint = self._connection(call)
        if len(call.arguments) > 3 and call.arguments[3] != 0:
            raise NotSupported(f"{call.name}() with {call.arguments[3]}")
        got = endpoint.read(now_ps, _number(call.arguments, 2))
        if not got and (error := endpoint.take_error()):
            return -1, error
        if got or endpoint.receiver.is_finished or socket.reads_are_over or endpoint.sender.is_dropped:
            return got, ""
        return None if socket.is_blocking else (-1, "EAGAIN")

    def _shutdown(self, call: Call, now_ps: int) -> _Answer:
        socket, endpoint = self._connection(call)
        how = call.arguments[1]
        if how not in ("SHUT_RD", "SHUT_WR", "SHUT_RDWR", 0, 1, 2):
            raise NotSupported(f"shutdown() with {how}")
        socket.reads_are_over = socket.reads_are_over or how not in ("SHUT_WR", 1)
        if how not in ("SHUT_RD", 0) and not socket.writes_are_over:
            socket.writes_are_over = True
            endpoint.close(now_ps)
        return 0, ""

    def _close(self, number: int, now_ps: int) -> _Answer:
        socket = self._sockets.pop(number, None)
        if socket is None:
            return -1, "EBADF"
        if socket.is_connection and self.endpoint is not None:
            if self.endpoint.receiver.readable:
                # RFC 2525 2.17: unread data are lost, and the peer is told.
                self.endpoint.abort(now_ps)
            elif not socket.writes_are_over:
                self.endpoint.close(now_ps)
        return 0, ""

    def _fcntl(self, call: Call) -> _Answer:
        socket, what = self._of(call.arguments), call.arguments[1]
        if what == "F_GETFL":
            return _O_RDWR | (0 if socket.is_blocking else _O_NONBLOCK), ""
        if what != "F_SETFL":
            raise NotSupported(f"fcntl() with {what}")
        flags = call.arguments[2]
        socket.is_blocking = "O_NONBLOCK" not in (flags if isinstance(flags, frozenset) else {flags})
        return 0, ""

    def _ioctl(self, call: Call) -> _Answer:
        _, endpoint = self._connection(call)
        sender, receiver = endpoint.sender, endpoint.receiver
        # All written data are in the unlimited send buffer until they are acknowledged; a FIN is not.
        counts = {"SIOCINQ": receiver.readable, "SIOCOUTQ": endpoint.written - min(sender.snd_una, endpoint.written)}
        name = str(call.arguments[1])
        if name not in counts:
            raise NotSupported(f"ioctl() with {name}")
        self._expect(name, counts[name], call.arguments[2])
        return 0, ""

    # ---- Socket options ----

    def _set_option(self, arguments: tuple[Value, ...]) -> _Answer:
        socket, name, value = self._of(arguments), str(arguments[2]), arguments[3]
        number = value[0] if isinstance(value, tuple) and value else value
        settings = self._commands.settings
        if name in _NEUTRAL:
            note = f"{name}: no effect here"
            if note not in self._commands.notes:
                self._commands.notes.append(note)
            return 0, ""
        match name, number:
            case "TCP_NODELAY", int():
                self._change(socket, settings.with_keys(nagle=number == 0))
            case "TCP_MAXSEG", int():
                self._change(socket, settings.propose(mss=min(settings.proposal.mss, number)))
            case "TCP_CONGESTION", str():
                self._change(socket, settings.with_control(number))
            case "SO_RCVBUF" | "SO_RCVBUFFORCE", int():
                # The kernel doubles it for its own overhead, and offers half of that.
                self._change(socket, settings.with_keys(window=f"{number} bytes"))
            case _:
                raise NotSupported(f"the socket option {name} = {number}")
        return 0, ""

    def _change(self, socket: _Socket, settings: Settings) -> None:
        """Change options of a socket, which apply to the next connection and to an existing one."""
        self._commands.settings = settings
        if socket.is_connection:
            self.change(settings)

    def _get_option(self, arguments: tuple[Value, ...]) -> _Answer:
        name = str(arguments[2])
        found: int
        match name:
            case "SO_ERROR":
                is_lost = self.endpoint is not None and self.endpoint.sender.is_dropped
                error = self.endpoint.take_error() if self.endpoint is not None else ""
                found = _ERRNOS[error] if error else 110 if is_lost else 0
            case "TCP_MAXSEG":
                found = self.endpoint.mss if self.endpoint is not None else self._commands.settings.proposal.mss
            case _:
                raise NotSupported(f"the socket option {name}")
        self._expect(name, found, arguments[3])
        return 0, ""

    @staticmethod
    def _expect(name: str, found: int, expected: Value) -> None:
        number = expected[0] if isinstance(expected, tuple) and expected else expected
        if number is not None and found != number:
            raise Failed(f"expected {name} to be {number}; it is {found}")

    # ---- Arguments ----

    def _of(self, arguments: tuple[Value, ...]) -> _Socket:
        number = _number(arguments, 0)
        if number not in self._sockets:
            raise NotSupported(f"the descriptor {number}, which no call has returned")
        return self._sockets[number]

    def _connection(self, call: Call) -> tuple[_Socket, Endpoint]:
        socket = self._of(call.arguments)
        if not socket.is_connection or self.endpoint is None:
            raise NotSupported(f"{call.name}() without a connection")
        return socket, self.endpoint


def _number(arguments: tuple[Value, ...], index: int) -> int:
    value = arguments[index] if index < len(arguments) else None
    if not isinstance(value, int):
        raise NotSupported(f"the argument {value}")
    return value


def _check(call: Call, answer: _Answer) -> None:
    value, errno = answer
    if call.result is not None and (call.result != value or call.errno != errno):
        expected = f"{call.result} {call.errno}".strip()
        raise Failed(f"expected {call.name}() = {expected}; it returned {value} {errno}".strip())
