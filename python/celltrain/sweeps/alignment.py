"""Which points of two sweeps belong together, and which constants differ between them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from celltrain.sweeps.contents import SweepFolder
from celltrain.sweeps.errors import MismatchError

_ABSENT = object()

#: The values of the shared keys at a point.
Label = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Alignment:
    """The points of two sweeps, labelled alike.

    Attributes
    ----------
    labels : pair of dict
        For each sweep, the label of each point that can be run, by its number.
    constants : dict
        Dotted keys that are constant in each sweep but have different values, with both; None where a key is absent.
    """

    labels: tuple[dict[int, Label], dict[int, Label]]
    constants: dict[str, tuple[Any, Any]]


def aligned(first: SweepFolder, second: SweepFolder) -> Alignment:
    """Label the points of two sweeps by the keys that vary in one of them.

    A key that only one sweep varies has one value in the other: that of its scenario, or of all its points. Values are
    compared as the core writes them out, so that ``1 s`` and ``1000 ms`` are equal.

    Raises
    ------
    MismatchError
        No point of one is a point of the other.
    """
    points = _scenarios(first), _scenarios(second)
    keys = sorted({*first.keys, *second.keys})
    varying = [key for key in keys if any(len({_found(data, key) for data in side.values()}) > 1 for side in points)]
    shown = {**_written(first, points[0], varying), **_written(second, points[1], varying)}
    labels = tuple({number: _label(data, varying, shown) for number, data in side.items()} for side in points)
    if varying and not set(labels[0].values()) & set(labels[1].values()):
        raise MismatchError(
            f"{first.folder} and {second.folder} have no point in common: "
            + "; ".join(f"{key} is {_values(labels[0], key)} and {_values(labels[1], key)}" for key in varying)
        )
    constants = {}
    if all(points):
        one, other = (_leaves(next(iter(side.values()))) for side in points)
        for key in sorted({*one, *other}):
            if one.get(key) != other.get(key) and not any(
                key == name or key.startswith(f"{name}.") for name in varying
            ):
                constants[key] = (one.get(key), other.get(key))
    return Alignment((labels[0], labels[1]), constants)


def _scenarios(results: SweepFolder) -> dict[int, Mapping[str, Any]]:
    rows = results.points.select(["point", "scenario"]).to_pylist()
    return {row["point"]: json.loads(row["scenario"]) for row in rows if row["scenario"]}


def _found(data: Mapping[str, Any], key: str) -> str:
    """Return the canonical value of a dotted key, as JSON."""
    value: Any = data
    # A scenario has the trace that was in a file.
    for part in re.sub(r"\.file$", ".trace", key).split("."):
        value = value.get(part, _ABSENT) if isinstance(value, Mapping) else _ABSENT
    return "-" if value is _ABSENT else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _written(
    results: SweepFolder, scenarios: Mapping[int, Mapping[str, Any]], keys: list[str]
) -> dict[tuple[str, str], Any]:
    """Return the value as given in the sweep, for each canonical one."""
    own = [key for key in keys if key in results.keys]
    rows = results.points.select(["point", *own]).to_pylist()
    return {
        (key, _found(scenarios[row["point"]], key)): row[key]
        for row in rows
        if row["point"] in scenarios
        for key in own
        if row[key] is not None
    }


def _label(data: Mapping[str, Any], keys: list[str], shown: Mapping[tuple[str, str], Any]) -> Label:
    canonical = [(key, _found(data, key)) for key in keys]
    return tuple((key, shown.get((key, value), value.strip('"'))) for key, value in canonical)


def _values(labels: Mapping[int, Label], key: str) -> str:
    return ", ".join(dict.fromkeys(str(dict(label)[key]) for label in labels.values()))


def _leaves(data: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    leaves: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{path}{key}"
        leaves |= _leaves(value, f"{name}.") if isinstance(value, Mapping) else {name: value}
    return leaves
