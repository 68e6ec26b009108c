"""Scenarios as read and checked: the part that runs and their results need."""

from __future__ import annotations

import copy
import json
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
        scenario._data = tomllib.loads(text)
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
        """Return a new scenario: tables of ``changes`` are merged into this one's, other values are replaced."""
        return type(self)(merged(self._data, changes), self.origin)

    def with_value(self, key: str, value: Any) -> Self:  # noqa: ANN401 - any value of the language
        """Return a new scenario in which one dotted key has another value.

        >>> scenario.with_value("links.up.rate.every", "10 ms")  # doctest: +SKIP
        """
        return self.with_changes(nested(key, value))
