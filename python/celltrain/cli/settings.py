"""Changes of scenario values on the command line: ``--set KEY=VALUE``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from celltrain.cli.console import BadInput
from celltrain.printable import encodable
from celltrain.values import value_of

if TYPE_CHECKING:
    from celltrain.scenario import Scenario


def with_settings(scenario: Scenario, settings: Iterable[str]) -> Scenario:
    """Change all values together: a single one may not fit the rest, such as the size of one of two groups."""
    from celltrain.data import merged, nested

    changes: dict[str, Any] = {}
    for setting in settings:
        changes = merged(changes, nested(*parse_setting(setting)))
    return scenario.with_changes(changes) if changes else scenario


def parse_setting(text: str) -> tuple[str, Any]:
    """Split ``KEY=VALUE``; a value that is not TOML is read as a string.

    >>> parse_setting("links.up.rate.every=10 ms")
    ('links.up.rate.every', '10 ms')
    >>> parse_setting("hosts.P.count=4")
    ('hosts.P.count', 4)
    """
    text = encodable(text)
    key, separator, value = text.partition("=")
    if not separator or not key:
        raise BadInput(f"--set {text!r}: expected KEY=VALUE, such as links.up.rate.every='10 ms'")
    return key, value_of(value)
