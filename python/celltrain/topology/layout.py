"""Positions of nodes, cables and labels in a picture, computed by Graphviz's ``dot``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from celltrain.extras import need

Point = tuple[float, float]

#: Graphviz measures sizes of nodes in inches, everything else in points.
POINTS_PER_INCH = 72


@dataclass(frozen=True)
class Size:
    """Width and height, in points."""

    width: float
    height: float


@dataclass(frozen=True)
class Edge:
    """A cable between two nodes, given by their indices, with the size of its label."""

    tail: int
    head: int
    label: Size


@dataclass(frozen=True)
class Layout:
    """Positions, in points to the right of and below the upper left corner."""

    size: Size
    #: Centres of the nodes.
    nodes: tuple[Point, ...]
    #: Control points of the cables: one, then three for each cubic Bezier curve.
    edges: tuple[tuple[Point, ...], ...]
    #: Centres of the cables' labels.
    labels: tuple[Point, ...]


def place(nodes: Sequence[Size], edges: Sequence[Edge], *, down: bool = False) -> Layout:
    """Lay out nodes from left to right along their cables; with ``down``, from top to bottom.

    Graphviz sees only sizes and indices, no text: neither fonts nor names can change the layout.
    """
    need("drawing", by="a picture of a network")
    from pygraphviz import AGraph

    if not nodes:
        return Layout(Size(0, 0), (), (), ())
    graph = AGraph(string=_source(nodes, edges, down=down))
    try:
        placed = json.loads(graph.draw(format="json0", prog="dot"))
    finally:
        graph.close()
    left, bottom, right, top = _numbers(placed["bb"])

    def point(text: str) -> Point:
        x, y = _numbers(text)
        return round(x - left, 1), round(top - y, 1)

    edge_data = sorted(placed.get("edges", ()), key=lambda edge: int(edge["place"]))
    node_data = sorted(placed["objects"], key=lambda node: int(node["name"]))
    return Layout(
        Size(round(right - left, 1), round(top - bottom, 1)),
        tuple(point(node["pos"]) for node in node_data),
        tuple(tuple(point(each) for each in edge["pos"].split()) for edge in edge_data),
        tuple(point(edge["lp"]) for edge in edge_data),
    )


def _source(nodes: Sequence[Size], edges: Sequence[Edge], *, down: bool) -> str:
    lines = [
        "digraph {",
        f"graph [rankdir={'TB' if down else 'LR'} nodesep=0.4 ranksep=0.35]",
        'node [shape=box fixedsize=true label=""]',
    ]
    for index, size in enumerate(nodes):
        width, height = size.width / POINTS_PER_INCH, size.height / POINTS_PER_INCH
        lines.append(f"{index} [width={width:.4f} height={height:.4f}]")
    for index, edge in enumerate(edges):
        room = f'WIDTH="{edge.label.width:.0f}" HEIGHT="{edge.label.height:.0f}"'
        label = f'<<TABLE BORDER="0" FIXEDSIZE="TRUE" {room}><TR><TD></TD></TR></TABLE>>'
        lines.append(f"{edge.tail} -> {edge.head} [dir=none place={index} label={label}]")
    return "\n".join([*lines, "}"])


def _numbers(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]
