"""Scenarios of tests as plain data: nodes in a row, with a link from each to the next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from celltrain.data import Data, merged

#: Makes the links between two nodes of a row.
Hop: TypeAlias = Callable[[str, str], Data]


def both_ways(name: str, **keys: Any) -> Hop:  # noqa: ANN401 - any values of the language
    """Return a link that is the same in both directions."""
    return lambda here, there: {name: {"between": [here, there], **keys}}


def each_way(forth: str, forward: Mapping[str, Any], back: str, backward: Mapping[str, Any]) -> Hop:
    """Return one link per direction, each with its name and keys."""
    return lambda here, there: {
        forth: {"from": here, "to": there, **forward},
        back: {"from": there, "to": here, **backward},
    }


def row(nodes: str, *hops: Hop, measure: Mapping[str, Any], **tables: Mapping[str, Any]) -> Data:
    """Make a scenario: hosts at both ends of the row, switches between them.

    Parameters
    ----------
    nodes
        Their names, separated by spaces.
    hops
        The links between each node and the next.
    tables
        Further tables, as ``flows``. ``hosts``, ``links`` and so on add to those of the row. A VC without a route goes
        from end to end; without any, there is ``vc``.
    """
    names = nodes.split()
    links: Data = {}
    for hop, here, there in zip(hops, names, names[1:], strict=False):
        links |= hop(here, there)
    vcs = tables.get("vcs", {"vc": {}})
    made: Data = {
        "measure": dict(measure),
        "hosts": {names[0]: {}, names[-1]: {}},
        "switches": {name: {} for name in names[1:-1]},
        "links": links,
        "vcs": {name: {"route": names} for name in vcs},
    }
    return merged(made, tables)
