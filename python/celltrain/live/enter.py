"""Run a command on a host: ``python -m celltrain.live.enter HANDLE END PARENT PRIORITY -- COMMAND...``."""

from __future__ import annotations

import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from celltrain.live import system
from celltrain.live.hosts import ENDS
from celltrain.live.prompt import VARIABLE


def main() -> None:
    """Enter the namespaces of the host and become the command."""
    handle, end, parent, priority, _, *command = sys.argv[1:]
    holder, way, *namespaces = handle.split(":")
    process = f"/proc/{holder}"
    try:
        # Inside a line, this process is already in the user namespace.
        if way == "user" and os.stat("/proc/self/ns/user").st_ino != os.stat(f"{process}/ns/user").st_ino:  # noqa: PTH116
            system.setns(f"{process}/ns/user")
        network = f"{process}/fd/{namespaces[ENDS.index(end)]}"
        descriptor = os.open(network, os.O_RDONLY)
        folder = Path.cwd()
        system.setns(f"{process}/ns/mnt")
        # Another mount namespace starts at its root.
        os.chdir(folder)
        system.setns(f"/proc/self/fd/{descriptor}")
        os.close(descriptor)
    except OSError as error:
        sys.exit(f"error: the line is gone, or not yours: {error}")
    # The host name, which most prompts show; where it is refused, it is that of the machine.
    with suppress(OSError):
        system.unshare(system.CLONE_NEWUTS)
        socket.sethostname(end)
    os.environ[VARIABLE] = end
    if int(priority):
        # If this is refused, the command runs with ordinary priority, and so does the line, which reports it.
        with suppress(OSError):
            system.go_before_others(int(priority))
    # When celltrain is killed, so is the command.
    system.die_with_parent(signal.SIGKILL)
    if os.getppid() != int(parent):
        sys.exit("error: celltrain has ended")
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"error: {command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
