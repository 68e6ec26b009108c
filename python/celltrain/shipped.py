"""The examples that ship with celltrain: scenarios, plans for measurements between hosts, and suites."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from celltrain import _native
from celltrain.scenario import Scenario, files_named_by, load

#: The folder of the examples. At the root of the repository, ``examples`` is a link to it.
FOLDER = Path(__file__).parent / "examples"
#: The folders in it whose files are plans for ``celltrain dbs``, and suites for ``celltrain ci``.
PLANS = "dbs"
SUITES = "ci"


@dataclass(frozen=True)
class Example:
    """An example: a file with a comment that says what it shows.

    Attributes
    ----------
    name : str
        Its name: the path in the folder of examples, without suffix, such as ``adsl`` and ``dbs/loopback``.
    path : Path
        Its file.
    """

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        """Its content."""
        return self.path.read_text("utf-8")

    @property
    def says(self) -> str:
        """What it shows, in one line."""
        return headline(self.text)

    @property
    def is_plan(self) -> bool:
        """Whether it is a plan for ``celltrain dbs``, not a scenario."""
        return self.name.startswith(f"{PLANS}/")

    @property
    def is_suite(self) -> bool:
        """Whether it is a suite for ``celltrain ci``, which has the programs of its folder beside it."""
        return self.name.startswith(f"{SUITES}/")

    @property
    def is_scenario(self) -> bool:
        """Whether it is a scenario."""
        return not (self.is_plan or self.is_suite)

    def files(self) -> dict[str, str]:
        """Return the text of each file that it needs, such as a trace, by its name beside the example."""
        if self.is_suite:
            return {path.name: path.read_text("utf-8") for path in sorted(self.path.parent.glob("*.py"))}
        names = files_named_by(tomllib.loads(self.text))
        return {name: (self.path.parent / name).read_text("utf-8") for name in names}


def headline(text: str) -> str:
    r"""Return the first comment of a TOML text: one line, which says what the file is for.

    >>> headline("# Two hosts.\n#\n# They send.\n[hosts]")
    'Two hosts.'
    """
    return text.partition("\n")[0].removeprefix("# ")


def examples() -> dict[str, Example]:
    """Return the examples by name, those in subfolders last.

    >>> examples()["adsl"].says
    'Two uploads over an ADSL line whose rate varies.'
    """
    paths = {path.relative_to(FOLDER).with_suffix("").as_posix(): path for path in FOLDER.rglob("*.toml")}
    return {name: Example(name, paths[name]) for name in sorted(paths, key=lambda name: ("/" in name, name))}


def find(name: str) -> Example:
    """Return the example with this name.

    Raises
    ------
    KeyError
        There is none; the message suggests the nearest name.
    """
    known = examples()
    if name not in known:
        raise KeyError(f"there is no example {name!r}{_native.nearest(name, [*known])}")
    return known[name]


def example(name: str) -> Scenario:
    """Open a scenario that ships with celltrain; ``celltrain examples`` lists them.

    Raises
    ------
    KeyError
        There is no such scenario; the message suggests the nearest name.

    Examples
    --------
    >>> import celltrain
    >>> celltrain.example("adsl").run(seed=1).flows["timeouts"].tolist()
    [0, 0]
    """
    found = find(name)
    if found.is_plan:
        raise KeyError(f"{name!r} is a plan: celltrain.dbs.load({str(found.path)!r}) opens it")
    if found.is_suite:
        raise KeyError(f"{name!r} is a suite: celltrain ci {found.path} runs it")
    return load(found.path)
