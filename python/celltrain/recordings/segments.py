"""What a recording says of a line: rate, delay and loss over segments of time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from celltrain.recordings.lines import BadRecording
from celltrain.recordings.numbers import PS, time_text

#: The quantities, in the order in which formats have them.
QUANTITIES = ("rate", "delay", "loss")
#: The longest recording and the longest delay in ps, and the highest rate in bit/s, of a line of a scenario.
_LONGEST, _LONGEST_DELAY, _HIGHEST = 100 * 86_400 * PS, 3600 * PS, 4e14


class Segment(NamedTuple):
    """A time, in ps, in which nothing changes. A quantity that the recording says nothing of is None."""

    start: int
    stop: int
    #: Of the line in bit/s: 424 bits per cell, its header included.
    rate: float | None = None
    #: One way, in ps.
    delay: int | None = None
    #: The fraction of cells lost.
    loss: float | None = None


@dataclass
class Notes:
    """What a conversion assumes and leaves out, in words; each once, in the order in which it comes up."""

    lines: dict[str, None] = field(default_factory=dict)

    def assume(self, what: str) -> None:
        """Note an assumption."""
        self.lines[f"assumed: {what}"] = None

    def warn(self, what: str) -> None:
        """Note what a user must know of the result."""
        self.lines[f"note: {what}"] = None

    def leave(self, what: str) -> None:
        """Note what the new format cannot say."""
        self.lines[f"left out: {what}"] = None


@dataclass(frozen=True)
class Options:
    """What files do not say."""

    #: The interval, in ps, over which opportunities are gathered into a rate.
    bin: int = PS // 100
    #: Octets of an IP packet, where a format counts packets.
    packet: int = 1500
    #: The fraction of packets lost, for a recording without loss.
    loss: float | None = None
    #: The end of the recording in ps, after which it starts again.
    end: int | None = None
    #: Which record of CellReplay gives the rate.
    load: str = "heavy"
    #: The quantities that are converted.
    only: tuple[str, ...] = QUANTITIES


@dataclass
class Recording:
    """A line over a time, in segments from 0 on that follow each other without a gap."""

    segments: Iterator[Segment]
    #: The quantities that it says something of, in the order of :data:`QUANTITIES`.
    has: tuple[str, ...]
    #: Whether it starts again at its end; otherwise its last values hold.
    repeats: bool
    #: What is assumed about its end, in words, if anything.
    end_note: str = ""


class Stretch(NamedTuple):
    """A time, in ps, in which one quantity has a value."""

    start: int
    stop: int
    value: float


@dataclass
class Stream:
    """One quantity of a recording, from a file of its own."""

    stretches: Iterator[Stretch]
    #: Whether it starts again at its end; otherwise its last value holds.
    repeats: bool = True


def merged(streams: dict[str, Stream], notes: Notes) -> Recording:
    """Put streams of single quantities together: the recording ends with the first that starts again."""
    has = tuple(name for name in QUANTITIES if name in streams)
    repeats = any(stream.repeats for stream in streams.values())
    return Recording(_merged({name: streams[name] for name in has}, notes), has, repeats)


def _merged(streams: dict[str, Stream], notes: Notes) -> Iterator[Segment]:
    now = {name: next(stream.stretches, None) for name, stream in streams.items()}
    ends = {name: 0 for name in streams}
    last: dict[str, float] = {}
    at = 0
    while any(now.values()) and not any(streams[name].repeats and now[name] is None for name in now):
        live = {name: stretch for name, stretch in now.items() if stretch is not None}
        last.update({name: stretch.value for name, stretch in live.items()})
        stop = min(stretch.stop for stretch in live.values())
        yield _segment(at, stop, last)
        at = stop
        for name, stretch in live.items():
            if stretch.stop == stop:
                ends[name] = stop
                now[name] = next(streams[name].stretches, None)
    for name, rest in now.items():
        if rest is not None:
            ends[name] = max([rest.stop, *(stretch.stop for stretch in streams[name].stretches)])
    _note_ends(streams, ends, at, notes)


def _segment(start: int, stop: int, values: dict[str, float]) -> Segment:
    delay = values.get("delay")
    return Segment(start, stop, values.get("rate"), None if delay is None else round(delay), values.get("loss"))


def _note_ends(streams: dict[str, Stream], ends: dict[str, int], end: int, notes: Notes) -> None:
    """Note which streams are cut, or start again although they do not say so."""
    if not any(stream.repeats for stream in streams.values()):
        return
    for name, stream in streams.items():
        if ends[name] > end:
            notes.assume(f"the {name}, of {time_text(ends[name])}, is cut and starts again after {time_text(end)}")
        elif not stream.repeats:
            notes.assume(f"the {name}, which ends, starts again with the rest, after {time_text(end)}")


def simplified(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield segments with those joined that say the same.

    >>> [each.stop for each in simplified([Segment(0, 1, 5.0), Segment(1, 2, 5.0), Segment(2, 3, 0.0)])]
    [2, 3]
    """
    before: Segment | None = None
    for segment in segments:
        if before is not None and before[2:] == segment[2:]:
            before = before._replace(stop=segment.stop)
            continue
        if before is not None:
            yield before
        before = segment
    if before is not None:
        yield before


