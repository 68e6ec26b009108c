"""How the daemon of each host is reached: the program that starts it, and its arguments."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: What ssh is told: never ask, since nobody answers; find a dead host within half a minute.
SSH_OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10")


@dataclass(frozen=True)
class Reach:
    """What a user adds to the plan to reach its hosts.

    Attributes
    ----------
    ssh_config
        Instead of ssh's own configuration file.
    commands
        By host: a program that starts its daemon, with its arguments, instead of what the plan says. It is never part
        of a plan, which is data.
    """

    ssh_config: Path | None = None
    commands: Mapping[str, Sequence[str]] | None = None


def programs(plan: Mapping[str, Any], reach: Reach) -> list[list[str] | None]:
    """Give the program and arguments for each host, in the order of the plan; None where TLS reaches it."""
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
        # ssh hands what follows the host to a shell there: plans allow no character in it that a shell would heed.
        return ["ssh", *SSH_OPTIONS, *config, "--", host["ssh"], host.get("program", "celltrain"), *daemon]
    here = [sys.executable, "-m", "celltrain", *daemon]
    return ["ip", "netns", "exec", host["netns"], *here] if "netns" in host else here
