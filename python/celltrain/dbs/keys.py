"""Private keys of daemons and controllers that authenticate each other with TLS."""

from __future__ import annotations

import os
from pathlib import Path

from celltrain import _native

#: Octets of a key file; an Ed25519 key in PKCS #8 takes 83.
_LONGEST = 1 << 10


def default_key() -> Path:
    """Return the path of a user's key."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return folder / "celltrain" / "dbs.key"


def read_or_make(path: Path) -> bytes:
    """Read the private key, or create one that only its owner may read.

    Raises
    ------
    OSError
        The file cannot be read or created.
    ValueError
        It contains no key, or others may read it.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(_native.dbs_new_key())
    return read(path)


def read(path: Path) -> bytes:
    """Read a private key; the exceptions are those of :func:`read_or_make`."""
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise ValueError(f"{path}: others may read this private key; forbid it with: chmod 600 {path}")
        key = file.read(_LONGEST)
    try:
        _native.dbs_public_key(key)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return key
