"""``celltrain validate``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click
from click.exceptions import Exit

from celltrain._native import ScenarioError
from celltrain.cli.console import BadInput, err, out, with_source

if TYPE_CHECKING:
    from celltrain.advice import RunWarning


@click.command("validate")
@click.argument("scenarios", metavar="SCENARIO...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print a list of findings as JSON.")
def command(scenarios: tuple[Path, ...], as_json: bool) -> None:  # noqa: FBT001
    """Check each SCENARIO and report all its errors with line and key.

    Exits with 2 if there are errors, not for warnings.
    """
    from celltrain.files import json_text
    from celltrain.scenario import load, mistakes

    findings: list[dict[str, object]] = []
    for path in scenarios:
        found: list[RunWarning] = []
        bounds: dict[str, float] = {}
        try:
            errors = mistakes(path)
            if not errors:
                scenario = load(path)
                found, bounds = scenario.warnings, scenario.bounds
            told = [_told(error) for error in errors]
        except OSError as error:
            told = [{"message": f"{path}: {error.strerror or error}"}]
        finding: dict[str, object] = {"file": str(path), "valid": not told}
        findings.append(
            finding
            | (told[0] if told else {"bounds": bounds})
            | {"errors": told, "warnings": [it.to_json() for it in found]}
        )
        if not as_json:
            show(path, told, found, bounds)
    if as_json:
        click.echo(json_text(findings), nl=False)
    wrong = sum(not finding["valid"] for finding in findings)
    if wrong and as_json:
        raise Exit(2)
    if wrong:
        raise BadInput(f"{wrong} of {len(findings)} scenarios cannot be run")


def show(path: Path, errors: list[dict[str, object]], warnings: list[RunWarning], bounds: Mapping[str, float]) -> None:
    """Print what was found in a file, and what a run could need at most."""
    from celltrain.cli.checks import show_warnings

    for error in errors:
        err().print(with_source(str(error["message"])), markup=False)
    if len(errors) > 1:
        err().print(f"{path}: {len(errors)} errors", markup=False)
    if not errors:
        cells, memory, rows = bounds["cells"], bounds["memory_mib"], bounds["trace_rows"]
        needs = f"at most {cells:.2g} cells, {memory:.2g} MiB and {rows:.2g} rows of probes"
        out().print(f"{path}: valid; {needs}", markup=False)
        show_warnings(warnings, f"{path}: ", "--json has all")


def _told(error: ScenarioError) -> dict[str, object]:
    return {"message": str(error), "key": error.key, "line": error.line, "column": error.column}
