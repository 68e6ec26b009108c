"""The stage of an animation: the network, with a gauge for each recorded queue, rate and window where it belongs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from celltrain.extras import missing
from celltrain.report.figures import Figure
from celltrain.topology import DrawingError, Topology, layout, paths
from celltrain.topology.model import Cable, Network, times

Data = Mapping[str, Any]

#: Recorded quantities with gauges, each with its word; all others are only in the curves.
_WORDS = {"queue_cells": "queue", "rate_bps": "rate", "cwnd_bytes": "cwnd", "acr_bps": "ACR"}
#: With more gauges nobody sees what happens, and with more nodes no letter can be read.
_MOST_GAUGES = 12
_MOST_NODES = 24
#: Width and height of a gauge with its two lines of text, and mean width of a letter, in pixels.
_GAUGE = layout.Size(150, 32)
_LETTER = 8.5
_NAME_HEIGHT = 18.0
_PADDING = 8.0
_CABLE = layout.Size(24, 12)


@dataclass(frozen=True)
class Gauge:
    """A bar that shows a recorded quantity.

    Attributes
    ----------
    panel, series : int
        The place of the series in the figure.
    full : float or None
        The value of a full bar: the buffer of a queue; None for the greatest value recorded.
    x, y : float
        The upper left corner.
    """

    label: str
    panel: int
    series: int
    full: float | None
    x: float
    y: float


@dataclass(frozen=True)
class Box:
    """A node; ``x`` and ``y`` are its upper left corner."""

    name: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Scene:
    """The network in one arrangement, in pixels; cables are paths of SVG."""

    width: float
    height: float
    boxes: Sequence[Box]
    cables: Sequence[str]
    gauges: Sequence[Gauge]


@dataclass(frozen=True)
class Stage:
    """The network as the animation shows it: from left to right on wide screens, from top to bottom on narrow ones."""

    wide: Scene
    tall: Scene


@dataclass(frozen=True)
class _Recorded:
    """A recorded quantity with a gauge: its label, its series, and what a full bar is."""

    label: str
    panel: int
    series: int
    full: float | None


def of_run(scenario: Data, figure: Figure) -> Stage | None:
    """Set the stage for the traces of a run; None if it cannot be set.

    No gauge may have a place, the network may be too large to be read, or what lays it out is not installed.

    Parameters
    ----------
    scenario
        The canonical form of the scenario.
    figure
        The traces, whose series know what was recorded.
    """
    try:
        network = Topology(scenario, "").network
        gauges = _gauges(scenario, network, figure)
    except (DrawingError, KeyError, TypeError, ValueError, AttributeError):
        # Results of other versions may lack what this needs; the curves do not depend on it.
        return None
    if not gauges or len(network.nodes) > _MOST_NODES or missing("drawing"):
        return None
    return Stage(_placed(network, gauges, down=False), _placed(network, gauges, down=True))


def _gauges(scenario: Data, network: Network, figure: Figure) -> dict[str | Cable, list[_Recorded]]:
    """Find the gauges of each node, by its name, and of each cable."""
    found: dict[str | Cable, list[_Recorded]] = {}
    for panel_place, panel in enumerate(figure.panels):
        for place, series in enumerate(panel.series):
            item, _, quantity = series.recorded.rpartition(".")
            if quantity not in _WORDS or sum(map(len, found.values())) == _MOST_GAUGES:
                continue
            where = _place_of(scenario, network, item)
            if where is not None:
                label = f"{_WORDS[quantity]} of {item.partition('.')[2]}"
                full = _buffer(scenario, item) if quantity == "queue_cells" else None
                found.setdefault(where, []).append(_Recorded(label, panel_place, place, full))
    return found


def _place_of(scenario: Data, network: Network, item: str) -> str | Cable | None:
    """Find the cable of a link, or the node where a VC or a flow starts."""
    section, _, name = item.partition(".")
    if section == "links":
        own = _table(scenario, section, name.removesuffix(".back"))[0]
        # A group of links is one wire, whose name ends with their number.
        wires = {wire.name.partition(" ×")[0]: cable for cable in network.cables for wire in cable.wires}
        return wires.get(own)
    vc, direction = (*name.rpartition(".")[::2],) if section == "vcs" else _vc_of(scenario, name)
    route = _table(scenario, "vcs", vc)[1]["route"]
    start = route[0] if direction == "forward" else route[-1]
    names = {node.name for node in network.nodes}
    return next((each for each in (start, start.rstrip("0123456789")) if each in names), None)


def _vc_of(scenario: Data, flow: str) -> tuple[str, str]:
    """Return the VC of a flow, and the direction of its data."""
    back = flow.endswith(".back")
    own = _table(scenario, "flows", flow.removesuffix(".back"))[1]
    directions = ["forward", "backward"]
    return own["vc"], directions[directions.index(own["direction"]) ^ back]


def _table(scenario: Data, section: str, name: str) -> tuple[str, Data]:
    """Find a table by its name, or by that of a member of its group."""
    own = scenario[section]
    group = name if name in own else name.rstrip("0123456789")
    return group, own[group]


def _buffer(scenario: Data, item: str) -> float | None:
    """Return the buffer of a link in cells; None where it is not a number of cells."""
    buffer = _table(scenario, "links", item.partition(".")[2].removesuffix(".back"))[1].get("buffer")
    cells = re.fullmatch(r"(\d+) cells", str(buffer))
    return float(cells[1]) if cells else None


def _placed(network: Network, gauges: Mapping[str | Cable, Sequence[_Recorded]], *, down: bool) -> Scene:
    """Let Graphviz place nodes and cables so that each has room for its gauges."""
    names = [node.name for node in network.nodes]
    titles = [times(node.name, node.count) for node in network.nodes]
    sizes = [_room(title, len(gauges.get(name, ()))) for name, title in zip(names, titles, strict=True)]
    rooms = [_gauge_room(len(gauges.get(cable, ()))) for cable in network.cables]
    edges = [
        layout.Edge(names.index(cable.ends[0]), names.index(cable.ends[1]), room)
        for cable, room in zip(network.cables, rooms, strict=True)
    ]
    placed = layout.place(sizes, edges, down=down)
    boxes = [
        Box(title, x - size.width / 2, y - size.height / 2, size.width, size.height)
        for title, size, (x, y) in zip(titles, sizes, placed.nodes, strict=True)
    ]
    shown: list[Gauge] = []
    for name, box in zip(names, boxes, strict=True):
        shown += _stacked(gauges.get(name, ()), box.x + _PADDING, box.y + _NAME_HEIGHT + _PADDING / 2)
    for cable, room, (x, y) in zip(network.cables, rooms, placed.labels, strict=True):
        shown += _stacked(gauges.get(cable, ()), x - room.width / 2 + _PADDING, y - room.height / 2)
    return Scene(placed.size.width, placed.size.height, boxes, [paths.bezier(points) for points in placed.edges], shown)


def _room(title: str, gauges: int) -> layout.Size:
    """Return the size of a node with its gauges."""
    width = max(_LETTER * len(title), _GAUGE.width if gauges else 0.0)
    return layout.Size(width + 2 * _PADDING, _NAME_HEIGHT + gauges * _GAUGE.height + _PADDING)


def _gauge_room(gauges: int) -> layout.Size:
    """Return the room that the gauges of a cable need."""
    return layout.Size(_GAUGE.width + 2 * _PADDING, gauges * _GAUGE.height + _PADDING) if gauges else _CABLE


def _stacked(recorded: Sequence[_Recorded], x: float, top: float) -> Iterator[Gauge]:
    for place, each in enumerate(recorded):
        yield Gauge(each.label, each.panel, each.series, each.full, x, top + place * _GAUGE.height)
