"""List product files and functions that are longer than allowed; the exit status is 1 if there is one.

All lines of a file count except its tests, under ``#[cfg(test)]``. For a function only lines of code count,
as in clippy: blank lines, comments and docstrings are ignored, so that explanations are free. Exceptions
are in ``sizes.toml`` beside this file, each with its length and the reason: an entry must be updated when the length
shrinks, and removed when it is within the limit.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

ROOT = Path(__file__).resolve().parent.parent
EXCEPTIONS = Path("tools/sizes.toml")
FILE_LIMIT = 400
FUNCTION_LIMIT = 60
RUST = ("crates/*/src/**/*.rs", "crates/*/build/**/*.rs", "crates/*/build.rs", "benches/src/**/*.rs")
PYTHON = ("python/**/*.py", "tools/**/*.py", "benches/**/*.py")
PARSER = Parser(Language(tree_sitter_rust.language()))
COMMENTS = ("line_comment", "block_comment")
TEST = re.compile(r"#\[cfg\((?:all\()?test\b")


@dataclass(frozen=True)
class Size:
    """The length of a file, ``crates/c/src/a.rs``, or of a function in it, ``crates/c/src/a.rs::Type::name``."""

    name: str
    lines: int
    limit: int


def filled(lines: Sequence[str]) -> set[int]:
    """Return the numbers of the lines that are not blank, from 0 on."""
    return {number for number, line in enumerate(lines) if line.strip()}


def spanned(node: Node) -> range:
    """Return the numbers of the lines of a node."""
    # A comment of a line ends at the start of the next one.
    last = node.end_point.row - (node.end_point.column == 0 and node.end_point.row > node.start_point.row)
    return range(node.start_point.row, last + 1)


def rust_sizes(file: str, text: str) -> Iterator[Size]:
    """Yield the lengths of a Rust file and of its functions."""
    shipped = list(outside_tests(PARSER.parse(text.encode()).root_node))
    written = text.splitlines()
    code = filled(written)
    for node in shipped:
        if node.type in COMMENTS:
            # Text before or after a comment on its line is code.
            before, after = (row.strip() for row in (written[node.start_point.row], written[spanned(node)[-1]]))
            if before.startswith("/") and (node.type == "line_comment" or after.endswith("*/")):
                code -= set(spanned(node))
    for node in shipped:
        if node.type == "function_item":
            yield Size(f"{file}::{rust_name(node)}", len(code & set(spanned(node))), FUNCTION_LIMIT)
    tests = {row for node in shipped for test in tests_in(node) for row in spanned(test)}
    yield Size(file, len(written) - len(tests), FILE_LIMIT)


def outside_tests(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, except those only for tests."""
    yield node
    tests = {test.id for test in tests_in(node)}
    for child in node.named_children:
        if child.id not in tests:
            yield from outside_tests(child)


def tests_in(node: Node) -> Iterator[Node]:
    """Yield the direct children of a node that are only for tests, with the attributes that mark them."""
    attributes: list[Node] = []
    for child in node.named_children:
        if child.type == "attribute_item":
            attributes.append(child)
        elif child.type not in COMMENTS:
            if any(TEST.match((each.text or b"").decode()) for each in attributes):
                yield from (*attributes, child)
            attributes = []


def above(node: Node) -> Iterator[Node]:
    """Yield the ancestors of a node, from the innermost."""
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def rust_name(function: Node) -> str:
    """Return a function's name with the modules, types and traits that it is in."""
    parts = []
    for node in (function, *above(function)):
        name = node.child_by_field_name("type" if node.type == "impl_item" else "name")
        if name is not None and node.type in ("function_item", "impl_item", "trait_item", "mod_item"):
            parts.append((name.text or b"").decode())
    return "::".join(reversed(parts))


def test_files(text: str, file: Path) -> Iterator[Path]:
    """Yield the files of the modules that a Rust file declares for its tests only."""
    folder = file.parent if file.stem in ("lib", "main", "mod") else file.parent / file.stem
    for node in tests_in(PARSER.parse(text.encode()).root_node):
        if node.type == "mod_item" and node.child_by_field_name("body") is None:
            name = ((node.child_by_field_name("name") or node).text or b"").decode()
            yield from (folder / f"{name}.rs", folder / name / "mod.rs")


def python_sizes(file: str, text: str) -> Iterator[Size]:
    """Yield the lengths of a Python file and of its functions, without their docstrings and comments."""
    yield Size(file, len(text.splitlines()), FILE_LIMIT)
    code = filled(text.splitlines())
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.line[: token.start[1]].strip():
            code.discard(token.start[0] - 1)
    yield from python_functions(ast.parse(text), file, code)


def python_functions(node: ast.AST, name: str, code: set[int]) -> Iterator[Size]:
    """Yield the lengths of the functions below ``node``."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from python_functions(child, name, code)
            continue
        own = f"{name}::{child.name}"
        if not isinstance(child, ast.ClassDef):
            span = set(range(child.lineno - 1, child.end_lineno or child.lineno))
            if ast.get_docstring(child) is not None:
                span -= set(range(child.body[0].lineno - 1, child.body[0].end_lineno or 0))
            yield Size(own, len(code & span), FUNCTION_LIMIT)
        yield from python_functions(child, own, code)


def sizes(root: Path) -> Iterator[Size]:
    """Yield the lengths of all product files and functions below ``root``."""
    rust = {path: path.read_text("utf-8") for pattern in RUST for path in sorted(root.glob(pattern))}
    tests = {each for path, text in rust.items() for each in test_files(text, path)}
    for path, text in rust.items():
        # A module of tests has its own files in the folder with its name.
        if path not in tests and not any(each.with_suffix("") in path.parents for each in tests):
            yield from rust_sizes(path.relative_to(root).as_posix(), text)
    for path in sorted({path for pattern in PYTHON for path in root.glob(pattern)}):
        yield from python_sizes(path.relative_to(root).as_posix(), path.read_text("utf-8"))


def problems(found: Iterable[Size], exceptions: Mapping[str, int]) -> Iterator[str]:
    """Yield a message for each item that is too long, and for each exception with a larger length than needed."""
    left = dict(exceptions)
    for size in found:
        allowed = left.pop(size.name, None)
        if size.lines > (allowed or size.limit):
            yield f"{size.name}: {size.lines} lines, at most {allowed or size.limit}: split it by subject"
        elif allowed is not None and size.lines <= size.limit:
            yield f"{size.name}: {size.lines} lines are within {size.limit}: remove it from {EXCEPTIONS}"
        elif allowed is not None and size.lines < allowed:
            yield f"{size.name}: {size.lines} lines now: write that in {EXCEPTIONS} instead of {allowed}"
    for name in left:
        yield f"{name}: there is no such file or function any more: remove it from {EXCEPTIONS}"


def read_exceptions(text: str) -> dict[str, int]:
    """Read the allowed lengths of exceptions; each must give a reason."""
    entries = tomllib.loads(text).get("exception", [])
    for entry in entries:
        if not str(entry.get("because", "")).strip():
            raise ValueError(f"{EXCEPTIONS}: {entry.get('name')}: say `because`")
    return {entry["name"]: entry["lines"] for entry in entries}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the items that are too long; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    root: Path = parser.parse_args(arguments).root
    found = list(problems(sizes(root), read_exceptions((root / EXCEPTIONS).read_text("utf-8"))))
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
