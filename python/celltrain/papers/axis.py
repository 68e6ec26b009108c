"""Axes of an experiment: what varies, and how that changes the scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from celltrain.data import Data, nested
from celltrain.papers.reading import Mistake, as_table, read_by


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
        Templates of names of overlays that define the network; they are applied before all ``overlays``.
    overlays : tuple of str
        Templates of names of overlays to apply.
    """

    columns: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    set: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    overlays: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for index, row in enumerate(self.values):
            if len(row) < len(self.columns):
                raise Mistake(f"expected {len(self.columns)} values or more, found {len(row)}", "values", index)
            for path, template in self._templates():
                try:
                    template.format(*row)
                except (IndexError, KeyError, ValueError, AttributeError) as error:
                    values = f"{{0}} to {{{len(row) - 1}}}" if row[1:] else "{0} alone"
                    raise Mistake(f'a row has the values {values}, found "{template}"', *path) from error

    def _templates(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield each template, and the path to it."""
        yield from ((("set", key), template) for key, template in self.set.items())
        for name, templates in (("conditions", self.conditions), ("overlays", self.overlays)):
            yield from (((name, index), template) for index, template in enumerate(templates))

    def names_overlays(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Yield the name of each overlay that some row applies, and the path to its template."""
        for path, template in self._templates():
            if path[0] != "set":
                yield from ((path, template.format(*row)) for row in self.values)

    def changes(self, values: tuple[Any, ...]) -> Iterator[Data]:
        """Yield the changes that one row of values makes to the scenario."""
        return written_out(self.set, values)


@read_by(Axis)
def _read(value: Any) -> Axis:  # noqa: ANN401 - plain data of a file
    """Read an axis; a single ``column`` and its values are written without the brackets of several."""
    if not isinstance(value, dict) or "column" not in value:
        return as_table(value, Axis)
    if "columns" in value:
        raise Mistake('expected one of "column" and "columns", found both', "column")
    several = {key: each for key, each in value.items() if key != "column"} | {"columns": value["column"]}
    if isinstance(value.get("values"), list):
        several["values"] = [row if isinstance(row, list) else [row] for row in value["values"]]
    return as_table(several, Axis)


def written_out(templates: Mapping[str, str], values: tuple[Any, ...]) -> Iterator[Data]:
    """Yield the change of each scenario key, with the values in place of ``{0}`` and so on.

    >>> list(written_out({"links.up.rate": "{0} bit/s", "links.up.loss.probability": "{1}"}, (640000, 0.001)))
    [{'links': {'up': {'rate': '640000 bit/s'}}}, {'links': {'up': {'loss': {'probability': 0.001}}}}]
    """
    alone = {f"{{{index}}}": value for index, value in enumerate(values)}
    for key, template in templates.items():
        yield nested(key, alone[template] if template in alone else template.format(*values))
