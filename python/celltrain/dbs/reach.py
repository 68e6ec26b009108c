"""How each host's daemon is started: the program and its arguments."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Options of ssh: never prompt, since nobody answers; detect a dead host within half a minute.
SSH_OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10")


@dataclass(frozen=True)
class Reach:
    """Settings that a user adds to the plan to reach its hosts.

    Attributes
    ----------
    ssh_config
        Replaces ssh's own configuration file.
    commands
        By host: a program that starts its daemon, with its arguments, overriding the plan. It is never part of a plan,
        which is data.
    """

    ssh_config: Path | None = None
    commands: Mapping[str, Sequence[str]] | None = None


def programs(plan: Mapping[str, Any], reach: Reach) -> list[list[str] | None]:
    """Return the program and arguments for each host, in the order of the plan; None for hosts reached over TLS."""
    return [_program(name, host, reach) for name, host in plan["hosts"].items()]


def _program(name: str, host: Mapping[str, Any], reach: Reach) -> list[str] | None:
    command = (reach.commands or {}).get(name)
    if command is not None:
        return list(command)
    if "tls" in host:
        return None
    daemon = ["dbs", "daemon", "--stdio", "--address", host.get("address", "127.0.0.1")]
    if "ssh" in host:
        config = ["-F", str(reach.ssh_config)] if reach.ssh_config else []
        # ssh passes everything after the host to a shell there: plans allow no characters that are special to a shell.
        return ["ssh", *SSH_OPTIONS, *config, "--", host["ssh"], host.get("program", "celltrain"), *daemon]
    here = [sys.executable, "-m", "celltrain", *daemon]
    return ["ip", "netns", "exec", host["netns"], *here] if "netns" in host else here
