"""Where a command runs: this machine, or a cluster."""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

import rich_click as click

from celltrain.cli.console import BadInput, readable_errors

if TYPE_CHECKING:
    from celltrain.sweeps import Workers


def cluster(address: str | None, jobs: int | None) -> Workers | None:
    """Yield the workers of a Dask cluster until the command ends; None without an address."""
    if address is None:
        return None
    if jobs:
        raise BadInput("--jobs and --dask exclude each other: a cluster has its own number of workers")
    with suppress(ModuleNotFoundError):
        import distributed  # noqa: F401 - it sets up its loggers
    from celltrain.sweeps.cluster import dask

    context = click.get_current_context()
    assert context is not None, "a command runs"
    # Dask and its event loop report a lost connection by a page of tracebacks; our message replaces them.
    for name in ("distributed", "distributed.client", "distributed.comm", "tornado.application", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with readable_errors():
        return context.with_resource(dask(address))
