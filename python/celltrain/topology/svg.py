"""A topology as an SVG picture, readable on light and on dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from celltrain.topology import layout, paths
from celltrain.topology.colours import COLOURS
from celltrain.topology.model import Cable, Network, Node, Route, plural, times
from celltrain.topology.wrapping import printable, wrap

#: Maximum number of VCs whose routes are drawn, so that cables stay thin; a highlighted one is always drawn.
MOST_ROUTES = 12
#: Distance between two routes on one cable.
LANE = 4.0
MARGIN = 16.0
#: Offset of the second box of a group.
PILE = 4.0
#: Indentation of lines below a name.
INDENT = 12.0
NARROWEST_PAGE = 560.0
#: Characters in a line of a node or of a label.
LETTERS = 28
#: Mean width of characters, in font sizes.
MEAN_LETTER = 0.55
#: Height of a line of text, in font sizes.
LEADING = 1.3
#: Radius of the corners by kind of node.
CORNERS = {"host": 14.0, "switch": 2.0, "router": 7.0, "LAN": 20.0}

STYLE = """
.celltrain-topology text {{ font-family: Helvetica, Arial, "Liberation Sans", sans-serif; white-space: pre }}
.celltrain-topology .page {{ fill: {page} }}
.celltrain-topology .ink {{ fill: {ink} }}
.celltrain-topology .soft {{ fill: {soft} }}
.celltrain-topology .box {{ fill: {box}; stroke: {soft} }}
.celltrain-topology .cable {{ fill: none; stroke: {cable}; stroke-linecap: round }}
"""
LIGHT = {"page": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "box": "#f6f8fa", "cable": "#d1d9e0"}
DARK = {"page": "#0d1117", "ink": "#e6edf3", "soft": "#9ba5b0", "box": "#1c2330", "cable": "#3d4550"}


@dataclass(frozen=True)
class Label:
    """A line of text."""

    text: str
    size: float = 10
    style: str = "soft"
    bold: bool = False

    @property
    def width(self) -> float:
        """Its width, from the mean character widths of a common sans-serif font."""
        return sum(_letter(each) for each in self.text) * self.size * (1.07 if self.bold else 1)


def _letter(letter: str) -> float:
    if letter in "ijlI.,:;|!'()[]/ ft":
        return 0.32
    if letter in "mwMW@%→↔←+=×":
        return 0.86
    if not letter.isascii():
        return 1.0
    return 0.7 if letter.isupper() else 0.56


def draw(network: Network, highlight: str | None = None) -> str:
    """Draw a topology; ``highlight`` names the VC to highlight."""
    return Picture(network, highlight).svg()


class Picture:
    """A picture of a topology: labels are sized first, Graphviz places them, then everything is drawn."""

    def __init__(self, network: Network, highlight: str | None) -> None:
        self._network = network
        self._highlight = highlight
        stressed = [route for route in network.routes if route.name == highlight]
        others = [route for route in network.routes if route.name != highlight]
        self._routes = sorted([*stressed, *others][:MOST_ROUTES], key=lambda route: route.number)
        self._colours = {route.name: route.number % len(COLOURS) for route in network.routes}
        self._on_way = {node for route in stressed for node in route.nodes}
        self._index = {node.name: number for number, node in enumerate(network.nodes)}
        self._texts = [list(self._node_labels(node)) for node in network.nodes]
        self._edges = [list(self._cable_labels(cable)) for cable in network.cables]

    def svg(self) -> str:
        """Return the text of the file."""
        sizes = [_room(labels, 20, 14) for labels in self._texts]
        rooms = [
            _room(labels, 12, 2 * LANE + LANE * len(self._crossing(cable)))
            for labels, cable in zip(self._edges, self._network.cables, strict=True)
        ]
        edges = [
            layout.Edge(self._index[cable.ends[0]], self._index[cable.ends[1]], room)
            for cable, room in zip(self._network.cables, rooms, strict=True)
        ]
        placed = layout.place(sizes, edges)
        width = max(placed.size.width, NARROWEST_PAGE)
        heading = [Label(line, 15, "ink", bold=True) for line in _fit(self._network.title, 15, width)]
        heading += [Label(line, 11) for line in _fit(self._network.subtitle, 11, width)]
        top = MARGIN + sum(label.size * LEADING for label in heading) + 12
        root = ET.Element("svg", {"xmlns": "http://www.w3.org/2000/svg", "class": "celltrain-topology", "role": "img"})
        ET.SubElement(root, "title").text = printable(self._network.title)
        ET.SubElement(root, "desc").text = self._network.subtitle
        ET.SubElement(root, "style").text = _style()
        page = ET.SubElement(root, "rect", {"class": "page", "width": "100%", "height": "100%"})
        page.tail = "\n"
        _write(root, heading, MARGIN, MARGIN)
        picture = ET.SubElement(root, "g", {"transform": f"translate({MARGIN:g} {top:g})"})
        for cable, points in zip(self._network.cables, placed.edges, strict=True):
            self._cable(picture, cable, points)
        for cable, labels, centre in zip(self._network.cables, self._edges, placed.labels, strict=True):
            self._label(picture, cable, labels, centre, placed)
        for node, labels, size, centre in zip(self._network.nodes, self._texts, sizes, placed.nodes, strict=True):
            self._node(picture, node, labels, size, centre)
        bottom = self._sections(root, top + placed.size.height + 12, width) + MARGIN
        full = f"{width + 2 * MARGIN:.0f}", f"{bottom:.0f}"
        root.attrib |= {"width": full[0], "height": full[1], "viewBox": f"0 0 {full[0]} {full[1]}"}
        return ET.tostring(root, encoding="unicode") + "\n"

    def _node_labels(self, node: Node) -> Iterator[Label]:
        yield Label(times(node.name, node.count), 13, "ink", bold=True)
        yield Label(node.kind if node.count is None else f"group of {plural(node.kind)}")
        for fact in node.facts:
            yield from (Label(line) for line in wrap(fact, LETTERS))
        for note in node.notes:
            if self._highlight in (None, note.vc):
                style = f"vc{self._colours[note.vc]}"
                yield from (Label(line, 10, style) for line in wrap(note.text, LETTERS))

    def _cable_labels(self, cable: Cable) -> Iterator[Label]:
        """Describe the links of a cable with its first end on the left; otherwise arrows are mirrored later."""
        for wire in cable.wires:
            arrow = "↔" if wire.forward and wire.backward else "→" if wire.forward else "←"
            yield Label(f"{arrow} {wire.name}", 11, "ink", bold=True)
            for fact in wire.facts:
                yield from (Label(line) for line in wrap(fact, LETTERS))

    def _crossing(self, cable: Cable) -> list[tuple[Route, bool]]:
        """Find the routes along a cable, and whether an ABR loop of each runs there."""
        found = []
        for route in self._routes:
            loops = [hop in route.loops for hop, ends in enumerate(route.hops()) if set(ends) == set(cable.ends)]
            if loops:
                found.append((route, any(loops)))
        return found

    def _cable(self, parent: ET.Element, cable: Cable, points: Sequence[layout.Point]) -> None:
        routes = self._crossing(cable)
        room = f"{LANE * len(routes) + 2:g}"
        ET.SubElement(parent, "path", {"class": "cable", "d": paths.bezier(points), "stroke-width": room})
        for number, (route, loop) in enumerate(routes):
            shape = {
                "class": f"way{self._colours[route.name]}",
                "d": paths.beside(points, LANE * (number - (len(routes) - 1) / 2)),
                "stroke-width": "2.4" if loop else "1.2",
            }
            if self._highlight not in (None, route.name):
                shape["opacity"] = "0.25"
            path = ET.SubElement(parent, "path", shape)
            ET.SubElement(path, "title").text = f"VC {route.name}{', in an ABR loop' if loop else ''}"

    def _label(
        self,
        parent: ET.Element,
        cable: Cable,
        labels: Sequence[Label],
        centre: layout.Point,
        placed: layout.Layout,
    ) -> None:
        first, second = (placed.nodes[self._index[end]] for end in cable.ends)
        if first[0] > second[0]:
            mirror = str.maketrans("→←", "←→")
            labels = [Label(each.text.translate(mirror), each.size, each.style, each.bold) for each in labels]
        size = _room(labels, 0, 0)
        group = ET.SubElement(parent, "g", self._opacity(set(cable.ends) <= self._on_way))
        _write(group, labels, centre[0] - size.width / 2, centre[1] - size.height / 2)

    def _node(
        self, parent: ET.Element, node: Node, labels: Sequence[Label], size: layout.Size, centre: layout.Point
    ) -> None:
        group = ET.SubElement(parent, "g", self._opacity(node.name in self._on_way))
        left, top = centre[0] - size.width / 2, centre[1] - size.height / 2
        corner = min(CORNERS.get(node.kind, 0.0), size.height / 2)
        # A group is drawn as a stack.
        for shift in (PILE, 0) if node.count is not None else (0,):
            box = {"x": left + shift, "y": top - shift, "width": size.width, "height": size.height, "rx": corner}
            ET.SubElement(group, "rect", {"class": "box"} | {key: f"{value:g}" for key, value in box.items()})
        text = _room(labels, 0, 0)
        _write(group, labels, left + (size.width - text.width) / 2, centre[1] - text.height / 2)

    def _opacity(self, on_way: bool) -> dict[str, str]:  # noqa: FBT001
        return {} if self._highlight is None or on_way else {"opacity": "0.35"}

    def _sections(self, root: ET.Element, top: float, width: float) -> float:
        """Describe VCs, flows, backgrounds and probes below the drawing; return the bottom coordinate."""
        for section, entries in self._network.entries:
            shown = [entry for entry in entries if self._highlight in (None, entry.vc)]
            if shown:
                heading = Label(section, 11, "ink", bold=True)
                _write(root, [heading], MARGIN, top + 6)
                if section == "VCs" and any(route.loops for route in self._routes):
                    _write(root, [Label("wide lines: in an ABR loop", 10)], MARGIN + heading.width + INDENT, top + 7)
                top += 6 + 11 * LEADING
                for entry in shown:
                    style = "ink" if entry.vc is None else f"vc{self._colours[entry.vc]}"
                    top = _write(root, [Label(entry.name, 10, style, bold=True)], MARGIN, top)
                    told = [part for line in entry.lines for part in _fit(line, 10, width - INDENT)]
                    top = _write(root, [Label(line) for line in told], MARGIN + INDENT, top) + 3
        hidden = len(self._network.routes) - len(self._routes)
        if hidden:
            note = Label(f"The routes of {hidden} more VCs are not drawn; highlight one to see it.", 10, "ink")
            top = _write(root, [note], MARGIN, top + 6)
        return top


def _room(labels: Sequence[Label], across: float, down: float) -> layout.Size:
    """Return the size of lines of text, with padding."""
    width = max((label.width for label in labels), default=0)
    return layout.Size(width + across, sum(label.size * LEADING for label in labels) + down)


def _fit(text: str, size: float, width: float) -> list[str]:
    """Break a text into lines of a width, by the mean width of characters."""
    return wrap(printable(text), max(int(width / (MEAN_LETTER * size)), LETTERS))


def _write(parent: ET.Element, labels: Sequence[Label], left: float, top: float) -> float:
    """Write lines of text one below the other; return the bottom coordinate."""
    for label in labels:
        top += label.size * LEADING
        shape = {
            "class": label.style,
            "x": f"{left:.1f}",
            "y": f"{top - 0.35 * label.size:.1f}",
            "font-size": f"{label.size:g}",
        }
        if label.bold:
            shape["font-weight"] = "bold"
        ET.SubElement(parent, "text", shape).text = printable(label.text)
    return top


def _style() -> str:
    light, dark = (
        STYLE.format(**theme)
        + "".join(
            f".celltrain-topology .vc{number} {{ fill: {getattr(colour, which)} }}\n"
            f".celltrain-topology .way{number} {{ fill: none; stroke: {getattr(colour, which)} }}\n"
            for number, colour in enumerate(COLOURS)
        )
        for theme, which in ((LIGHT, "light"), (DARK, "dark"))
    )
    return f"{light}@media (prefers-color-scheme: dark) {{{dark}}}\n"
