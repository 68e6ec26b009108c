"""One self-contained HTML page with the content of a folder of results.

Dependencies point one way: :mod:`.source` reads files, a reader for each kind of folder (:mod:`.runs`,
:mod:`.sweeps`, :mod:`.reproductions`, :mod:`.measurements`, :mod:`.records`) makes a :class:`.document.Report`
from them, and :mod:`.page` renders it.
"""
