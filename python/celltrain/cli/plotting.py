"""``--plot`` and ``--width``: figures of runs and sweeps as files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import rich_click as click

from celltrain.cli.console import BadInput, err
from celltrain.extras import need
from celltrain.values import split_values

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from celltrain.sweeps import SweepResults

Command = TypeVar("Command", bound=Callable[..., object])

#: What `--plot` of a sweep takes beside the file.
_PARTS = ("x", "y", "by")


def width_option(command: Command) -> Command:
    """Add ``--width``."""
    return click.option(
        "--width",
        type=click.Choice(["one", "two"]),
        help="With --plot: for one or two columns of a paper, in its font; default: for a screen.",
    )(command)


@dataclass(frozen=True)
class Asked:
    """What ``--plot`` says: the file, and what is drawn."""

    file: Path
    x: str | None = None
    y: tuple[str, ...] = ()
    by: tuple[str, ...] | None = None

    @classmethod
    def parse(cls, text: str, folder: Path) -> Asked:
        """Read ``FILE``, ``x=KEY,y=METRIC,by=KEY`` or both; without a file, it is ``plot.svg`` in the folder.

        >>> Asked.parse("a.pdf,x=links.up.buffer,by=hosts.P.count", Path("out")).x
        'links.up.buffer'
        """
        file, found = None, dict.fromkeys(_PARTS, tuple[str, ...]())
        for part in split_values(text):
            name, equals, value = part.partition("=")
            if equals and name in _PARTS and value:
                found[name] += (value,)
            elif file is None and Path(part).suffix and not equals:
                file = Path(part)
            else:
                raise BadInput(f"--plot {text}: expected FILE, x=KEY, y=METRIC or by=KEY, with commas; found {part!r}")
        if len(found["x"]) > 1:
            raise BadInput(f"--plot {text}: x is given {len(found['x'])} times")
        asked = cls(file or folder / "plot.svg", (found["x"] or (None,))[0], found["y"], found["by"] or None)
        kind(asked.file)
        return asked

    def draw(self, results: SweepResults, metrics: tuple[str, ...], width: str | None) -> None:
        """Draw a sweep, with these metrics unless others were asked for."""
        save(self.file, results.plot(*(self.y or metrics), x=self.x, by=self.by, width=width))


def kind(file: Path, option: str = "--plot") -> str:
    """Return the kind of a file with a figure; refuse others, before anything runs."""
    need("plots", by=option)
    from celltrain.drawing import kind_of
    from celltrain.refused import Refused

    try:
        return kind_of(file, option)
    except Refused as error:
        raise BadInput(str(error)) from error


def save(file: Path, figure: Figure) -> None:
    """Write a figure."""
    from celltrain.drawing import image
    from celltrain.files import atomic_write

    atomic_write(file, image(figure, kind(file)))
    err().print(f"wrote {file}", style="dim", markup=False)
