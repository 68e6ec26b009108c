"""Parsing of scripts into events, with the grammar in ``grammar.lark``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args
from lark.exceptions import VisitError

from celltrain.packetdrill.script import (
    Call,
    Code,
    Command,
    Direction,
    Event,
    NotSupported,
    Options,
    Packet,
    Script,
    Value,
    When,
)

_GRAMMAR = Path(__file__).parent / "grammar.lark"


class Unreadable(NotSupported):
    """A text outside the supported language; ``line`` (from 1) gives the place."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR.read_text("utf-8"), parser="lalr", maybe_placeholders=True)


def parse(text: str, defines: Mapping[str, str] | None = None) -> Script:
    """Parse a script; ``defines`` gives words that stand for numbers or texts.

    Raises
    ------
    Unreadable
        The text does not match the grammar.
    """
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        lines = text.splitlines()
        found = lines[error.line - 1].strip() if 0 < error.line <= len(lines) else "the end"
        raise Unreadable(f"the language here is not read: {found}", max(error.line, 1)) from error
    try:
        script: Script = _Reader(dict(defines or {})).transform(tree)
    except VisitError as error:
        raise error.orig_exc from error
    return script


class _Reader(Transformer[Token, Script]):
    """Builds events from the parse tree, from its leaves up."""

    def __init__(self, defines: dict[str, str]) -> None:
        super().__init__()
        self.defines = defines

    def start(self, items: list[Any]) -> Script:
        options: dict[str, str] = dict(item for item in items if isinstance(item, tuple))
        return Script(tuple(item for item in items if isinstance(item, Event)), options)

    @v_args(inline=True)
    def option(self, token: Token) -> tuple[str, str]:
        name, _, value = token.removeprefix("--").partition("=")
        if name == "define":
            word, _, meaning = value.partition("=")
            self.defines.setdefault(word, meaning)
        return name, value

    @v_args(inline=True)
    def outside(self, token: Token) -> Event:
        return Event(_line(token), When(None), _command(token))

    def event(self, items: list[Any]) -> Event:
        when, (line, action, direction) = items
        return Event(line, when, action, direction)

    @v_args(inline=True)
    def command(self, token: Token) -> tuple[int, Command, None]:
        return _line(token), _command(token), None

    @v_args(inline=True)
    def code(self, token: Token) -> tuple[int, Code, None]:
        return _line(token), Code(token[2:-2].strip(" \t")), None

    def any_time(self, _: list[Any]) -> When:
        return When(None)

    def time(self, items: list[tuple[bool, float] | None]) -> When:
        first, last = items
        assert first is not None
        return When(first[1], last[1] if last else None, first[0])

    @v_args(inline=True)
    def moment(self, plus: Token | None, time: Token) -> tuple[bool, float]:
        return plus is not None, float(time)

    def packet(self, items: list[Any]) -> tuple[int, Packet, Direction]:
        direction, ip_info, _, _, flags, (seq, length), ack, window, urgent, options = items
        packet = Packet(
            str(flags),
            seq,
            length,
            ack,
            window,
            Options() if options is None else None if options == "any" else options,
            ip_info[1:-1] if ip_info else "",
            is_urgent=urgent is not None,
        )
        return _line(direction), packet, Direction(str(direction))

    @v_args(inline=True)
    def sequence(self, start: Token, end: Token, length: Token) -> tuple[int, int]:
        if int(end) - int(start) != int(length):
            raise Unreadable(f"{start}:{end} are not {length} octets", _line(start))
        return int(start), int(length)

    @v_args(inline=True)
    def acknowledgment(self, token: Token) -> int:
        return int(token)

    window = urgent = acknowledgment

    def any_options(self, _: list[Any]) -> str:
        return "any"

    def options(self, items: list[dict[str, Any]]) -> Options:
        others = tuple(item.pop("other") for item in items if "other" in item)
        return Options(**{key: value for item in items for key, value in item.items()}, others=others)

    def padding(self, _: list[Any]) -> dict[str, Any]:
        return {}

    def sack_permitted(self, _: list[Any]) -> dict[str, Any]:
        return {"sack_permitted": True}

    @v_args(inline=True)
    def mss(self, token: Token) -> dict[str, Any]:
        return {"mss": int(token)}

    @v_args(inline=True)
    def window_scale(self, token: Token) -> dict[str, Any]:
        return {"window_scale": int(token)}

    @v_args(inline=True)
    def timestamp(self, value: Token, echo: Token) -> dict[str, Any]:
        return {"timestamp": (int(value), int(echo))}

    def sack(self, blocks: list[tuple[int, int]]) -> dict[str, Any]:
        return {"sack": tuple(blocks)}

    @v_args(inline=True)
    def block(self, start: Token, end: Token) -> tuple[int, int]:
        return int(start), int(end)

    def other_option(self, words: list[Token]) -> dict[str, Any]:
        return {"other": " ".join(words)}

    def call(self, items: list[Any]) -> tuple[int, Call, None]:
        _, end, name, *arguments, result, errno, _note = items
        # An empty argument list leaves one placeholder.
        given = tuple(argument for argument in arguments if argument is not None or len(arguments) > 1)
        values = tuple(None if value is _ANYTHING else value for value in given)
        return _line(name), Call(str(name), values, result, errno or "", float(end) if end else None), None

    @v_args(inline=True)
    def result(self, token: Token) -> Value:
        return None if token.type == "ELLIPSIS" else _number_or_text(token)

    @v_args(inline=True)
    def errno(self, token: Token) -> str:
        return str(token)

    def alternatives(self, items: list[Any]) -> Any:  # noqa: ANN401
        if len(items) == 1:
            return items[0]
        return frozenset(str(item) for item in items)

    @v_args(inline=True)
    def number(self, token: Token) -> int:
        return int(token, 0)

    def anything(self, _: list[Any]) -> Any:  # noqa: ANN401
        return _ANYTHING

    @v_args(inline=True)
    def text(self, token: Token, _: Token | None) -> str:
        return token[1:-1]

    def array(self, items: list[Any]) -> tuple[Value, ...]:
        return tuple(_plain(item) for item in items if item is not None)

    structure = array

    @v_args(inline=True)
    def word(self, token: Token) -> Value:
        meaning = self.defines.get(str(token))
        return str(token) if meaning is None else _number_or_text(meaning)

    def function(self, items: list[Any]) -> tuple[Value, ...]:
        return tuple(str(item) if isinstance(item, Token) else _plain(item) for item in items)

    def assignment(self, items: Sequence[Any]) -> tuple[Value, ...]:
        return tuple(_plain(item) for item in items)


class _Anything:
    """``...``, as distinct from an absent part of the tree."""


_ANYTHING = _Anything()


def _plain(value: Any) -> Value:  # noqa: ANN401
    return None if value is _ANYTHING else value


def _line(token: Token) -> int:
    return token.line or 1


def _command(token: Token) -> Command:
    return Command(token[1:-1])


def _number_or_text(text: str) -> Value:
    try:
        return int(text, 0)
    except ValueError:
        return text.strip('"')
