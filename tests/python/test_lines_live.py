"""Lines that ship with celltrain, opened by their names."""

from __future__ import annotations

import pytest
from conftest import Command
from live_lines import need_hosts


@pytest.fixture(scope="module", autouse=True)
def _hosts() -> None:
    need_hosts()


@pytest.mark.parametrize("name", ["starlink", "docsis-3.1", "lte"])
def test_a_shell_opens_a_line_by_its_name(cli: Command, name: str) -> None:
    done = cli("shell", name, "--", "sh", "-c", "exit 7")
    assert done.returncode == 7, done.stderr
    assert f"line of {name}" in done.stderr
