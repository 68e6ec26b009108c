"""``celltrain doctor``."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.exceptions import Exit

from celltrain import extras
from celltrain.cli.console import out

if TYPE_CHECKING:
    from celltrain.scenario import Scenario

#: Timed runs of the self-test; the speed is their median.
_RUNS = 9

SELF_TEST = """
[measure]
duration = "400 s"
[hosts]
a = {}
b = {}
[links.line]
between = ["a", "b"]
rate = "100 Mbit/s"
buffer = "256 cells"
delay = "5 ms"
[vcs.vc]
route = ["a", "b"]
[flows.download]
vc = "vc"
"""


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    name: str
    works: bool
    found: str
    advice: str = ""


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def command(as_json: bool) -> None:  # noqa: FBT001
    """Report what works on this machine, and how to fix what does not. Exits with 1 if the simulator does not work."""
    from celltrain.files import json_text

    core = [python(), self_test()]
    findings = [*core, *map(extra, extras.EXTRAS), tun(), user_namespaces(), ssh(), wireshark(), terminal()]
    if as_json:
        click.echo(json_text([asdict(finding) for finding in findings]), nl=False)
    else:
        show(findings)
    if not all(finding.works for finding in core):
        raise Exit(1)


def show(findings: list[Finding]) -> None:
    """Print the findings, one per line."""
    console = out()
    for finding in findings:
        mark, style = ("ok", "green") if finding.works else ("--", "yellow")
        console.print(f"{mark} ", style=style, end="")
        console.print(f"{finding.name:<20} {finding.found}", markup=False)
        if finding.advice and not finding.works:
            console.print(f"   {'':<20} {finding.advice}", style="dim", markup=False)


def python() -> Finding:
    """Report the versions of Python and of the operating system."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return Finding("Python", True, f"{sys.version.split()[0]} on {system}, {os.cpu_count()} cores")


def self_test() -> Finding:
    """Run a small scenario and measure the speed."""
    from celltrain import _native
    from celltrain.scenario import Scenario

    try:
        scenario = Scenario.from_toml(SELF_TEST, "self-test")
        hops = scenario.run(1).cell_hops
        speeds = sorted(hops / cpu_time_of(scenario) / 1e6 for _ in range(_RUNS))
    except Exception as error:
        return Finding("simulator", False, f"failed: {error}", "reinstall: pip install --force-reinstall celltrain")
    spread = f"{speeds[0]:.2g} to {speeds[-1]:.2g}"
    return Finding(
        "simulator",
        True,
        f"celltrain {_native.__version__}, {statistics.median(speeds):.2g} million cell-hops per second of processor "
        f"time (median of {_RUNS} short runs, {spread})",
    )


def cpu_time_of(scenario: Scenario) -> float:
    """Run a scenario, and return the processor time that it takes, in s; other programs hardly change it."""
    start = time.process_time()
    scenario.run(1, cross_check=False, threads=1)
    return time.process_time() - start


def extra(name: str) -> Finding:
    """Look for the packages of an extra."""
    does, lacking = extras.EXTRAS[name].does, extras.missing(name)
    if lacking:
        return Finding(f"[{name}]", False, f"without {', '.join(lacking)}; for {does}", extras.install(name))
    versions = (f"{module} {_version(module)}" for module in extras.EXTRAS[name].modules if _version(module))
    return Finding(f"[{name}]", True, f"{', '.join(versions)}; for {does}")


def _version(module: str) -> str:
    """Return the version of a package, whose name is that of its module; empty if it is not installed."""
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        return ""


def tun() -> Finding:
    """Look for TUN, which emulation needs."""
    device = Path("/dev/net/tun")
    if not device.exists():
        return Finding("TUN device", False, "no /dev/net/tun; only emulation needs it", "modprobe tun (Linux only)")
    works = os.access(device, os.R_OK | os.W_OK)
    return Finding(
        "TUN device",
        works,
        "/dev/net/tun" if works else "no access to /dev/net/tun",
        "run as root, or in a user namespace",
    )


def user_namespaces() -> Finding:
    """Check whether users may create their own network namespaces, which emulation without root needs."""
    try:
        most = int(Path("/proc/sys/user/max_user_namespaces").read_text())
    except (OSError, ValueError):
        return Finding("user namespaces", False, "none; only emulation needs them", "Linux only")
    return Finding("user namespaces", most > 0, f"up to {most}", "sysctl user.max_user_namespaces=10000")


def ssh() -> Finding:
    """Look for ssh, by which ``celltrain dbs run`` reaches other hosts."""
    purpose = "measures between hosts"
    program = shutil.which("ssh")
    if program is None:
        return Finding("ssh", False, f"not found; it {purpose}", "install OpenSSH's client")
    told = subprocess.run([program, "-V"], capture_output=True, text=True, timeout=5, check=False)
    return Finding("ssh", True, f"{(told.stderr or told.stdout).partition(',')[0].strip() or program}; {purpose}")


def wireshark() -> Finding:
    """Look for a program that reads the captures of ``--pcap``."""
    found = [name for name in ("wireshark", "tshark") if shutil.which(name)]
    if not found:
        return Finding("Wireshark", False, "not found; it shows the captures of --pcap", "install wireshark or tshark")
    return Finding("Wireshark", True, f"{' and '.join(found)}; for the captures of --pcap")


def terminal() -> Finding:
    """Check whether tables, bars and drawings can be shown."""
    encoding = sys.stdout.encoding or "unknown"
    unicode = encoding.lower().replace("-", "").startswith("utf8")
    console = out()
    kind = (
        f"{console.width} columns, {console.color_system or 'no'} colours" if console.is_terminal else "none (a pipe)"
    )
    return Finding("terminal", unicode, f"{kind}, {encoding}", "set LANG=C.UTF-8: lines and bars need UTF-8")
