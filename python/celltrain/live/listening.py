"""Sockets that wait for peers on a host, and how long to wait for one."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from typing import Any

#: States of sockets in ``/proc/net``: a TCP listener, and a bound UDP socket without a peer.
_WAITING = {"tcp": "0A", "tcp6": "0A", "udp": "07", "udp6": "07"}
_LOOK_S = 0.02


def waiting_sockets(process: int) -> set[str]:
    """Return the sockets that wait for peers on the host of a process, each by its inode."""
    found = set()
    for table, state in _WAITING.items():
        try:
            lines = Path(f"/proc/{process}/net/{table}").read_text().splitlines()[1:]
        except OSError:
            continue
        found |= {words[9] for words in map(str.split, lines) if words[3] == state}
    return found


def await_listener(server: subprocess.Popen[Any], host: int, before: set[str], longest_s: float) -> bool:
    """Wait until a socket that was not there before waits for peers; return whether there is one.

    Parameters
    ----------
    server
        The program that should listen. If it fails, nothing more is awaited.
    host
        Any process on its host.
    before
        Sockets that waited there before it was started.
    longest_s
        The longest wait in s.
    """
    end = time.monotonic() + longest_s
    while time.monotonic() < end:
        if waiting_sockets(host) - before:
            return True
        # A program that ends with 0 may have left a daemon behind.
        if server.poll():
            return False
        time.sleep(_LOOK_S)
    return False
