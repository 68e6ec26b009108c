"""Axes of an experiment: what varies, and how that changes the scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from celltrain.data import Data, nested


@dataclass(frozen=True)
class Axis:
    """Columns of the result that vary together, and how their values change the scenario.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns.
    values : tuple of tuple
        Their values, in order. A row may be longer than ``columns``: templates can use the rest.
    set : dict of str to str
        Scenario key to template; ``{0}`` stands for the first value of a row, and so on. A template
        that is only ``{0}`` gives the value itself.
    conditions : tuple of str
        Templates of names of overlays that make the network; they are applied before all ``overlays``.
    overlays : tuple of str
        Templates of names of overlays to apply.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    set: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()

    @classmethod
    def read(cls, entry: Data) -> Axis:
        """Take it from a table of the experiments file."""
        if "column" in entry:
            columns: tuple[str, ...] = (entry.pop("column"),)
            values = [value if isinstance(value, list) else [value] for value in entry.pop("values")]
        else:
            columns, values = tuple(entry.pop("columns")), entry.pop("values")
        templates: dict[str, Any] = {key: tuple(entry.pop(key, ())) for key in ("conditions", "overlays")}
        return cls(columns=columns, values=tuple(map(tuple, values)), **templates, **entry)

    def changes(self, values: tuple[Any, ...]) -> Iterator[Data]:
        """Give the changes that one row of values makes to the scenario."""
        return written_out(self.set, values)


def written_out(templates: Mapping[str, str], values: tuple[Any, ...]) -> Iterator[Data]:
    """Give the change of each scenario key, with the values in place of ``{0}`` and so on.

    >>> list(written_out({"links.up.rate": "{0} bit/s", "links.up.loss.probability": "{1}"}, (640000, 0.001)))
    [{'links': {'up': {'rate': '640000 bit/s'}}}, {'links': {'up': {'loss': {'probability': 0.001}}}}]
    """
    alone = {f"{{{index}}}": value for index, value in enumerate(values)}
    for key, template in templates.items():
        yield nested(key, alone[template] if template in alone else template.format(*values))
