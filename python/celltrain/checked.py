"""Scenarios as read and checked: the part that runs and their results need."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from celltrain import _native
from celltrain.data import Data, merged, nested


class CheckedScenario:
    """The content of a scenario; checked when it is created, and immutable.

    Parameters
    ----------
    data
        The scenario as plain data, as parsed from TOML.
    origin
        Its name in error messages.

    Raises
    ------
    ScenarioError
        The scenario cannot be run; the message names the key and what was expected.
    """

    def __init__(self, data: Mapping[str, Any], origin: str = "scenario") -> None:
        self._data: Data = copy.deepcopy(dict(data))
        self.origin = origin
        self.native = _native.Scenario.from_json(json.dumps(self._data), origin)

    @classmethod
    def from_toml(cls, text: str, origin: str = "scenario") -> Self:
        """Read TOML text; messages name the line.

        Raises
        ------
        ScenarioError
            The text is not valid TOML, or the scenario cannot be run.
        """
        scenario = cls.__new__(cls)
        scenario.native = _native.Scenario.from_toml(text, origin)
        try:
            scenario._data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:
            raise not_toml(error, origin) from error
        scenario.origin = origin
        return scenario

    @property
    def data(self) -> Data:
        """A copy of the plain data."""
        return copy.deepcopy(self._data)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the canonical form, in which every default is written out."""
        return self.native.hash

    @cached_property
    def structure(self) -> str:
        """SHA-256 of its structure: topology and options, without names, and amounts only as zero or not."""
        return self.native.structure

    @cached_property
    def _json(self) -> str:
        return self.native.to_json()

    def to_json(self) -> str:
        """Return the canonical form: JSON with every default written out."""
        return self._json

    def as_written(self) -> str:
        """Return the plain data as JSON, without defaults."""
        return json.dumps(self._data)

    def with_changes(self, changes: Mapping[str, Any]) -> Self:
        """Return a new scenario: tables of ``changes`` are merged into this one's, other values are replaced.

        Raises
        ------
        ScenarioError
            The new scenario cannot be run. If the changes name a link, host, ... that this one does not have, the
            message gives the nearest name.
        """
        try:
            return type(self)(merged(self._data, changes), self.origin)
        except _native.ScenarioError as error:
            hint = self._unknown_name(error, changes)
            if hint is None:
                raise
            failure = _native.ScenarioError(hint)
            failure.key = error.key
            raise failure from error

    def _unknown_name(self, error: _native.ScenarioError, changes: Mapping[str, Any]) -> str | None:
        """Say that an error is about a name that only the changes have; None if it is not.

        A misspelt name would otherwise be a new, incomplete entry, and the error would be about what it lacks.
        """
        section, _, rest = (error.key or "").partition(".")
        name, known = rest.partition(".")[0], self._data.get(section)
        own = changes.get(section)
        if not (isinstance(known, Mapping) and isinstance(own, Mapping) and name in own) or name in known:
            return None
        if not known or not all(isinstance(entry, Mapping) for entry in known.values()):
            return None
        hint = _native.nearest(name, [*known])
        reason = str(error).removeprefix(f"{self.origin}: ").removeprefix(f"{section}.{name}: ")
        return f'{self.origin}: {section}.{name}: {section} has no "{name}"{hint} (a new one is incomplete: {reason})'

    def with_value(self, key: str, value: Any) -> Self:  # noqa: ANN401 - any value of the language
        """Return a new scenario in which one dotted key has another value.

        >>> scenario.with_value("links.up.rate.every", "10 ms")  # doctest: +SKIP
        """
        return self.with_changes(nested(key, value))


def not_toml(error: ValueError | RecursionError, origin: str) -> _native.ScenarioError:
    """Return the error about TOML that Python cannot read: TOML 1.1, of which the core reads more."""
    place = re.search(r" \(at line (\d+), column (\d+)\)$", str(error))
    what = str(error)[: place.start()] if place else str(error)
    where = f"{origin}:{place[1]}:{place[2]}" if place else origin
    failure = _native.ScenarioError(f"{where}: not valid TOML 1.0: {what}")
    if place:
        failure.line, failure.column = int(place[1]), int(place[2])
    return failure
