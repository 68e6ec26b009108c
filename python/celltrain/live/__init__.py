"""Real packets over a line of a scenario: two hosts, network namespaces of this machine, connected by the models.

>>> from celltrain.live import open_line
>>> with open_line("examples/adsl.toml", vc="data1") as line:  # doctest: +SKIP
...     line.run("client", ["ping", "-c", "3", "server"])
>>> line.summary.lateness["p95"]  # doctest: +SKIP
"""

from celltrain.live.hosts import CLIENT, SERVER, Refused, Settings, require_linux
from celltrain.live.line import LiveLine, open_line
from celltrain.live.summary import Summary

__all__ = ["CLIENT", "SERVER", "LiveLine", "Refused", "Settings", "Summary", "open_line", "require_linux"]
