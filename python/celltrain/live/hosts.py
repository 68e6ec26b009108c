"""Two hosts on this machine: their settings, and the process that holds them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from celltrain import refused
from celltrain.extras import need
from celltrain.live.listening import waiting_sockets

#: The two ends of a line, and their addresses, from a range that is never in use (RFC 5737).
CLIENT, SERVER = "client", "server"
ENDS = (CLIENT, SERVER)
ADDRESSES = {CLIENT: "192.0.2.1", SERVER: "192.0.2.2"}
PREFIX = 30
#: Both names of an end are in its hosts file; ``test`` is never in use (RFC 6761).
DOMAIN = "celltrain.test"
#: The device of each end.
DEVICE = "line0"
#: The environment variable by which programs on a host find its line.
VARIABLE = "CELLTRAIN_LINE"

_LONGEST_MESSAGE = 1 << 20
_SECONDS_TO_START = 20.0


class Refused(refused.Refused):
    """The system does not allow the hosts of a line; the message says what it refused and what to change."""


def require_linux() -> None:
    """Check that this system can hold the hosts of a line, before any work is done.

    Raises
    ------
    Refused
        It is not Linux; the message says what works here.
    """
    if sys.platform != "linux":
        raise Refused(
            "real packets over a line need Linux, for its network namespaces and TUN devices; here `celltrain run` "
            "simulates the same line, and a virtual machine with Linux can carry real packets"
        )


@dataclass(frozen=True)
class Settings:
    """Settings of the kernels of both hosts.

    Parameters
    ----------
    congestion
        Congestion control of TCP: one that the kernel has, such as ``cubic``, ``reno``, ``bbr``.
    mtu
        The longest IP packet.
    initcwnd
        Initial window of a connection, in segments; default: the kernel's.
    sysctls
        Further settings, such as ``{"net.ipv4.tcp_sack": "0"}``.
    """

    congestion: str = "cubic"
    mtu: int = 1500
    initcwnd: int | None = None
    sysctls: Mapping[str, str] = field(default_factory=dict)


class Hosts:
    """Two hosts, and a process that holds them: when this process is gone, it ends all programs on them."""

    def __init__(self, settings: Settings) -> None:
        require_linux()
        need("emulation", by="a line of real packets")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket = ours
        request = json.dumps(asdict(settings))
        command = [sys.executable, "-m", "celltrain.live.holder", str(theirs.fileno()), request]
        self._holder = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, start_new_session=True
        )
        theirs.close()
        try:
            self._receive()
        except BaseException:
            self.close()
            raise

    def _receive(self) -> None:
        self._socket.settimeout(_SECONDS_TO_START)
        try:
            message, descriptors, _, _ = socket.recv_fds(self._socket, _LONGEST_MESSAGE, len(ENDS))
        except TimeoutError:
            raise Refused(f"the hosts did not come up within {_SECONDS_TO_START:.0f} s") from None
        self._socket.settimeout(None)
        if not message:
            raise Refused("the process that holds the hosts ended without a message")
        self.report: dict[str, Any] = json.loads(message)
        if "refused" in self.report:
            raise Refused(self.report["refused"])
        #: Descriptors of the devices, by end.
        self.devices = dict(zip(ENDS, descriptors, strict=True))

    @property
    def handle(self) -> str:
        """The text that :mod:`celltrain.live.enter` needs to enter the hosts."""
        return str(self.report["handle"])

    @property
    def process(self) -> int:
        """A process on the server, which was made last: that which holds the hosts."""
        return self._holder.pid

    def waiting_sockets(self) -> set[str]:
        """Return the sockets on the server that wait for peers."""
        return waiting_sockets(self.process)

    def command(self, end: str, command: Sequence[str], *, priority: int = 0) -> list[str]:
        """Return the command line that runs a command on a host, with a priority under SCHED_FIFO if allowed."""
        place = [self.handle, end, str(os.getpid()), str(priority)]
        return [sys.executable, "-m", "celltrain.live.enter", *place, "--", *command]

    def environment(self) -> dict[str, str]:
        """Return the environment for commands on the hosts."""
        return os.environ | {VARIABLE: self.handle}

    def dropped(self) -> dict[str, dict[str, int]]:
        """Count the packets that the hosts' kernels dropped at the devices, by end, if the holder is running."""
        try:
            self._socket.sendall(b"?")
            answer = self._socket.recv(_LONGEST_MESSAGE)
        except OSError:
            answer = b""
        counts: dict[str, dict[str, int]] = json.loads(answer or b"{}")
        return counts

    def close(self) -> None:
        """End all programs on the hosts, and the hosts themselves."""
        self._socket.close()
        self._holder.wait()
        for descriptor in getattr(self, "devices", {}).values():
            os.close(descriptor)
        self.devices = {}
