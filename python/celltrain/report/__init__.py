"""One self-contained HTML page of what a folder of results holds.

Arrows point one way: :mod:`.source` reads files, a reader for each kind of folder (:mod:`.runs`,
:mod:`.sweeps`, :mod:`.reproductions`, :mod:`.measurements`) makes a :class:`.document.Report` of them, :mod:`.page`
renders it.
"""
