"""The file of a suite, ``celltrain-ci.toml``: lines, and tests that run over them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celltrain import _native
from celltrain.ci import quantities
from celltrain.ci.threshold import Threshold
from celltrain.data import merged, nested
from celltrain.papers.reading import Key, Mistake, StudyFile, Time, unknown
from celltrain.quantity import seconds

if TYPE_CHECKING:
    from celltrain.live import Settings
    from celltrain.scenario import Scenario

#: The name under which a suite is looked for.
FILE = "celltrain-ci.toml"
#: Names become names of folders.
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_TIMEOUT, _STARTUP = Time("60 s"), Time("10 s")
_SOURCES = ("scenario", "example", "preset")


@dataclass(frozen=True)
class Line:
    """A line: where its scenario comes from, what is changed in it, and the kernels at its ends.

    Attributes
    ----------
    scenario, example, preset : str
        The file of a scenario beside the suite; an example of ``celltrain examples``; a kind of ``celltrain init``.
        One of them is given.
    set : dict
        Values of the scenario by dotted key.
    vc, client : str
        The VC that carries packets in real time, and the node of the client's end; empty: the only one, the first.
    congestion : str
        Congestion control of both kernels.
    mtu : int
        The longest packet; 0: the most that the VC carries, up to 1500 octets.
    sysctls : dict of str to str
        Further settings of both kernels.
    """

    scenario: str = ""
    example: str = ""
    preset: str = ""
    set: Mapping[str, Any] = field(default_factory=dict)
    vc: str = ""
    client: str = ""
    congestion: str = "cubic"
    mtu: int = 0
    sysctls: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Test:
    """A test: commands in real time, or a simulation, over some lines.

    Attributes
    ----------
    client, server : str
        Commands for the shell at both ends. The client's is judged.
    simulate : bool
        Run the scenarios of the lines in virtual time instead.
    lines : tuple of str
        Names of lines; empty: all.
    env : dict of str to str
        Environment variables of both commands.
    timeout, startup : str
        The longest times of the client's command, and until the server listens.
    repeats : int
        Runs over each line, with seeds from ``seed`` on.
    expect : tuple of str
        Thresholds.
    """

    client: str = ""
    server: str = ""
    simulate: bool = False
    lines: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    timeout: Time = _TIMEOUT
    startup: Time = _STARTUP
    repeats: int = 1
    seed: int = 1
    expect: tuple[str, ...] = ()

    @cached_property
    def thresholds(self) -> tuple[Threshold, ...]:
        """The thresholds, as read."""
        return tuple(map(Threshold.parse, self.expect))

    @property
    def timeout_s(self) -> float:
        """The longest time of the client's command, in s."""
        return seconds(self.timeout)

    @property
    def startup_s(self) -> float:
        """The longest time until the server listens, in s."""
        return seconds(self.startup)


@dataclass(frozen=True)
class _Content:
    lines: Mapping[str, Line]
    tests: Mapping[str, Test]
    name: str = ""


@dataclass(frozen=True)
class Case:
    """A test over a line: one repeat in real time, all repeats in virtual time.

    >>> Case("download", "adsl", 1, 7, of=2, is_live=True).name
    'download over adsl, repeat 1'
    """

    test: str
    line: str
    repeat: int
    seed: int
    of: int
    is_live: bool

    @property
    def name(self) -> str:
        """What it is, in words."""
        return f"{self.test} over {self.line}" + (f", repeat {self.repeat}" if self.is_live and self.of > 1 else "")

    @property
    def key(self) -> str:
        """Its path in the folder of results."""
        return f"{self.test}/{self.line}" + (f"/{self.repeat}" if self.is_live and self.of > 1 else "")


class Suite:
    """A suite that was read and checked, and the networks of its lines."""

    def __init__(self, file: StudyFile, content: _Content, networks: Mapping[str, Scenario]) -> None:
        self.file = file
        self.lines, self.tests = content.lines, content.tests
        self.name = content.name or file.path.resolve().parent.name
        self.networks = networks

    @property
    def folder(self) -> Path:
        """The folder of the file, in which commands run."""
        return self.file.path.resolve().parent

    def cases(self) -> list[Case]:
        """Return all cases, in the order of the file."""
        found = []
        for name, test in self.tests.items():
            for line in test.lines or self.lines:
                repeats = 1 if test.simulate else test.repeats
                for index in range(repeats):
                    seed = test.seed + index
                    found.append(Case(name, line, index + 1, seed, test.repeats, is_live=not test.simulate))
        return found

    def settings(self, name: str) -> Settings:
        """Return the settings of the kernels of a line."""
        from celltrain.live import Settings

        line = self.lines[name]
        longest = _native.Line(self.networks[name].native, 1, line.vc or None).mtu
        return Settings(congestion=line.congestion, mtu=line.mtu or min(1500, longest), sysctls=dict(line.sysctls))


