"""Shell commands in scripts: they are parsed for the settings that they make, but never run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from celltrain.files import read_text
from celltrain.packetdrill.script import NotSupported
from celltrain.packetdrill.settings import Settings

#: Maximum nesting of files that name other files.
_DEPTH = 4
_TCP = "net.ipv4.tcp_"
_SETTINGS = re.compile(r"(?:/proc/sys/)?(net[./][\w./]+)=(.*)", re.DOTALL)
_SUM = re.compile(r"\$\(\(([\d*+() ]+)\)\)")

#: Settings without an effect on our TCP, and why.
_NEUTRAL = {
    "tso_win_divisor": "segments are not joined",
    "min_tso_segs": "segments are not joined",
    "min_tso_rtt_log": "segments are not joined",
    "no_metrics_save": "no connection knows of others",
    "wmem": "the send buffer has no bound",
    "notsent_lowat": "the send buffer has no bound",
    "syncookies": "a listener is never flooded",
    "fastopen": "SYNs carry no data",
    "fastopen_key": "SYNs carry no data",
    "fastopen_blackhole_timeout_sec": "SYNs carry no data",
    "fastopen_blackhole_detect_timeout_sec": "SYNs carry no data",
    "pacing_ss_ratio": "only BBR paces",
    "pacing_ca_ratio": "only BBR paces",
    "ecn_option": "ECN is that of RFC 3168",
    "syn_retries": "the opening is limited by time",
    "synack_retries": "the opening is limited by time",
    "workaround_signed_windows": "windows have no sign",
    "autocorking": "small writes are not joined",
    "moderate_rcvbuf": "the receive buffer does not grow",
    "invalid_ratelimit": "no answer is held back",
    "challenge_ack_limit": "no answer is held back",
    "mtu_probing": "packets are not probed",
}
#: Features of the kernel that our TCP lacks; a script can pass if they make no difference.
#: `tcp_early_retrans` from which on there are tail-loss probes.
_LEAST_OF_PROBES = 3
_ABSENT = {
    "slow_start_after_idle": "slow start after idle cannot be switched off",
}
#: HyStart uses delays and trains of acknowledgments, like ours: 3 is the default of Linux.
_HYSTART = re.compile(r"echo 3 > /sys/module/tcp_cubic/parameters/hystart_detect$")
#: A queue that paces CUBIC.
_PACES = re.compile(r"tc qdisc (add|replace) .*\bfq\b")
#: Caches, queues and offloads of the kernel, and commands that restore its settings.
_COMMANDS_WITHOUT_EFFECT = re.compile(
    r"ip tcp_metrics flush\b|tc qdisc\b|ethtool -K \S+ (\w+ off ?)+$|/tmp/sysctl_restore_|true$"
)


@dataclass
class Commands:
    """Settings made by commands.

    Attributes
    ----------
    settings : Settings
        The current settings.
    notes : list of str
        Settings without an effect, and why, each once.
    """

    settings: Settings
    notes: list[str]

    def read(self, text: str, folder: Path) -> None:
        """Read commands, one per line; files of commands are beside the script.

        Raises
        ------
        NotSupported
            A command or a setting is not supported by our TCP.
        """
        for name, value in _assignments(text, folder, _DEPTH):
            self._set(name, value)

    def _set(self, name: str, value: str) -> None:
        if not name.startswith(_TCP):
            raise NotSupported(f"sysctl {name}")
        short = name.removeprefix(_TCP)
        if short in _NEUTRAL:
            self._note(f"{name}={value}: no effect, {_NEUTRAL[short]}")
        elif short in _ABSENT:
            if value != "1":
                self._note(f"{name}={value}: not in our TCP, {_ABSENT[short]}")
        else:
            self.settings = _apply(self.settings, short, value)

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _apply(settings: Settings, name: str, value: str) -> Settings:
    own = settings.proposal
    match name, value:
        case "timestamps", "0" | "1" | "2":
            return settings.propose(timestamps=value != "0")
        case "sack", "0" | "1":
            return settings.propose(sack=value == "1")
        case "early_retrans", _ if value.isdecimal():
            return settings.with_keys(tail_loss_probe=int(value) >= _LEAST_OF_PROBES)
        case "recovery", _ if value.isdecimal():
            return settings.with_keys(rack=int(value) % 2 == 1)
        case "frto", _ if value.isdecimal():
            return settings.with_keys(frto=value != "0")
        case "dsack", "0" | "1":
            return settings.with_keys(dsack=value == "1")
        case "window_scaling", "0":
            return settings.propose(window_scale=None)
        case "window_scaling", "1":
            return settings.propose(window_scale=own.window_scale or 0)
        case "ecn", "0" | "1" | "2":
            return _with_ecn(settings, proposes=value == "1", agrees=value != "0")
        case "congestion_control", _:
            return settings.with_control(value)
        case "rmem", _:
            # As in Linux: the smallest shift with which the largest buffer fits into 16 bits.
            largest = int(value.split()[-1])
            shift = next((shift for shift in range(14) if largest >> shift <= 65_535), 14)
            return settings.propose(window_scale=None if own.window_scale is None else shift)
        case "rto_min_us", _:
            return settings.with_keys(rto={"min": f"{int(value)} us"})
        case ("reordering", "3") | ("fack", "0") | ("rto_max_ms", "120000") | ("thin_linear_timeouts", "0"):
            return settings
    raise NotSupported(f"sysctl {_TCP}{name}={value}")


def _with_ecn(settings: Settings, *, proposes: bool, agrees: bool) -> Settings:
    changed = settings.propose(ecn=proposes)
    return Settings(changed.preset, changed.control, changed.proposal, agrees, changed.keys)


def _assignments(text: str, folder: Path, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the settings of commands, in order: name with dots, and value."""
    for line in text.replace("\\\n", " ").splitlines():
        words = shlex.split(line.split(">", 1)[0], comments=True)
        text = " ".join(words)
        if _PACES.match(text):
            raise NotSupported("pacing by the queue fq")
        if not words or _COMMANDS_WITHOUT_EFFECT.match(text) or _HYSTART.match(line.strip()):
            continue
        settings = [_SETTINGS.fullmatch(word) for word in words[1:]]
        found = [(match[1].replace("/", "."), _value(match[2])) for match in settings if match]
        if found and Path(words[0]).name in ("sysctl", "set_sysctls.py"):
            yield from found
        elif len(words) == 1 and words[0].endswith(".sh") and depth > 0:
            yield from _of_file(folder / words[0], depth)
        elif len(words) == 2 and words[0] in (".", "source"):
            yield from _of_file(folder / words[1], depth)
        else:
            raise NotSupported(f"the command {line.strip()}")


def _of_file(path: Path, depth: int) -> Iterator[tuple[str, str]]:
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        raise NotSupported(f"the commands in {path}, which cannot be read ({error})") from error
    yield from _assignments(text, path.parent, depth - 1)


def _value(text: str) -> str:
    """Expand a value: ``$((A*B))`` is a product.

    >>> _value("4096 87380 $((15*1024*1024))")
    '4096 87380 15728640'
    """
    return _SUM.sub(lambda match: str(_product(match[1])), text).strip()


def _product(text: str) -> int:
    product = 1
    for part in text.split("*"):
        product *= int(part)
    return product
