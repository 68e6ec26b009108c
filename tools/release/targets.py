"""The systems that wheels are made for, and how each wheel is built."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A system with its processor.

    Parameters
    ----------
    triple
        Its name in Rust.
    tag
        Its tag in the names of wheels; ``*`` stands for versions.
    container
        The format of its compiled modules: ``elf``, ``mach-o`` or ``pe``.
    machine
        The number of its processor in that format.
    compatibility
        The oldest system that its wheels run on, in the words of maturin; empty: that of the Rust target.
    linked_by_zig
        Whether Zig links it, from every system: for an old C library, or for another system.
    """

    triple: str
    tag: str
    container: str
    machine: int
    compatibility: str = ""
    linked_by_zig: bool = True

    @property
    def runs_here(self) -> bool:
        """Whether its programs run on this machine: a profile for it can be made."""
        processor = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
        system = {"linux": "linux", "darwin": "apple", "win32": "windows"}.get(sys.platform, "")
        return self.triple.startswith(processor) and f"-{system}" in self.triple


#: Numbers of processors: in ELF (``e_machine``), Mach-O (``cputype``), PE (``Machine``).
_ELF_X86, _ELF_ARM = 0x3E, 0xB7
_MACH_X86, _MACH_ARM = 0x0100_0007, 0x0100_000C
_PE_X86 = 0x8664

TARGETS = (
    Target("x86_64-unknown-linux-gnu", "manylinux*_x86_64", "elf", _ELF_X86, "manylinux2014"),
    Target("aarch64-unknown-linux-gnu", "manylinux*_aarch64", "elf", _ELF_ARM, "manylinux2014"),
    Target("x86_64-unknown-linux-musl", "musllinux_1_2_x86_64", "elf", _ELF_X86, "musllinux_1_2"),
    Target("aarch64-unknown-linux-musl", "musllinux_1_2_aarch64", "elf", _ELF_ARM, "musllinux_1_2"),
    Target("x86_64-apple-darwin", "macosx_*_x86_64", "mach-o", _MACH_X86),
    Target("aarch64-apple-darwin", "macosx_*_arm64", "mach-o", _MACH_ARM),
    # Only Windows has what links it. For `windows-gnu`, which Zig could link, maturin 1.16 asks for an entry with the
    # name of the package in it, `PyInit_celltrain._native`, which no module has.
    Target("x86_64-pc-windows-msvc", "win_amd64", "pe", _PE_X86, linked_by_zig=False),
)


def named(triple: str) -> Target:
    """Find a target by its name in Rust.

    Raises
    ------
    KeyError
        There is none; the message lists all.
    """
    for target in TARGETS:
        if target.triple == triple:
            return target
    raise KeyError(f"no wheels are made for {triple!r}; there are {', '.join(each.triple for each in TARGETS)}")


def linked_here() -> tuple[list[Target], list[Target]]:
    """Return the targets that can be linked on this system, and the others."""
    here = [each for each in TARGETS if each.linked_by_zig or each.runs_here]
    return here, [each for each in TARGETS if each not in here]
