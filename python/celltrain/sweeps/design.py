"""Designs: the values of the keys of a scenario at the points of a sweep."""

from __future__ import annotations

import csv
import io
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np

from celltrain.sweeps.confounding import Confounding
from celltrain.sweeps.errors import DesignError
from celltrain.sweeps.trace_files import rows_with_traces, with_traces
from celltrain.values import value_of

#: The changes of a point: value by dotted key.
Changes = dict[str, Any]

Kind = Literal["factorial", "two-level", "fractional"]
#: The kinds of designs over a grid; see :class:`Design`.
KINDS: tuple[Kind, ...] = get_args(Kind)

#: Maximum points of a sweep; a longer list is a mistake, or a task for several sweeps.
MOST_POINTS = 1_000_000

_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"(?P<log>log:)?\s*(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER})(?P<unit>\s*[^\d\s.].*)?")


@dataclass(frozen=True)
class Range:
    """An interval to draw values from.

    Attributes
    ----------
    low, high : float
        The bounds.
    unit : str
        Text after the number, such as ``" Mbit/s"``; without one, values are numbers.
    whole : bool
        Whether only integers are drawn, including both bounds.
    log : bool
        Whether the logarithm is uniform instead of the value.
    """

    low: float
    high: float
    unit: str = ""
    whole: bool = False
    log: bool = False

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise DesignError(f"the range {self}: expected the lower bound first")
        if self.log and self.low <= 0:
            raise DesignError(f"the range {self}: a logarithmic one must be above 0")

    @classmethod
    def parse(cls, text: str) -> Range:
        """Read ``LOW..HIGH UNIT``; the prefix ``log:`` selects a uniform logarithm.

        Bounds without a decimal point select integers.

        >>> Range.parse("64..4096 cells").at(0.5), Range.parse("log:1.0..100.0 Mbit/s").at(0.5)
        ('2080 cells', '10 Mbit/s')
        """
        match = _RANGE.fullmatch(text.strip())
        if match is None:
            raise DesignError(f"{text!r}: expected a range such as 64..4096, 1.0..10.0 Mbit/s or log:1.0..100.0 ms")
        bounds = match["low"], match["high"]
        whole = not any(set(".eE") & set(bound) for bound in bounds)
        return cls(float(bounds[0]), float(bounds[1]), match["unit"] or "", whole, match["log"] is not None)

    def at(self, part: float) -> str | int | float:
        """Return the value at a fraction, in [0, 1), of the range; real values have six digits."""
        low, high = (self.low, self.high + 1) if self.whole else (self.low, self.high)
        drawn = math.exp(math.log(low) + part * math.log(high / low)) if self.log else low + part * (high - low)
        if self.whole:
            number: int | float = min(math.floor(drawn), int(self.high))
        else:
            number = float(f"{drawn:.6g}")
        return f"{np.format_float_positional(number, trim='-')}{self.unit}" if self.unit else number

    def __str__(self) -> str:
        """Return it in the form that :meth:`parse` reads."""
        low, high = (f"{bound:.0f}" if self.whole else repr(bound) for bound in (self.low, self.high))
        return f"{'log:' if self.log else ''}{low}..{high}{self.unit}"


@dataclass(frozen=True)
class Samples:
    """Points drawn at random.

    Attributes
    ----------
    count : int
        Number of points.
    ranges : mapping
        A range, or a list of equally likely values, for each key.
    method : {"latin", "random"}
        A Latin hypercube, which has one point in each of ``count`` equal parts of every range, or independent draws.
    seed : int
        Seed of the draws.
    """

    count: int
    ranges: Mapping[str, Range | Sequence[Any]]
    method: Literal["latin", "random"] = "latin"
    seed: int = 1

    def __post_init__(self) -> None:
        lists = {key: each for key, each in self.ranges.items() if not isinstance(each, Range)}
        object.__setattr__(self, "ranges", {**self.ranges, **with_traces(lists)})

    def points(self) -> Iterator[Changes]:
        """Draw the points."""
        chance = np.random.default_rng(self.seed)
        if self.method == "latin":
            from scipy.stats import qmc  # takes a second to import

            parts = qmc.LatinHypercube(len(self.ranges), rng=chance).random(self.count)
        else:
            parts = chance.random((self.count, len(self.ranges)))
        for row in parts.tolist():
            yield {
                key: each.at(part) if isinstance(each, Range) else each[int(part * len(each))]
                for (key, each), part in zip(self.ranges.items(), row, strict=True)
            }


