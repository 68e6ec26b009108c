"""A wheel packed from the compiled module that the tests use, without compiling it again.

maturin packs it as it packs a release. Only its call of the compiler is answered here, with the module that is there.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

from celltrain import _native
from conftest import REPOSITORY

#: Stands for Cargo: passes on what it is asked, but answers a call of the compiler with what is compiled.
CARGO = """#!{python}
import json, os, subprocess, sys
if sys.argv[1] != "rustc":
    os.execv({cargo!r}, [{cargo!r}, *sys.argv[1:]])
package = {package!r}
target = {{
    "kind": ["cdylib"], "crate_types": ["cdylib"], "name": "_native", "src_path": package["manifest"],
    "edition": "2024", "doc": False, "doctest": False, "test": False,
}}
profile = {{
    "opt_level": "3", "debuginfo": 0, "debug_assertions": False, "overflow_checks": False, "test": False,
}}
print(json.dumps({{
    "reason": "compiler-artifact", "package_id": package["id"], "manifest_path": package["manifest"], "target": target,
    "profile": profile, "features": [], "filenames": [package["module"]], "executable": None, "fresh": True,
}}))
print(json.dumps({{"reason": "build-finished", "success": True}}))
"""


def packed(folder: Path, platform: str) -> Path:
    """Pack a wheel for a platform into a folder, and return it."""
    cargo = shutil.which("cargo")
    assert cargo is not None
    module = folder / "target" / "lib_native.so"
    module.parent.mkdir()
    shutil.copy(Path(_native.__file__), module)
    stand_in = folder / "cargo"
    about = {
        "id": package_id(cargo),
        "manifest": str(REPOSITORY / "crates/celltrain-py/Cargo.toml"),
        "module": str(module),
    }
    stand_in.write_text(CARGO.format(python=sys.executable, cargo=cargo, package=about))
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    command = [
        sys.executable,
        "-m",
        "maturin",
        "build",
        "--release",
        "--compatibility",
        platform,
        "--auditwheel",
        "skip",
    ]
    done = subprocess.run(
        [*command, "--interpreter", sys.executable, "--out", str(folder)],
        cwd=REPOSITORY,
        env=os.environ | {"CARGO": str(stand_in), "CARGO_TARGET_DIR": str(folder / "target")},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def package_id(cargo: str) -> str:
    """Return Cargo's name of the crate that is compiled into the module."""
    command = [cargo, "metadata", "--no-deps", "--format-version=1", "--offline"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    packages = json.loads(done.stdout)["packages"]
    return next(str(package["id"]) for package in packages if package["name"] == "celltrain-py")
