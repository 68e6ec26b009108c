"""A Dask cluster of two worker processes, until its standard input ends; prints its address and the workers' ids."""

import os
import sys
from typing import Any

import distributed

if __name__ == "__main__":
    dask: Any = distributed  # has no types
    with (
        dask.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        dask.Client(cluster) as client,
    ):
        workers = client.run(os.getpid).values()
        print(cluster.scheduler_address, *workers, flush=True)
        sys.stdin.read()
