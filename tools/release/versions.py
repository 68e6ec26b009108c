"""The version of a release: where it is written, and how a new one is set."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

from release.failed import FailedError

VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_UNRELEASED = "## [Unreleased]"
_HEADING = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)


def current(root: Path) -> str:
    """Return the version in Cargo.toml, from which the package takes its own."""
    version: str = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]
    return version


def changed_cargo(text: str, before: str, version: str) -> str:
    """Return Cargo.toml with another version of the workspace, and of its crates where they name each other."""
    lines = [
        line.replace(f'version = "{before}"', f'version = "{version}"')
        if line.startswith(("version =", "celltrain-"))
        else line
        for line in text.splitlines(keepends=True)
    ]
    return "".join(lines)


def changed_citation(text: str, version: str, date: str) -> str:
    """Return CITATION.cff with another version, and the date of its release."""
    without = re.sub(r"^date-released:.*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"^version:.*$", f'version: {version}\ndate-released: "{date}"', without, count=1, flags=re.MULTILINE)


def changed_changelog(text: str, version: str, date: str) -> str:
    """Return the changelog in which what was unreleased is a version.

    Raises
    ------
    FailedError
        It has nothing that is unreleased, or the version already.
    """
    if f"## [{version}]" in text:
        raise FailedError(f"CHANGELOG.md has a version {version} already: choose the next one")
    _, found, after = text.partition(f"{_UNRELEASED}\n")
    if not found or not _HEADING.split(after)[0].strip():
        raise FailedError("CHANGELOG.md has nothing under [Unreleased]: say first what the release brings")
    return text.replace(_UNRELEASED, f"{_UNRELEASED}\n\n## [{version}] - {date}", 1)


def set_version(root: Path, version: str, date: str) -> None:
    """Write a new version into all files that have one.

    Raises
    ------
    FailedError
        It is no version, or the changelog does not allow it; then no file is changed.
    """
    if not VERSION.fullmatch(version):
        raise FailedError(f"VERSION={version}: expected numbers such as 1.2.3, or 1.2.3rc1")
    changed = {
        "Cargo.toml": changed_cargo((root / "Cargo.toml").read_text("utf-8"), current(root), in_cargo(version)),
        "CITATION.cff": changed_citation((root / "CITATION.cff").read_text("utf-8"), version, date),
        "CHANGELOG.md": changed_changelog((root / "CHANGELOG.md").read_text("utf-8"), version, date),
    }
    for name, text in changed.items():
        (root / name).write_text(text, "utf-8")
    done = subprocess.run(["cargo", "update", "--workspace", "--offline"], cwd=root, check=False)
    if done.returncode:
        raise FailedError("cargo cannot write the version into Cargo.lock; git checkout . takes the changes back")


def notes(changelog: str, version: str) -> str:
    """Return what the changelog says of a version.

    Raises
    ------
    FailedError
        It does not have this version.
    """
    headings = list(_HEADING.finditer(changelog))
    for heading, following in zip(headings, [*headings[1:], None], strict=True):
        if heading["version"] == version:
            return changelog[heading.end() : following.start() if following else None].strip() + "\n"
    raise FailedError(f"CHANGELOG.md has no version {version}: make dist VERSION={version} writes it")


def in_cargo(version: str) -> str:
    """Return a version as Cargo writes it.

    >>> in_cargo("1.2.3"), in_cargo("1.2.3rc1"), in_cargo("1.2.3b2")
    ('1.2.3', '1.2.3-rc.1', '1.2.3-beta.2')
    """
    parts = re.fullmatch(r"([\d.]+?)(?:(a|b|rc)(\d+))?", version)
    assert parts is not None
    number, kind, count = parts.groups()
    return number if kind is None else f"{number}-{ {'a': 'alpha', 'b': 'beta'}.get(kind, kind) }.{count}"


def in_python(version: str) -> str:
    """Return a version of Cargo as Python writes it.

    >>> in_python("1.2.3"), in_python("1.2.3-rc.1"), in_python("1.2.3-alpha.4")
    ('1.2.3', '1.2.3rc1', '1.2.3a4')
    """
    number, _, rest = version.partition("-")
    kind, _, count = rest.partition(".")
    return number + {"alpha": "a", "beta": "b"}.get(kind, kind) + count


def disagreements(root: Path) -> Iterator[str]:
    """Yield the files whose version is not that of Cargo.toml, or whose dates differ."""
    version = in_python(current(root))
    citation = (root / "CITATION.cff").read_text("utf-8")
    cited = re.search(r"^version: (.*)$", citation, re.MULTILINE)
    if cited is None or cited[1] != version:
        yield f"CITATION.cff: version {cited[1] if cited else 'none'}; Cargo.toml has {version}"
    lock = tomllib.loads((root / "Cargo.lock").read_text("utf-8"))["package"]
    for package in lock:
        if package["name"].startswith("celltrain-") and in_python(package["version"]) != version:
            yield f"Cargo.lock: {package['name']} {package['version']}; Cargo.toml has {version}"
    dated = re.search(r'^date-released: "?([\d-]+)"?$', citation, re.MULTILINE)
    headings = {one["version"]: one["date"] for one in _HEADING.finditer((root / "CHANGELOG.md").read_text("utf-8"))}
    if "Unreleased" not in headings:
        yield "CHANGELOG.md: has no [Unreleased]"
    if version in headings and (dated is None or dated[1] != headings[version]):
        yield f"CITATION.cff: released on {dated[1] if dated else 'no date'}; CHANGELOG.md has {headings[version]}"
