"""Damaged records of runs: named, and never shown as results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from celltrain.cli.console import BadInput, err

if TYPE_CHECKING:
    from celltrain.sweeps.store import Store

#: Maximum number of records that are named.
_SHOWN = 5


def refuse(damaged: Mapping[Path, str]) -> None:
    """Name damaged records, after everything else was shown.

    Raises
    ------
    BadInput
        There are some.
    """
    if damaged:
        raise BadInput(f"{_counted(damaged)}; the same sweep command again runs what is missing:\n{_named(damaged)}")


def tell(store: Store) -> None:
    """Name damaged records before a command runs them again."""
    store.listing()
    if store.damaged:
        damaged = {store.records / name: what for name, what in store.damaged.items()}
        err().print(f"{_counted(damaged)}, and run again:\n{_named(damaged)}", style="yellow", markup=False)


def _counted(damaged: Mapping[Path, str]) -> str:
    return "1 record is damaged" if len(damaged) == 1 else f"{len(damaged)} records are damaged"


def _named(damaged: Mapping[Path, str]) -> str:
    lines = [f"  {path}: {what}" for path, what in sorted(damaged.items())[:_SHOWN]]
    if len(damaged) > _SHOWN:
        lines.append(f"  ... and {len(damaged) - _SHOWN} more")
    return "\n".join(lines)
