"""Our dependencies satisfy our limits on compiler, licences and registry; the check finds violations."""

import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import tool

LICENCES = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception", "Unicode-3.0"]


@pytest.fixture(scope="module")
def dependencies() -> ModuleType:
    """Load the check, which is not part of the package."""
    return tool("dependencies")


def package(dependencies: ModuleType, **changes: str | None) -> dict[str, Any]:
    usual = {"name": "p", "version": "1.2.3", "source": dependencies.REGISTRY, "license": "MIT", "rust_version": "1.85"}
    return {**usual, **changes}


def test_what_we_depend_on_passes(dependencies: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    # Advisories change over time; `make check` checks them.
    monkeypatch.setattr(dependencies, "advisories", lambda _: (0, ""))
    monkeypatch.setattr(dependencies, "python_advisories", lambda _: (0, ""))
    assert dependencies.main() == 0


@pytest.mark.parametrize(
    ("expression", "is_allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("", False),
        ("GPL-3.0-only OR MIT", True),
        ("GPL-3.0-only/MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("MIT AND ISC", True),
        ("GPL-3.0-only OR MIT AND GPL-2.0-only", False),
        ("(MIT OR GPL-3.0-only) AND Unicode-3.0", True),
        ("(MIT OR GPL-3.0-only) AND BSL-1.0", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Apache-2.0", False),
        ("MIT ISC", False),
        ("(MIT", False),
    ],
)
def test_what_a_licence_expression_asks(dependencies: ModuleType, expression: str, *, is_allowed: bool) -> None:
    assert dependencies.allowed(expression, LICENCES) is is_allowed


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, None),
        ({"rust_version": None}, None),
        ({"rust_version": "1.88.0"}, None),
        ({"rust_version": "1.88.1"}, "needs Rust 1.88.1; `rust-version` in Cargo.toml is 1.88"),
        ({"rust_version": "1.100"}, "needs Rust 1.100"),
        ({"license": "GPL-3.0-only"}, "its licence is GPL-3.0-only"),
        ({"license": None}, "its licence is None"),
        ({"source": "git+https://example.com/p"}, "comes from git+https://example.com/p; expected crates.io"),
        ({"source": None, "license": None, "rust_version": "1.88"}, None),
        ({"source": None, "rust_version": "1.87"}, "has rust-version 1.87, not 1.88"),
    ],
)
def test_a_package_that_does_not_keep_to_our_rules_fails(
    dependencies: ModuleType, changes: dict[str, str | None], said: str | None
) -> None:
    found = list(dependencies.problems([package(dependencies, **changes)], "1.88", LICENCES))
    assert len(found) == (said is not None)
    assert said is None or said in found[0]


@pytest.mark.parametrize(
    ("script", "required", "status", "said"),
    [
        (None, "", 0, "NOT CHECKED for published defects (advisories): install cargo-deny"),
        (None, "required", 1, "NOT CHECKED"),
        ("exit 0", "required", 0, ""),
        ("echo 'error[vulnerability]: bad' >&2; exit 1", "", 1, "error[vulnerability]: bad"),
        ("echo 'failed to fetch advisory database' >&2; exit 1", "", 0, "NOT CHECKED"),
        ("echo 'failed to fetch advisory database' >&2; exit 1", "required", 1, "NOT CHECKED"),
    ],
)
def test_what_cargo_deny_says_counts_and_its_absence_is_told(
    dependencies: ModuleType, tmp_path: Path, script: str | None, required: str, status: int, said: str
) -> None:
    if script is not None:
        for name in ("cargo", "cargo-deny"):
            (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
            (tmp_path / name).chmod(0o755)
    found = dependencies.advisories({"PATH": str(tmp_path), "CELLTRAIN_DENY": required})
    assert found[0] == status
    assert said in found[1]
    assert bool(found[1]) == bool(said)


@pytest.mark.parametrize(
    ("script", "required", "status", "said"),
    [
        (None, "", 0, "NOT CHECKED for published defects of Python packages: install pip-audit"),
        (None, "required", 1, "NOT CHECKED"),
        ("exit 0", "required", 0, ""),
        ("echo 'Found 1 known vulnerability in 1 package' >&2; echo 'bad 1.0 PYSEC-1'; exit 1", "", 1, "PYSEC-1"),
        ("echo 'ConnectionError: no network' >&2; exit 1", "", 0, "NOT CHECKED"),
        ("echo 'ConnectionError: no network' >&2; exit 1", "required", 1, "NOT CHECKED"),
    ],
)
def test_what_pip_audit_says_counts_and_its_absence_is_told(
    dependencies: ModuleType, tmp_path: Path, script: str | None, required: str, status: int, said: str
) -> None:
    if script is not None:
        (tmp_path / "pip-audit").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "pip-audit").chmod(0o755)
    found = dependencies.python_advisories({"PATH": str(tmp_path), "CELLTRAIN_DENY": required})
    assert found[0] == status
    assert said in found[1]
    assert bool(found[1]) == bool(said)


def test_clippy_tells_what_the_minimum_compiler_lacks(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "p"\nrust-version = "1.70"\n[workspace]\n')
    (tmp_path / "src/lib.rs").write_text("pub fn f(it: Option<u8>) -> bool { it.is_none_or(|it| it > 1) }\n")
    command = ["cargo", "clippy", "--quiet", "--offline", "--", "-D", "warnings"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "stable since `1.82.0`" in done.stderr
