"""The commands and scripts in the guide to figures work as described."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_sweep_guide import blocks, shell

__all__ = ["shell"]

PAGE = "draw-figures.md"


def test_the_commands_and_the_three_scripts_work(
    shell: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for script in blocks(PAGE, "sh"):
        shell(script)
    scripts = blocks(PAGE, "python")
    assert len(scripts) == 3
    for number, script in enumerate(scripts):
        assert len([line for line in script.splitlines() if line]) <= 10
        if "to_xarray" in script:
            pytest.importorskip("xarray")
        exec(compile(script, f"{PAGE} {number}", "exec"), {})
        printed = capsys.readouterr().out
        assert ("'cubic', 'bbr'" in printed) if number == 0 else ("links.trunk.buffer" in printed)
    for name in ("adsl.pdf", "adsl.svg", "delay.png", "cubic-bbr.pdf", "buffers.pdf"):
        assert (tmp_path / name).stat().st_size > 5000
