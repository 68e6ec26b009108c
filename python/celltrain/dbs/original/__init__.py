"""Import of command files of the original DBS (Distributed Benchmark System, Murayama and Yamaguchi 1997)."""

from celltrain.dbs.original.convert import Converted, convert
from celltrain.dbs.original.reading import CommandError

__all__ = ["CommandError", "Converted", "convert"]
