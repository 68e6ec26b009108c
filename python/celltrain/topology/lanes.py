"""A drawing of a graph in lanes, one row per line: a column of nodes, with cables running down beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from celltrain.topology.model import Cable
from celltrain.topology.order import along_cables


@dataclass(frozen=True)
class Row:
    """A row: its lanes, two columns each, and the node or wire named beside them."""

    lanes: str
    node: str | None = None
    cable: Cable | None = None
    #: Index of the wire of ``cable``.
    wire: int = 0
    #: The lanes of a row that continues this one.
    below: str = ""


class Lanes:
    """Draws one node after the other.

    A lane belongs to a node: it leads away from a drawn node with remaining cables, or towards a later node with a
    cable that is already drawn.
    """

    def __init__(self, cables: Iterable[Cable], glyphs: Mapping[str, str]) -> None:
        self.rows: list[Row] = []
        self._glyphs = glyphs
        self._lanes: list[str | None] = []
        #: Cables of each drawn node whose other end is not drawn yet, and drawn cables of each later node.
        self._left: dict[str, list[Cable]] = {}
        for cable in cables:
            for end in cable.ends:
                self._left.setdefault(end, []).append(cable)
        self._drawn: set[str] = set()

    def place(self, name: str) -> None:
        """Draw the cables that lead to a node, the node, and the next cable if there is only one.

        The lane of that cable then leads to its other end, where others may join it at once.
        """
        for cable in [each for each in self._left.get(name, ()) if _other(each, name) in self._drawn]:
            self._connect(cable, _other(cable, name), name)
        if name not in self._lanes:
            if self.rows and self.rows[-1].node is not None:
                self.rows.append(Row(self._text()))  # So that it does not appear attached to the node above.
            self._open(name, -1)
        lane = self._lanes.index(name)
        self._drawn.add(name)
        below = self._text()
        if not self._left.get(name):
            below = self._text({lane: " "})
        self.rows.append(Row(self._text({lane: self._glyphs[name]}), node=name, below=below))
        left = self._left.get(name, [])
        if not left:
            self._lanes[lane] = None
        elif len(left) == 1:
            self._connect(left[0], name, _other(left[0], name))

    def _connect(self, cable: Cable, drawn: str, name: str) -> None:
        """Draw a cable from a drawn node to a later one."""
        self._left[drawn].remove(cable)
        self._left[name].remove(cable)
        lane = self._lanes.index(drawn)
        if not self._left[drawn]:
            self._wires(cable, drawn, lane)
            if name in self._lanes:
                self._join(lane, self._lanes.index(name))
            else:
                self._lanes[lane] = name
            return
        branch = self._open("", lane)
        if branch > lane:
            self._row(lane, branch, "├", "╮")
        else:
            self._row(branch, lane, "╭", "┤")
        self._wires(cable, drawn, branch)
        if name in self._lanes:
            self._join(branch, self._lanes.index(name))
        else:
            self._lanes[branch] = name

    def _open(self, owner: str, beside: int) -> int:
        """Take the first free lane: to the right of lane ``beside``, or else to its left, or else a new one."""
        lanes = [*range(beside + 1, len(self._lanes)), *range(beside)]
        lane = next((lane for lane in lanes if self._lanes[lane] is None), len(self._lanes))
        self._lanes[lane : lane + 1] = [owner]
        return lane

    def _wires(self, cable: Cable, drawn: str, lane: int) -> None:
        if not cable.wires:
            self.rows.append(Row(self._text()))
        down = cable.ends[0] == drawn
        for index, wire in enumerate(cable.wires):
            goes_down, goes_up = (wire.forward, wire.backward) if down else (wire.backward, wire.forward)
            arrow = "↕" if goes_down and goes_up else "↓" if goes_down else "↑"
            self.rows.append(Row(self._text({lane: arrow}), cable=cable, wire=index, below=self._text({lane: "│"})))

    def _join(self, lane: int, target: int) -> None:
        """Merge a lane into another."""
        if lane > target:
            self._row(target, lane, "├", "╯")
        else:
            self._row(lane, target, "╰", "┤")
        self._lanes[lane] = None

    def _row(self, left: int, right: int, start: str, end: str) -> None:
        """Draw a line across the lanes from ``left`` to ``right``."""
        cells = list(self._text())
        for column in range(2 * left + 1, 2 * right):
            cells[column] = "┼" if cells[column] == "│" else "─"
        cells[2 * left], cells[2 * right] = start, end
        self.rows.append(Row("".join(cells)))

    def _text(self, instead: Mapping[int, str] | None = None) -> str:
        """Write the lanes, with other characters in some."""
        signs = ["│" if owner is not None else " " for owner in self._lanes]
        for lane, sign in (instead or {}).items():
            signs[lane] = sign
        return "".join(f"{sign} " for sign in signs)


def _other(cable: Cable, end: str) -> str:
    first, second = cable.ends
    return second if end == first else first


def draw(nodes: Sequence[str], cables: Sequence[Cable], glyphs: Mapping[str, str]) -> list[Row]:
    """Draw nodes, each as its glyph, and the cables between them."""
    lanes = Lanes(cables, glyphs)
    for name in along_cables(nodes, cables):
        lanes.place(name)
    return lanes.rows
