"""What is in wheels and source distributions, compared with what must be."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import subprocess
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from email import message_from_bytes
from email.message import Message
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from release.binary import container_and_machine
from release.failed import FailedError
from release.targets import TARGETS, Target

#: The compiled module, by format.
MODULES = {"elf": "celltrain/_native.abi3.so", "mach-o": "celltrain/_native.abi3.so", "pe": "celltrain/_native.pyd"}
#: The function by which Python loads it.
ENTRY = b"PyInit__native"
#: A wheel is larger only by mistake, such as debug information that was not removed.
MOST_OCTETS = 12 << 20
#: What a source distribution must have besides the package, as patterns of which each matches a file.
IN_SDIST = (
    "Cargo.lock",
    "Cargo.toml",
    "pyproject.toml",
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "docs/index.md",
    "docs/tutorial/first-scenario.md",
    "docs/images/*.svg",
    "python/celltrain/examples/adsl.toml",
    "crates/celltrain-sim/src/lib.rs",
    "crates/celltrain-py/build.rs",
)


def sources(root: Path) -> set[str]:
    """Return the files of the Python package that git knows, relative to ``python``.

    Raises
    ------
    FailedError
        This is not a clone.
    """
    return _known(root / "python", "celltrain")


def manual(root: Path) -> set[str]:
    """Return the man pages that git knows, relative to the prefix of Python below which they are installed.

    Raises
    ------
    FailedError
        This is not a clone.
    """
    return _known(root / "packaging" / "data", "share")


def _known(folder: Path, below: str) -> set[str]:
    """Return the files below a folder that git knows and that exist, relative to another folder above it."""
    command = ["git", "ls-files", "-z", "--", below]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FailedError(f"a release is made from a clone: {done.stderr.strip()}")
    return {name for name in done.stdout.split("\0") if name and (folder / name).exists()}


def tags(wheel: Path) -> tuple[str, str, str, list[str]]:
    """Return version, Python, ABI and platforms from the name of a wheel.

    >>> tags(Path("celltrain-0.1.0-cp311-abi3-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"))
    ('0.1.0', 'cp311', 'abi3', ['manylinux_2_17_x86_64', 'manylinux2014_x86_64'])
    """
    parts = wheel.name.removesuffix(".whl").split("-")
    if len(parts) != 5 or parts[0] != "celltrain":
        raise FailedError(f"{wheel.name}: expected celltrain-VERSION-PYTHON-ABI-PLATFORM.whl")
    return parts[1], parts[2], parts[3], parts[4].split(".")


def target_of(wheel: Path) -> Target | None:
    """Return the target whose tag a wheel has."""
    *_, platforms = tags(wheel)
    return next((each for each in TARGETS if all(fnmatch(one, each.tag) for one in platforms)), None)


def problems_of_wheel(wheel: Path, version: str, package: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with a wheel.

    Parameters
    ----------
    wheel
        The file.
    version
        The version that it must have.
    package
        The files that it must have; the compiled module comes in addition.
    """
    found, python, abi, _ = tags(wheel)
    if found != version:
        yield f"is version {found}, not {version}"
    if (python, abi) != ("cp311", "abi3"):
        yield f"is for {python}-{abi}; expected cp311-abi3, one wheel for Python 3.11 and newer"
    if wheel.stat().st_size > MOST_OCTETS:
        yield f"has {wheel.stat().st_size >> 20} MiB, at most {MOST_OCTETS >> 20} are expected"
    target = target_of(wheel)
    if target is None:
        yield f"its platform is none that wheels are made for: {', '.join(each.tag for each in TARGETS)}"
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    info = f"celltrain-{found}.dist-info"
    native = {name for name in files if name.startswith("celltrain/_native.") and not name.endswith(".pyi")}
    yield from missing_and_more(set(files), set(package) | native, info)
    if target is not None:
        yield from problems_of_module({name: files[name] for name in native}, target)
    yield from problems_of_metadata(files, info, version)
    yield from problems_of_record(files, info)


