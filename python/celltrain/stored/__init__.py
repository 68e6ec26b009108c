"""Files of results, read back: each with its checksum, which is verified before the file is parsed.

A decoder of compressed columns may crash or exhaust memory on octets that no writer wrote, so damage must be found
first. JSON and TOML carry the checksum of their content, Parquet that of its octets; that of CSV is in the provenance
beside it. Checksums detect damage, not forgery: whoever writes a file can write its checksum.
"""

from celltrain.stored.damaged import Damaged

__all__ = ["Damaged"]
