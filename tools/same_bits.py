"""Run the same random networks in different builds, on several threads and in other surroundings, and compare digests.

    python tools/same_bits.py                    # 200 networks, all variants that this machine can run
    python tools/same_bits.py --networks 20 --only release,threads-3

The first variant is the reference. A variant that cannot be built or run here is named with the reason, in capitals.
Exits with 1 if a digest differs.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: The program that draws networks, runs them and prints a line for each: number, hash of the scenario, digest.
PACKAGE = "celltrain-hunt"
#: About the most cells of a network: some ten milliseconds in a release build.
CELLS = 20_000
GENERATORS = ("drawn", "composed")
#: Surroundings that must make no difference: languages with other rules for letters and numbers, the ends of the clock.
SURROUNDINGS = {
    "turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "TZ": "Pacific/Kiritimati"},
    "c-locale": {"LC_ALL": "C", "LANG": "C", "TZ": "Etc/GMT+12", "PYTHONHASHSEED": "1"},
}
AARCH64 = "aarch64-unknown-linux-gnu"


@dataclass(frozen=True)
class Build:
    """How the program is compiled, and with what it is started."""

    name: str
    profile: str = "release"
    flags: str = ""
    target: str = ""
    runner: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)

    def missing(self) -> str:
        """Say what this machine lacks for it; empty if nothing."""
        if self.target and self.runner and not shutil.which(self.runner[0]):
            return f"{self.runner[0]} is not installed (apt-get install qemu-user gcc-aarch64-linux-gnu)"
        if self.target and self.target not in _installed_targets():
            return f"rustup target add {self.target}"
        if self.flags.endswith("x86-64-v3") and not {"avx2", "fma"} <= _processor_flags():
            return "the processor has no AVX2 and FMA"
        return ""

    def made(self) -> Path:
        """Compile the program; return its path."""
        # Only other flags need another folder: Cargo keeps profiles and targets apart.
        folder = ROOT / "target" / "same-bits" / self.name if self.flags else ROOT / "target"
        command = ["cargo", "build", "--locked", "--quiet", "--package", PACKAGE, "--profile", self.profile]
        command += ["--target-dir", str(folder)] + (["--target", self.target] if self.target else [])
        variables = {**({"RUSTFLAGS": self.flags} if self.flags else {}), **self.variables}
        subprocess.run(command, cwd=ROOT, env=os.environ | variables, check=True)
        profile = "debug" if self.profile == "dev" else self.profile
        return folder / self.target / profile / PACKAGE


RELEASE = Build("release")
BUILDS = (
    RELEASE,
    Build("debug", profile="dev"),
    Build("fma-avx2", flags="-C target-cpu=x86-64-v3"),
    Build("native", flags="-C target-cpu=native"),
    Build(
        "aarch64",
        target=AARCH64,
        runner=("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"),
        variables={"CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER": "aarch64-linux-gnu-gcc"},
    ),
)


@dataclass(frozen=True)
class Variant:
    """A build, its number of threads, and its surroundings."""

    name: str
    build: Build
    threads: int = 1
    surroundings: Mapping[str, str] = field(default_factory=dict)

    def digests(self, program: Path, networks: int, seed: int) -> list[str]:
        """Run the networks; return a line for each."""
        lines: list[str] = []
        for generator in GENERATORS:
            command = [*self.build.runner, str(program), "digests", "--generator", generator]
            command += ["--networks", str(networks // len(GENERATORS)), "--seed", str(seed), "--cells", str(CELLS)]
            command += ["--jobs", str(self.threads)]
            done = subprocess.run(
                command, env=os.environ | self.surroundings, check=True, capture_output=True, text=True
            )
            lines += [f"{generator} {line}" for line in done.stdout.splitlines()]
        return lines


def variants() -> list[Variant]:
    """Return all variants, the reference first."""
    builds = [Variant(build.name, build) for build in BUILDS]
    threads = [Variant(f"threads-{number}", RELEASE, number) for number in (2, 3, 7, 16)]
    surroundings = [Variant(name, RELEASE, 1, values) for name, values in SURROUNDINGS.items()]
    return [builds[0], *threads, *surroundings, *builds[1:]]


def _installed_targets() -> set[str]:
    """Return the targets whose standard library is installed."""
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], check=True, capture_output=True, text=True).stdout.strip()
    return {folder.name for folder in (Path(sysroot) / "lib" / "rustlib").iterdir()}


def _processor_flags() -> set[str]:
    if platform.machine() != "x86_64":
        return set()
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith("flags"):
            return set(line.split())
    return set()


def compared(chosen: Sequence[Variant], networks: int, seed: int) -> int:
    """Run and compare variants, and print a line for each; return how many differ from the first."""
    programs: dict[str, Path] = {}
    reference: list[str] = []
    differing = 0
    for variant in chosen:
        if reason := variant.build.missing():
            print(f"NOT RUN: {variant.name}: {reason}")
            continue
        if variant.build.name not in programs:
            programs[variant.build.name] = variant.build.made()
        began = time.perf_counter()
        lines = variant.digests(programs[variant.build.name], networks, seed)
        took = time.perf_counter() - began
        reference = reference or lines
        others = [(line, other) for line, other in zip(reference, lines, strict=True) if line != other]
        print(
            f"{variant.name}: {len(lines) - len(others)} of {len(lines)} digests are the same, {took:.1f} s", flush=True
        )
        for line, other in others[:5]:
            print(f"  {line}\n  {other}")
        differing += bool(others)
    return differing


def main() -> int:
    """Run the tool; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="names of variants, separated by commas, in this order")
    arguments = parser.parse_args()
    known = {variant.name: variant for variant in variants()}
    names = arguments.only.split(",") if arguments.only else list(known)
    if unknown := [name for name in names if name not in known]:
        parser.error(f"there is no variant {unknown[0]!r}; there are {', '.join(known)}")
    return 1 if compared([known[name] for name in names], arguments.networks, arguments.seed) else 0


if __name__ == "__main__":
    sys.exit(main())
