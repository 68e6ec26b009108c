"""Commented files to start from: scenarios, a study, a plan for measurements."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from celltrain.shipped import headline

#: The folder of the files.
FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Step:
    """A command to type next.

    Attributes
    ----------
    does : str
        What it is for, in a word or two.
    command : str
        The command; ``{path}`` stands for what was written, ``{out}`` for a folder of results.
    """

    does: str
    command: str


@dataclass(frozen=True)
class Start:
    """Something to start from.

    Attributes
    ----------
    kind : str
        Its name on the command line.
    default : str
        The path that it is written to unless another is given.
    names : tuple of str
        Its files; the first says what it is, and is the one that readers look for.
    steps : tuple of Step
        What to type next.
    """

    kind: str
    default: str
    names: tuple[str, ...]
    steps: tuple[Step, ...]

    @property
    def is_folder(self) -> bool:
        """Whether it is written as a folder."""
        return len(self.names) > 1

    @property
    def is_scenario(self) -> bool:
        """Whether it is a scenario."""
        return any(step.command.startswith("celltrain run ") for step in self.steps)

    @property
    def says(self) -> str:
        """What it is, in one line."""
        return headline(self._text(self.names[0]))

    def texts(self) -> dict[str, str]:
        """Return the text of each file by its name."""
        return {name: self._text(name) for name in self.names}

    def next_steps(self, path: Path) -> list[Step]:
        """Return the commands to type next, for what was written to a path."""
        # A study is found by its folder if that cannot be the name of one that ships with celltrain.
        plain = path.is_absolute() or path.parts[:1] == ("..",) or not self.is_folder
        shown = shlex.quote(str(path) if plain else f"./{path}")
        out = shlex.quote(f"results/{path.resolve().stem}")
        return [Step(step.does, step.command.format(path=shown, out=out)) for step in self.steps]

    def _text(self, name: str) -> str:
        folder = FOLDER / self.kind if self.is_folder else FOLDER
        return (folder / name).read_text("utf-8")


def _scenario(kind: str, change: str, values: str) -> Start:
    """Return a start with one scenario, a value to change and values to compare."""
    return Start(
        kind,
        f"{kind}.toml",
        (f"{kind}.toml",),
        (
            Step("draw", "celltrain show {path}"),
            Step("run", "celltrain run {path} --out {out}"),
            Step("see", "celltrain report {out} --open"),
            Step("change", f"celltrain run {{path}} --set {shlex.quote(change)}"),
            Step("sweep", f"celltrain sweep {{path}} --set {shlex.quote(values)}"),
        ),
    )


_STARTS = (
    _scenario("two-hosts", "links.line.buffer=50 cells", "links.line.delay=10 ms,50 ms"),
    _scenario("adsl", "links.up.scheduling=weighted-fair", "links.up.buffer=50 cells,200 cells"),
    _scenario("cellular", "flows.download.tcp.variant=bbr", "flows.download.tcp.variant=cubic,bbr"),
    Start(
        "study",
        "my-study",
        ("experiments.toml", "scenario.toml", "overlays.toml", "claims.toml"),
        (
            Step("try", "celltrain reproduce {path} --quick"),
            Step("run", "celltrain reproduce {path}"),
            Step("see", "celltrain report results --open"),
            Step("change", "celltrain reproduce {path} --set 'links.line.delay=50 ms'"),
        ),
    ),
    Start(
        "dbs",
        "plan.toml",
        ("dbs.toml",),
        (
            Step("measure", "celltrain dbs run {path} --out {out}"),
            Step("see", "celltrain dbs view {out}"),
        ),
    ),
)

#: Everything to start from, by kind.
STARTS: Mapping[str, Start] = {start.kind: start for start in _STARTS}
