"""Drawings of the topology of a scenario: text for a terminal, SVG, and Graphviz's DOT language."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from celltrain.topology import model
from celltrain.topology.expand import expanded, parts
from celltrain.topology.text import Line, lines

__all__ = ["DrawingError", "Topology"]

#: Maximum number of nodes, links and VCs that are drawn one by one, and of nodes and cables that are laid out: a larger
#: picture is unreadable, and its layout takes minutes.
MOST_PARTS = 600


class DrawingError(ValueError):
    """A drawing that cannot be made; the message says why, and what to do."""


class Topology:
    """The network of a scenario, ready to be drawn. A notebook displays it directly.

    Parameters
    ----------
    data
        The canonical form of a scenario.
    title
        The title of the drawing.
    expand
        Draw each member of a group; without it, a group is drawn once.
    vc
        The name of a VC, a group of VCs or a member of one to highlight: everything off its path is faded.

    Raises
    ------
    DrawingError
        No VC has this name, or there are too many members to draw each.
    """

    def __init__(self, data: Mapping[str, Any], title: str, *, expand: bool = False, vc: str | None = None) -> None:
        if expand:
            count = parts(data)
            if count > MOST_PARTS:
                raise DrawingError(
                    f"expanded, the scenario has {count:,} nodes, links and VCs; at most {MOST_PARTS} are drawn one "
                    "by one. Draw its groups, or lower a `count`"
                )
            data = expanded(data)
        self.network = model.network(data, title)
        self._highlight = None if vc is None else _known_vc(model.Names(data), vc)

    def lines(self, width: int = 80, *, ascii_only: bool = False) -> list[Line]:
        """Draw as lines of text with styles; :meth:`text` returns the same without styles."""
        return lines(self.network, width=width, ascii_only=ascii_only, highlight=self._highlight)

    def text(self, width: int = 80, *, ascii_only: bool = False) -> str:
        """Draw as text of ``width`` columns; with ``ascii_only`` in ASCII."""
        drawn = ("".join(span.text for span in line).rstrip() for line in self.lines(width, ascii_only=ascii_only))
        return "\n".join(drawn) + "\n"

    def dot(self) -> str:
        """Return the network in Graphviz's DOT language, for a custom layout."""
        from celltrain.topology import dot

        return dot.write(self.network, self._highlight)

    def svg(self) -> str:
        """Draw as SVG, for light and for dark pages. The same scenario always gives the same text.

        Raises
        ------
        DrawingError
            There are too many nodes and cables to lay out.
        """
        from celltrain.topology import svg

        count = len(self.network.nodes) + len(self.network.cables)
        if count > MOST_PARTS:
            raise DrawingError(
                f"the scenario has {count:,} nodes and cables; at most {MOST_PARTS} are laid out. Draw it as text, or "
                "write .dot and lay it out with a program for large graphs, such as Graphviz's sfdp"
            )
        return svg.draw(self.network, self._highlight)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        """Draw as text of 80 columns."""
        return self.text()


def _known_vc(names: model.Names, name: str) -> str:
    try:
        return names.vc(name)
    except KeyError:
        near = difflib.get_close_matches(name, names.sizes, n=1)
        hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(list(names.sizes)[:10])}"
        raise DrawingError(f'there is no VC "{name}"; {hint}') from None
