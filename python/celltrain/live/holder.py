"""The process that holds two hosts: ``python -m celltrain.live.holder SOCKET SETTINGS``.

The hosts are unnamed network namespaces, and their devices live as long as their descriptors: nothing remains
once the processes that hold them have ended, however they end. So this process waits until the other end of
its socket is closed, ends all programs still running on the hosts, and exits. Another process does the same when this
one is killed.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import signal
import socket
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute

from celltrain.live import system
from celltrain.live.hosts import ADDRESSES, DEVICE, DOMAIN, ENDS, PREFIX, Refused

#: Packets that may wait between a kernel and the line while the line is busy; not a queue of the model.
_TX_QUEUE = 10_000
#: Initial settings of every host: no packets except the line's, and no memory of past connections.
_BASE = {
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.ping_group_range": "0 0",
}
#: Settings without which the emulation would not be correct.
_OPTIONAL = {"net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.default.disable_ipv6", "net.ipv4.ping_group_range"}
_SECONDS_TO_END = 1.0


def main() -> None:
    """Create the hosts, report them, and wait."""
    line = socket.socket(fileno=int(sys.argv[1]))
    settings = json.loads(sys.argv[2])
    try:
        namespaces, devices, report = make(settings)
    except Refused as refusal:
        line.sendall(json.dumps({"refused": str(refusal)}).encode())
        return
    socket.send_fds(line, [json.dumps(report).encode()], devices)
    for descriptor in devices:
        os.close(descriptor)
    guard = guarded(namespaces, line)
    with suppress(OSError):
        while line.recv(1):
            counts = {end: drops(namespace) for end, namespace in zip(ENDS, namespaces, strict=True)}
            line.sendall(json.dumps(counts).encode())
    end_all(namespaces, guard)


def guarded(namespaces: list[int], line: socket.socket) -> int:
    """Start a process that ends all programs on the hosts when this one is gone; return its number."""
    # The end that is written to is closed when this process ends, however it ends.
    waits, lives = os.pipe()
    guard = os.fork()
    if guard == 0:
        os.close(lives)
        line.close()
        os.read(waits, 1)
        end_all(namespaces)
        os._exit(0)
    os.close(waits)
    return guard


def make(settings: dict[str, Any]) -> tuple[list[int], list[int], dict[str, Any]]:
    """Create both hosts; return descriptors of their namespaces and devices, and a report."""
    way = isolate()
    namespaces, devices, told = [], [], {}
    for number, end in enumerate(ENDS):
        if number:
            system.unshare(system.CLONE_NEWNET)
        namespaces.append(os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC))
        devices.append(tun())
        told[end] = set_up(end, settings)
    write_hosts_file()
    handle = ":".join([str(os.getpid()), way, *map(str, namespaces)])
    return namespaces, devices, {"handle": handle, "way": way, "kernel": platform.release(), "hosts": told}


def isolate() -> str:
    """Give this process its own network and mounts, as root or in a user namespace; return which."""
    flags = system.CLONE_NEWNET | system.CLONE_NEWNS
    user, group = os.geteuid(), os.getegid()
    way = "root"
    try:
        system.unshare(flags)
    except PermissionError:
        way = "user"
        try:
            system.unshare(flags | system.CLONE_NEWUSER)
        except OSError as error:
            raise Refused(
                f"this user ({user}) may not create network namespaces either, nor a user namespace that allows it "
                f"({os.strerror(error.errno or 0)}); run as root, or allow user namespaces: "
                "sysctl user.max_user_namespaces=10000, kernel.unprivileged_userns_clone=1 (Debian), "
                "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu)"
            ) from error
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    except OSError as error:
        raise Refused(f"this system has no network namespaces: {error.strerror}; Linux is needed") from error
    system.keep_mounts_private()
    return way


def tun() -> int:
    """Create the device of the current host."""
    try:
        return system.open_tun(DEVICE)
    except FileNotFoundError as error:
        raise Refused(
            "there is no /dev/net/tun; load the module (modprobe tun), or give it to the container "
            "(--device /dev/net/tun)"
        ) from error
    except PermissionError as error:
        raise Refused(
            "/dev/net/tun is not accessible to this user; run as root, or let root change it: chmod 666 /dev/net/tun "
            "(the usual mode; making a device still takes rights in a network namespace)"
        ) from error
    except OSError as error:
        raise Refused(f"/dev/net/tun: {error.strerror}") from error


def set_up(end: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Set up the current host; return its settings."""
    for key, value in _BASE.items():
        try:
            system.sysctl(key, value)
        except OSError as error:
            if key not in _OPTIONAL:
                raise Refused(not_set(key, value, error)) from error
    metrics = congestion(settings["congestion"])
    if settings["initcwnd"] is not None:
        metrics["initcwnd"] = settings["initcwnd"]
    for key, value in settings["sysctls"].items():
        try:
            system.sysctl(key, value)
        except OSError as error:
            raise Refused(not_set(key, value, error)) from error
    with IPRoute() as kernel:
        for name in ("lo", DEVICE):
            index = kernel.link_lookup(ifname=name)[0]
            if name == DEVICE:
                kernel.link("set", index=index, mtu=settings["mtu"], txqlen=_TX_QUEUE)
                kernel.addr("add", index=index, address=ADDRESSES[end], prefixlen=PREFIX)
            kernel.link("set", index=index, state="up")
        if metrics:
            network = ADDRESSES[end].rpartition(".")[0] + ".0"
            kernel.route(
                "replace", dst=f"{network}/{PREFIX}", oif=index, scope="link", prefsrc=ADDRESSES[end], metrics=metrics
            )
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        off = system.switch_off_offloads(control.fileno(), DEVICE)
    told = {"address": ADDRESSES[end], "congestion": settings["congestion"], "route_metrics": metrics}
    return told | {"offloads_off": off, "sysctls": tcp_settings()}


