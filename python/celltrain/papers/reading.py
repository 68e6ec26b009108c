"""Reading the TOML files of a study into types, with mistakes that name file, line, key and the nearest name."""

from __future__ import annotations

import dataclasses
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NewType, TypeVar, get_args, get_origin

from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    Converter,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)
from cattrs.cols import homogenous_tuple_structure_factory
from cattrs.gen import make_dict_structure_fn, mapping_structure_factory, override

from celltrain import _native
from celltrain.data import Data
from celltrain.files import read_text
from celltrain.refused import Refused

T = TypeVar("T")
Key = str | int

#: A time with its unit, as scenarios write it.
Time = NewType("Time", str)

#: The place in a message of ``tomllib``.
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")
#: Keys of files by attribute, where they differ.
_KEYS: dict[Any, dict[str, str]] = {}
_CONVERTER = Converter(forbid_extra_keys=True)


class PaperError(Refused):
    """A study's files are invalid; the message names file, line and key, and what was expected."""


class Mistake(ValueError):
    """A mistake at a key, before its file is known: the path from the table that is read, and the mistake."""

    def __init__(self, message: str, *path: Key) -> None:
        super().__init__(message)
        self.path = path


@dataclass(frozen=True)
class StudyFile:
    """The text of a TOML file of a study, and its parsed content."""

    path: Path
    text: str
    data: Data

    @classmethod
    def read(cls, path: Path) -> StudyFile:
        """Read a file.

        Raises
        ------
        PaperError
            It cannot be read, or is not TOML.
        """
        try:
            text = read_text(path)
        except OSError as error:
            raise PaperError(f"{path}: {error.strerror or error}") from error
        except ValueError as error:
            raise PaperError(str(error)) from error
        try:
            return cls(path, text, tomllib.loads(text))
        except (ValueError, RecursionError) as error:
            place = _PLACE.search(str(error))
            where = f":{place[1]}:{place[2]}" if place else ""
            raise PaperError(f"{path}{where}: not valid TOML: {_PLACE.sub('', str(error))}") from error

    def error(self, message: str, *path: Key) -> PaperError:
        """Return the error for a mistake at a key."""
        return PaperError(_native.located(self.text, str(self.path), [str(part) for part in path], message))

    def to(self, wanted: type[T]) -> T:
        """Read the whole file as a type.

        Raises
        ------
        PaperError
            A key is unknown or missing, or has a value of another type.
        """
        try:
            return read_as(self.data, wanted)
        except Mistake as found:
            raise self.error(str(found), *found.path) from found


def read_as(value: object, wanted: type[T]) -> T:
    """Read plain data as a type.

    Raises
    ------
    Mistake
        A key is unknown or missing, or has a value of another type; the first such key.
    """
    try:
        return _CONVERTER.structure(value, wanted)
    except BaseValidationError as error:
        raise next(_mistakes(error, (), {})) from error


def unknown(what: str, name: str, known: Collection[str], *path: Key) -> Mistake:
    """Return the mistake for an unknown name, with the nearest known one."""
    return Mistake(f'no {what} "{name}"{_native.nearest(name, sorted(known))}', *path)


def renamed(wanted: type[Any], **keys: str) -> None:
    """Set the keys in files of a type's attributes, where they differ."""
    _KEYS[wanted] = keys


