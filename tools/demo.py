"""Install celltrain in .venv by the shortest way, and reproduce a published figure: ``make demo``.

Without a wheel the package is compiled once: without a profile and without optimization across crates, for a start
in minutes. ``make setup`` compiles it as it is released. Packages that it needs are fetched meanwhile. With a wheel
nothing is compiled.

A line says what is being done; on a terminal it is renewed in place. What compilers and installers print goes to
``target/demo-logs``. The demo ends by opening the page with the figure or, where there is no screen, by naming it.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
LOGS = ROOT / "target" / "demo-logs"
#: Stamps of the Makefile: what an installation of the demo replaces, and its own.
REPLACED, STAMP = ("package", "dev"), "demo"
#: The extras of pyproject.toml that the demo uses in addition to the core.
EXTRAS: tuple[str, ...] = ("plots", "drawing", "reports", "sweeps")
FIGURE = "adsl-abr/fig04"
#: Cargo's names of what it compiles, with and without a terminal.
COMPILING = re.compile(r"^\s*Compiling (\S+) v", re.MULTILINE)
#: Without a terminal, a line is printed at this interval, in s; on one, the line is renewed.
SELDOM_S, OFTEN_S = 15.0, 0.5


class FailedError(Exception):
    """A step failed; the message says what to do."""


class Line:
    """The line that says what is being done.

    Parameters
    ----------
    stream
        Where it is written.
    steps
        The number of steps.
    """

    def __init__(self, stream: IO[str], steps: int) -> None:
        self._stream, self._steps = stream, steps
        self._in_place = stream.isatty()
        self._step = 0
        self._written = 0

    @contextmanager
    def step(self, what: str, detail: Callable[[], str] = str) -> Iterator[None]:
        """Show a step while it lasts, with a detail that changes, and afterwards the time that it took."""
        self._step += 1
        head = f"[{self._step}/{self._steps}] {what}"
        start, done = time.monotonic(), threading.Event()

        def renew() -> None:
            while not done.wait(OFTEN_S if self._in_place else SELDOM_S):
                self._write(f"{head}{detail()} ({time.monotonic() - start:.0f} s)")

        self._write(head)
        thread = threading.Thread(target=renew, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
            self._write(f"{head} ({time.monotonic() - start:.0f} s)", is_last=True)

    def _write(self, text: str, *, is_last: bool = False) -> None:
        if self._in_place:
            # A line that is wrapped could not be renewed.
            text = text[: shutil.get_terminal_size().columns - 1]
            self._stream.write("\r" + text.ljust(self._written) + ("\n" if is_last else ""))
            self._written = 0 if is_last else len(text)
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()


def environment() -> dict[str, str]:
    """Return the environment of all commands: the interpreter of .venv, and a plain release build."""
    path = os.pathsep.join([str(BIN), os.environ.get("PATH", "")])
    return {**os.environ, "PATH": path, "PYO3_PYTHON": str(BIN / "python"), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def carry_out(name: str, command: Sequence[str | Path]) -> None:
    """Run a command; what it prints goes to a file.

    Raises
    ------
    FailedError
        It cannot be run, or fails; the message has the end of what it printed.
    """
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{name}.log"
    with log.open("w", encoding="utf-8") as file:
        try:
            done = subprocess.run(command, cwd=ROOT, env=environment(), stdout=file, stderr=file, check=False)
        except OSError as error:
            raise FailedError(f"cannot run {command[0]}: {error}") from None
    if done.returncode:
        said = "\n".join(f"  {line}" for line in log.read_text("utf-8", "replace").splitlines()[-15:])
        raise FailedError(f"{' '.join(map(str, command))} failed; the end of {log}:\n{said}")


def pip(*arguments: str | Path) -> list[str | Path]:
    """Return a command of pip. Modules are compiled when they are first used: a run uses few of those installed."""
    return [BIN / "python", "-m", "pip", "install", "--quiet", "--no-input", "--no-compile", *arguments]


def requirements(project: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Return what the package needs besides itself, by its ``pyproject.toml``."""
    known = project["project"]
    extras = known.get("optional-dependencies", {})
    assert isinstance(extras, Mapping)
    needed = [known["dependencies"], *(extras[name] for name in EXTRAS)]
    return list(dict.fromkeys(str(each) for group in needed if isinstance(group, list) for each in group))


