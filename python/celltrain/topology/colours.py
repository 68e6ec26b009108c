"""Colours of VCs, the same in every form of a drawing."""

from __future__ import annotations

from typing import NamedTuple


class Colour(NamedTuple):
    """A colour on a light page, on a dark page, and its name in a terminal."""

    light: str
    dark: str
    terminal: str


#: Used in turn; distinguishable for colour-blind readers (after Okabe and Ito).
COLOURS = (
    Colour("#0072b2", "#58b4ee", "blue"),
    Colour("#c44e00", "#ff9a57", "yellow"),
    Colour("#00805c", "#3ccfa4", "green"),
    Colour("#a8508a", "#e79ac9", "magenta"),
    Colour("#8a6d00", "#e6c34a", "red"),
    Colour("#4b5bd0", "#a5b0ff", "cyan"),
)
