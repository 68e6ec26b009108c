"""Scenarios: read, change, run."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from celltrain import _native
from celltrain.advice import RunWarning, advice_on
from celltrain.checked import CheckedScenario, not_toml
from celltrain.data import Data
from celltrain.extras import MissingExtra
from celltrain.files import NotText, read_beside, read_text
from celltrain.line_names import resolved
from celltrain.plan import Stage
from celltrain.printable import encodable
from celltrain.results import Result
from celltrain.runner import Job, run_jobs, run_one, verify
from celltrain.threads import available_cores

if TYPE_CHECKING:
    from celltrain.topology import Topology

#: Processes with a trace, which may be in a separate file.
TRACE_PROCESSES = ("mahimahi", "replay", "csv")
#: Maximum octets of such a file: enough for the ten million lines of a long measurement.
LONGEST_TRACE = 64 << 20


@dataclass(frozen=True)
class Route:
    """The path of a VC through the network, forward.

    Attributes
    ----------
    vc : str
        Its name, with its number in a group.
    nodes : tuple of (str, str)
        Name and kind (``host``, ``switch``, ``lan``, ``router``) of each node that its cells pass, including those of
        VCs that carry it.
    delay_s : float
        Delay of all links and LANs, without transmission times; of a delay that changes the shortest.
    propagation_delay_s : float
        The same without the time in switches.
    """

    vc: str
    nodes: tuple[tuple[str, str], ...]
    delay_s: float
    propagation_delay_s: float


class Scenario(CheckedScenario):
    """A network and its measurements; checked when it is created, and immutable.

    Parameters
    ----------
    data
        The scenario as plain data, as parsed from TOML.
    origin
        Its name in error messages.

    Raises
    ------
    ScenarioError
        The scenario cannot be run; the message names the key and what was expected.
    """

    @cached_property
    def warnings(self) -> list[RunWarning]:
        """Warnings that do not need a run; ``silence`` suppresses codes."""
        return advice_on(self.native)

    def topology(self, *, expand: bool = False, vc: str | None = None) -> Topology:
        """Draw the network: print it, write its ``svg()`` to a file, or let a notebook display it.

        Parameters
        ----------
        expand
            Draw each member of a group; without it, a group is drawn once.
        vc
            The VC whose path is highlighted.

        Raises
        ------
        DrawingError
            No VC has this name, or the drawing would be too large.
        """
        from celltrain.topology import Topology

        return Topology(json.loads(self.to_json()), Path(self.origin).name, expand=expand, vc=vc)

    def _repr_html_(self) -> str:
        """Show the drawing of the network, or text if it has too many parts to be laid out."""
        from html import escape

        from celltrain.topology import DrawingError

        name = f"<p><code>{escape(repr(self))}</code></p>"
        drawn = self.topology()
        try:
            return name + drawn.svg()
        except (DrawingError, MissingExtra) as error:
            return f"{name}<p>{escape(str(error))}</p>"

    def routes(self) -> list[Route]:
        """Return the path of each VC through the network, without running it."""
        return [Route(vc, tuple(nodes), *delays) for vc, nodes, *delays in self.native.routes()]

    @property
    def bounds(self) -> dict[str, float]:
        """Upper bounds on what a run needs, by key of ``[limits]``: ``cells``, ``memory_mib``, ``trace_rows``."""
        return dict(self.native.bounds())

    def plan(self) -> list[Stage]:
        """Return how each link and each source is evaluated, and why, without running it.

        A run may need more links cell by cell than its plan says: it restarts if cells of one instant leave a
        link out of the order of their channels. Results are bit-identical.
        """
        return [Stage(*stage) for stage in self.native.plan()]

    def run(
        self,
        seed: int = 1,
        *,
        cell_by_cell: bool = False,
        cross_check: bool = True,
        threads: int | None = None,
        progress: _native.Progress | None = None,
    ) -> Result:
        """Run it once.

        Ctrl-C stops the run within a fraction of a second.

        Parameters
        ----------
        seed
            Determines all random numbers: the same seed gives bit-identical results.
        cell_by_cell
            Move each cell by itself instead of in trains: the slow reference against which trains are checked. Results
            are bit-identical.
        cross_check
            Also run the scenario in both ways for a short time, unless this build has already done so on this machine
            for its structure; ``Result.cross_checked`` says what was compared.
        threads
            Threads for unconnected parts of the network; default: one for each core. Fewer are started if there is too
            little work. Results are bit-identical.
        progress
            Its ``done()`` tells other threads what part of the simulated time is done, from 0 to 1.

        Raises
        ------
        EnginesDiffer
            The two ways have different results: a defect.
        LimitPassed
            The run needed more than its ``[limits]`` allow; the error has what it had measured by then.
        """
        most = available_cores() if threads is None else threads
        return run_one(Job(self, seed, cell_by_cell, cross_check, most, progress))

    def verify(self, seed: int = 1) -> Result:
        """Run it completely in both ways, in trains and cell by cell, and compare every value.

        Raises
        ------
        EnginesDiffer
            The two ways have different results: a defect. The error names the first value that differs, and its
            ``save()`` writes a smaller scenario for a report.
        """
        return verify(self, seed)

    def run_many(self, seeds: Iterable[int], jobs: int | None = None) -> list[Result]:
        """Run it once for each seed, on ``jobs`` cores (default: all).

        Returns
        -------
        list of Result
            In the order of the seeds.
        """
        results: dict[int, Result] = {}
        todo = [Job(self, seed) for seed in seeds]
        for job, result in run_jobs(todo, jobs):
            results[job.seed] = result
        return [results[job.seed] for job in todo]

    def __repr__(self) -> str:
        """Return its name and hash."""
        return f"<Scenario {self.origin} {self.hash[:12]}>"


def load(path: str | Path) -> Scenario:
    """Read a scenario from a TOML file, and the traces that it names; or a line that ships with celltrain, by its name.

    A file with the name of a line comes before the line; ``celltrain lines`` lists the lines.

    If a process has ``file = "NAME"``, the text of that file becomes its ``trace``, so that the
    scenario does not depend on the file. The file must be in the folder of the scenario, or below it.

    Raises
    ------
    OSError
        The scenario's file cannot be read.
    ScenarioError
        The scenario cannot be run; the message names file, line and key.
    """
    origin = encodable(str(path))
    path = resolved(Path(path))
    try:
        text = read_text(path)
    except NotText as error:
        raise _no_text(error) from error
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError):
        data = {}  # The core reports the error and its place.
    named = list(_trace_files(data))
    if not named:
        return Scenario.from_toml(text, origin)
    for key, process in named:
        try:
            process["trace"] = _trace(process, path.parent)
        except (OSError, ValueError) as error:
            raise _trace_error(path, key, process["file"], error) from error
        del process["file"]
    return Scenario(data, origin)


def mistakes(path: str | Path) -> list[_native.ScenarioError]:
    """Return all mistakes of a scenario's file, in their order; an empty list if it can be run.

    An entry with a mistake is left out with all that may depend on it, so that nothing is reported that only follows
    from another mistake; a mistake may hide others.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    origin = encodable(str(path))
    path = resolved(Path(path))
    try:
        text = read_text(path)
    except NotText as error:
        return [_no_text(error)]
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return _native.mistakes(text, origin) or [not_toml(error, origin)]
    named = list(_trace_files(data))
    errors = []
    for key, process in named:
        try:
            process["trace"] = _trace(process, path.parent)
        except (OSError, ValueError) as error:
            errors.append(_trace_error(path, key, process["file"], error))
        del process["file"]
    left = json.dumps(data) if named else None
    return [*errors, *_native.mistakes(text, origin, left, [str(error.key) for error in errors])]