@dataclass(frozen=True)
class Design:
    """The points of a sweep: all combinations of listed points, drawn points and a grid.

    The values of a key that ends with ``.file``, as ``links.down.rate.file``, and texts of ``links.NAME.schedule`` are
    files, folders or patterns such as ``traces/*.csv``, found when the design is made; each file is a value, named by
    the file's name.

    Attributes
    ----------
    grid : mapping
        The values of each key. The last key varies fastest.
    listed : sequence of mapping
        Points by name of the key; keys that a row omits keep their value from the scenario.
    samples : Samples or None
        Points drawn at random.
    kind : {"factorial", "two-level", "fractional"}
        ``two-level``: a grid of exactly two values for each key, low and high (2^k). ``fractional``: of these, the
        2^(k-p) points that the generators choose.
    generators : sequence of str
        One of p words such as ``D = ABC`` for each factor of a fractional design that is not crossed with the others;
        the first key of the grid is A.
    """

    grid: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    listed: Sequence[Mapping[str, Any]] = ()
    samples: Samples | None = None
    kind: Kind = "factorial"
    generators: Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "grid", with_traces(self.grid))
        object.__setattr__(self, "listed", rows_with_traces(self.listed))
        parts: list[set[str]] = [set(self.grid), {key for row in self.listed for key in row}]
        if self.samples:
            parts.append(set(self.samples.ranges))
            ranges = self.samples.ranges.values()
            if self.samples.count < 1 or not ranges or not all(map(_has_values, ranges)):
                raise DesignError("samples need a number of points, and a range or values for each key")
        for one, other in itertools.combinations(parts, 2):
            for key in sorted(one & other):
                raise DesignError(f"{key}: given twice; a key varies in the grid, in the list or at random")
        for key, values in self.grid.items():
            if not values:
                raise DesignError(f"{key}: no values")
        self._check_levels()
        if self.size > MOST_POINTS:
            raise DesignError(f"{self.size} points; a sweep has at most {MOST_POINTS}")

    def _check_levels(self) -> None:
        """Refuse what is not the named kind of design."""
        if self.kind not in KINDS:
            raise DesignError(f"kind of design {self.kind!r}: expected one of {', '.join(KINDS)}")
        if self.generators and self.kind != "fractional":
            raise DesignError(
                f"generator {self.generators[0]!r}: only a fractional design has generators; this one is {self.kind}"
            )
        if self.kind == "factorial":
            return
        if self.listed or self.samples:
            raise DesignError(f"a {self.kind} design has the points of its grid; leave out listed and drawn points")
        if not self.grid:
            raise DesignError(f"a {self.kind} design needs factors: keys with two values each, low and high")
        for key, values in self.grid.items():
            if len(values) != 2 or values[0] == values[1]:
                found = ", ".join(map(str, values))
                raise DesignError(
                    f"{key}: a {self.kind} design needs two values, low and high, found {found}; "
                    "give two, or run a factorial design, which takes any number"
                )
        if self.kind == "fractional":
            self.confounding  # noqa: B018 - refuses generators that cannot be used

    @property
    def confounding(self) -> Confounding | None:
        """What the generators of a fractional design confound; None for other designs."""
        return Confounding.parse(list(self.grid), self.generators) if self.kind == "fractional" else None

    @property
    def size(self) -> int:
        """The number of points."""
        if self.kind == "fractional":
            return 1 << len(self.grid) - len(self.generators)
        drawn = self.samples.count if self.samples else 1
        return max(1, len(self.listed)) * drawn * math.prod(map(len, self.grid.values()))

    @property
    def keys(self) -> list[str]:
        """The keys that vary: first those of the list, then those drawn, then those of the grid."""
        listed = dict.fromkeys(key for row in self.listed for key in row)
        return [*listed, *(self.samples.ranges if self.samples else ()), *self.grid]

    def points(self) -> Iterator[Changes]:
        """Iterate over the points, in their order."""
        if confounding := self.confounding:
            for crossed in itertools.product((-1, 1), repeat=len(confounding.crossed)):
                signs = confounding.signs(crossed)
                yield {key: values[sign > 0] for (key, values), sign in zip(self.grid.items(), signs, strict=True)}
            return
        drawn = list(self.samples.points()) if self.samples else [{}]
        for row, sample in itertools.product(self.listed or [{}], drawn):
            for values in itertools.product(*self.grid.values()):
                yield {**row, **sample, **dict(zip(self.grid, values, strict=True))}

    def to_toml(self) -> dict[str, Any]:
        """Return it as data for TOML."""
        data: dict[str, Any] = {}
        if self.kind != "factorial":
            data["kind"] = self.kind
        if self.generators:
            data["generators"] = list(self.generators)
        if self.listed:
            data["points"] = [dict(row) for row in self.listed]
        if self.samples:
            ranges = {
                key: str(each) if isinstance(each, Range) else list(each) for key, each in self.samples.ranges.items()
            }
            own = {"count": self.samples.count, "method": self.samples.method, "seed": self.samples.seed}
            data["samples"] = {**own, "ranges": ranges}
        if self.grid:
            data["grid"] = {key: list(values) for key, values in self.grid.items()}
        return data


def _has_values(each: Range | Sequence[Any]) -> bool:
    return isinstance(each, Range) or len(each) > 0


def listed_points(text: str, origin: str) -> list[Changes]:
    """Read points from CSV: a header of keys, then a row for each point; an empty cell changes nothing.

    Raises
    ------
    DesignError
        It is not CSV, there is no header or no row, or a row has more or fewer cells than the header.
    """
    # Ends of lines are left to the reader, as its documentation asks.
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise DesignError(f"{origin}:{reader.line_num}: not CSV: {error}") from error
    if len(rows) < 2:
        raise DesignError(f"{origin}: expected a header of keys, and a row for each point")
    header = [name.strip() for name in rows[0]]
    if "" in header or len(set(header)) < len(header):
        raise DesignError(f"{origin}: expected a header of keys, each once, found {','.join(rows[0])}")
    points = []
    for number, row in enumerate(rows[1:], start=1):
        if len(row) != len(header):
            raise DesignError(f"{origin}: point {number} has {len(row)} cells, the header {len(header)}")
        points.append({key: value_of(cell) for key, cell in zip(header, row, strict=True) if cell.strip()})
    return points