def read_by(wanted: Any) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:  # noqa: ANN401 - also unions
    """Return a decorator for a function that reads a type from a value and raises :class:`Mistake`."""

    def register(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
        _CONVERTER.register_structure_hook(wanted, lambda value, _: read(value))
        return read

    return register


def as_table(value: object, wanted: type[T]) -> T:
    """Read a value as a table of a type; for functions of :func:`read_by`."""
    table: T = _table_hook(wanted)(value, wanted)  # type: ignore[arg-type] # classes are hashable
    return table


def _mistakes(error: Exception, path: Sequence[Key], keys: Mapping[str, str]) -> Iterator[Mistake]:
    """Yield the mistakes below a path, unknown keys first: a missing key may be a misspelt one.

    ``keys`` has the keys in files of those attributes of the enclosing type whose names differ.
    """
    own = [*path]
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            own.append(keys.get(note.name, note.name))
        elif isinstance(note, IterableValidationNote):
            own.append(note.index)
    match error:
        case ForbiddenExtraKeysError(extra_fields=extra, cl=cl):
            known = [_KEYS.get(cl, {}).get(field.name, field.name) for field in dataclasses.fields(cl)]
            for name in sorted(extra):
                yield Mistake(f"unknown key{_native.nearest(name, known)}", *own, name)
        case BaseValidationError(exceptions=exceptions, cl=cl):
            for each in sorted(exceptions, key=lambda each: not isinstance(each, ForbiddenExtraKeysError)):
                yield from _mistakes(each, own, _KEYS.get(cl, {}))
        case Mistake(path=rest):
            yield Mistake(str(error), *own, *rest)
        case KeyError():
            yield Mistake(f'the key "{own[-1]}" is missing', *own[:-1])
        case _:
            raise error


def _found(value: object) -> str:
    """Describe a value in TOML terms."""
    match value:
        case Mapping():
            return "a table"
        case list():
            return "an array"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case _:
            return str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _expect(value: T, words: str, holds: Callable[[object], bool]) -> T:
    if not holds(value):
        raise Mistake(f"expected {words}, found {_found(value)}")
    return value


@read_by(Time)
def _time(value: object) -> object:
    text = _expect(value, 'a time such as "10 ms"', lambda value: isinstance(value, str))
    try:
        _native.amount(str(text), "s")
    except ValueError as error:
        raise Mistake(str(error)) from error
    return value


def _names(value: object) -> tuple[str, ...]:
    """Read names; a single one needs no brackets."""
    if isinstance(value, str):
        return (value,)
    listed = _expect(value, "a name or an array of names", lambda value: isinstance(value, list))
    for index, name in enumerate(listed):  # type: ignore[var-annotated, arg-type]
        if not isinstance(name, str):
            raise Mistake(f"expected a name, found {_found(name)}", index)
    return tuple(listed)  # type: ignore[arg-type]


def _checked(hook: Callable[[Any, Any], Any], words: str, form: type) -> Callable[[Any, Any], Any]:
    return lambda value, wanted: hook(_expect(value, words, lambda value: isinstance(value, form)), wanted)


def _is_made_of(wanted: Any, origin: object) -> bool:  # noqa: ANN401 - any type
    return bool(get_origin(wanted) == origin)


@_CONVERTER.register_structure_hook_factory(dataclasses.is_dataclass)
@cache
def _table_hook(wanted: type[Any]) -> Callable[[Any, Any], Any]:
    keys: dict[str, Any] = {name: override(rename=key) for name, key in _KEYS.get(wanted, {}).items()}
    return _checked(make_dict_structure_fn(wanted, _CONVERTER, **keys), "a table", Mapping)


@_CONVERTER.register_structure_hook_factory(lambda wanted: _is_made_of(wanted, Mapping))
def _mapping_hook(wanted: type[Any]) -> Callable[[Any, Any], Any]:
    return _checked(mapping_structure_factory(wanted, _CONVERTER), "a table", Mapping)


@_CONVERTER.register_structure_hook_factory(lambda wanted: _is_made_of(wanted, tuple))
def _tuple_hook(wanted: type[Any]) -> Callable[[Any, Any], Any]:
    inner, *rest = get_args(wanted)
    if rest != [...]:
        return _pair_hook(inner)
    if inner is str:
        return lambda value, _: _names(value)
    return _checked(homogenous_tuple_structure_factory(wanted, _CONVERTER), "an array", list)


def _pair_hook(inner: Any) -> Callable[[Any, Any], Any]:  # noqa: ANN401 - any type
    """Read two values: the minimum and the maximum of a range."""

    def read(value: object, _: object) -> tuple[Any, ...]:
        pair = _expect(value, "an array of two numbers", lambda value: isinstance(value, list) and len(value) == 2)
        return tuple(_CONVERTER.structure(each, inner) for each in pair)  # type: ignore[attr-defined]

    return read


def _simple(wanted: Any, words: str, holds: Callable[[object], bool]) -> None:  # noqa: ANN401 - also types that are made
    # Numbers keep their type: an integer in a file is not written with a decimal point in results.
    read_by(wanted)(lambda value: _expect(value, words, holds))


_simple(str, "a text", lambda value: isinstance(value, str))
_simple(bool, "true or false", lambda value: isinstance(value, bool))
_simple(int, "a whole number", _is_whole)
_simple(float, "a number", _is_number)
_simple(int | str, "a whole number or a text", lambda value: isinstance(value, str) or _is_whole(value))
