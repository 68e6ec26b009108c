"""Expansion of the groups of a scenario, member by member, into an equivalent scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from celltrain.topology import words
from celltrain.topology.model import WITHOUT_NODES, Names

Data = dict[str, Any]

#: Keys of a VC that name nodes of its route; the last is a former name, in stored results.
_PLACES = {"at", "turn_around_at", "turn_round_at"}


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
        name: _at_members(vc, dict(zip(vc["route"], route, strict=True))) | {"route": route}
        for group, vc in data["vcs"].items()
        for name, route in _side_by_side(group, vc["route"], names)
    }
    if "vps" in data:
        result["vps"] = {name: path | {"vcs": _each(path["vcs"], names)} for name, path in data["vps"].items()}
    if data["measure"].get("cell_delays"):
        timed = data["measure"]["cell_delays"]
        result["measure"] = data["measure"] | {"cell_delays": timed | {"vcs": _each(timed["vcs"], names)}}
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


def _each(vcs: list[str], names: Names) -> list[str]:
    """Return VCs with the members of a group in its place."""
    return [member for vc in vcs for member in _members(vc, names.sizes.get(vc))]


def _at_members(value: Any, members: Mapping[str, str]) -> Any:  # noqa: ANN401
    """Replace the nodes of a VC's route by the members that this VC passes, wherever it names a place."""
    if isinstance(value, list):
        return [_at_members(each, members) for each in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _replaced(inner, members) if key in _PLACES else _at_members(inner, members)
        for key, inner in value.items()
    }


def _replaced(value: Any, members: Mapping[str, str]) -> Any:  # noqa: ANN401
    if isinstance(value, list):
        return [members.get(each, each) for each in value]
    return members.get(value, value)


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
