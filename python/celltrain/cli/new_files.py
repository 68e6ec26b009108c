"""Files that commands write for users to edit: none is replaced unless they ask for it."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from pathlib import Path

from celltrain.cli.console import BadInput, readable_errors


def write_new(folder: Path, texts: Mapping[str, str], *, replace: bool, elsewhere: str) -> None:
    """Write files that belong together into a folder, all or none.

    Parameters
    ----------
    folder
        The folder; it is created.
    texts
        The text of each file by its name; readers look for the first one.
    replace
        Whether files with these names may be replaced.
    elsewhere
        What the user can do instead of replacing them.

    Raises
    ------
    BadInput
        A file exists, or the folder cannot be written to.
    """
    from celltrain.files import output_folder, replace_together

    there = [str(folder / name) for name in texts if (folder / name).exists() or (folder / name).is_symlink()]
    if there and not replace:
        verb = "exists" if len(there) == 1 else "exist"
        raise BadInput(f"{', '.join(there)} {verb}: {elsewhere}, or --replace to replace {_them(there)}")
    folders = [name for name in there if Path(name).is_dir()]
    if folders:
        raise BadInput(f"{folders[0]} is a folder, expected a file: {elsewhere}")
    seal = next(iter(texts))
    # Nothing but an unfinished file of ours has such a name.
    stale = glob.escape(seal) + "." + 16 * "[0-9a-f]"
    with readable_errors():
        output_folder(folder)
        replace_together(folder, texts, seal=seal, stale=stale)


def _them(there: list[str]) -> str:
    return "it" if len(there) == 1 else "them"
