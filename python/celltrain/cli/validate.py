"""``celltrain validate``."""

from __future__ import annotations

from pathlib import Path

import rich_click as click
from click.exceptions import Exit

from celltrain._native import ScenarioError
from celltrain.cli.console import BadInput, err, out


@click.command("validate")
@click.argument("scenarios", metavar="SCENARIO...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print a list of findings as JSON.")
def command(scenarios: tuple[Path, ...], as_json: bool) -> None:  # noqa: FBT001
    """Check each SCENARIO and say what is wrong, with line and key. Exits with 2 if any is."""
    from celltrain.files import json_text
    from celltrain.scenario import load

    findings: list[dict[str, object]] = []
    for path in scenarios:
        finding: dict[str, object] = {"file": str(path), "valid": True}
        try:
            load(path)
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
        findings.append(finding)
    if as_json:
        click.echo(json_text(findings), nl=False)
    else:
        for finding in findings:
            if finding["valid"]:
                out().print(f"{finding['file']}: valid", markup=False)
            else:
                err().print(str(finding["message"]), markup=False)
    wrong = sum(not finding["valid"] for finding in findings)
    if wrong and as_json:
        raise Exit(2)
    if wrong:
        raise BadInput(f"{wrong} of {len(findings)} scenarios cannot be run")
