"""Figures of effects: variation explained and effects with intervals, and residuals against predictions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from celltrain import drawing, readable
from celltrain.sweeps.effects import Effects, Term
from celltrain.sweeps.effects_table import with_aliases
from celltrain.sweeps.responses import EffectsError

#: Heights of a figure of effects, of one whose bars have the names of levels, and of one of residuals, in inches.
_EFFECTS, _WITH_LEVELS, _RESIDUALS = 5.6, 7.0, 4.2
#: Maximum number of bars; the terms with the most variation are drawn.
MOST_BARS = 40
#: Space between the bars of two terms, as a part of the distance of bars.
_BETWEEN = 0.5
#: What the colours mean.
_KINDS = ("main effect", "interaction", "seeds, error")


@dataclass(frozen=True)
class _Bars:
    """The bars of a term: its name, their places, its part of the variation in per cent, its kind."""

    name: str
    places: list[float]
    percent: float
    kind: int
    term: Term | None = None


def figure(effects: Effects) -> Figure:
    """Draw the part of the variation that each term explains, and its effects with 95 % confidence intervals."""
    drawn = _bars(effects)
    names = [f"{factor.letter}  {factor.key}" for factor in effects.responses.factors]
    two_level = effects.responses.two_level
    made, (above, below) = drawing.empty(2, _EFFECTS if two_level else _WITH_LEVELS, names)
    for bars in drawn:
        own = above.bar(np.mean(bars.places), bars.percent, 0.8, label=_KINDS[bars.kind], **drawing.bar(bars.kind))
        if not two_level:
            above.bar_label(own, [bars.name], fontsize=8.5)
    above.margins(y=0.1)
    drawing.dress(above, "variation explained [%]")
    _draw_effects(below, effects, drawn)
    for name in names:
        above.plot([], [], linestyle="", label=name)
    drawing.common_legend(made, [above], [*_KINDS, *names])
    if not drawing.for_paper():
        above.set_title(_title(effects), loc="left", fontsize=9.5)
    return made


def _bars(effects: Effects) -> list[_Bars]:
    chosen = _most_variation(effects.terms)
    found, place = [], 0.0
    for term in effects.terms:
        if term.name in chosen:
            places = [place + number for number in range(len(term.estimates))]
            name = with_aliases(term.name, term.aliases)
            found.append(_Bars(name, places, 100 * term.variation.part, int(len(term.name) > 1), term))
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
        axes.bar(bars.places, heights, 0.8, yerr=yerr, capsize=2.5, **drawing.bar(bars.kind))
        for place, estimate in zip(bars.places, bars.term.estimates, strict=True):
            ticks.append((place, ": ".join(filter(None, (bars.name, ", ".join(estimate.levels))))))
    axes.axhline(0.0, color="#444444", linewidth=0.8)
    drawing.dress(axes, readable.label("effect", unit))
    places, texts = zip(*ticks, strict=True)
    axes.set_xticks(places, texts, rotation=20 if effects.responses.two_level else 60, ha="right")


def _title(effects: Effects) -> str:
    read = effects.responses
    model = "multiplicative" if effects.multiplicative else "additive"
    runs = "1 replication, no intervals"
    if effects.replications > 1:
        runs = f"{effects.replications} replications, 95 % intervals"
    shown = sum(len(term.estimates) for term in effects.terms)
    left_out = "; only the terms with the most variation" if shown > MOST_BARS else ""
    design = f"\n{read.confounding.in_words()}" if read.confounding else ""
    return f"{read.metric}, {model} model, {runs}{left_out}{design}"


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
    made, (axes,) = drawing.empty(1, _RESIDUALS)
    predicted, residuals = effects.predicted.ravel(), effects.residuals.ravel()
    unit = effects.responses.unit
    factor, shown = (1.0, "log10") if effects.multiplicative else readable.unit_for(predicted, unit)
    style = drawing.line(drawing.FIRST_BRIGHT)
    axes.plot(predicted * factor, residuals * factor, marker="o", markersize=4, **(style | {"linestyle": ""}))
    axes.axhline(0.0, color="#444444", linewidth=0.8)
    drawing.dress(axes, readable.label("residual", shown))
    axes.set_xlabel(readable.label("predicted response", shown))
    model = "multiplicative" if effects.multiplicative else "additive"
    if not drawing.for_paper():
        axes.set_title(f"{effects.responses.metric}, {model} model", loc="left", fontsize=9.5)
    return made
