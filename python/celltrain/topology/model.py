"""The topology of a scenario: nodes, cables between them, the routes of VCs, and their traffic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from celltrain.topology import words

Data = Mapping[str, Any]

#: Sections without nodes. Cells pass through the elements of all other sections.
WITHOUT_NODES = frozenset(
    {"silence", "measure", "links", "vcs", "vps", "admission", "flows", "backgrounds", "probes", "limits"}
)
#: The name of a single node of a section.
KINDS = {"hosts": "host", "switches": "switch", "lans": "LAN", "routers": "router"}

#: The number at the end of a member's name.
MOST_DIGITS = 7


@dataclass(frozen=True)
class Note:
    """A note about a VC, a flow or a background at a node."""

    text: str
    vc: str


@dataclass(frozen=True)
class Node:
    """A node, or a group of ``count`` equal ones, drawn once."""

    name: str
    kind: str
    count: int | None
    facts: tuple[str, ...]
    notes: tuple[Note, ...]


@dataclass(frozen=True)
class Wire:
    """One link, or the two identical directions of a cable."""

    name: str
    #: Whether cells go from the first end of the cable to the second, and from the second to the first.
    forward: bool
    backward: bool
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Cable:
    """All links between two nodes. Routes of VCs go from the first to the second, if possible."""

    ends: tuple[str, str]
    wires: tuple[Wire, ...]


@dataclass(frozen=True)
class Route:
    """The path of a VC, or of a group of VCs."""

    name: str
    #: Its position among the VCs, which determines its colour.
    number: int
    nodes: tuple[str, ...]
    #: Hops inside an ABR loop, counted from the first node.
    loops: frozenset[int]

    def hops(self) -> list[tuple[str, str]]:
        """Return the pairs of consecutive nodes."""
        return list(zip(self.nodes, self.nodes[1:], strict=False))


@dataclass(frozen=True)
class Entry:
    """A member of a section, described in lines of text; ``vc`` determines its colour."""

    name: str
    lines: tuple[str, ...]
    vc: str | None = None


@dataclass(frozen=True)
class Network:
    """A topology, ready to be drawn."""

    title: str
    subtitle: str
    nodes: tuple[Node, ...]
    cables: tuple[Cable, ...]
    routes: tuple[Route, ...]
    #: Sections of text below the drawing.
    entries: tuple[tuple[str, tuple[Entry, ...]], ...]


class Names:
    """Nodes and VCs by the names that a scenario uses: of a single one, a group, or a member of a group."""

    def __init__(self, data: Data) -> None:
        self.counts: dict[str, int | None] = {}
        for section in data.keys() - WITHOUT_NODES:
            for name, table in data[section].items():
                self.counts[name] = table.get("count")
        self.sizes = {name: self.size(vc["route"]) for name, vc in data["vcs"].items()}

    def node(self, name: str) -> str:
        """Return the node that is drawn for a name."""
        return _group(name, self.counts)

    def vc(self, name: str) -> str:
        """Return the VC that is drawn for a name."""
        return _group(name, self.sizes)

    def flows(self, flow: Data) -> int | None:
        """Return the size of a group of flows or backgrounds; None for a single one."""
        size, per_vc = self.sizes[flow["vc"]], flow.get("per_vc")
        return size if per_vc is None else (size or 1) * int(per_vc)

    def size(self, names: Iterable[str]) -> int | None:
        """Return the size of groups that are named together; None if no name is a group's."""
        return next((count for name in names if (count := self.counts.get(name)) is not None), None)


def _group(name: str, groups: Mapping[str, int | None]) -> str:
    """Return the group of a member's name, or the name itself if it is not a member's."""
    if name in groups:
        return name
    stem = name.rstrip("0123456789")
    for end in range(max(len(stem), len(name) - MOST_DIGITS), len(name)):
        count = groups.get(name[:end])
        if count is not None and name[end] != "0" and int(name[end:]) <= count:
            return name[:end]
    raise KeyError(name)


def times(name: str, count: int | None) -> str:
    """Format the name of a group with its size.

    >>> times("P", 10), times("P", None)
    ('P ×10', 'P')
    """
    return name if count is None else f"{name} ×{count}"


