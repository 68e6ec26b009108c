"""Write the drawings of the documentation: each ``docs/drawings/NAME.toml`` becomes ``docs/images/NAME.svg``.

A description has a ``title``, a sentence ``says`` as alternative text, a ``size`` in pixels and lists
of elements. Positions are in units of ``grid``, whose ``x`` and ``y`` are an origin and a unit in pixels; without a
grid they are pixels. Elements are drawn in this order, later ones on top:

=========  ============================================================================================================
``area``   a rectangle: ``at`` (its upper left corner), ``to``, ``class``, ``says`` (in that corner)
``line``   a line through ``points``: ``class``, ``dashed``, ``arrow`` (at its end), ``says`` with ``shift`` in pixels
``arrow``  an arrow between two boxes, ``from`` and ``to``, straight at ``x`` or ``y``, or over the points ``via``
``box``    ``name``, ``at`` (its centre), ``box`` (its size in pixels), ``lines`` of text, ``class``
``cells``  cells in a ``row``, with centres ``at``: ``class``, ``event`` (which are event cells), ``labels``
``text``   ``says`` ``at`` a place: ``class``, ``anchor``, ``bold``, ``font`` (in pixels)
=========  ============================================================================================================

With ``--check`` nothing is written; it is an error if a picture is out of date.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parent.parent
SOURCES = Path("docs/drawings")
PICTURES = Path("docs/images")

LIGHT = {
    "page": "#ffffff", "ink": "#1f2328", "soft": "#59636e", "rule": "#c8d0d8", "paper": "#f6f8fa",
    "a": "#0072b2", "b": "#c44e00", "c": "#00805c", "pale-a": "#dcecf6", "pale-b": "#fae5d8", "pale-c": "#d8efe7",
}  # fmt: skip
DARK = {
    "page": "#0d1117", "ink": "#e6edf3", "soft": "#9ba5b0", "rule": "#3d4550", "paper": "#1c2330",
    "a": "#58b4ea", "b": "#f0883e", "c": "#3fbf95", "pale-a": "#12304a", "pale-b": "#43260f", "pale-c": "#0f3a2c",
}  # fmt: skip
STYLE = """
.drawing text {{ font-family: Helvetica, Arial, "Liberation Sans", sans-serif; white-space: pre }}
.drawing .page {{ fill: {page} }}
.drawing .ink {{ fill: {ink} }}
.drawing .soft {{ fill: {soft} }}
.drawing .a {{ fill: {a} }}
.drawing .b {{ fill: {b} }}
.drawing .c {{ fill: {c} }}
.drawing .of-page {{ fill: {page} }}
.drawing .paper {{ fill: {paper}; stroke: {rule} }}
.drawing .none {{ fill: none; stroke: none }}
.drawing .pale {{ fill: {paper}; stroke: none }}
.drawing .pale-a {{ fill: {pale-a}; stroke: {a} }}
.drawing .pale-b {{ fill: {pale-b}; stroke: {b} }}
.drawing .pale-c {{ fill: {pale-c}; stroke: {c} }}
.drawing .full-a {{ fill: {a}; stroke: {a} }}
.drawing .full-b {{ fill: {b}; stroke: {b} }}
.drawing .full-c {{ fill: {c}; stroke: {c} }}
.drawing .line-ink {{ fill: none; stroke: {ink} }}
.drawing .line-soft {{ fill: none; stroke: {soft} }}
.drawing .line-rule {{ fill: none; stroke: {rule} }}
.drawing .line-a {{ fill: none; stroke: {a} }}
.drawing .line-b {{ fill: none; stroke: {b} }}
.drawing .line-c {{ fill: none; stroke: {c} }}
"""

#: Sizes in pixels: a cell, the head of an arrow, letters, the distance between lines.
CELL = (15.0, 20.0)
HEAD = (8.0, 3.6)
FONT = 12.5
LEADING = 16.0

Point = tuple[float, float]
Element = Mapping[str, Any]


class DrawingError(Exception):
    """A description is invalid; the message says why."""


def number(value: float) -> str:
    """Write a coordinate."""
    return f"{value:.1f}".removesuffix(".0")


class Drawing:
    """A picture under construction."""

    def __init__(self, described: Element) -> None:
        self.described = described
        width, height = described["size"]
        size = {"width": number(width), "height": number(height)}
        attributes = {"xmlns": "http://www.w3.org/2000/svg", "class": "drawing", "role": "img", **size}
        self.svg = ET.Element("svg", {**attributes, "viewBox": f"0 0 {number(width)} {number(height)}"})
        ET.SubElement(self.svg, "title").text = described["title"]
        ET.SubElement(self.svg, "desc").text = described["says"]
        dark = "\n@media (prefers-color-scheme: dark) {" + STYLE.format(**DARK) + "}\n"
        ET.SubElement(self.svg, "style").text = STYLE.format(**LIGHT) + dark.lstrip()
        self.add("rect", "page", x=0, y=0, width=width, height=height, rx=10)
        self.boxes = {box["name"]: box for box in described.get("box", []) if "name" in box}

    def add(self, tag: str, style: str, **attributes: float | str) -> ET.Element:
        """Add an element."""
        texts = {
            name.replace("_", "-"): value if isinstance(value, str) else number(value)
            for name, value in attributes.items()
        }
        return ET.SubElement(self.svg, tag, {"class": style, **texts})

    def place(self, at: Sequence[float]) -> Point:
        """Return a position in pixels."""
        grid = self.described.get("grid", {"x": [0, 1], "y": [0, 1]})
        (x0, dx), (y0, dy) = grid["x"], grid["y"]
        return x0 + dx * at[0], y0 + dy * at[1]

    def text(self, says: str, at: Point, element: Element, font: float = FONT, style: str = "ink") -> None:
        """Write a line of text."""
        x, y = at
        attributes: dict[str, float | str] = {"x": x, "y": y, "font_size": element.get("font", font)}
        anchor = element.get("anchor", "start")
        if anchor != "start":
            attributes["text_anchor"] = anchor
        if element.get("bold"):
            attributes["font_weight"] = "bold"
        self.add("text", style, **attributes).text = says

    def area(self, area: Element) -> None:
        """Draw a rectangle behind everything."""
        (x, y), (right, below) = self.place(area["at"]), self.place(area["to"])
        style = area.get("class", "pale")
        self.add("rect", style, x=x, y=y, width=right - x, height=below - y, rx=area.get("rx", 8))
        if "says" in area:
            self.text(area["says"], (x + 10, y + 18), {**area, "bold": True}, style=area.get("ink", "soft"))

    def stroke(self, points: Sequence[Point], element: Element) -> None:
        """Draw a line, with a head at its end if it is an arrow."""
        colour = element.get("class", "soft")
        points = list(points)
        attributes: dict[str, float | str] = {"stroke_width": element.get("width", 1.4)}
        if element.get("dashed"):
            attributes["stroke_dasharray"] = "5 4"
        if element.get("arrow", True):
            self.head(points[-2], points[-1], colour)
            points[-1] = toward(points[-1], points[-2], HEAD[0] - 1)
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.add("polyline", f"line-{colour}", points=path, **attributes)
        if "says" in element:
            self.label(points, element, colour)

    def label(self, points: Sequence[Point], element: Element, colour: str) -> None:
        """Write the text of a line beside its middle."""
        middle = len(points) // 2
        (x, y), (x1, y1) = points[middle - 1], points[middle]
        dx, dy = element.get("shift", (0, -6))
        says = element["says"]
        style = "soft" if colour == "rule" else colour
        for line_number, line in enumerate([says] if isinstance(says, str) else says):
            at = ((x + x1) / 2 + dx, (y + y1) / 2 + dy + LEADING * line_number)
            self.text(line, at, {"anchor": "middle", **element}, font=11.5, style=style)

    def head(self, before: Point, end: Point, colour: str) -> None:
        """Draw the head of an arrow."""
        length, half = HEAD
        x, y = toward(end, before, length)
        dx, dy = (end[0] - x) / length * half, (end[1] - y) / length * half
        corners = [end, (x - dy, y + dx), (x + dy, y - dx)]
        self.add("polygon", colour, points=" ".join(f"{number(a)},{number(b)}" for a, b in corners))

    def line(self, line: Element) -> None:
        """Draw a line, which is an arrow only if it says so."""
        self.stroke([self.place(point) for point in line["points"]], {"arrow": False, **line})

    def arrow(self, arrow: Element) -> None:
        """Draw an arrow from the edge of one box to that of another."""
        ends = [self.box_of(arrow[end]) for end in ("from", "to")]
        via = [self.place(point) for point in arrow.get("via", [])]
        middles = [self.place(box["at"]) for box in ends]
        if "x" in arrow:  # A vertical arrow that need not connect the centres.
            x = self.place([arrow["x"], 0])[0]
            middles = [(x, y) for _, y in middles]
        if "y" in arrow:
            y = self.place([0, arrow["y"]])[1]
            middles = [(x, y) for x, _ in middles]
        points = [middles[0], *via, middles[1]]
        first = edge(middles[0], points[1], self.place(ends[0]["at"]), ends[0]["box"])
        last = edge(middles[1], points[-2], self.place(ends[1]["at"]), ends[1]["box"])
        self.stroke([first, *via, last], arrow)

    def box_of(self, name: str) -> Element:
        """Find a box."""
        box: Element | None = self.boxes.get(name)
        if box is None:
            raise DrawingError(f"no box is named {name!r}")
        return box

    def box(self, box: Element) -> None:
        """Draw a box with lines of text, the first of them bold."""
        (x, y), (width, height) = self.place(box["at"]), box["box"]
        corner = {"x": x - width / 2, "y": y - height / 2}
        style = box.get("class", "paper")
        self.add("rect", style, **corner, width=width, height=height, rx=box.get("rx", 6), stroke_width=1.2)
        lines = box["lines"]
        top = y - LEADING * (len(lines) - 1) / 2 + FONT * 0.35
        for place, says in enumerate(lines):
            first = place == 0 and box.get("bold", True)
            font, ink = (FONT, "ink") if first or not box.get("bold", True) else (11.5, "soft")
            self.text(says, (x, top + LEADING * place), {"anchor": "middle", "bold": first}, font, box.get("ink", ink))

    def cells(self, cells: Element) -> None:
        """Draw cells in a row."""
        width, height = cells.get("cell", CELL)
        events, labels = cells.get("event", []), cells.get("labels", [])
        for place, at in enumerate(cells["at"]):
            x, y = self.place([at, cells["row"]])
            is_event = place in events
            style = f"{'full' if is_event else 'pale'}-{cells.get('class', 'a')}"
            corner = {"x": x - width / 2, "y": y - height / 2}
            self.add("rect", style, **corner, width=width, height=height, rx=3, stroke_width=1.3)
            if place < len(labels):
                ink = "of-page" if is_event else "ink"
                self.text(str(labels[place]), (x, y + 4), {"anchor": "middle"}, 10.5, ink)

    def write(self, text: Element) -> None:
        """Write a separate text."""
        x, y = self.place(text["at"])
        says = text["says"]
        for place, line in enumerate([says] if isinstance(says, str) else says):
            self.text(line, (x, y + LEADING * place), text, style=text.get("class", "ink"))


def toward(start: Point, end: Point, pixels: float) -> Point:
    """Return the point at a distance in pixels from one point towards another."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = max((dx * dx + dy * dy) ** 0.5, 1e-9)
    return start[0] + dx / length * pixels, start[1] + dy / length * pixels