def missing_and_more(found: set[str], expected: set[str], info: str) -> Iterator[str]:
    """Yield files that are missing, and those that are too many."""
    for name in sorted(expected - found):
        yield f"lacks {name}"
    for name in sorted(found - expected):
        if not name.startswith(f"{info}/"):
            yield f"has {name}, which git does not know"


def problems_of_module(modules: dict[str, bytes], target: Target) -> Iterator[str]:
    """Yield what is wrong with the compiled module."""
    expected = MODULES[target.container]
    if set(modules) != {expected}:
        yield f"has the compiled modules {sorted(modules)}; expected {expected}"
        return
    octets = modules[expected]
    try:
        container, machine = container_and_machine(octets)
    except ValueError as error:
        yield f"{expected}: {error}"
        return
    if (container, machine) != (target.container, target.machine):
        yield f"{expected} is {container} for processor {machine:#x}; expected {target.container}, {target.machine:#x}"
    if ENTRY not in octets:
        yield f"{expected} does not export {ENTRY.decode()}"


def problems_of_metadata(files: dict[str, bytes], info: str, version: str) -> Iterator[str]:
    """Yield what is wrong with the description of the package."""
    metadata = _message(files, f"{info}/METADATA")
    expected = {"Name": "celltrain", "Version": version, "Requires-Python": ">=3.11"}
    for key, value in expected.items():
        if metadata[key] != value:
            yield f"METADATA: {key} is {metadata[key]}; expected {value}"
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        if f"{info}/licenses/{name}" not in files:
            yield f"lacks {info}/licenses/{name}"
    if b"celltrain=celltrain.cli:main" not in files.get(f"{info}/entry_points.txt", b"").replace(b" ", b""):
        yield "lacks the command celltrain"
    if _message(files, f"{info}/WHEEL")["Root-Is-Purelib"] != "false":
        yield "WHEEL: Root-Is-Purelib; expected false, since it has a compiled module"


def problems_of_record(files: dict[str, bytes], info: str) -> Iterator[str]:
    """Yield the files that the list of contents lacks, or has with another hash."""
    rows = csv.reader(io.StringIO(files.get(f"{info}/RECORD", b"").decode()))
    listed = {row[0]: row[1] for row in rows if row}
    for name, octets in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(octets).digest()).rstrip(b"=").decode()
        if name != f"{info}/RECORD" and listed.get(name) != f"sha256={digest}":
            yield f"RECORD: {name} is missing, or has another hash"


def problems_of_sdist(sdist: Path, version: str, package: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with a source distribution; the arguments are those of :func:`problems_of_wheel`."""
    root = PurePosixPath(f"celltrain-{version}")
    with tarfile.open(sdist) as archive:
        names = {member.name for member in archive.getmembers() if member.isfile() or member.issym()}
    outside = sorted(name for name in names if PurePosixPath(name).parts[0] != root.name)
    if outside:
        yield f"{outside[0]} is not below {root}"
    inside = {str(PurePosixPath(name).relative_to(root)) for name in names - set(outside)}
    for pattern in (*IN_SDIST, *(f"python/{name}" for name in package)):
        if pattern not in inside and not any(fnmatch(name, pattern) for name in inside):
            yield f"lacks {pattern}"
    for name in sorted(inside):
        if any(part in ("__pycache__", "target", ".venv") for part in PurePosixPath(name).parts) or name.endswith(
            ".so"
        ):
            yield f"has {name}, which is not a source"


def problems(files: Sequence[Path], version: str, root: Path) -> Iterator[str]:
    """Yield what is wrong with files of a release, each with the name of the file."""
    package = sources(root)
    installed = package | {f"celltrain-{version}.data/data/{name}" for name in manual(root)}
    for file in files:
        if file.suffix == ".whl":
            found = problems_of_wheel(file, version, installed)
        else:
            found = problems_of_sdist(file, version, package)
        yield from (f"{file.name}: {problem}" for problem in found)


def _message(files: dict[str, bytes], name: str) -> Message:
    return message_from_bytes(files.get(name, b""))