def network(data: Data, title: str) -> Network:
    """Describe the network of a scenario's canonical form."""
    names = Names(data)
    routes = tuple(_routes(data, names))
    notes = list(_notes(data, names))
    nodes = tuple(
        Node(
            name,
            KINDS.get(section, section),
            names.counts[name],
            words.link_facts(data[section][name]),  # A LAN or a router may have its own queue.
            tuple(note for at, note in notes if at == name),
        )
        for section in _node_sections(data)
        for name in data[section]
    )
    return Network(title, _subtitle(data, names), nodes, _cables(data, names, routes), routes, _entries(data, names))


def _node_sections(data: Data) -> list[str]:
    """Return the sections of nodes: known ones first, in order."""
    known = [section for section in KINDS if section in data]
    return known + sorted(data.keys() - WITHOUT_NODES - KINDS.keys())


def _subtitle(data: Data, names: Names) -> str:
    counts: dict[str, int] = {}
    for section in _node_sections(data):
        label = KINDS.get(section, section)
        counts[label] = sum(names.counts[name] or 1 for name in data[section])
    counts["VC"] = sum(size or 1 for size in names.sizes.values())
    for label in ("flow", "background"):
        counts[label] = sum(names.flows(flow) or 1 for flow in data[f"{label}s"].values())
    told = ", ".join(f"{count} {label if count == 1 else plural(label)}" for label, count in counts.items() if count)
    measure = data["measure"]
    return f"{told}; measured from {words.plain(measure['warm_up'])} to {words.plain(measure['duration'])}"


def plural(label: str) -> str:
    """Return the plural of a label; names of unknown sections are already plural.

    >>> plural("switch"), plural("LAN"), plural("satellites")
    ('switches', 'LANs', 'satellites')
    """
    if label not in {*KINDS.values(), "VC", "flow", "background"}:
        return label
    return label + ("es" if label.endswith("ch") else "s")


def _routes(data: Data, names: Names) -> Iterator[Route]:
    for number, (name, vc) in enumerate(data["vcs"].items()):
        nodes = tuple(names.node(node) for node in vc["route"])
        hops, last = set(), len(nodes) - 1
        for way, reached in (("forward", last), ("backward", 0)):
            service = vc[way]
            if service["service"] == "abr":
                turn = _turned_at(service)
                end = reached if turn is None else vc["route"].index(turn)
                hops |= set(range(end) if way == "forward" else range(end, last))
        yield Route(name, number, nodes, frozenset(hops))


def _cables(data: Data, names: Names, routes: Iterable[Route]) -> tuple[Cable, ...]:
    """Group links by the pair of nodes that they connect, in the direction of the first VC that crosses them."""
    hops = [hop for route in routes for hop in route.hops()]
    wires: dict[tuple[str, str], list[Wire]] = {}
    ends: list[tuple[str, str]] = []
    for name, link in data["links"].items():
        both = link.get("between")
        written = both or [link["from"], link["to"]]
        ends.append((names.node(written[0]), names.node(written[1])))
        only = [end for end in written if end not in names.counts]
        facts = words.link_facts(link) + tuple(f"{end} only" for end in only)
        shown = times(name, names.size(written))
        wires.setdefault(ends[-1], []).append(Wire(shown, forward=True, backward=bool(both), facts=facts))
    cables = []
    done = set()
    for first, second in [*hops, *ends]:
        if (first, second) in done or (second, first) in done:
            continue
        done.add((first, second))
        back = [replace(wire, forward=wire.backward, backward=True) for wire in wires.get((second, first), ())]
        cables.append(Cable((first, second), tuple(_alike([*wires.get((first, second), ()), *back]))))
    return tuple(cables)


def _alike(wires: list[Wire]) -> Iterator[Wire]:
    """Combine two identical directions into one."""
    todo = list(wires)
    while todo:
        wire = todo.pop(0)
        opposite = (not wire.forward, not wire.backward, wire.facts)
        twin = next((each for each in todo if (each.forward, each.backward, each.facts) == opposite), None)
        if twin is None:
            yield wire
        else:
            todo.remove(twin)
            yield Wire(f"{wire.name}, {twin.name}", forward=True, backward=True, facts=wire.facts)


