"""Runs on a Dask cluster: the user's own, or that of SLURM or Kubernetes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from celltrain.extras import need
from celltrain.refused import Refused
from celltrain.sweeps.campaign import AHEAD, Workers

#: Maximum time for an answer of the scheduler, in s.
_ANSWER_S = 5


@contextmanager
def dask(address: str) -> Iterator[Workers]:
    """Yield the workers of a Dask scheduler; needs ``pip install 'celltrain[dask]'``, also on the workers.

    A lost worker costs only time: the scheduler gives its runs to others. A run that kills three workers, most likely
    for lack of memory, has failed.

    Parameters
    ----------
    address
        Address such as ``tcp://host:8786``.

    Raises
    ------
    MissingExtra
        Dask is not installed.
    Refused
        The scheduler does not answer.
    """
    need("dask", by="a Dask cluster")
    import distributed
    from distributed.scheduler import KilledWorker

    connect: Callable[..., Any] = distributed.Client
    try:
        client = connect(address, timeout=_ANSWER_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise Refused(
            f"no Dask scheduler at {address}: {str(error) or 'no answer'}; expected tcp://HOST:PORT"
        ) from error
    with client:
        threads = sum(client.nthreads().values())
        yield Workers(client.get_executor(pure=False), ahead=max(AHEAD, 4 * threads), fatal=(KilledWorker,))
