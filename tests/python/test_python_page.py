"""The page of the Python interface names everything that is public, and nothing that does not exist."""

from __future__ import annotations

import importlib
import pkgutil
import re

import celltrain
import pytest
from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"celltrain(?:\.\w+)+", PAGE)))
#: Packages that export names for the rest of celltrain only: kinds of experiments in studies, and rows of `trust`.
INTERNAL = {"celltrain.papers.kinds", "celltrain.trust"}


def exports() -> list[str]:
    """Return all names that a public package exports."""
    found = []
    for module in [
        celltrain.__name__,
        *(each.name for each in pkgutil.walk_packages(celltrain.__path__, "celltrain.")),
    ]:
        if module in INTERNAL or module.rpartition(".")[2].startswith("_"):
            continue
        names = getattr(importlib.import_module(module), "__all__", ())
        found += [f"{module}.{name}" for name in names if not name.startswith("__")]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_name_on_the_page_exists(name: str) -> None:
    pkgutil.resolve_name(name)


def test_every_exported_name_is_on_the_page() -> None:
    exported = exports()
    assert len(exported) > 40
    shown = {id(pkgutil.resolve_name(name)) for name in NAMES}
    assert [name for name in exported if name not in NAMES and id(pkgutil.resolve_name(name)) not in shown] == []


def test_internal_packages_exist() -> None:
    for name in INTERNAL:
        assert importlib.import_module(name).__all__
