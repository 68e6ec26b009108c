"""packetdrill scripts against our TCP, in virtual time.

A script plays the peer of a connection and the application, and states which segments the TCP under test must send.
Here that TCP is the simulator's sender and receiver; no kernel or clock is involved, and times are exact.

>>> from celltrain.packetdrill import OWN_SCRIPTS, run_file
>>> run_file(OWN_SCRIPTS / "slow-start.pkt").result
<Result.PASSED: 'passed'>
"""

from pathlib import Path

from celltrain.extras import importing

with importing("celltrain.packetdrill"):
    from celltrain.packetdrill.runner import Options, Outcome, Result, run_file, run_text

#: Our own scripts, written from the RFCs that each names.
OWN_SCRIPTS = Path(__file__).parent / "scripts"


def scripts_in(path: Path) -> list[Path]:
    """List the scripts in a folder and its subfolders, by name; for a file, only the file."""
    return [path] if path.is_file() else sorted(path.rglob("*.pkt"))


__all__ = ["OWN_SCRIPTS", "Options", "Outcome", "Result", "run_file", "run_text", "scripts_in"]
