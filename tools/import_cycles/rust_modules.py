"""The modules of a Rust crate as written: the declarations of each, and the names in its code, without tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_rust.language()))

ITEMS = {
    "const_item",
    "enum_item",
    "function_item",
    "macro_definition",
    "static_item",
    "struct_item",
    "trait_item",
    "type_item",
    "union_item",
}
# Nodes that are not code: names in them are not used. For strings in attributes see `words`.
SILENT = {
    "block_comment",
    "char_literal",
    "line_comment",
    "raw_string_literal",
    "string_literal",
    "visibility_modifier",
}
PATH = re.compile(r"\w+(?:\s*::\s*\w+)*")
TEST = re.compile(r"#\[cfg\((?:all\()?test\b")


@dataclass
class Module:
    """A module: its declarations, and the paths in its code."""

    file: Path
    parent: Module | None
    children: dict[str, Module] = field(default_factory=dict)
    items: set[str] = field(default_factory=set)
    # The names imported by `use`; re-exports (`pub use`) are separate from private ones.
    own: dict[str, list[str]] = field(default_factory=dict)
    handed_on: dict[str, list[str]] = field(default_factory=dict)
    globs: list[list[str]] = field(default_factory=list)
    own_globs: list[list[str]] = field(default_factory=list)
    paths: set[tuple[str, ...]] = field(default_factory=set)

    def root(self) -> Module:
        """Return the root of the crate."""
        return self if self.parent is None else self.parent.root()

    def modules(self) -> Iterator[Module]:
        """Yield this module and all below it."""
        yield self
        for child in self.children.values():
            yield from child.modules()


def read_file(file: Path, folder: Path, parent: Module | None) -> Module:
    """Read a module's file; those of its children are in ``folder``."""
    module = Module(file, parent)
    read_items(PARSER.parse(file.read_bytes()).root_node.children, module, folder)
    return module


def read_items(nodes: Sequence[Node], module: Module, folder: Path) -> None:
    """Read the items of a module, its children and the names in its code."""
    for node in shipped(nodes):
        read_item(node, module, folder)


def shipped(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes except those only for tests, which an attribute before them marks."""
    is_test = False
    for node in nodes:
        if node.type == "attribute_item":
            is_test |= TEST.match(text_of(node)) is not None
        if not is_test:
            yield node
        if node.type not in {"attribute_item", "line_comment", "block_comment"}:
            is_test = False


def read_item(node: Node, module: Module, folder: Path) -> None:
    """Read one item."""
    name_node = node.child_by_field_name("name")
    name = "" if name_node is None else text_of(name_node)
    if node.type == "mod_item":
        body = node.child_by_field_name("body")
        if body is not None:
            child = Module(module.file, module)
            read_items(body.children, child, folder / name)
        else:
            file = folder / f"{name}.rs"
            child = read_file(file if file.exists() else folder / name / "mod.rs", folder / name, module)
        module.children[name] = child
        return
    if node.type in ITEMS:
        module.items.add(name)
    read_code(node, module)


def read_code(node: Node, module: Module) -> None:
    """Record the paths in a piece of code, and its `use` declarations."""
    if node.type == "use_declaration":
        read_use(node, module)
        return
    for word in words(node):
        module.paths.add(tuple(re.split(r"\s*::\s*", word)))
    for declaration in declarations(node):
        read_use(declaration, module)


def declarations(node: Node) -> Iterator[Node]:
    """Yield each `use` within functions."""
    for child in shipped(node.children):
        if child.type == "use_declaration":
            yield child
        else:
            yield from declarations(child)


def words(node: Node) -> Iterator[str]:
    """Yield each name and path in the text of a piece of code, as macros have no syntax tree."""
    for match in PATH.finditer(b"".join(code(node)).decode()):
        yield match[0]


def code(node: Node, *, in_attribute: bool = False) -> Iterator[bytes]:
    """Yield the parts of a text that are code; in attributes also paths in strings, for functions that serde calls."""
    in_attribute |= node.type == "attribute_item"
    if node.type in SILENT:
        content = (node.text or b"").strip(b'"')
        yield content if in_attribute and PATH.fullmatch(content.decode()) else b" "
        return
    if not node.children:
        yield node.text or b""
        return
    end = node.start_byte
    for child in shipped(node.children):
        yield b" " if child.start_byte > end else b""
        yield from code(child, in_attribute=in_attribute)
        end = child.end_byte


def read_use(node: Node, module: Module) -> None:
    """Record the imports of a `use`."""
    argument = node.child_by_field_name("argument")
    assert argument is not None
    is_handed_on = any(child.type == "visibility_modifier" for child in node.children)
    for path, name in leaves(argument, []):
        if name == "*":
            module.globs.append(path)
            if not is_handed_on:
                module.own_globs.append(path)
        else:
            # `use X as _` twice binds two traits.
            bindings = module.handed_on if is_handed_on else module.own
            bindings[name if name != "_" else "::".join(path)] = path


def leaves(node: Node, prefix: list[str]) -> Iterator[tuple[list[str], str]]:
    """Yield each path of a `use` tree, with the name that it gets."""

    def field(name: str) -> Node:
        child = node.child_by_field_name(name)
        assert child is not None, text_of(node)
        return child

    match node.type:
        case "use_list":
            for child in node.named_children:
                if child.type not in SILENT:
                    yield from leaves(child, prefix)
        case "scoped_use_list":
            yield from leaves(field("list"), prefix + split(field("path")))
        case "use_as_clause":
            yield prefix + split(field("path")), text_of(field("alias"))
        case "use_wildcard":
            yield prefix + split(node.named_children[0]), "*"
        case "self":
            yield prefix, prefix[-1]
        case _:
            path = prefix + split(node)
            yield path, path[-1]


def split(path: Node) -> list[str]:
    """Return the names of a path."""
    return re.split(r"\s*::\s*", text_of(path).removeprefix("::"))


def text_of(node: Node) -> str:
    """Return the source of a node."""
    return (node.text or b"").decode()
