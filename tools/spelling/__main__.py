"""Check the spelling of files, by default of all files in git; the exit status is 0 if codespell finds nothing.

``terms.txt`` has terms that look like mistakes, and intentional mistakes in tests; ``ours.txt`` has our choice between
two spellings, and plain replacements of other words. ``[tool.codespell]`` in ``pyproject.toml`` has the rest.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
WRONG = ("tools/spelling/", "tests/python/test_spelling.py")


def main(files: list[str]) -> int:
    """Run codespell; return its exit status."""
    if not files:
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
        # The lists, and the test of this check, contain mistakes.
        files = [file for file in listed.stdout.split("\0") if file and not file.startswith(WRONG)]
    lists = ["--dictionary=-", f"--dictionary={FOLDER / 'ours.txt'}", f"--ignore-words={FOLDER / 'terms.txt'}"]
    return subprocess.run([sys.executable, "-m", "codespell_lib", *lists, *files], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
