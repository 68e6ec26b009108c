"""A topology in Graphviz's DOT language, for custom layouts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from celltrain.topology.colours import COLOURS
from celltrain.topology.model import Cable, Network, Node, times
from celltrain.topology.wrapping import printable, wrap

#: Characters in a line of a label.
LETTERS = 28
SHAPES = {"host": "box", "switch": "box", "router": "octagon", "LAN": "oval"}


def write(network: Network, highlight: str | None = None) -> str:
    """Write a topology in the DOT language; the colours of a cable are those of the VCs on it.

    Parameters
    ----------
    highlight
        The only VC to draw in colour.
    """
    index = {node.name: number for number, node in enumerate(network.nodes)}
    lines = [
        "graph topology {",
        f"  graph [rankdir=LR, labelloc=t, label={_quoted([network.title, network.subtitle])}]",
        '  node [fontname="Helvetica", fontsize=11, margin="0.15,0.08"]',
        '  edge [fontname="Helvetica", fontsize=10]',
        *(f"  n{number} [{_node(node)}]" for number, node in enumerate(network.nodes)),
        *(
            f"  n{index[cable.ends[0]]} -- n{index[cable.ends[1]]} [{_cable(network, cable, highlight)}]"
            for cable in network.cables
        ),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node(node: Node) -> str:
    told = [times(node.name, node.count), *_wrapped([node.kind, *node.facts, *(note.text for note in node.notes)])]
    style = '"rounded"' if node.kind == "host" else '""'
    piled = ", peripheries=2" if node.count is not None else ""
    return f"label={_quoted(told)}, shape={SHAPES.get(node.kind, 'box')}, style={style}{piled}"


def _cable(network: Network, cable: Cable, highlight: str | None) -> str:
    told = []
    for wire in cable.wires:
        arrow = "↔" if wire.forward and wire.backward else "→" if wire.forward else "←"
        told += [f"{arrow} {wire.name}", *_wrapped(wire.facts)]
    colours = [
        COLOURS[route.number % len(COLOURS)].light
        for route in network.routes
        if highlight in (None, route.name) and cable.ends in {*route.hops(), *((b, a) for a, b in route.hops())}
    ]
    return f'label={_quoted(told)}, color="{":".join(colours) or "#8c959f"}"'


def _wrapped(texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in wrap(text, LETTERS)]


def _quoted(lines: Sequence[str]) -> str:
    r"""Quote the lines of a label, where a backslash begins an escape and a quotation mark ends the text.

    >>> print(_quoted(['a "b"', "c\\d"]))
    "a \"b\"\nc\\d"
    """
    escaped = (printable(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "\\n".join(escaped) + '"'
