"""The imports between the files of a Rust crate, without those of its tests.

A ``mod`` declaration, or a ``pub use`` that only re-exports a name, is not an import. A re-exported name
is imported from the file that defines it, as far as the text shows it: names defined by a macro
count as defined where the macro is called, and methods are not followed to their ``impl``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from import_cycles.graph import Imports
from import_cycles.rust_modules import Module, read_file


def crate_imports(source: Path, root: Path) -> Imports:
    """Return the imports between the files of the crate in ``source``, with paths relative to the folder ``root``."""
    imports: Imports = {}
    for name in ("lib.rs", "main.rs"):
        if not (source / name).exists():
            continue
        for module in read_file(source / name, source, None).modules():
            own = imports.setdefault(module.file.relative_to(root).as_posix(), {})
            for target, taken in uses(module):
                if target != module.file:
                    own.setdefault(target.relative_to(root).as_posix(), set()).add(taken)
    return imports


def uses(module: Module) -> Iterator[tuple[Path, str]]:
    """Yield each file that a module imports from, with the name."""
    for path in module.own.values():
        target = resolve(module, path)
        if isinstance(target, Path):
            yield target, path[-1]
    for path in module.own_globs:
        target = resolve(module, path)
        if target is not None:
            yield target if isinstance(target, Path) else target.file, "*"
    for named in module.paths:
        # A bare name comes from a `use`; private ones are handled above.
        if len(named) > 1 or named[0] in module.handed_on:
            target = resolve(module, named)
            if isinstance(target, Path):
                yield target, "::".join(named)


def resolve(
    module: Module, path: Sequence[str], seen: frozenset[tuple[Path, str]] = frozenset()
) -> Module | Path | None:
    """Return the module that a path names, or the file that defines its item; None outside the crate."""
    match path[0]:
        case "crate":
            return walk(module.root(), path[1:], seen)
        case "self":
            return walk(module, path[1:], seen)
        case "super":
            return walk(module, path, seen)
        case head:
            return walk(module, path, seen) if is_known(module, head, seen) else None


def walk(module: Module, path: Sequence[str], seen: frozenset[tuple[Path, str]]) -> Module | Path | None:
    """Follow a path from a module."""
    if not path:
        return module
    head, rest = path[0], path[1:]
    if head == "super":
        return walk(module.parent, rest, seen) if module.parent else None
    if head in module.children and (rest or head not in module.items):
        return walk(module.children[head], rest, seen)
    if head in module.items:
        return module.file
    # Two modules may re-export each other's names by globs.
    if (module.file, head) in seen:
        return None
    seen |= {(module.file, head)}
    bound = module.handed_on.get(head) or module.own.get(head)
    if bound is not None:
        target = resolve(module, bound, seen)
        return walk(target, rest, seen) if isinstance(target, Module) else target
    for target in globbed(module, seen):
        if is_known(target, head, seen):
            return walk(target, path, seen)
    # Defined by a macro.
    return module.file


def is_known(module: Module, name: str, seen: frozenset[tuple[Path, str]]) -> bool:
    """Return whether a module has a name, as far as the text shows it."""
    if any(name in names for names in (module.children, module.items, module.own, module.handed_on)):
        return True
    if (module.file, name) in seen:
        return False
    seen |= {(module.file, name)}
    return any(is_known(target, name, seen) for target in globbed(module, seen))


def globbed(module: Module, seen: frozenset[tuple[Path, str]]) -> Iterator[Module]:
    """Yield the modules that a module imports by a glob."""
    for glob in module.globs:
        target = resolve(module, glob, seen)
        if isinstance(target, Module):
            yield target
