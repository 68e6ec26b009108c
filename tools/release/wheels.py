"""Build wheels and the source distribution, with maturin."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from release.failed import FailedError
from release.targets import Target

ROOT = Path(__file__).resolve().parents[2]


def standard_library(target: Target) -> None:
    """See that the compiler has the standard library of a target.

    Raises
    ------
    FailedError
        It has not, and rustup cannot get it.
    """
    listed = _said(["rustc", "--print", "target-libdir", "--target", target.triple])
    if listed is not None and any(Path(listed.strip()).glob("libstd-*")):
        return
    if _said(["rustup", "target", "add", target.triple]) is None:
        raise FailedError(
            f"the compiler has no standard library for {target.triple}, and rustup cannot get it: build this wheel on "
            f"its own system, or where `rustup target add {target.triple}` works"
        )


def command_for(target: Target, out: Path) -> list[str]:
    """Return the command that builds the wheel of a target.

    It goes through ``tools/pgo.py`` for the profile, if programs of the target run here.
    """
    profiled = [sys.executable, "tools/pgo.py", "--fresh", "--target", target.triple] if target.runs_here else []
    build = [sys.executable, "-m", "maturin", "build", "--release", "--locked", "--target", target.triple]
    build += ["--out", str(out)]
    build += ["--compatibility", target.compatibility] if target.compatibility else []
    return [*profiled, *build, *(["--zig"] if target.linked_by_zig else [])]


def build_wheel(target: Target, out: Path, tell: Callable[[str], None] = print) -> Path:
    """Build the wheel of a target; return its file.

    Raises
    ------
    FailedError
        The standard library, Zig or maturin is missing, or the compiler fails.
    """
    standard_library(target)
    if not target.runs_here:
        tell(f"{target.triple}: without a profile, which only a machine of this kind can make; about 10 % slower")
    before = {wheel: wheel.stat().st_mtime_ns for wheel in out.glob("*.whl")}
    _checked(command_for(target, out), f"the wheel for {target.triple}")
    new = [wheel for wheel in out.glob("*.whl") if before.get(wheel) != wheel.stat().st_mtime_ns]
    if len(new) != 1:
        raise FailedError(f"{target.triple}: maturin has written {len(new)} wheels into {out}; expected one")
    return new[0]


def build_sdist(out: Path) -> Path:
    """Build the source distribution; return its file.

    Raises
    ------
    FailedError
        maturin is missing, or fails.
    """
    _checked([sys.executable, "-m", "maturin", "sdist", "--out", str(out)], "the source distribution")
    return max(out.glob("*.tar.gz"), key=lambda path: path.stat().st_mtime_ns)


def build_all(targets: Sequence[Target], out: Path, tell: Callable[[str], None] = print) -> Iterator[Path]:
    """Build the source distribution and the wheels; yield each file when it is there."""
    out.mkdir(parents=True, exist_ok=True)
    yield build_sdist(out)
    for number, target in enumerate(targets, 1):
        tell(f"wheel {number} of {len(targets)}: {target.triple}")
        yield build_wheel(target, out, tell)


def _checked(command: Sequence[str], what: str) -> None:
    # Zig comes as a package for this interpreter; without this, the first python3 of the path would be asked for it.
    env = os.environ | {"CARGO_ZIGBUILD_PYTHON_PATH": sys.executable}
    done = subprocess.run(command, cwd=ROOT, env=env, check=False)
    if done.returncode:
        raise FailedError(f"{what} cannot be built: `{' '.join(command)}` ended with {done.returncode}")


def _said(command: Sequence[str]) -> str | None:
    """Return what a command prints, or nothing if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
