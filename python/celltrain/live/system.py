"""Linux system calls that Python 3.11 does not provide.

Other systems import this module, too, for what they read of a line's record; ``fcntl``, which Windows lacks, is
imported where it is used.
"""

from __future__ import annotations

import ctypes
import os
import struct
from array import array
from pathlib import Path

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_PR_SET_PDEATHSIG = 1
_MCL_CURRENT, _MCL_FUTURE, _MCL_ONFAULT = 1, 2, 4

_TUN = "/dev/net/tun"
_TUNSETIFF = 0x400454CA
_IFF_TUN, _IFF_NO_PI = 0x0001, 0x1000
_SIOCETHTOOL = 0x8946
#: Work that the kernel may leave to a device: TSO, GSO, GRO. A line of cells cannot do it.
_OFFLOADS = {"tso": 0x1F, "gso": 0x24, "gro": 0x2C}


def _call(name: str, *arguments: object) -> None:
    """Call a function of the C library that returns -1 and sets errno on failure."""
    function = getattr(ctypes.CDLL(None, use_errno=True), name)
    if function(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Give this process its own namespaces."""
    _call("unshare", flags)


def setns(path: str) -> None:
    """Enter the namespace of this file."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        _call("setns", descriptor, 0)
    finally:
        os.close(descriptor)


def keep_mounts_private() -> None:
    """Hide all later mounts from other processes."""
    _call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)


def bind(source: Path, target: str) -> None:
    """Mount one file over another."""
    _call("mount", os.fsencode(source), target.encode(), None, _MS_BIND, None)


def die_with_parent(signal: int) -> None:
    """Send this signal to this process when its parent ends."""
    _call("prctl", _PR_SET_PDEATHSIG, signal, 0, 0, 0)


def go_before_others(priority: int) -> None:
    """Give the calling thread priority over all ordinary ones: SCHED_FIFO."""
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))


def lock_memory() -> None:
    """Prevent paging of the memory that this process touches; pages that are only mapped stay unallocated."""
    _call("mlockall", _MCL_CURRENT | _MCL_FUTURE | _MCL_ONFAULT)


def open_tun(name: str) -> int:
    """Create a TUN device in the current network namespace; it disappears when its descriptor is closed."""
    import fcntl

    descriptor = os.open(_TUN, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        request = struct.pack("16sH22x", name.encode(), _IFF_TUN | _IFF_NO_PI)
        fcntl.ioctl(descriptor, _TUNSETIFF, request)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def switch_off_offloads(socket: int, device: str) -> list[str]:
    """Make a device carry packets as they are on the wire; return the names of the disabled offloads."""
    import fcntl

    off = []
    for name, command in _OFFLOADS.items():
        value = array("I", [command, 0])
        request = struct.pack("16sP16x", device.encode(), value.buffer_info()[0])
        try:
            fcntl.ioctl(socket, _SIOCETHTOOL, request)
        except OSError:
            continue
        off.append(name)
    return off


def sysctl(key: str, value: str | None = None) -> str:
    """Return a setting of the current network namespace, after setting it if a value is given."""
    file = Path("/proc/sys", *key.split("."))
    if value is not None:
        file.write_text(value)
    return file.read_text().strip()
