"""The results of a sweep: its folder, read back, with means, arrays and figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from celltrain.sweeps.contents import SweepFolder

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from celltrain.table import Table


class SweepResults(SweepFolder):
    """The results of a sweep. They are read on access, and nothing is written.

    Parameters
    ----------
    folder
        The folder of the sweep; see *The folder of a sweep* in the reference. The sweep may still be running.

    Raises
    ------
    FileNotFoundError
        There is no sweep in the folder.
    Refused
        It was written by a later version of celltrain.
    """

    def _repr_html_(self) -> str:
        """Show the points, what became of the runs, and the mean throughput of flows at each point."""
        shown = super()._repr_html_()
        return shown + self.means()._repr_html_() if self.counts()["done"] else shown

    def means(self, *metrics: str, by: Sequence[str] | None = None) -> Table:
        """Return means of metrics with the half-widths of their 95 % intervals, a row for each combination of keys.

        >>> results.means("flows.throughput_bps", "flows.rtt_mean_s").to_pandas()  # doctest: +SKIP

        Parameters
        ----------
        metrics
            The metrics; default: the mean throughput of flows.
        by
            Keys to distinguish; default: all.

        Returns
        -------
        Table
            The keys as numbers in SI units (``"10 ms"`` is 0.01, a count is an integer) unless they are names,
            ``points``, ``runs``, ``failed``, and each metric with its ``_ci95``.
        """
        from celltrain.sweeps import arrays

        return arrays.means(self, metrics, by)

    def to_xarray(self, *metrics: str) -> xr.Dataset:
        """Return metrics of all runs as labelled arrays; needs ``pip install 'celltrain[xarray]'``.

        >>> results.to_xarray("flows.rtt_mean_s").mean("seed")  # doctest: +SKIP

        Parameters
        ----------
        metrics
            The metrics; default: the mean throughput of flows.

        Returns
        -------
        xarray.Dataset
            A variable for each metric. Its dimensions are the keys, if the points are all combinations of their values,
            or ``point``; and ``seed``. Missing runs are NaN; attributes have the units.
        """
        from celltrain.sweeps import arrays

        return arrays.dataset(self, metrics)

    def plot(
        self,
        *metrics: str,
        x: str | None = None,
        by: str | Sequence[str] | None = None,
        width: str | None = None,
    ) -> Figure:
        """Draw means of metrics with their 95 % intervals against a key.

        >>> results.plot(x="links.up.buffer", width="one").savefig("buffers.pdf")  # doctest: +SKIP

        Parameters
        ----------
        metrics
            The metrics, a panel for each; default: the mean throughput of flows.
        x
            The key on the x axis; default: the first whose values are numbers. The end of a name is enough.
        by
            The keys that distinguish lines; default: all others.
        width
            ``"one"`` or ``"two"``: the width of one or two columns of a paper, in its font; default: for a screen.

        Raises
        ------
        PlotError
            Nothing varies, or a key does not.
        """
        from celltrain import drawing
        from celltrain.sweeps.figure import figure

        with drawing.page(width):
            return figure(self, x, metrics, [by] if isinstance(by, str) else by)
