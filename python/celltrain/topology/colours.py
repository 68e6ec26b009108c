"""Colours of VCs, alike in every form of a drawing."""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour on a light page, on a dark page, and in a terminal, by its name there."""

    light: str
    dark: str
    terminal: str


#: Taken in turn; chosen so that the colour-blind tell them apart (after Okabe and Ito).
COLOURS = (
    Colour("#0072b2", "#58b4ee", "blue"),
    Colour("#c44e00", "#ff9a57", "yellow"),
    Colour("#00805c", "#3ccfa4", "green"),
    Colour("#a8508a", "#e79ac9", "magenta"),
    Colour("#8a6d00", "#e6c34a", "red"),
    Colour("#4b5bd0", "#a5b0ff", "cyan"),
)
