"""The commands and scripts in the guide to figures work as described."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from test_sweep_guide import blocks, shell

__all__ = ["shell"]

PAGE = "draw-figures.md"
#: What each script prints, among other things.
PRINTED = (
    "'cubic', 'bbr'",
    "links.trunk.buffer",
    "changed: links.up.buffer = 512 cells; quick run: one short run of each point",
    "links.trunk.buffer",
)


def test_the_commands_and_the_scripts_work(
    shell: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for script in blocks(PAGE, "sh"):
        shell(script)
    scripts = blocks(PAGE, "python")
    assert len(scripts) == len(PRINTED)
    for number, (script, expected) in enumerate(zip(scripts, PRINTED, strict=True)):
        assert len([line for line in script.splitlines() if line]) <= 10
        if "to_xarray" in script:
            pytest.importorskip("xarray")
        exec(compile(script, f"{PAGE} {number}", "exec"), {})
        assert expected in capsys.readouterr().out
    for name in ("adsl.pdf", "adsl.svg", "delay.png", "cubic-bbr.pdf", "buffers.pdf", "fig05-changed.pdf"):
        assert (tmp_path / name).stat().st_size > 5000
