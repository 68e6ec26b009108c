"""The drawing of a network for the top of a page."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from celltrain.extras import MissingExtra
from celltrain.topology import DrawingError, Topology


def drawing(scenario: Mapping[str, Any], title: str) -> str:
    """Draw the network of a scenario in its canonical form, as the address of an image; empty if it cannot be drawn.

    As an image, a drawing cannot run code, whatever the names in it are.
    """
    try:
        svg = Topology(scenario, title).svg()
    except (DrawingError, MissingExtra, KeyError, TypeError, ValueError, AttributeError):
        # Results of other versions may lack what a drawing needs; the rest of the page does not depend on it.
        return ""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode("ascii")
