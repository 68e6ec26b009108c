"""Run a command that compiles the release build, guided by a profile of the running engines (PGO).

``python tools/pgo.py COMMAND...`` makes the profile if there is none for this compiler, and runs the command with the
flags for it, after the user's own. ``--fresh`` also renews it if its sources have changed since; without a command it
does only that, and a failure is an error. The profile is ``target/profile/celltrain.profdata``, with
its origin beside it.

The profile is that of the benchmark runner (``benches/src``) with each engine on the scenarios of
``benches/training`` and some of ``benches/workloads``.
If it cannot be made, the command runs without it, after a line that says why. With ``PROFILE=`` (empty) in the
environment the command runs without a profile.

A profile fits one target: the names of functions contain it. ``--target TRIPLE`` makes and uses that of a build with
``--target TRIPLE``, whose programs must run on this machine; it is ``target/profile/TRIPLE.profdata``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROFILE = ROOT / "target" / "profile" / "celltrain.profdata"
SOURCES = (
    "Cargo.*",
    "benches/src",
    "benches/training",
    *(f"crates/celltrain-{name}/src" for name in ("language", "proto", "sim")),
)
WORKLOADS = ("abr-erica", "adsl", "chain", "greedy-tcp", "lan", "many")
SCENARIOS = (
    *(ROOT / "benches" / "workloads" / f"{name}.toml" for name in WORKLOADS),
    *sorted((ROOT / "benches" / "training").glob("*.toml")),
)

#: The runner, compiled together with the package: the profile identifies functions by mangled names that depend on the
#: features of all dependencies, and these are the union of what the named packages request.
RUNNER = ("-p", "celltrain-benches", "-p", "celltrain-py", "--bin", "celltrain-benches")

#: What programs end in.
EXE = ".exe" if os.name == "nt" else ""
#: The variable from which Cargo reads flags. Unlike those in RUSTFLAGS, they may contain spaces.
FLAGS = "CARGO_ENCODED_RUSTFLAGS"


class NoProfileError(Exception):
    """The profile cannot be made; the message says why, and what to do."""


def output(*command: str | Path, why: str, text: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """Return the output of a command.

    Raises
    ------
    NoProfileError
        It cannot be run, or fails: ``why``, with the last line that it wrote to standard error.
    """
    try:
        done = subprocess.run(command, cwd=ROOT, input=text, env=env, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NoProfileError(f"{why}: {error}") from None
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        raise NoProfileError(f"{why}: {said[-1]}")
    return done.stdout


def files(pattern: str) -> Iterator[Path]:
    """Yield the files that match a pattern or are below a match."""
    for path in sorted(ROOT.glob(pattern)):
        yield from (below for below in sorted(path.rglob("*")) if below.is_file()) if path.is_dir() else [path]


def origin() -> dict[str, str]:
    """Return the compiler and sources that a profile made now would have."""
    content = hashlib.sha256()
    for file in sorted({*(file for pattern in SOURCES for file in files(pattern)), *SCENARIOS}):
        content.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return {"rustc": output("rustc", "-vV", why="there is no Rust compiler"), "sources": content.hexdigest()}


def profdata() -> Path:
    """Find ``llvm-profdata`` of this compiler, which rustup may have to install."""
    host = output("rustc", "--print", "host-tuple", why="the compiler does not report its host").strip()
    root = output("rustc", "--print", "sysroot", why="the compiler does not report its location").strip()
    program = Path(root) / "lib" / "rustlib" / host / "bin" / f"llvm-profdata{EXE}"
    if not program.exists():
        output("rustup", "component", "add", "llvm-tools", why="cannot install the component llvm-tools of Rust")
    if not program.exists():
        raise NoProfileError(f"the component llvm-tools of Rust has no {program}")
    return program


def with_flag(flag: str) -> dict[str, str]:
    """Return the environment with a compiler flag after the user's own."""
    own = os.environ.get(FLAGS)
    flags = os.environ.get("RUSTFLAGS", "").split() if own is None else own.split("\x1f")
    return {**os.environ, FLAGS: "\x1f".join([*filter(None, flags), flag])}


