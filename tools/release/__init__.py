"""Make a release: versions, wheels, source distribution, checksums, bill of materials (``make dist``)."""
