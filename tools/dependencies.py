"""Check our dependencies: the compiler that they need, their licences and origin, and known vulnerabilities.

The first three are checked against the lists of ``deny.toml`` with cargo's metadata, without the network. ``cargo deny
check`` also checks them, and published vulnerabilities (https://rustsec.org); if it is not installed, or its data are
not available, a line says that this was NOT CHECKED, and with ``CELLTRAIN_DENY=required``, as in CI, the check fails.

``pip-audit`` does the same for the installed packages of Python.

clippy (``incompatible_msrv``) and ``make compiler`` check the compiler that our own code needs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
TOKEN = re.compile(r"\(|\)|[\w.+-]+(?: WITH [\w.+-]+)?")
NOT_CHECKED = "NOT CHECKED for published defects (advisories): "
NOT_CHECKED_PYTHON = "NOT CHECKED for published defects of Python packages: "
INSTALL = "cargo install cargo-deny --locked"


def version(text: str) -> tuple[int, ...]:
    """Return a version of Rust as numbers: 1.88 is 1.88.0."""
    numbers = [int(part) for part in text.split(".")]
    return tuple(numbers + [0] * (3 - len(numbers)))


def allowed(expression: str, licences: Collection[str]) -> bool:
    """Return whether ``licences`` satisfy an SPDX expression; ``MIT/ISC`` is the older form of ``MIT OR ISC``."""
    tokens = TOKEN.findall(expression.replace("/", " OR "))

    def either() -> bool:
        met = both()
        while tokens[:1] == ["OR"]:
            tokens.pop(0)
            met = both() or met
        return met

    def both() -> bool:
        met = one()
        while tokens[:1] == ["AND"]:
            tokens.pop(0)
            met = one() and met
        return met

    def one() -> bool:
        if tokens[:1] == ["("]:
            tokens.pop(0)
            met = either()
            return tokens[:1] == [")"] and tokens.pop(0) == ")" and met
        return bool(tokens) and tokens.pop(0) in licences

    return either() and not tokens


def problems(packages: Sequence[Mapping[str, Any]], minimum: str, licences: Collection[str]) -> Iterator[str]:
    """Yield a message for each package that violates our minimum compiler, our licences or our registry."""
    for package in packages:
        name = f"{package['name']} {package['version']}"
        needs = package["rust_version"]
        if package["source"] is None:
            if needs != minimum:
                yield f"{name}: has rust-version {needs}, not {minimum}: write `rust-version.workspace = true`"
            continue
        if needs is not None and version(needs) > version(minimum):
            yield f"{name}: needs Rust {needs}; `rust-version` in Cargo.toml is {minimum}: raise it or use an older one"
        if package["source"] != REGISTRY:
            yield f"{name}: comes from {package['source']}; expected crates.io"
        if not allowed(package["license"] or "", licences):
            yield f"{name}: its licence is {package['license']}; deny.toml allows {', '.join(sorted(licences))}"


def advisories(environment: Mapping[str, str]) -> tuple[int, str]:
    """Run ``cargo deny check``; return the exit status and a message."""
    status = 1 if environment.get("CELLTRAIN_DENY") == "required" else 0
    if shutil.which("cargo-deny", path=environment.get("PATH")) is None:
        return status, f"{NOT_CHECKED}install cargo-deny: {INSTALL}"
    command = ["cargo", "deny", "--workspace", "check"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return 0, ""
    if "failed to fetch advisory database" in done.stderr or "failed to load advisory database" in done.stderr:
        return status, f"{NOT_CHECKED}cargo deny cannot fetch their list:\n{done.stderr}"
    return 1, done.stderr


def python_advisories(environment: Mapping[str, str]) -> tuple[int, str]:
    """Run ``pip-audit`` on the installed packages of Python; return the exit status and a message."""
    status = 1 if environment.get("CELLTRAIN_DENY") == "required" else 0
    if shutil.which("pip-audit", path=environment.get("PATH")) is None:
        return status, f"{NOT_CHECKED_PYTHON}install pip-audit: pip install pip-audit"
    command = ["pip-audit", "--local", "--skip-editable", "--progress-spinner", "off"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return 0, ""
    # A list with a defect names it on stdout; without the network there is none.
    if "Found" not in done.stdout + done.stderr:
        return status, f"{NOT_CHECKED_PYTHON}pip-audit cannot ask for their list:\n{done.stderr}"
    return 1, done.stdout + done.stderr


def main() -> int:
    """Print the problems of our dependencies; return the exit status."""
    command = ["cargo", "metadata", "--locked", "--all-features", "--format-version", "1"]
    packages = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)["packages"]
    minimum = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["rust-version"]
    licences = tomllib.loads((ROOT / "deny.toml").read_text("utf-8"))["licenses"]["allow"]
    found = list(problems(packages, minimum, licences))
    status, said = advisories(os.environ)
    status_of_python, said_of_python = python_advisories(os.environ)
    for line in [*found, *filter(None, [said, said_of_python])]:
        print(line, file=sys.stderr)
    return 1 if found else max(status, status_of_python)


if __name__ == "__main__":
    sys.exit(main())
