"""Scenarios as plain data: tables in tables."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

Data = dict[str, Any]


def merged(base: Mapping[str, Any], changes: Mapping[str, Any]) -> Data:
    """Merge nested tables; other values are replaced.

    >>> merged({"a": {"x": 1, "y": 2}}, {"a": {"y": 3}, "b": 4})
    {'a': {'x': 1, 'y': 3}, 'b': 4}
    """
    result = dict(base)
    for key, value in changes.items():
        old = result.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            result[key] = merged(old, value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def nested(key: str, value: Any) -> Data:  # noqa: ANN401 - any value of the language
    """Nest a value under a dotted key.

    >>> nested("a.b.c", 1)
    {'a': {'b': {'c': 1}}}
    """
    for part in reversed(key.split(".")):
        value = {part: value}
    result: Data = value
    return result
