"""Draw the pictures of the lessons' pages into docs/images: what a lesson's own network shows, drawn by celltrain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from celltrain.drawing import image
from celltrain.lessons.definition import Lesson

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"


@dataclass(frozen=True)
class Picture:
    """A picture of a lesson.

    Parameters
    ----------
    says
        What it shows, for those who do not see it, and below it.
    probe
        The probe whose series it shows; empty: the network itself.
    columns
        Columns of that probe, each in a panel; without them, all, as ``celltrain run --plot`` draws them.
    run
        The run of the exercise.
    until
        How long it runs, if not as long as that run.
    """

    says: str
    probe: str = ""
    columns: tuple[str, ...] = ()
    run: str = "base"
    until: str = ""

    def svg(self, lesson: Lesson) -> bytes:
        """Run what it shows, and draw it."""
        scenario = lesson.book.scenario(self.run)
        if not self.probe:
            return scenario.topology().svg().encode()
        if self.until:
            scenario = scenario.with_value("measure.duration", self.until)
        result = scenario.run(seed=1)
        table = result.traces[self.probe]
        return image(table.plot("time_s", *self.columns) if self.columns else result.plot(self.probe), "svg")


#: The pictures of each lesson, by its number.
PICTURES = {
    1: (Picture("The network of this lesson: a server, a client, and a line of 2 Mbit/s between them."),),
    2: (
        Picture(
            "The congestion window at each round trip that TCP measures: it doubles in slow start, up to the window.",
            "timer",
            ("flows.download.cwnd_bytes",),
            until="8 s",
        ),
    ),
    3: (
        Picture(
            "Round trips of the connection `old`, and its time-out: twice their mean, more after each time-out.",
            "old",
            ("rtt_s", "rto_s"),
            until="60 s",
        ),
    ),
    4: (
        Picture("UBR: the queue of the line, and the window of the first upload.", "line", until="20 s"),
        Picture(
            "ABR: the queue of the line, the allowed rate of the first VC, and the window of its upload.",
            "line",
            run="abr",
            until="20 s",
        ),
    ),
    5: (Picture("The rate of the line, new every second, and the queue before it.", "line", until="200 s"),),
    6: (
        Picture("The queue of the line as it stands, and the window of the upload.", "line"),
        Picture("The same with CoDel.", "line", run="codel"),
    ),
}


def pictures(lesson: Lesson) -> Iterator[tuple[str, Picture]]:
    """Yield the pictures of a lesson, by the names of their files."""
    for number, picture in enumerate(PICTURES[lesson.number], 1):
        yield f"lesson-{lesson.number}-{number}.svg", picture


def markdown(lesson: Lesson) -> str:
    """Return the lines of a page that show the pictures of its lesson."""
    return "".join(
        f"![{each.says.replace('`', '')}](../images/{name})\n\n*{each.says}*\n\n" for name, each in pictures(lesson)
    )


def draw(lesson: Lesson) -> None:
    """Draw the pictures of a lesson into the documentation."""
    for name, picture in pictures(lesson):
        (FOLDER / name).write_bytes(picture.svg(lesson))
