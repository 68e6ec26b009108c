"""Conversion of a recording: it is read, changed and written at the same time, and all files are written, or none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from celltrain.files import temporary
from celltrain.recordings.formats import Format
from celltrain.recordings.lines import BadRecording
from celltrain.recordings.segments import Notes, Options, Recording, Segment, chosen


@dataclass(frozen=True)
class Converted:
    """What a conversion did."""

    #: What was assumed and left out, in words.
    notes: list[str]
    #: The length in ps.
    duration: int
    #: What uses the result: the key of a link, or a command.
    use: str


def convert(
    sources: Sequence[Path],
    read: Format,
    targets: Sequence[Path],
    write: Format,
    options: Options,
    *,
    replace: bool,
) -> Converted:
    """Convert files of one format into files of another.

    Raises
    ------
    OSError
        A file cannot be read or written.
    BadRecording
        A file is not a recording of its format, or the other format cannot have it; nothing is written.
    """
    if len(sources) not in read.counts:
        raise BadRecording(f"--from {read.name}: {len(sources)} files; expected {read.files}")
    if write.write is None:
        raise BadRecording(f"--to {write.name}: this format is only read; expected another")
    notes = Notes()
    recording = chosen(read.read(sources, options, notes), options, notes)
    _check_targets(sources, targets, write, recording, replace=replace)
    length = _Length(recording.segments)
    recording.segments = iter(length)
    names = [path.name if path.is_absolute() else path.as_posix() for path in targets]
    with _written(targets) as files:
        use = write.write(recording, files, names, options, notes)
    return Converted(list(notes.lines), length.end, use)


class _Length:
    """Segments, and where the last one ended."""

    def __init__(self, segments: Iterator[Segment]) -> None:
        self._segments = segments
        self.end = 0

    def __iter__(self) -> Iterator[Segment]:
        for segment in self._segments:
            self.end = segment.stop
            yield segment


def _check_targets(
    sources: Sequence[Path], targets: Sequence[Path], write: Format, recording: Recording, *, replace: bool
) -> None:
    missing = [name for name in write.needs if name not in recording.has]
    if missing:
        raise BadRecording(
            f"--to {write.name} needs a {' and a '.join(missing)}; the recording has {' and '.join(recording.has)}"
        )
    count = len(recording.has) if write.is_by_quantity else write.counts.start
    if len(targets) != count:
        told = f"{' and '.join(recording.has)}, one file each" if write.is_by_quantity else write.files
        raise BadRecording(f"--out names {len(targets)} files; expected --out {count} times: {told}")
    if len({path.resolve() for path in targets}) < count:
        raise BadRecording(f"--out {targets[0]} twice; expected different files")
    for path in targets:
        if path.is_dir() or not path.parent.is_dir():
            what = "a folder" if path.is_dir() else "in no folder"
            raise BadRecording(f"--out {path}: {what}; expected a file in a folder that exists")
        if any(path.resolve() == source.resolve() for source in sources):
            raise BadRecording(f"--out {path}: the file that is read; expected another")
        if not replace and (path.exists() or path.is_symlink()):
            raise BadRecording(f"{path} exists: name another with --out, or --replace to replace it")


@contextmanager
def _written(targets: Sequence[Path]) -> Iterator[list[TextIO]]:
    """Give files that take their names when all are complete, and are removed if anything fails."""
    places = [temporary(path) for path in targets]
    try:
        with ExitStack() as opened:
            files = [opened.enter_context(place.open("x", encoding="utf-8", newline="\n")) for place in places]
            yield list(files)
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for place, path in zip(places, targets, strict=True):
            place.replace(path)
    except BaseException:
        for place in places:
            place.unlink(missing_ok=True)
        raise
