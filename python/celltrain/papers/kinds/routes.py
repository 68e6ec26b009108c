"""``kind = "routes"``: the paths of VCs through the network; nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from celltrain.papers.head import Head
from celltrain.papers.kinds.experiment import Computed, Point, Row
from celltrain.papers.reading import unknown

if TYPE_CHECKING:
    from celltrain.scenario import Route

#: The columns that describe a path.
WAY = ("from_lan", "to_lan", "path", "hops", "n_switches", "end_to_end_delay_s", "propagation_delay_s")


@dataclass(frozen=True, kw_only=True)
class Routes(Computed):
    """The paths of VCs.

    Attributes
    ----------
    routes : dict of str to str
        VCs of the network that have a row each, by the label of the row.
    columns : tuple of str
        The columns of the table.
    """

    routes: Mapping[str, str]
    columns: tuple[str, ...]

    @property
    def names(self) -> set[str]:
        """Columns of names, which have no unit."""
        return super().names | {"vc", "from_lan", "to_lan", "path"}

    def column_names(self, head: Head) -> list[str]:
        """Name the columns that are listed."""
        return list(self.columns)

    def known_columns(self, head: Head) -> set[str]:
        """Return the axes, the label, and the columns that describe a path."""
        return {*self.axis_columns, "vc", *WAY}

    def rows_of(self, origin: str, point: Point) -> tuple[str, list[Row]]:
        """Make a row for each VC."""
        from celltrain.scenario import Scenario

        scenario = Scenario(point.scenario, origin)
        ways = {route.vc: route for route in scenario.routes()}
        for label, vc in self.routes.items():
            if vc not in ways:
                raise unknown("VC", vc, ways, "routes", label)
        return scenario.hash, [{**point.axes, "vc": label, **way(ways[vc])} for label, vc in self.routes.items()]


def way(route: Route) -> dict[str, Any]:
    """Describe the path of a VC: the LANs at its ends, and the routers and switches between them."""
    lans = [name for name, kind in route.nodes if kind == "lan"]
    path = [name for name, kind in route.nodes if kind in ("router", "switch")]
    return {
        "from_lan": lans[0] if lans else "",
        "to_lan": lans[-1] if lans else "",
        "path": ">".join(path),
        "hops": len(path),
        "n_switches": sum(kind == "switch" for _, kind in route.nodes),
        "end_to_end_delay_s": route.delay_s,
        "propagation_delay_s": route.propagation_delay_s,
    }
