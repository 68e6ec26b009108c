"""Install a wheel in a clean environment without compilers, and use it as its first user does."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from release.failed import FailedError

#: The extras that the commands below need.
EXTRAS: tuple[str, ...] = ("plots", "reports", "sweeps")
#: What a first user types, in an empty folder; each must succeed.
COMMANDS = (
    ("--version",),
    ("examples",),
    ("examples", "adsl", "--out", "adsl.toml"),
    ("validate", "adsl.toml"),
    ("run", "adsl.toml", "--out", "run", "--set", "measure.duration=20 s"),
    ("sweep", "adsl.toml", "--set", "measure.duration=20 s,30 s", "--jobs", "2", "--out", "sweep"),
    ("results", "sweep"),
    ("reproduce", "adsl-abr/txt01", "--quick"),
    ("report", "run"),
    ("report", "sweep"),
    ("columns", "flows"),
    ("schema",),
    ("completion", "bash"),
)
#: What needs Linux, and the word of its message elsewhere.
LINUX_ONLY = (("shell", "adsl.toml", "--", "true"), ("parity", "adsl.toml"), ("dbs", "daemon", "--stdio"))


def path_without_compilers(path: str) -> str:
    """Return the search path without the folders of Rust, which a user need not have."""
    return os.pathsep.join(folder for folder in path.split(os.pathsep) if not (Path(folder) / "cargo").exists())


def binaries(environment: Path) -> Path:
    """Return the folder of the programs of a virtual environment."""
    return environment / ("Scripts" if sys.platform == "win32" else "bin")


def named(wheel: Path) -> str:
    """Return what to install: the wheel, with its extras."""
    return f"{wheel}[{','.join(EXTRAS)}]" if EXTRAS else str(wheel)


def installed(wheel: Path, environment: Path, options: Sequence[str] = ()) -> Path:
    """Install a wheel in a new virtual environment; return the folder of its programs.

    ``options`` are pip's. Nothing is compiled: pip takes only wheels. The environment has no pip of its own, which is
    quicker to make.

    Raises
    ------
    FailedError
        It cannot be installed.
    """
    programs = binaries(environment)
    checked([sys.executable, "-m", "venv", "--without-pip", str(environment)], environment.parent)
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--disable-pip-version-check"]
    quickly = ["--quiet", "--only-binary", ":all:", "--no-compile"]
    checked([*pip, *quickly, *options, named(wheel)], environment.parent)
    return programs


def checked(command: Sequence[str], folder: Path) -> str:
    """Run a command as a user without Rust; return what it printed.

    Raises
    ------
    FailedError
        It fails.
    """
    done = run(command, folder)
    if done.returncode:
        raise FailedError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def run(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, without what this process has set for Python."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    path = path_without_compilers(os.environ.get("PATH", ""))
    variables = {**kept, "PATH": path, "NO_COLOR": "1", "PYTHONUTF8": "1", "CELLTRAIN_CACHE": str(folder / "cache")}
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, encoding="utf-8", check=False
    )


def use(
    programs: Path,
    folder: Path,
    tell: Callable[[str], None] = lambda _: None,
    commands: Sequence[Sequence[str]] = COMMANDS,
) -> None:
    """Type the commands of a first user.

    Raises
    ------
    FailedError
        One fails, or what needs Linux does not say so elsewhere.
    """
    celltrain = str(programs / "celltrain")
    for arguments in commands:
        tell(f"celltrain {' '.join(arguments)}")
        checked([celltrain, *arguments], folder)
    if sys.platform == "linux":
        return
    for arguments in LINUX_ONLY:
        done = run([celltrain, *arguments], folder)
        if done.returncode != 2 or "Linux" not in done.stderr or "Traceback" in done.stderr:
            raise FailedError(f"celltrain {' '.join(arguments)} must say that it needs Linux, but said:\n{done.stderr}")


def attempt(wheel: Path, tell: Callable[[str], None] = print) -> None:
    """Install a wheel, with what it needs from the package index, and use it.

    Raises
    ------
    FailedError
        It cannot be installed, or a command fails.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        tell(f"installing {wheel.name} in a new environment")
        programs = installed(wheel.resolve(), folder / "environment")
        work = folder / "work"
        work.mkdir()
        use(programs, work, tell)
        tell(f"{wheel.name} works: {len(COMMANDS)} commands")
