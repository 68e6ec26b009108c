"""Workflows, issue forms and the citation are valid by the schemas of those who read them: GitHub, CFF."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY, Command

pytest.importorskip("check_jsonschema", reason="NOT TESTED: no check-jsonschema here; `make setup` installs it")
GITHUB = REPOSITORY / ".github"


def refusal(schema: str, file: Path) -> str:
    """Return why a file is not valid by a schema that check-jsonschema has; empty: it is."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.parametrize("file", sorted((GITHUB / "workflows").iterdir()), ids=lambda file: file.name)
def test_our_workflows_are_valid(file: Path) -> None:
    assert refusal("github-workflows", file) == ""


def test_the_workflow_that_users_get_is_valid(cli: Command, tmp_path: Path) -> None:
    assert cli("ci", "init").returncode == 0
    workflow = tmp_path / ".github" / "workflows" / "celltrain.yml"
    assert refusal("github-workflows", workflow) == ""
    workflow.write_text(workflow.read_text().replace("run:", "rum:", 1))
    assert "rum" in refusal("github-workflows", workflow)


def test_issue_forms_and_citation_are_valid() -> None:
    forms = sorted((GITHUB / "ISSUE_TEMPLATE").iterdir())
    assert len(forms) >= 3
    for form in forms:
        assert refusal("github-issue-config" if form.stem == "config" else "github-issue-forms", form) == ""
    assert refusal("citation-file-format", REPOSITORY / "CITATION.cff") == ""