def edge(inside: Point, outside: Point, middle: Point, size: Sequence[float]) -> Point:
    """Return the point at which a line from inside a box leaves it."""
    dx, dy = outside[0] - inside[0], outside[1] - inside[1]
    reaches = [1.0]
    for way, at, centre, whole in ((dx, inside[0], middle[0], size[0]), (dy, inside[1], middle[1], size[1])):
        if way:
            side = centre + (whole / 2 if way > 0 else -whole / 2)
            reaches.append((side - at) / way)
    reach = min(reaches)
    return inside[0] + dx * reach, inside[1] + dy * reach


def draw(described: Element) -> str:
    """Make a picture from its description."""
    drawing = Drawing(described)
    kinds: dict[str, Callable[[Element], None]] = {
        "area": drawing.area,
        "line": drawing.line,
        "arrow": drawing.arrow,
        "box": drawing.box,
        "cells": drawing.cells,
        "text": drawing.write,
    }
    unknown = set(described) - set(kinds) - {"title", "says", "size", "grid"}
    if unknown:
        raise DrawingError(f"unknown: {', '.join(sorted(unknown))}")
    for kind, add in kinds.items():
        for element in described.get(kind, []):
            add(element)
    ET.indent(drawing.svg, space=" ")
    return ET.tostring(drawing.svg, encoding="unicode") + "\n"


def pictures(root: Path) -> Iterator[tuple[Path, str]]:
    """Yield all pictures, each with its file."""
    for source in sorted((root / SOURCES).glob("*.toml")):
        try:
            picture = draw(tomllib.loads(source.read_text(encoding="utf-8")))
        except (DrawingError, KeyError, tomllib.TOMLDecodeError) as error:
            raise DrawingError(f"{source.relative_to(root)}: {error}") from error
        yield root / PICTURES / f"{source.stem}.svg", picture


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write or check all pictures; the exit status is 1 if a check fails."""
    parser = argparse.ArgumentParser(description="Write the drawings of the documentation.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a picture is out of date")
    options = parser.parse_args(arguments)
    stale = []
    for path, picture in pictures(root):
        if options.check:
            if not path.exists() or path.read_text(encoding="utf-8") != picture:
                stale.append(path)
        else:
            path.write_text(picture, encoding="utf-8")
    for path in stale:
        print(f"{path.relative_to(root)} does not match its description: run `make drawings`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
