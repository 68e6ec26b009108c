"""numpy, as commands import it."""

from __future__ import annotations

import os

#: The variable by which OpenBLAS, which numpy loads, learns how many threads to start.
_THREADS = "OPENBLAS_NUM_THREADS"


def import_numpy() -> None:
    """Import numpy without threads for linear algebra, which would start and spin without work: a fifth of a short run.

    Only commands do so: a Python program may use numpy for more than ours. What the user has set stays, and programs
    that a command starts do not inherit the setting.
    """
    if _THREADS in os.environ:
        return
    os.environ[_THREADS] = "1"
    try:
        import numpy  # noqa: F401 - it reads the variable while it is imported
    finally:
        del os.environ[_THREADS]