def train(runner: Path, counts: Path) -> None:
    """Run each engine on each scenario; each run writes a file of counts."""
    env = {**os.environ, "LLVM_PROFILE_FILE": str(counts / "%p.profraw")}
    for scenario in SCENARIOS:
        text = json.dumps(tomllib.loads(scenario.read_text("utf-8")))
        for engine in output(runner, "--engines", why="the instrumented runner fails").split():
            output(runner, engine, text=text, env=env, why=f"the instrumented runner fails on {scenario.name}")


def of_target(target: str | None) -> Path:
    """Return the profile of builds for a target, or of those that name none."""
    return PROFILE if target is None else PROFILE.with_name(f"{target}.profdata")


def make(profile: Path = PROFILE, target: str | None = None) -> None:
    """Make the profile of builds for a target: completely, or not at all.

    Raises
    ------
    NoProfileError
        A tool is missing, or fails. An existing profile is kept.
    """
    merge, made_of = profdata(), origin()
    print("making a profile for the release build, once: takes 1 to 2 minutes", file=sys.stderr)
    profile.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=profile.parent) as name:
        folder = Path(name)
        # Build scripts and macros are instrumented, too; their counts are discarded.
        env = with_flag(f"-Cprofile-generate={folder}") | {"LLVM_PROFILE_FILE": os.devnull}
        named = () if target is None else ("--target", target)
        build = ("cargo", "build", "--release", "--locked", "--quiet", *RUNNER, *named)
        output(*build, "--target-dir", folder / "target", env=env, why="the instrumented build fails")
        train(folder / "target" / (target or "") / "release" / f"celltrain-benches{EXE}", folder / "counts")
        merged = folder / profile.name
        output(merge, "merge", "--output", merged, folder / "counts", why="llvm-profdata fails")
        beside(profile).unlink(missing_ok=True)
        merged.replace(profile)
    beside(profile).write_text(json.dumps(made_of, indent=1) + "\n", "utf-8")


def beside(profile: Path) -> Path:
    """Return the file with the origin of a profile."""
    return profile.with_suffix(".json")


def ready(*, fresh: bool, profile: Path = PROFILE, target: str | None = None) -> None:
    """Make the profile if there is none for this compiler or, with ``fresh``, for these sources.

    Raises
    ------
    NoProfileError
        It cannot be made.
    """
    try:
        known = json.loads(beside(profile).read_text("utf-8")) if profile.exists() else {}
    except (OSError, ValueError):
        known = {}
    now = origin()
    if any(known.get(key) != now[key] for key in (("rustc", "sources") if fresh else ("rustc",))):
        make(profile, target)


def environment(*, fresh: bool, profile: Path = PROFILE, target: str | None = None) -> Mapping[str, str]:
    """Return the environment for a profile-guided release build, or the user's own without a profile."""
    if os.environ.get("PROFILE") == "":
        return os.environ
    try:
        ready(fresh=fresh, profile=profile, target=target)
    except NoProfileError as error:
        fix = "After fixing that: make profile && make setup"
        print(f"NOT PROFILED, so about 10 % slower: {error}. {fix}", file=sys.stderr)
        return os.environ
    return with_flag(f"-Cprofile-use={profile}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    usage, description = "%(prog)s [-h] [--fresh] [--target TRIPLE] [COMMAND...]", (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(usage=usage, description=description)
    parser.add_argument("--fresh", action="store_true", help="renew the profile if its sources have changed")
    parser.add_argument("--target", help="the target that the command compiles for with --target, if it does")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="compiles the release build")
    options = parser.parse_args(arguments)
    if options.command and shutil.which(options.command[0]) is None:
        parser.error(f"there is no command {options.command[0]!r}")
    try:
        if options.command:
            env = environment(fresh=options.fresh, profile=of_target(options.target), target=options.target)
            return subprocess.run(options.command, env=env, check=False).returncode
        ready(fresh=options.fresh, profile=of_target(options.target), target=options.target)
    except NoProfileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