def _notes(data: Data, names: Names) -> Iterator[tuple[str, Note]]:
    for name, vc in data["vcs"].items():
        route = vc["route"]
        for way in ("forward", "backward"):
            turn = _turned_at(vc[way])
            if turn is not None:
                yield names.node(turn), Note(f"turns RM cells of {name} around", name)
        for node in (vc.get("virtual_ends") or {}).get("at", ()):
            yield names.node(node), Note(f"virtual ends of {name}", name)
        police = vc.get("police")
        if police:
            first = route[1] if police["direction"] == "forward" else route[-2]
            yield names.node(police.get("at") or first), Note(f"polices {name}", name)
        for shape in vc.get("shape", ()):
            yield names.node(shape["at"]), Note(f"shapes {name}", name)
    for name, path in data.get("vps", {}).items():
        ends = (path["route"][0], path["route"][-1])
        for node, verb in zip(ends, ("starts", "ends"), strict=True):
            # A path is drawn in the colour of its first VC; a group of equal VCs has one route in the drawing.
            yield names.node(node), Note(f"virtual path {name} {verb}", path["vcs"][0])
    for section, verb in (("flows", "sends {}"), ("backgrounds", "background {} enters")):
        for name, flow in data[section].items():
            vc = flow["vc"]
            end = 0 if flow["direction"] == "forward" else -1
            yield names.node(data["vcs"][vc]["route"][end]), Note(verb.format(name), vc)


def _entries(data: Data, names: Names) -> tuple[tuple[str, tuple[Entry, ...]], ...]:
    vcs = tuple(Entry(times(name, names.sizes[name]), tuple(_vc_lines(vc)), name) for name, vc in data["vcs"].items())
    sections = {
        "VCs": vcs,
        "virtual paths": tuple(
            Entry(name, tuple(_vp_lines(vp)), vp["vcs"][0]) for name, vp in data.get("vps", {}).items()
        ),
        "flows": _flows(data, names, "flows"),
        "backgrounds": _flows(data, names, "backgrounds"),
        "probes": tuple(Entry(name, (words.probe_words(probe),)) for name, probe in data["probes"].items()),
    }
    return tuple((name, entries) for name, entries in sections.items() if entries)


def _vc_lines(vc: Data) -> Iterator[str]:
    yield f"{' → '.join(vc['route'])}, {vc['encapsulation']}"
    forward, backward = (words.service_words(vc[way], ends_at=_loop_end(vc, way)) for way in ("forward", "backward"))
    if forward == backward:
        yield f"both ways {forward}"
    else:
        yield f"forward {forward}"
        yield f"backward {backward}"
    if vc.get("gfc_group"):
        yield f"GFC group {vc['gfc_group'].upper()}"
    if vc.get("police"):
        yield f"{vc['police']['direction']} cells {words.police_words(vc['police'])}"
    for shape in vc.get("shape", ()):
        yield f"{shape['direction']} cells shaped at {shape['at']} to {words.contract_words(shape)}, {shape['buffer']}"
    if vc.get("virtual_ends"):
        yield f"ABR loops end and restart at {', '.join(vc['virtual_ends']['at'])}"


def _vp_lines(vp: Data) -> Iterator[str]:
    yield f"{' → '.join(vp['route'])}: {', '.join(vp['vcs'])}"
    for way in ("forward", "backward"):
        yield f"{way} {words.service_words(vp[way], ends_at=None)}"
    if vp.get("shape"):
        yield f"shaped where it starts, {vp['shape']['buffer']}"
    if vp.get("police"):
        police = vp["police"]
        second = vp["route"][1] if police["direction"] == "forward" else vp["route"][-2]
        yield f"{police['direction']} cells policed at {police.get('at') or second}"


def _turned_at(service: Data) -> str | None:
    """Return the switch that turns RM cells around, if any; stored results may have the key's former name."""
    turned: str | None = service.get("turn_around_at", service.get("turn_round_at"))
    return turned


def _loop_end(vc: Data, way: str) -> str | None:
    if vc[way]["service"] != "abr":
        return None
    end: str = _turned_at(vc[way]) or vc["route"][-1 if way == "forward" else 0]
    return end


def _flows(data: Data, names: Names, section: str) -> tuple[Entry, ...]:
    entries = []
    for name, flow in data[section].items():
        vc = flow["vc"]
        route = data["vcs"][vc]["route"]
        ends = (route[0], route[-1]) if flow["direction"] == "forward" else (route[-1], route[0])
        if section == "flows":
            told = words.flow_words(flow)
        else:
            told = words.traffic_words(flow["traffic"]) + words.start_words(flow)
        shown = times(name, names.flows(flow))
        entries.append(Entry(shown, (f"{ends[0]} → {ends[1]} on {vc}: {told}",), vc))
    return tuple(entries)
