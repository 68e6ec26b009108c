"""The traces of a sweep: each once in its folder, and a reference to it in the scenarios of its points."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from celltrain.files import atomic_write, sha256
from celltrain.stored import Damaged
from celltrain.sweeps.trace_files import TraceFile

#: The folder of the traces in that of the sweep.
FOLDER = "traces"
#: What stands for a trace; no trace begins so.
_REFERENCE = re.compile(r'"sha256:([0-9a-f]{64})"')


def packed(scenario: str, traces: Iterable[TraceFile]) -> str:
    """Replace the traces in a scenario's canonical JSON by references: 3600 points with 1 MB each are too many."""
    for trace in traces:
        scenario = scenario.replace(json.dumps(trace.text(), ensure_ascii=False), f'"sha256:{trace.checksum}"')
    return scenario


class KeptTraces:
    """The traces in the folder of a sweep.

    Parameters
    ----------
    folder
        The folder of the sweep; nothing is created or read before it is needed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER
        self._encoded = lru_cache(maxsize=8)(self._read)

    def keep(self, traces: Iterable[TraceFile]) -> None:
        """Write those that are not there yet.

        Raises
        ------
        OSError
            The folder cannot be written to.
        DesignError
            A trace has changed since its points were made.
        """
        for trace in traces:
            self.folder.mkdir(exist_ok=True)
            path = self._path(trace.checksum)
            if not path.is_file():
                # A level of 1 takes a tenth of the time of 9, and digits shrink to a quarter.
                atomic_write(path, gzip.compress(trace.text().encode(), 1, mtime=0), flushed=False)

    def whole(self, scenario: str) -> str:
        """Put the traces back into a scenario.

        Raises
        ------
        Damaged
            A trace is not there, or is not what was written.
        """
        return _REFERENCE.sub(lambda found: self._encoded(found[1]), scenario)

    def _path(self, checksum: str) -> Path:
        return self.folder / f"{checksum}.gz"

    def _read(self, checksum: str) -> str:
        path = self._path(checksum)
        try:
            text = gzip.decompress(path.read_bytes()).decode()
        except FileNotFoundError as error:
            raise Damaged(path, "missing: a point of the sweep has this trace") from error
        except (OSError, EOFError, ValueError) as error:
            raise Damaged(path, f"not the trace that was written: {error}") from error
        if sha256(text) != checksum:
            raise Damaged(path, "its checksum differs: the file was damaged or changed")
        return json.dumps(text, ensure_ascii=False)
