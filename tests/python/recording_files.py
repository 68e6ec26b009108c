"""Recordings for tests: files written, converted and read back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from celltrain.recordings.convert import Converted, convert
from celltrain.recordings.formats import FORMATS
from celltrain.recordings.segments import Notes, Options, Segment

DEFAULTS = Options()
#: The files of each format, in the order of the command line.
NAMES = {
    "csv": ("line.csv",),
    "mahimahi": ("line.trace",),
    "leo": ("bw_1.txt", "delay_1.txt"),
    "cellreplay": ("heavy", "light"),
    "netem-trace": ("rate.json", "delay.json", "loss.json"),
    "tc": ("line.sh",),
    "ping": ("ping.txt",),
}


def read(folder: Path, source: str, *texts: str, options: Options = DEFAULTS) -> tuple[list[Segment], list[str]]:
    """Return the segments of files with these texts, and what was assumed."""
    paths = []
    for name, text in zip(NAMES[source], texts, strict=False):
        (folder / name).write_text(text, encoding="utf-8")
        paths.append(folder / name)
    notes = Notes()
    return list(FORMATS[source].read(paths, options, notes).segments), list(notes.lines)


def through(
    folder: Path,
    text: str,
    *formats: str,
    options: Options = DEFAULTS,
    files: int | None = None,
) -> tuple[str, list[Converted]]:
    """Convert a recording in CSV to each format in turn, and back; return its text then, and what each step said."""
    here: Sequence[Path] = [folder / "first.csv"]
    here[0].write_text(text, encoding="utf-8")
    source, said = "csv", []
    for step, target in enumerate([*formats, "csv"]):
        place = folder / str(step)
        place.mkdir()
        outs = [place / name for name in NAMES[target][:files]]
        given = options if source in ("csv", "tc") else Options(bin=options.bin, packet=options.packet)
        said.append(convert(here, FORMATS[source], outs, FORMATS[target], given, replace=False))
        source, here = target, outs
    return here[0].read_text(encoding="utf-8"), said
