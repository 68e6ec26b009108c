"""Figures of effects: variation explained and effects with intervals, and residuals against predictions."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from celltrain import drawing, readable
from celltrain.sweeps.effects import Effects, Term
from celltrain.sweeps.responses import EffectsError

#: Heights of a figure, in inches.
_TWO_PANELS, _ONE_PANEL = 5.6, 4.2
#: Maximum number of bars; the terms with the most variation are drawn.
MOST_BARS = 40
#: More names of bars than this, or longer ones, are turned.
_LEVEL_NAMES, _SHORT_NAME = 16, 4
#: Space between the bars of two terms, as a part of a bar's width.
_BETWEEN = 0.5


@dataclass(frozen=True)
class _Bars:
    """The bars of a term: their places, its name, its part of the variation in per cent, its colour."""

    name: str
    places: list[float]
    percent: float
    style: int
    term: Term | None = None

    @property
    def label(self) -> str:
        """The entry of the legend for bars of this colour."""
        return ("main effect", "interaction", "no effect of a factor")[self.style]


def figure(effects: Effects) -> Figure:
    """Draw the part of the variation that each term explains, and its effects with 95 % confidence intervals."""
    drawn = _bars(effects)
    names = [f"{factor.letter}  {factor.key}" for factor in effects.responses.factors]
    made, (above, below) = drawing.empty(2, _TWO_PANELS, names)
    for bars in drawn:
        width = len(bars.places) - 1 + 0.8
        above.bar(np.mean(bars.places), bars.percent, width, label=bars.label, **drawing.bar(bars.style))
    drawing.dress(above, "variation explained [%]")
    _draw_effects(below, effects, drawn)
    for name in names:
        above.plot([], [], linestyle="", label=name)
    kinds = list(dict.fromkeys(bars.label for bars in drawn))
    drawing.common_legend(made, [above], [*kinds, *names])
    above.set_title(_title(effects), loc="left", fontsize=9.5)
    return made


def _bars(effects: Effects) -> list[_Bars]:
    chosen = _most_variation(effects.terms)
    found, place = [], 0.0
    for term in effects.terms:
        if term.name in chosen:
            places = [place + number for number in range(len(term.estimates))]
            found.append(_Bars(term.name, places, 100 * term.variation.part, int(len(term.name) > 1), term))
            place = places[-1] + 1 + _BETWEEN
    for name, part in effects.rest:
        found.append(_Bars(name, [place], 100 * part.part, 1 if name.startswith("higher") else 2))
        place += 1 + _BETWEEN
    return found


def _most_variation(terms: list[Term]) -> set[str]:
    """Choose as many terms as there is room for; the first one is always drawn."""
    chosen: set[str] = set()
    bars = 0
    for term in sorted(terms, key=lambda each: -each.variation.sum_of_squares):
        bars += len(term.estimates)
        if chosen and bars > MOST_BARS:
            break
        chosen.add(term.name)
    return chosen


def _draw_effects(axes: Axes, effects: Effects, drawn: list[_Bars]) -> None:
    estimates = [(bars, estimate) for bars in drawn if bars.term for estimate in bars.term.estimates]
    values = np.array([estimate.value for _, estimate in estimates])
    factor, unit = (1.0, "log10") if effects.multiplicative else readable.unit_for(values, effects.responses.unit)
    ticks: list[tuple[float, str]] = []
    for bars in drawn:
        if bars.term is None:
            ticks.append((bars.places[0], bars.name))
            continue
        heights = np.array([estimate.value for estimate in bars.term.estimates]) * factor
        halves = np.nan_to_num(np.array([estimate.half_width for estimate in bars.term.estimates])) * factor
        yerr = halves if effects.error.dof else None
        axes.bar(bars.places, heights, 0.8, yerr=yerr, capsize=2.5, **drawing.bar(bars.style))
        for place, estimate in zip(bars.places, bars.term.estimates, strict=True):
            ticks.append((place, ": ".join(filter(None, (bars.name, ", ".join(estimate.levels))))))
    axes.axhline(0.0, color="#444444", linewidth=0.8)
    drawing.dress(axes, readable.label("effect", unit))
    turned = len(ticks) > _LEVEL_NAMES or any(len(bars.places) > 1 for bars in drawn)
    places, texts = zip(*ticks, strict=True)
    axes.set_xticks(places, texts, rotation=60 if turned else 20, ha="right")


def _title(effects: Effects) -> str:
    read = effects.responses
    model = "multiplicative" if effects.multiplicative else "additive"
    runs = "1 replication, no intervals" if effects.replications == 1 else f"{effects.replications} replications"
    shown = sum(len(term.estimates) for term in effects.terms)
    left_out = "; only the terms with the most variation" if shown > MOST_BARS else ""
    return f"{read.metric}, {model} model, {runs}{left_out}"


def residuals_figure(effects: Effects) -> Figure:
    """Draw residuals against predictions: a trend or a spread that grows speaks against the model.

    Raises
    ------
    EffectsError
        With one replication, all residuals are zero.
    """
    if effects.replications == 1:
        raise EffectsError(
            f"{effects.responses.metric}: one replication has no residuals; sweep with --replications 2 or more"
        )
    made, (axes,) = drawing.empty(1, _ONE_PANEL)
    predicted, residuals = effects.predicted.ravel(), effects.residuals.ravel()
    unit = effects.responses.unit
    factor, shown = (1.0, "log10") if effects.multiplicative else readable.unit_for(predicted, unit)
    style = drawing.line(drawing.FIRST_BRIGHT)
    axes.plot(predicted * factor, residuals * factor, marker="o", markersize=4, **(style | {"linestyle": ""}))
    axes.axhline(0.0, color="#444444", linewidth=0.8)
    drawing.dress(axes, readable.label("residual", shown))
    axes.set_xlabel(readable.label("predicted response", shown))
    axes.set_title(_title(effects), loc="left", fontsize=9.5)
    return made


def image(drawn: Figure, kind: str) -> bytes:
    """Write a figure as ``"svg"`` or ``"png"``."""
    buffer = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    with rc_context({"svg.hashsalt": "celltrain", "svg.fonttype": "none"}):
        drawn.savefig(buffer, format=kind, dpi=150, metadata=metadata)
    return buffer.getvalue()
