"""The console of all commands."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from celltrain.printable import escaped, is_safe


class SafeConsole(Console):
    """A console that shows control characters of texts escaped, wherever they come from."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render something; only what the console itself adds can control the terminal."""
        for segment in super().render(renderable, options):
            if segment.control or is_safe(segment.text):
                yield segment
            else:
                yield Segment(escaped(segment.text), segment.style)
