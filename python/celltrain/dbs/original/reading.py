"""Parsing of command files into groups of settings, with the grammar in ``grammar.lark``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from lark import Lark, Token, Tree, UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from celltrain import _native

_GRAMMAR = Path(__file__).parent / "grammar.lark"
#: Words for what the parser expects.
_WORDS = {
    "EQUAL": "`=`",
    "LBRACE": "`{`",
    "NAME": "a key",
    "NUMBER": "a number",
    "RBRACE": "`}`",
    "SEMICOLON": "`;`",
    "VALUE": "a value",
}


class CommandError(ValueError):
    """A command file that cannot be converted; ``line`` (from 1) gives the place."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@dataclass(frozen=True)
class Setting:
    """The value of a key, and its line."""

    text: str
    line: int


@dataclass
class Group:
    """What stands between braces.

    Attributes
    ----------
    name : str
        The word before the braces; empty for a connection.
    line : int
        The line in which it begins.
    """

    name: str
    line: int
    settings: dict[str, Setting] = field(default_factory=dict)
    groups: list[Group] = field(default_factory=list)
    numbers: list[Setting] = field(default_factory=list)

    def check(self, keys: tuple[str, ...], groups: tuple[str, ...]) -> None:
        """Refuse keys and groups that it cannot have, and numbers without a name."""
        what = f"in `{self.name}`" if self.name else "of a connection"
        for name, setting in self.settings.items():
            if name not in keys:
                known = [*keys, *groups]
                raise CommandError(f"unknown key {name!r} {what}{_native.nearest(name, known)}", setting.line)
        seen: set[str] = set()
        for group in self.groups:
            if group.name not in groups:
                known = [*groups, *keys]
                raise CommandError(
                    f"unknown group {group.name!r} {what}{_native.nearest(group.name, known)}", group.line
                )
            if group.name in seen:
                raise CommandError(f"`{group.name}` is given twice", group.line)
            seen.add(group.name)
        if self.numbers:
            raise CommandError(f"a number {what} without a key", self.numbers[0].line)

    def group(self, name: str) -> Group:
        """Return a group that it must have."""
        found = next((group for group in self.groups if group.name == name), None)
        if found is None:
            raise CommandError(f"the group `{name} {{ ... }}` is missing {self._where}", self.line)
        return found

    def setting(self, name: str) -> Setting:
        """Return a setting that it must have."""
        found = self.settings.get(name)
        if found is None:
            raise CommandError(f"the key `{name}` is missing {self._where}", self.line)
        return found

    @property
    def _where(self) -> str:
        return f"in `{self.name}`" if self.name else "in this connection"


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR.read_text("utf-8"), parser="lalr", maybe_placeholders=False, propagate_positions=True)


def connections(text: str) -> list[Group]:
    """Parse a command file: a group for each connection.

    A connection stands between braces, or, without them, begins with `sender`.

    Raises
    ------
    CommandError
        The text is not of the language.
    """
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        raise _unexpected(error, text) from error
    found: list[Group] = []
    open_ended: Group | None = None
    for part in _parts(tree):
        if isinstance(part, Group) and not part.name:
            found.append(part)
            open_ended = None
            continue
        if open_ended is None or (isinstance(part, Group) and part.name == "sender" and open_ended.groups):
            open_ended = Group("", part.line if isinstance(part, Group) else part[1].line)
            found.append(open_ended)
        _put(open_ended, part)
    if not found:
        raise CommandError("there is no connection: expected `sender { ... } receiver { ... }`", 1)
    return found


def _parts(tree: Tree[Token]) -> Iterator[Group | tuple[Token, Setting]]:
    """Yield the settings and groups of a tree."""
    for child in tree.children:
        if not isinstance(child, Tree):
            continue
        if child.data == "setting":
            name, value = (token for token in child.children if isinstance(token, Token))
            yield name, Setting(value.strip('"'), name.line or 1)
        elif child.data == "group":
            yield _group(child)


def _group(tree: Tree[Token]) -> Group:
    name = tree.children[0] if tree.children and isinstance(tree.children[0], Token) else None
    group = Group(str(name or ""), tree.meta.line)
    for part in _parts(tree):
        _put(group, part)
    for child in tree.children:
        if isinstance(child, Tree) and child.data == "number":
            group.numbers.append(Setting(str(child.children[0]), child.meta.line))
    return group


def _put(group: Group, part: Group | tuple[Token, Setting]) -> None:
    if isinstance(part, Group):
        group.groups.append(part)
        return
    name, setting = part
    if name in group.settings:
        first = group.settings[name].line
        raise CommandError(f"the key `{name}` is given twice, first in line {first}", setting.line)
    group.settings[str(name)] = setting


def _unexpected(error: UnexpectedInput, text: str) -> CommandError:
    lines = text.splitlines()
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return CommandError("the file ends within a group: `}` is missing", max(len(lines), 1))
    names = error.accepts or error.expected if isinstance(error, UnexpectedToken) else _allowed(error)
    expected = " or ".join(sorted({_WORDS[name] for name in names if name in _WORDS}))
    found = lines[error.line - 1][error.column - 1 :].strip()
    return CommandError(f"expected {expected or 'a command'}, found {found!r}", error.line)


def _allowed(error: UnexpectedInput) -> set[str]:
    return set(error.allowed or ()) if isinstance(error, UnexpectedCharacters) else set()
