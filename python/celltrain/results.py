"""The results of a run, and their provenance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from celltrain import _native
from celltrain.advice import RunWarning, warnings_of
from celltrain.checked import CheckedScenario
from celltrain.crosschecks import STORED, CrossCheck
from celltrain.extras import missing, need
from celltrain.files import output_folder, replace_together, sha256
from celltrain.refused import Stopped
from celltrain.stored.seals import sealed_json
from celltrain.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Version of the table format: it increases when a column changes its meaning or is removed.
SCHEMA_VERSION = 1
#: The file of a result that says how it was made; it is written last.
PROVENANCE = "provenance.json"


class Result:
    """The results of one run over its measured interval, and their provenance.

    Attributes
    ----------
    flows, vcs, links, link_vcs : Table
        TCP connections; directions of VCs; links with their queues; cells of each kind by link and VC.
    fairness : Table or None
        How the flows of each group share their throughput; None in results stored before this table existed.
    link_parts : Table or None
        Queues of switch algorithms in each part of the measured interval, if ``measure.parts`` is set.
    cell_delays : Table or None
        Delays and delay variation of the cells of the VCs that ``measure.cell_delays`` names.
    cell_errors : Table or None
        Corrupted and misinserted cells by link and VC, if a link has ``errors`` or ``misinsertion``.
    frames : Table or None
        Octets and queues in octets of links that carry frames, if there are any.
    responses : Table or None
        Messages and response times of flows with a ``telnet`` application, if there are any.
    admission : Table or None
        Which VCs are admitted and why the others are not, if ``admission.on_refusal`` is ``"run"``.
    shapers : Table or None
        Queues and delays of shapers within the network, if there are any.
    traces : dict of str to Table
        Time series by the name of their probe.
    seed : int
        The seed of the run.
    measured_s : float
        Length of the measured interval in s.
    digest : str
        SHA-256 of all tables but ``fairness``, which follows from ``flows``: equal results have equal digests, on every
        machine.
    cross_checked : CrossCheck
        The comparison with the other engine; not part of the digest.
    stopped : Stopped or None
        Where the run was stopped, if it passed a limit: the result is that of the same scenario with this ``duration``.
    """

    def __init__(
        self,
        tables: Mapping[str, Table],
        traces: Mapping[str, Table],
        *,
        seed: int,
        measured_s: float,
        digest: str,
        cell_hops: int,
        scenario_json: str,
        scenario_hash: str,
        cross_checked: CrossCheck | None = None,
        stopped: Stopped | None = None,
    ) -> None:
        self.flows = tables["flows"]
        self.vcs = tables["vcs"]
        self.links = tables["links"]
        self.link_vcs = tables["link_vcs"]
        self.fairness = tables.get("fairness")
        self.link_parts = tables.get("link_parts")
        self.cell_delays = tables.get("cell_delays")
        self.cell_errors = tables.get("cell_errors")
        self.frames = tables.get("frames")
        self.responses = tables.get("responses")
        self.admission = tables.get("admission")
        self.shapers = tables.get("shapers")
        self.traces = dict(traces)
        self.seed = seed
        self.measured_s = measured_s
        self.digest = digest
        self.cell_hops = cell_hops
        self._scenario_json = scenario_json
        self._scenario_hash = scenario_hash
        self.cross_checked = cross_checked or CrossCheck.none(STORED)
        self.stopped = stopped

    @classmethod
    def of(
        cls,
        native: _native.Result,
        scenario: CheckedScenario,
        cross_checked: CrossCheck,
        stopped: Stopped | None = None,
    ) -> Result:
        """Take over the results of the compiled core for a run of a scenario."""
        units = native.units
        tables, traces = (
            {name: Table(columns, units[name]) for name, columns in each.items()}
            for each in (native.tables, native.traces)
        )
        result = cls(
            tables,
            traces,
            seed=native.seed,
            measured_s=native.measured_s,
            digest=native.digest,
            cell_hops=native.cell_hops,
            scenario_json=scenario.to_json(),
            scenario_hash=scenario.hash,
            cross_checked=cross_checked,
            stopped=stopped,
        )
        result.warnings = warnings_of(scenario.native, result.flows, result.vcs)
        return result

    @cached_property
    def warnings(self) -> list[RunWarning]:
        """Warnings about the scenario, and about what delivered nothing in the run; not part of the digest."""
        return warnings_of(_native.Scenario.from_json(self._scenario_json, "scenario"), self.flows, self.vcs)

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by name, traces last."""
        tables = {
            "flows": self.flows,
            "fairness": self.fairness,
            "vcs": self.vcs,
            "links": self.links,
            "link_vcs": self.link_vcs,
            "link_parts": self.link_parts,
            "cell_delays": self.cell_delays,
            "cell_errors": self.cell_errors,
            "frames": self.frames,
            "responses": self.responses,
            "admission": self.admission,
            "shapers": self.shapers,
        }
        return {name: table for name, table in tables.items() if table is not None} | self.traces

    @property
    def provenance(self) -> dict[str, Any]:
        """How the result was made: the whole scenario and its hash, seed, version, cross-check, warnings, units."""
        stopped = {"stopped": self.stopped.to_json()} if self.stopped else {}
        return stopped | {
            "celltrain": _native.__version__,
            "build": _native.__build__,
            "schema_version": SCHEMA_VERSION,
            "clock": "simulated",
            "seed": self.seed,
            "scenario_hash": self._scenario_hash,
            "result_digest": self.digest,
            "cross_checked": self.cross_checked.to_json(),
            "warnings": [each.to_json() for each in self.warnings],
            "scenario": json.loads(self._scenario_json),
            "units": {name: table.units for name, table in self.tables.items()},
        }

    def to_json(self) -> dict[str, Any]:
        """Return provenance and all tables as plain data, a list of rows for each table."""
        tables = {name: list(table.rows()) for name, table in self.tables.items()}
        return {"provenance": self.provenance, "tables": tables}

    def save(self, folder: str | Path) -> list[Path]:
        """Write a CSV file for each table, and ``provenance.json``, into a folder.

        Returns
        -------
        list of Path
            The files, in the order of writing. Each is complete or absent, and ``provenance.json`` exists only beside
            the tables that it was written with.
        """
        folder = output_folder(Path(folder))
        contents: dict[str, str | bytes] = {f"{name}.csv": table.to_csv() for name, table in self.tables.items()}
        sums = {name: sha256(content) for name, content in contents.items()}
        contents[PROVENANCE] = sealed_json(self.provenance | {"files": sums})
        return replace_together(folder, contents, seal=PROVENANCE, stale=PROVENANCE)

    def plot(self, *probes: str, width: str | None = None) -> Figure:
        """Draw the time series of some or all probes: a panel for each quantity, on one time axis.

        >>> result.plot("line", width="one").savefig("line.pdf")  # doctest: +SKIP

        Parameters
        ----------
        probes
            Names of probes; default: all.
        width
            ``"one"`` or ``"two"``: the width of one or two columns of a paper, in its font; default: for a screen.

        Returns
        -------
        matplotlib.figure.Figure
            The figure, which a notebook displays; ``figure.savefig("FILE.pdf")`` saves it.

        Raises
        ------
        KeyError
            There is no such probe; the message lists the existing ones.
        MissingExtra
            matplotlib is not installed.
        ValueError
            The scenario has no probes, or there is no such width.
        """
        if not self.traces:
            raise ValueError("nothing was recorded: give the scenario a probe ([probes.NAME] with every and record)")
        for probe in probes:
            if probe not in self.traces:
                raise KeyError(f"no probe {probe!r}; there are {', '.join(self.traces)}")
        need("plots", by="Result.plot()")
        from celltrain import drawing, notebook

        chosen = {name: self.traces[name] for name in probes or self.traces}
        with drawing.page(width):
            return notebook.traces_figure({name: (table.columns, table.units) for name, table in chosen.items()})

    def _repr_html_(self) -> str:
        """Show the telling columns of its tables, and its traces if they can be drawn."""
        from celltrain import notebook

        telling = ("flows", "fairness", "links", "cell_delays")
        tables = {
            name: (table.columns, table.units) for name, table in self.tables.items() if name in telling and len(table)
        }
        has_numbers = any(len(table) and len(table.columns) > 1 for table in self.traces.values())
        return notebook.result_html(repr(self), tables, self._picture() if has_numbers else b"")

    def _picture(self) -> bytes:
        """Draw the traces for a notebook; empty without matplotlib, as the tables do not depend on it."""
        if missing("plots"):
            return b""
        from celltrain import drawing

        return drawing.image(self.plot(), "png")

    def __repr__(self) -> str:
        """Identify the run."""
        partial = f" stopped at {self.stopped.at_s:.6g} s" if self.stopped else ""
        return f"<Result{partial} seed={self.seed} scenario={self._scenario_hash[:12]} digest={self.digest[:12]}>"
