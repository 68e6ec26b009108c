"""The imports between the files of a Python package.

Imports that only type checkers see, or that are made when a function is called, count like all others.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from import_cycles.graph import Imports


def package_imports(package: Path, root: Path) -> Imports:
    """Return the imports between the files of a package, with paths relative to the folder ``root``."""
    files = {module_name(file, package.parent): file for file in sorted(package.rglob("*.py*")) if is_source(file)}
    imports: Imports = {}
    for name, file in files.items():
        own = imports.setdefault(file.relative_to(root).as_posix(), {})
        parent = name if file.stem == "__init__" else name.rpartition(".")[0]
        for module, imported in named(ast.parse(file.read_text("utf-8")), parent):
            # A module of the package, or a name in a module.
            path = f"{module}.{imported}" if f"{module}.{imported}" in files else module
            if path in files and path != name:
                own.setdefault(files[path].relative_to(root).as_posix(), set()).add(imported or path)
    return imports


def is_source(file: Path) -> bool:
    """Return whether a file is a module; a stub stands for a compiled module, and is ignored beside a source."""
    return file.suffix == ".py" or (file.suffix == ".pyi" and not file.with_suffix(".py").exists())


def module_name(file: Path, folder: Path) -> str:
    """Return the dotted name of a module."""
    parts = file.relative_to(folder).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def named(tree: ast.AST, parent: str) -> Iterator[tuple[str, str]]:
    """Yield the modules that a file in the package ``parent`` imports, with the name imported from each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            # One dot is the package itself, each further one a level up.
            above = parent.split(".")[: len(parent.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield module, alias.name