def _no_text(error: NotText) -> _native.ScenarioError:
    failure = _native.ScenarioError(str(error))
    if error.place:
        failure.line, failure.column = error.place
    return failure


def _trace_error(path: Path, key: str, name: object, error: OSError | ValueError) -> _native.ScenarioError:
    # The message of the operating system would repeat the path.
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    failure = _native.ScenarioError(f'{path}: {key}: "{name}": {reason}')
    failure.key = key
    return failure


def files_named_by(data: Data) -> list[str]:
    """Return the names of the files that a scenario, as parsed from TOML, reads."""
    return [str(process["file"]) for _, process in _trace_files(data)]


def _trace_files(data: Data) -> Iterator[tuple[str, Data]]:
    """Yield the processes whose trace is in a file: the dotted key of ``file``, and the process."""
    todo: list[tuple[str, object]] = [("", data)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, list):
            todo.extend((f"{path}{index}.", item) for index, item in enumerate(value))
        elif isinstance(value, dict):
            if value.get("process") in TRACE_PROCESSES and "file" in value:
                yield f"{path}file", value
            todo.extend((f"{path}{key}.", item) for key, item in value.items())


def _trace(process: Data, folder: Path) -> str:
    """Read the trace of a process; messages do not name the file."""
    name = process["file"]
    if not isinstance(name, str):
        raise ValueError("expected the path of a file, as text")  # noqa: TRY004 - what a user wrote, not a bug
    if "trace" in process:
        raise ValueError("expected either `file` or `trace`")
    return read_beside(folder, name, LONGEST_TRACE, "scenario")