def congestion(name: str) -> dict[str, Any]:
    """Choose the congestion control of the current host; return the attributes that its route needs.

    A kernel lets a network namespace choose only among unrestricted algorithms, but a route may name any.
    """
    key = "net.ipv4.tcp_congestion_control"
    available = system.sysctl("net.ipv4.tcp_available_congestion_control").split()
    try:
        system.sysctl(key, name)
    except PermissionError:
        return {"cc_algo": name}
    except OSError as error:
        has = ", ".join(available)
        raise Refused(
            f"this kernel has no congestion control {name!r}; it has {has} (more: modprobe tcp_{name})"
        ) from error
    return {}


def not_set(key: str, value: str, error: OSError) -> str:
    """Return a message why a setting could not be made."""
    if error.errno == errno.ENOENT:
        return f"this kernel has no setting {key} for a network namespace"
    return f"{key} = {value}: {error.strerror}"


def tcp_settings() -> dict[str, str]:
    """Read all TCP settings of the current host."""
    folder = Path("/proc/sys/net/ipv4")
    found = {}
    for file in sorted(folder.glob("tcp_*")):
        with suppress(OSError):
            found[f"net.ipv4.{file.name}"] = file.read_text().strip()
    return found


def write_hosts_file() -> None:
    """Write the names of the hosts to an ``/etc/hosts`` that only they see."""
    lines = ["127.0.0.1 localhost", *(f"{ADDRESSES[end]} {end} {end}.{DOMAIN}" for end in ENDS)]
    if not Path("/etc/hosts").exists():
        return
    with tempfile.NamedTemporaryFile("w", prefix="celltrain-hosts-") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        Path(file.name).chmod(0o644)
        # The mount keeps the file although its name is removed.
        system.bind(Path(file.name), "/etc/hosts")


def drops(namespace: int) -> dict[str, int]:
    """Count the packets that the kernel of a host dropped at its device, incoming and outgoing."""
    system.setns(f"/proc/self/fd/{namespace}")
    for line in Path("/proc/thread-self/net/dev").read_text().splitlines():
        name, _, counts = line.partition(":")
        if name.strip() == DEVICE:
            fields = counts.split()
            return {"received": int(fields[3]), "sent": int(fields[11])}
    return {"received": 0, "sent": 0}


def end_all(namespaces: list[int], guard: int = 0) -> None:
    """End every process on the hosts but this one and its guard: first by a request, then by force."""
    ours = {os.fstat(namespace).st_ino for namespace in namespaces}
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + _SECONDS_TO_END
        while found := [process for process in processes(ours) if process != guard]:
            for process in found:
                with suppress(ProcessLookupError):
                    os.kill(process, number)
            time.sleep(0.02)
            if time.monotonic() > deadline:
                break


def processes(namespaces: set[int]) -> list[int]:
    """Find the processes in these network namespaces, except this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                if (entry / "ns" / "net").stat().st_ino in namespaces:
                    found.append(int(entry.name))
    return found


if __name__ == "__main__":
    main()