def read(path: Path) -> Suite:
    """Read a suite, and check all that can be known before it runs.

    Raises
    ------
    PaperError
        The file has a mistake; the message names file, line, key and the nearest name.
    ScenarioError
        A scenario that it names cannot be run.
    OSError
        Such a scenario cannot be read.
    """
    file = StudyFile.read(path)
    content = file.to(_Content)
    try:
        for section, names in (("lines", content.lines), ("tests", content.tests)):
            _check_names(section, names)
        networks = {name: _network(file, name, line) for name, line in content.lines.items()}
        for name, test in content.tests.items():
            _check_test(content, name, test)
            if not test.simulate:
                for each in test.lines or content.lines:
                    _check_ends(content.lines[each], each, networks[each])
    except Mistake as found:
        raise file.error(str(found), *found.path) from found
    return Suite(file, content, networks)


def _check_names(section: str, names: Mapping[str, object]) -> None:
    if not names:
        raise Mistake(f"expected at least one table [{section}.NAME]", section)
    for name in names:
        if not _NAME.fullmatch(name):
            raise Mistake("expected a name of letters, digits, '_', '-' and '.'", section, name)


def _check_test(content: _Content, name: str, test: Test) -> None:
    path: tuple[Key, ...] = ("tests", name)
    if test.simulate == bool(test.client):
        raise Mistake("expected either `client`, a command, or `simulate = true`", *path)
    if test.simulate and (test.server or test.env):
        key = "server" if test.server else "env"
        raise Mistake(f"`{key}` is for tests in real time; this one is simulated", *path, key)
    for index, line in enumerate(test.lines):
        if line not in content.lines:
            raise unknown("line", line, content.lines, *path, "lines", index)
    for key, number, least in (("repeats", test.repeats, 1), ("seed", test.seed, 0)):
        if not least <= number < 1 << 32:
            raise Mistake(f"expected a whole number from {least} on, found {number}", *path, key)
    for key in ("timeout", "startup"):
        if not 0 < seconds(getattr(test, key)) < float("inf"):
            raise Mistake("expected a time above zero", *path, key)
    if test.simulate and not test.expect:
        raise Mistake("a simulated test needs thresholds: the key `expect` is missing", *path)
    for index, text in enumerate(test.expect):
        try:
            threshold = Threshold.parse(text)
            if test.simulate:
                from celltrain.ci import metrics

                metrics.checked(threshold)
            else:
                quantities.checked(threshold)
        except Mistake as found:
            raise Mistake(str(found), *path, "expect", index) from found


def _network(file: StudyFile, name: str, line: Line) -> Scenario:
    """Read the scenario of a line, and change it."""
    from celltrain.scenario import load
    from celltrain.shipped import examples
    from celltrain.starts import FOLDER, STARTS

    given = [key for key in _SOURCES if getattr(line, key)]
    if len(given) != 1:
        raise Mistake("expected one of `scenario`, `example` and `preset`", "lines", name, *given[1:2])
    if line.scenario:
        network = load(file.path.parent / line.scenario)
    elif line.example:
        known = {each.name: each.path for each in examples().values() if each.is_scenario}
        network = load(_known("example", line.example, known, name))
    else:
        kinds = {kind: FOLDER / start.names[0] for kind, start in STARTS.items() if start.is_scenario}
        network = load(_known("preset", line.preset, kinds, name))
    changes: dict[str, Any] = {}
    for key, value in line.set.items():
        changes = merged(changes, nested(key, value))
    try:
        return network.with_changes(changes) if changes else network
    except _native.ScenarioError as error:
        raise Mistake(str(error), "lines", name, "set", *_setting(line.set, error.key or "")) from error


def _known(what: str, name: str, paths: Mapping[str, Path], line: str) -> Path:
    if name not in paths:
        raise unknown(what, name, paths, "lines", line, what)
    return paths[name]


def _setting(settings: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Return the setting that gave a value to a key, or to a part of it."""
    found = (name for name in settings if f"{key}.".startswith(f"{name}.") or f"{name}.".startswith(f"{key}."))
    return tuple(found)[:1]


def _check_ends(line: Line, name: str, network: Scenario) -> None:
    """Check that the VC and the client's end of a line exist."""
    try:
        native = _native.Line(network.native, 1, line.vc or None)
    except ValueError as error:
        raise Mistake(str(error), "lines", name, *(["vc"] if line.vc else [])) from error
    if line.client and line.client not in native.ends:
        raise unknown(f"end of VC {native.vc}", line.client, native.ends, "lines", name, "client")
    if line.mtu and not 68 <= line.mtu <= native.mtu:
        raise Mistake(f"expected 68 to {native.mtu} octets, which the VC carries", "lines", name, "mtu")
