"""Expansion of the groups of a scenario, member by member, into an equivalent scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from celltrain.topology import words
from celltrain.topology.model import WITHOUT_NODES, Names

Data = dict[str, Any]


def expanded(data: Mapping[str, Any]) -> Data:
    """Expand the groups of a scenario's canonical form; results of a run are bit-identical."""
    names = Names(data)
    result = dict(data)
    for section in data.keys() - WITHOUT_NODES:
        result[section] = {
            member: {key: value for key, value in table.items() if key != "count"}
            for name, table in data[section].items()
            for member in _members(name, table.get("count"))
        }
    result["links"] = dict(_links(data, names))
    result["vcs"] = {
        name: vc | {"route": route}
        for group, vc in data["vcs"].items()
        for name, route in _side_by_side(group, vc["route"], names)
    }
    for section in ("flows", "backgrounds"):
        result[section] = {
            name: {key: value for key, value in flow.items() if key != "per_vc"} | {"vc": vc}
            for group, flow in data[section].items()
            for name, vc in zip(_members(group, names.flows(flow)), _vcs_of(flow, names), strict=True)
        }
    return result


def parts(data: Mapping[str, Any]) -> int:
    """Count the nodes, links and VCs of expanded groups, without expanding them."""
    names = Names(data)
    nodes = sum(count or 1 for count in names.counts.values())
    links = sum(names.size(_ends(link)) or 1 for link in data["links"].values())
    return nodes + links + sum(size or 1 for size in names.sizes.values())


def _members(name: str, count: int | None) -> list[str]:
    return [name] if count is None else [f"{name}{member}" for member in range(1, count + 1)]


def _vcs_of(flow: Mapping[str, Any], names: Names) -> Iterator[str]:
    """Yield the VC of each member of a group of flows."""
    for vc in _members(flow["vc"], names.sizes[flow["vc"]]):
        yield from [vc] * (flow.get("per_vc") or 1)


def _side_by_side(group: str, written: list[str], names: Names) -> Iterator[tuple[str, list[str]]]:
    """Yield each member of an element that names several groups, with the members that it names."""
    size = names.size(written)
    for index, name in enumerate(_members(group, size), start=1):
        yield name, [each if names.counts.get(each) is None else f"{each}{index}" for each in written]


def _ends(link: Mapping[str, Any]) -> list[str]:
    return list(link.get("between") or (link["from"], link["to"]))


def _links(data: Mapping[str, Any], names: Names) -> Iterator[tuple[str, Data]]:
    for group, link in data["links"].items():
        size = names.size(_ends(link)) or 1
        for index, (name, ends) in enumerate(_side_by_side(group, _ends(link), names)):
            written = {"between": ends} if link.get("between") else dict(zip(("from", "to"), ends, strict=True))
            yield name, _delay(link, index, size) | written


def _delay(link: Mapping[str, Any], index: int, size: int) -> Data:
    """Return the delay of member ``index`` of a link, interpolated between the first member's and the last's."""
    if link.get("distance_to_last") is None:
        return dict(link)
    gaps = max(size - 1, 1)
    first, last = (words.delay_of(link[key]) for key in ("distance", "distance_to_last"))
    delay = (first * (gaps - index) + last * index) // gaps
    return {key: value for key, value in link.items() if not key.startswith("distance")} | {"delay": f"{delay} ps"}
