"""Time series of one run: the probe that records them, and the columns made from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from celltrain.data import Data
from celltrain.papers.reading import Mistake, Time

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from celltrain.table import Table

#: Name of the probe that is added to the scenario.
PROBE = "figure"
#: Additional values of an event of a connection, in s.
EVENT = ("rtt_s", "srtt_s", "rto_s")


@dataclass(frozen=True)
class Quantity:
    """A column: the sum of recorded quantities, optionally as a rate of growth, times a factor.

    Attributes
    ----------
    of : tuple of str
        The recorded quantities; ``{0}`` stands for the member.
    rate : bool
        Growth per second over the step that begins at the sample.
    from_zero : bool
        Growth since the first sample.
    over : float
        The divisor.
    less : float
        Subtracted, down to zero.
    most : float or None
        Upper limit of the values.
    """

    of: tuple[str, ...]
    times: float = 1.0
    rate: bool = False
    from_zero: bool = False
    over: float = 1.0
    less: float = 0.0
    most: float | None = None

    def values(self, table: Table, member: int | str) -> npt.NDArray[np.float64]:
        """Compute the column, one value for each sample."""
        import numpy as np

        total: npt.NDArray[np.float64] = sum(
            (table[name.format(member)] for name in self.of), start=np.zeros(len(table))
        )
        if self.rate:
            total = np.diff(total, append=np.nan) / np.diff(table["time_s"], append=np.nan)
        if self.from_zero:
            total = total - total[:1]
        if self.less:
            total = np.maximum(total - self.less, 0.0)
        if self.most is not None:
            total = np.minimum(total, self.most)
        return total * self.times / self.over


@dataclass(frozen=True)
class Sampling:
    """The columns of a time series, when it is sampled, and the members that have their own rows.

    Attributes
    ----------
    every : str or None
        Time between two samples.
    events_of : str or None
        Instead: the connection whose round trips and time-outs are the rows. The column ``event`` says which;
        ``rtt_s``, ``srtt_s`` and ``rto_s`` can also be columns.
    per : str or None
        Column that names the members; ``series`` if they are the series.
    """

    columns: Mapping[str, Quantity]
    every: Time | None = None
    events_of: str | None = None
    per: str | None = None
    #: Whether there is a single series, which no column names.
    single: bool = False
    members: Mapping[str, int | str] | None = None
    #: Whether the row of a step has the time of its end instead of its start.
    at_end: bool = False
    #: Column that numbers the samples from zero, instead of their time.
    counted: str | None = None

    def __post_init__(self) -> None:
        if (self.every is None) == (self.events_of is None):
            raise Mistake('expected either "every", a time between two samples, or "events_of", a connection')
        numbered = self.per not in (None, "series")
        for label in self.members or ():
            if numbered and not label.isdecimal():
                raise Mistake(f'expected a number, as the column "{self.per}" holds, found "{label}"', "members", label)
        for name, quantity in self.columns.items():
            for index, template in enumerate(quantity.of):
                self._check(template, "columns", name, "of", index)

    def _check(self, template: str, *path: str | int) -> None:
        """Check that the quantities of a column can be recorded, as far as that is known without a network."""
        try:
            recorded = template.format(next(iter(self.labels.values())))
        except (IndexError, KeyError, ValueError, AttributeError) as error:
            raise Mistake(f'expected {{0}} alone, which stands for the member, found "{template}"', *path) from error
        if "." not in recorded and (self.events_of is None or recorded not in EVENT):
            expected = "a quantity such as links.up.queue_cells"
            events = f", or with events_of one of {', '.join(EVENT)}"
            raise Mistake(f'expected {expected}{events}, found "{template}"', *path)

    @property
    def labels(self) -> Mapping[str, int | str]:
        """Label of each member that has rows of its own."""
        return self.members or {"": 0}

    def column_names(self) -> list[str]:
        """Name the columns, time first."""
        if self.events_of is not None:
            return ["time_s", "event", *self.columns]
        names = dict.fromkeys([*([] if self.single else ["series"]), *([self.per] if self.per else [])])
        return [self.counted or "time_s", *names, *self.columns]

    def probe(self) -> Data:
        """Return the changes that make a scenario record the needed quantities."""
        record = [
            name.format(member)
            for quantity in self.columns.values()
            for name in quantity.of
            for member in self.labels.values()
        ]
        record = [name for name in dict.fromkeys(record) if "." in name]
        when = {"every": self.every} if self.events_of is None else {"events_of": self.events_of}
        return {"probes": {PROBE: {**when, "record": record}}}

    def rows(self, table: Table, series: str) -> Iterator[dict[str, Any]]:
        """Make the rows of one run."""
        if self.events_of is not None:
            columns = {name: quantity.values(table, 0) for name, quantity in self.columns.items()}
            for index, is_timeout in enumerate(table["is_timeout"]):
                event = {"time_s": float(table["time_s"][index]), "event": "timeout" if is_timeout else "sample"}
                yield event | {name: float(column[index]) for name, column in columns.items()}
            return
        for label, member in self.labels.items():
            columns = {name: quantity.values(table, member) for name, quantity in self.columns.items()}
            growth = any(quantity.rate for quantity in self.columns.values())
            fixed: dict[str, Any] = {"series": series}
            if self.per:
                fixed[self.per] = label if self.per == "series" else int(label)
            # No step begins at the last sample.
            for index in range(len(table) - int(growth)):
                values = {name: float(column[index]) for name, column in columns.items()}
                time = float(table["time_s"][index + int(self.at_end)])
                when = {"time_s": time} if self.counted is None else {self.counted: index}
                yield when | fixed | values
