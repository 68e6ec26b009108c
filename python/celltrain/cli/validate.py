"""``celltrain validate``."""

from __future__ import annotations

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
    """Check each SCENARIO and report errors with line and key. Exits with 2 if there are errors, not for warnings."""
    from celltrain.cli.checks import show_warnings
    from celltrain.files import json_text
    from celltrain.scenario import load

    findings: list[dict[str, object]] = []
    warnings: list[list[RunWarning]] = []
    for path in scenarios:
        finding: dict[str, object] = {"file": str(path), "valid": True}
        found: list[RunWarning] = []
        try:
            found = load(path).warnings
        except ScenarioError as error:
            finding |= {
                "valid": False,
                "message": str(error),
                "key": error.key,
                "line": error.line,
                "column": error.column,
            }
        except OSError as error:
            finding |= {"valid": False, "message": f"{path}: {error.strerror or error}"}
        findings.append(finding | {"warnings": [each.to_json() for each in found]})
        warnings.append(found)
    if as_json:
        click.echo(json_text(findings), nl=False)
    else:
        for finding, found in zip(findings, warnings, strict=True):
            if finding["valid"]:
                out().print(f"{finding['file']}: valid", markup=False)
                show_warnings(found, f"{finding['file']}: ", "--json has all")
            else:
                err().print(with_source(str(finding["message"])), markup=False)
    wrong = sum(not finding["valid"] for finding in findings)
    if wrong and as_json:
        raise Exit(2)
    if wrong:
        raise BadInput(f"{wrong} of {len(findings)} scenarios cannot be run")
