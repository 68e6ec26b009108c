"""Recordings of lines, read from and written to the formats of several tools.

A format is a file of this package with a row in :data:`celltrain.recordings.formats.FORMATS`. It reads files into a
:class:`~celltrain.recordings.segments.Recording` or writes one; all are streamed. What is assumed on the way is noted
in words.
"""
