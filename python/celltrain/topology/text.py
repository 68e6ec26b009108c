"""A topology as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from celltrain.topology import lanes
from celltrain.topology.colours import COLOURS
from celltrain.topology.model import Cable, Entry, Network, Node, Wire, times
from celltrain.topology.wrapping import printable, wrap

#: Symbols of nodes by kind; the second is used if another VC is highlighted.
SIGNS = {"host": ("●", "○"), "switch": ("■", "□")}
OTHER_SIGNS = ("◆", "◇")
ASCII_LANES = str.maketrans("●○■□◆◇↓↑↕│─├┤╭╮╯╰┼", "@o#=*~v^:|-+++++++")
ASCII_WORDS = {" · ": ", ", "×": "x", "→": "->"}
#: Minimum width of wrapped text, even if lanes take more than the rest of the page.
NARROWEST = 24


@dataclass(frozen=True)
class Span:
    """A text and its style in the terminal, in the terms of rich."""

    text: str
    style: str = ""


Line = tuple[Span, ...]


def lines(network: Network, *, width: int, ascii_only: bool = False, highlight: str | None = None) -> list[Line]:
    """Write a topology in lines of ``width`` columns.

    Parameters
    ----------
    ascii_only
        Use only ASCII characters.
    highlight
        The VC to highlight: nodes on its path get filled symbols, others hollow ones, and other VCs are left out below.
    """
    page = Page(network, width, ascii_only, highlight)
    return [*page.heading(), (), *page.drawing(), *page.sections()]


class Page:
    """A topology on a page of some width."""

    def __init__(self, network: Network, width: int, ascii_only: bool, highlight: str | None) -> None:  # noqa: FBT001
        self._network = network
        self._width = width
        self._ascii = ascii_only
        self._highlight = highlight
        self._nodes = {node.name: node for node in network.nodes}
        self._colours = {route.name: COLOURS[route.number % len(COLOURS)].terminal for route in network.routes}
        way = [route for route in network.routes if route.name == highlight]
        self._on_way = {node for route in way for node in route.nodes}
        self._hops = {frozenset(hop) for route in way for hop in route.hops()}

    def heading(self) -> Iterator[Line]:
        """Write the name of the scenario, and its size."""
        for text, style in ((self._network.title, "bold"), (self._network.subtitle, "dim")):
            for line in self._wrap(text, self._width):
                yield (Span(line, style),)

    def drawing(self) -> Iterator[Line]:
        """Draw nodes and cables."""
        network = self._network
        rows = lanes.draw(
            [node.name for node in network.nodes],
            network.cables,
            {node.name: self._sign(node) for node in network.nodes},
        )
        gutter = max((len(row.lanes) for row in rows), default=0)
        names = max((len(wire.name) for cable in network.cables for wire in cable.wires), default=0)
        names = min(names, max(self._width // 4, 8))
        for row in rows:
            if row.node is not None:
                told = self._node(self._nodes[row.node], self._width - gutter)
            elif row.cable is not None:
                told = self._wire(row.cable, row.cable.wires[row.wire], names, self._width - gutter)
            else:
                told = [()]
            for index, spans in enumerate(told):
                drawn = (row.below if index else row.lanes).ljust(gutter)
                yield (Span(self._lane_text(drawn), "" if row.node is not None else "dim"), *spans)

    def sections(self) -> Iterator[Line]:
        """Describe VCs, flows, backgrounds and probes."""
        for section, entries in self._network.entries:
            shown = [entry for entry in entries if self._highlight in (None, entry.vc) and entry.lines]
            if shown:
                yield ()
                yield (Span(section, "bold"),)
                names = min(max(len(self._words(entry.name)) for entry in shown), self._width // 3)
                for entry in shown:
                    yield from self._entry(entry, names)

    def _entry(self, entry: Entry, names: int) -> Iterator[Line]:
        label = self._words(entry.name)
        style = self._colours.get(entry.vc or "", "")
        told = [part for line in entry.lines for part in self._wrap(line, self._width - names - 4, indent=2)]
        if len(label) > names:
            yield (Span(f"  {label}", style),)
            label = ""
        for line in told:
            yield (Span(f"  {label:<{names}}  ", style), Span(line))
            label = ""

    def _node(self, node: Node, width: int) -> list[Line]:
        name = self._words(times(node.name, node.count))
        dim = self._highlight is not None and node.name not in self._on_way
        told = [fact for fact in (node.kind if node.kind not in SIGNS else "", ", ".join(node.facts)) if fact]
        styled = [Span(text) for text in told] + [
            Span(note.text, self._colours[note.vc]) for note in node.notes if self._highlight in (None, note.vc)
        ]
        result: list[list[Span]] = [[Span(name, "dim" if dim else "bold")]]
        used = len(name)
        for span in styled:
            for line in self._wrap(span.text, width - 4):
                fits = used + 2 + len(line) <= width
                if fits:
                    result[-1] += [Span("  "), Span(line, span.style)]
                else:
                    result.append([Span("    "), Span(line, span.style)])
                used = used + 2 + len(line) if fits else 4 + len(line)
        return [tuple(line) for line in result]

    def _wire(self, cable: Cable, wire: Wire, names: int, width: int) -> list[Line]:
        dim = "dim" if self._highlight is not None and frozenset(cable.ends) not in self._hops else ""
        name = self._words(wire.name)
        told = self._wrap(" · ".join(wire.facts), width - names - 4)
        result: list[Line] = []
        if len(name) > names:
            result.append((Span(f"  {name}", dim or "cyan"),))
            name = ""
        for line in told:
            result.append((Span(f"  {name.ljust(names)}  ", dim or "cyan"), Span(line, dim)))
            name = ""
        return result

    def _sign(self, node: Node) -> str:
        full, hollow = SIGNS.get(node.kind, OTHER_SIGNS)
        return full if self._highlight is None or node.name in self._on_way else hollow

    def _lane_text(self, text: str) -> str:
        return text.translate(ASCII_LANES) if self._ascii else text

    def _words(self, text: str) -> str:
        text = printable(text)
        if self._ascii:
            for sign, letters in ASCII_WORDS.items():
                text = text.replace(sign, letters)
            text = text.encode("ascii", "replace").decode()
        return text

    def _wrap(self, text: str, width: int, indent: int = 0) -> list[str]:
        return wrap(self._words(text), max(width, NARROWEST), indent)
