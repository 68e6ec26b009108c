"""JSON and TOML of results."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from celltrain.files import NotText, read_text
from celltrain.stored.damaged import Damaged
from celltrain.stored.seals import checked_toml, opened_json

_DIFFERS = "its checksum differs: the file was damaged or changed"


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON file that holds an object, without its checksum.

    Raises
    ------
    OSError
        It cannot be read.
    Damaged
        It is not JSON, not an object, or not what was written.
    """
    found = opened_json(_expected(path, read_json(path), dict, "an object"))
    if found is None:
        raise Damaged(path, _DIFFERS)
    return found


def read_objects(path: Path) -> list[dict[str, Any]]:
    """Read a JSON file that holds a list of objects; the exceptions are those of :func:`read_object`."""
    values = _expected(path, read_json(path), list, "a list")
    return [_expected(path, value, dict, "a list of objects") for value in values]


def read_json(path: Path) -> Any:  # noqa: ANN401 - any JSON value
    """Read a JSON file; the exceptions are those of :func:`read_object`."""
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise Damaged(path, f"not the JSON that celltrain writes: {_without(path, error)}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file of results, such as ``sweep.toml``; the exceptions are those of :func:`read_object`."""
    try:
        text = read_text(path)
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged(path, f"not the TOML that celltrain writes: {_without(path, error)}") from error
    if not checked_toml(text):
        raise Damaged(path, "its checksum is missing or differs: damaged, changed, or of an earlier version")
    return data


def member(path: Path, data: Mapping[str, Any], key: str, kind: type) -> Any:  # noqa: ANN401 - of the asked kind
    """Return a member of an object from a file, of the expected kind.

    Raises
    ------
    Damaged
        It is missing, or of another kind.
    """
    if not isinstance(data.get(key), kind):
        found = "nothing" if key not in data else type(data[key]).__name__
        raise Damaged(path, f"{key}: expected {kind.__name__}, found {found}")
    return data[key]


def _expected(path: Path, value: Any, kind: type, name: str) -> Any:  # noqa: ANN401 - any JSON value
    if not isinstance(value, kind):
        raise Damaged(path, f"expected {name}, found {type(value).__name__}")
    return value


def _without(path: Path, error: BaseException) -> str:
    """Return the text of an error without the name of the file, which begins the message."""
    if isinstance(error, NotText):
        return error.what
    return str(error).removeprefix(f"{path}: ")