def chosen(recording: Recording, options: Options, notes: Notes) -> Recording:
    """Return the recording with what the options choose and add: its quantities, its end, its loss.

    Raises
    ------
    BadRecording
        It has none of them, or a loss already; while it is read, also what :func:`checked` refuses.
    """
    has = tuple(name for name in recording.has if name in options.only)
    if options.loss is not None:
        if "loss" in recording.has:
            raise BadRecording("--loss: the recording has its own loss; expected --loss only where it has none")
        has += ("loss",)
        notes.assume(
            f"--loss is of packets of {options.packet} octets, each lost with any of its cells, which are lost "
            "independently"
        )
    if not has:
        raise BadRecording(
            f"the recording has {' and '.join(recording.has)}, but --only chooses {' and '.join(options.only)}; "
            "expected one that it has"
        )
    for name in recording.has:
        if name not in has:
            notes.leave(f"the {name}, which --only does not choose")
    return Recording(checked(simplified(_masked(recording, has, options))), has, recording.repeats, recording.end_note)


def _masked(recording: Recording, has: tuple[str, ...], options: Options) -> Iterator[Segment]:
    for segment in recording.segments:
        yield Segment(
            segment.start,
            segment.stop,
            segment.rate if "rate" in has else None,
            segment.delay if "delay" in has else None,
            (segment.loss if options.loss is None else options.loss) if "loss" in has else None,
        )


def checked(segments: Iterator[Segment]) -> Iterator[Segment]:
    """Yield segments that a line of a scenario can have.

    Raises
    ------
    BadRecording
        There is none, it is too long, a value is too large or too small, or the rate is always 0.
    """
    segment: Segment | None = None
    sends = False
    for segment in segments:
        at = time_text(segment.start)
        if segment.stop > _LONGEST:
            raise BadRecording(f"the recording is longer than 100 days, at {at}; expected a shorter one")
        if segment.rate is not None and not (segment.rate == 0 or 1 <= segment.rate <= _HIGHEST):
            raise BadRecording(
                f"the rate from {at} on is {segment.rate:g} bit/s; expected 0, or 1 bit/s to 400,000 Gbit/s"
            )
        if segment.delay is not None and not 0 <= segment.delay <= _LONGEST_DELAY:
            raise BadRecording(f"the delay from {at} on is {time_text(segment.delay)}; expected at most an hour")
        if segment.loss is not None and not 0 <= segment.loss <= 1:
            raise BadRecording(f"the loss from {at} on is {segment.loss}; expected 0 to 1")
        sends = sends or segment.rate is None or segment.rate > 0
        yield segment
    if segment is None:
        raise BadRecording("the recording has no duration; expected one above 0")
    if not sends:
        raise BadRecording("the rate is always 0; expected a line that sends at some time")