def count_of_crates() -> int:
    """Return how many crates are compiled, or 0 if Cargo does not say."""
    command = ["cargo", "tree", "--locked", "-p", "celltrain-py", "--edges=normal,build", "--prefix=none"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return 0
    return len({line.removesuffix(" (*)") for line in done.stdout.splitlines()})


def compiled(log: Path, total: int) -> str:
    """Say how far Cargo has come, from what it printed."""
    names = COMPILING.findall(log.read_text("utf-8", "replace")) if log.exists() else []
    return f": crate {len(names)} of {max(total, len(names))}, {names[-1]}" if names else ""


def in_background(work: Callable[[], None]) -> Callable[[], None]:
    """Start work on a thread; return what waits for it, and raises what it raised."""
    raised: list[FailedError] = []

    def run() -> None:
        try:
            work()
        except FailedError as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()

    def wait() -> None:
        thread.join()
        if raised:
            raise raised[0]

    return wait


def install_wheel(line: Line, wheel: Path) -> None:
    """Install a wheel with what it needs."""
    named = f"{wheel}[{','.join(EXTRAS)}]" if EXTRAS else str(wheel)
    with line.step("installing the wheel and the packages that it needs"):
        carry_out("packages", pip(named))
        # A wheel of other sources may have the version that is installed.
        carry_out("wheel", pip("--no-deps", "--force-reinstall", wheel))


def install_sources(line: Line) -> None:
    """Compile the package and install it, with what it needs."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        needed = requirements(tomllib.load(file))
    with line.step("fetching maturin, which compiles the package"):
        carry_out("maturin", pip("maturin>=1.9"))
    fetched = in_background(lambda: carry_out("packages", pip(*needed)))
    total, wheels = count_of_crates(), LOGS / "wheels"
    for old in wheels.glob("*.whl"):
        old.unlink()
    log = LOGS / "compiling.log"
    log.unlink(missing_ok=True)
    with line.step("compiling celltrain, fetching packages", lambda: compiled(log, total)):
        build: list[str | Path] = [
            BIN / "maturin",
            "build",
            "--profile",
            "demo",
            "--locked",
            "--interpreter",
            BIN / "python",
        ]
        carry_out("compiling", [*build, "--compatibility", "linux", "--out", wheels])
        fetched()
    with line.step("installing it in .venv"):
        carry_out("wheel", pip("--no-deps", "--force-reinstall", *wheels.glob("*.whl")))


def tracked_below(folder: Path) -> list[Path]:
    """Return the files of a folder, without what running them leaves there."""
    return [path for path in folder.rglob("*") if path.is_file() and path.suffix not in (".pyc", ".so")]


def is_current(stamp: Path = VENV / "stamps" / STAMP) -> bool:
    """Return whether the demo has installed the package, and no source has changed since."""
    if not stamp.exists():
        return False
    single = [ROOT / name for name in ("pyproject.toml", "Cargo.toml", "Cargo.lock")]
    sources = [*single, *(ROOT / "crates").rglob("src/**/*.rs"), *tracked_below(ROOT / "python")]
    return all(source.stat().st_mtime <= stamp.stat().st_mtime for source in sources)


def install(line: Line, wheel: Path | None) -> None:
    """Install celltrain in .venv."""
    if not (BIN / "python").exists() and not (BIN / "python.exe").exists():
        carry_out("venv", [sys.executable, "-m", "venv", VENV])
    stamps = VENV / "stamps"
    for name in (*REPLACED, STAMP):
        (stamps / name).unlink(missing_ok=True)
    if wheel is None:
        install_sources(line)
    else:
        install_wheel(line, wheel)
    stamps.mkdir(exist_ok=True)
    (stamps / STAMP).touch()


def reproduce(folder: Path) -> tuple[Path, Path]:
    """Reproduce the figure, with progress on the terminal; return its picture and the page."""
    for command in (["reproduce", FIGURE, "--out", str(folder)], ["report", str(folder)]):
        done = subprocess.run([BIN / "celltrain", *command], cwd=ROOT, env=environment(), check=False)
        if done.returncode:
            raise FailedError(f"celltrain {' '.join(command)} ended with {done.returncode}")
    return folder / f"{FIGURE}.svg", folder / "report.html"


def has_screen(variables: Mapping[str, str]) -> bool:
    """Return whether a browser can be shown: on this computer, to somebody who waits for it."""
    if not sys.stdout.isatty() or any(variables.get(name) for name in ("CI", "SSH_CONNECTION")):
        return False
    return sys.platform in ("darwin", "win32") or any(variables.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def end(picture: Path, page: Path) -> None:
    """Open the page where that is possible, and name both."""
    is_open = has_screen(os.environ) and webbrowser.open(page.resolve().as_uri())
    print(f"\nthe figure:  {picture}\nthe page:    {page}{', now in your browser' if is_open else ''}")
    print("what next:   .venv/bin/celltrain init adsl, or docs/tutorial/first-scenario.md")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the demo; return the exit status."""
    parser = argparse.ArgumentParser(prog="make demo", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wheel", type=Path, help="a wheel of celltrain for this system: nothing is compiled")
    parser.add_argument("--installed", action="store_true", help="celltrain is installed in .venv already")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of the figure and the page")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    if options.wheel is not None and not options.wheel.is_file():
        parser.error(f"WHEEL={options.wheel}: no such file; `make dist` writes wheels into dist")
    try:
        if options.wheel or not (options.installed or is_current()):
            install(Line(sys.stderr, 1 if options.wheel else 3), options.wheel and options.wheel.resolve())
        print(f"reproducing {FIGURE}, a figure of the study adsl-abr", file=sys.stderr, flush=True)
        end(*reproduce(options.out))
    except FailedError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted: the same command goes on", file=sys.stderr)
        return 130
    print(f"took:        {time.monotonic() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
