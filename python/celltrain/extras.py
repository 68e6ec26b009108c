"""Packages that not everybody needs: ``pip install 'celltrain[NAME]'`` installs those of an extra."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass


@dataclass(frozen=True)
class Extra:
    """An extra of ``pyproject.toml``.

    Attributes
    ----------
    modules : tuple of str
        The packages that it installs, by the names under which they are imported.
    does : str
        What needs it.
    """

    modules: tuple[str, ...]
    does: str


#: The extras by name. A package of several is named by the first.
EXTRAS = {
    "plots": Extra(("matplotlib",), "figures: --plot, reproduce, plots in notebooks"),
    "drawing": Extra(("pygraphviz",), "pictures of networks: show --out FILE.svg, pages, notebooks"),
    "sweeps": Extra(("pyarrow", "scipy"), "sweep, results, effects, reproduce, parity; tables in Parquet"),
    "reports": Extra(("jinja2", "pyarrow", "scipy"), "pages in HTML: report, dbs view, ci"),
    "emulation": Extra(("pyroute2",), "lines of real packets: shell, parity, ci (Linux)"),
    "dbs": Extra(("pyarrow", "scipy", "lark"), "measurements between real hosts: dbs run, dbs import"),
    "packetdrill": Extra(("lark",), "packetdrill, trust"),
    "pandas": Extra(("pandas",), "results as pandas data frames"),
    "polars": Extra(("polars",), "results as polars data frames"),
    "xarray": Extra(("xarray",), "sweeps as labelled arrays"),
    "dask": Extra(("distributed",), "sweeps on a Dask cluster"),
}


class MissingExtra(ModuleNotFoundError):
    """Packages are not installed; the message says which, and what installs them."""


def is_installed(module: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def missing(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed; none that only another system needs."""
    return [
        name
        for name in EXTRAS[extra].modules
        if not (name == "pyroute2" and sys.platform != "linux") and not is_installed(name)
    ]


def install(*extras: str) -> str:
    """Return the command that installs extras."""
    return f"pip install 'celltrain[{','.join(extras)}]'"


def need(*extras: str, by: str) -> None:
    """Check that the packages of extras are installed, before any work is done.

    Parameters
    ----------
    extras
        Their names.
    by
        What needs them, as the subject of the message.

    Raises
    ------
    MissingExtra
        Some are not; the message says which, and what installs them.
    """
    lacking = {extra: absent for extra in extras if (absent := missing(extra))}
    if lacking:
        modules = dict.fromkeys(module for absent in lacking.values() for module in absent)
        raise MissingExtra(_words(by, [*modules], lacking), name=next(iter(modules)))


def _words(by: str, modules: list[str], extras: Iterable[str]) -> str:
    *others, last = modules
    named = f"{', '.join(others)} and {last}" if others else last
    is_are, they = ("are", "they come") if others else ("is", "it comes")
    return f"{by} needs {named}, which {is_are} not installed; {they} with: {install(*extras)}"


@contextmanager
def importing(by: str) -> Iterator[None]:
    """Name the extra where an import of ``by`` fails for want of one.

    Raises
    ------
    MissingExtra
        A package of an extra is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        words = explained(error)
        if words is None or isinstance(error, MissingExtra):
            raise
        raise MissingExtra(f"{by}: {words}", name=error.name) from None


def explained(error: ModuleNotFoundError) -> str | None:
    """Say which extra has the package that could not be imported; None if none has it."""
    if isinstance(error, MissingExtra):
        return str(error)
    name = (error.name or "").partition(".")[0]
    extra = next((extra for extra, each in EXTRAS.items() if name in each.modules), None)
    return f"{name} is not installed; it comes with: {install(extra)}" if extra else None
