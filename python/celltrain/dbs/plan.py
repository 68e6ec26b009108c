"""Plans: hosts, the flows between them, and how they are measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from celltrain import _native
from celltrain.dbs.native import require_linux
from celltrain.files import read_beside, read_text
from celltrain.printable import encodable

#: Maximum octets of a file with a traffic trace; enough for a hundred thousand writes.
LONGEST_TRACE = 8 << 20


class Plan:
    """A checked, immutable plan.

    Parameters
    ----------
    data
        The plan as plain data, as parsed from TOML.
    origin
        Its name in error messages.

    Raises
    ------
    ScenarioError
        The plan cannot be carried out; the message names the key and what was expected.
    """

    def __init__(self, data: dict[str, Any], origin: str = "plan") -> None:
        require_linux()
        self.origin = origin
        self.native = _native.DbsPlan.from_json(json.dumps(data), origin, _files(None))

    @classmethod
    def from_toml(cls, text: str, origin: str = "plan", folder: Path | None = None) -> Plan:
        """Read TOML text; messages name the line. Traffic traces in files are searched in ``folder``."""
        require_linux()
        plan = cls.__new__(cls)
        plan.origin = origin
        plan.native = _native.DbsPlan.from_toml(text, origin, _files(folder))
        return plan

    @cached_property
    def data(self) -> dict[str, Any]:
        """The plain data, with every default written out."""
        data: dict[str, Any] = json.loads(self.native.to_json())
        return data

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical form, in which every default is written out."""
        return self.native.hash

    def __repr__(self) -> str:
        """Return its name and hash."""
        return f"<Plan {self.origin} {self.hash[:12]}>"


def load(path: str | Path) -> Plan:
    """Read a plan from a TOML file, and the traffic traces that it names.

    Raises
    ------
    OSError
        The file cannot be read.
    ScenarioError
        The plan cannot be carried out; the message names file, line and key.
    """
    try:
        text = read_text(Path(path))
    except ValueError as error:
        raise _native.ScenarioError(str(error)) from error
    return Plan.from_toml(text, encodable(str(path)), Path(path).parent)


def _files(folder: Path | None) -> Callable[[str], str]:
    """Return a function that reads the files named in a plan."""

    def read(name: str) -> str:
        if folder is None:
            raise ValueError("this plan was not read from a file, so none can be beside it: give a `trace` instead")
        try:
            return read_beside(folder, name, LONGEST_TRACE, "plan")
        except OSError as error:
            # The message of the operating system would repeat the path.
            raise ValueError(error.strerror or str(error)) from error

    return read
