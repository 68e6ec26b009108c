"""The pages whose commands carry real packets: in namespaces, or between daemons on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import REPOSITORY
from guide_pages import follow
from live_lines import need_hosts
from test_guide_pages import IN_REAL_TIME


def test_there_are_such_pages() -> None:
    assert "docs/how-to/measure-two-hosts.md" in IN_REAL_TIME


@pytest.mark.parametrize("page", sorted(IN_REAL_TIME))
def test_a_page_in_real_time_shows_what_its_commands_print(page: str, tmp_path: Path) -> None:
    need_hosts()
    follow(REPOSITORY / page, tmp_path)
