"""A wheel, installed in a clean environment without Rust: the first minute of a user."""

import platform
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from conftest import REPOSITORY
from packed import packed
from release import contents, trial, versions
from release.failed import FailedError
from shelves import shelf

VERSION = versions.in_python(versions.current(REPOSITORY))
PLATFORM = "manylinux_2_17"
#: The processor of this machine and another, by their numbers in ELF.
OURS, OTHER = (0x3E, 0xB7) if platform.machine() == "x86_64" else (0xB7, 0x3E)
#: The commands of the first minute.
FIRST = ("--version", "examples", "run", "sweep", "report")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel in ``dist`` for this machine if it is of these sources, or else one of the compiled module."""
    package = [REPOSITORY / "python" / name for name in contents.sources(REPOSITORY)]
    newest = max(path.stat().st_mtime for path in package)
    here = f"celltrain-{VERSION}-cp311-abi3-manylinux*_{platform.machine()}.whl"
    made = [path for path in (REPOSITORY / "dist").glob(here) if path.stat().st_mtime > newest]
    return made[0] if made else packed(tmp_path_factory.mktemp("packed"), PLATFORM)


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with the wheel; what it needs is linked there, not fetched again."""
    folder = tmp_path_factory.mktemp("clean")
    programs = trial.installed(wheel, folder / "environment", ["--no-deps", "--no-index"])
    (site,) = (folder / "environment").glob("lib/python3*/site-packages")
    (site / "shelf.pth").write_text(f"{shelf(folder / 'shelf', trial.EXTRAS)}\n")
    return programs


@pytest.mark.skipif(sys.platform != "linux", reason="packs a wheel for Linux")
def test_the_wheel_has_what_it_must_and_nothing_else(wheel: Path) -> None:
    assert list(contents.problems([wheel], VERSION, REPOSITORY)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="packs a wheel for Linux")
def test_the_same_files_give_the_same_wheel_octet_for_octet(tmp_path: Path) -> None:
    made = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        made.append(packed(tmp_path / name, PLATFORM))
        # Times in a ZIP have a resolution of two seconds.
        time.sleep(2.1)
    assert made[0].name == made[1].name
    assert made[0].read_bytes() == made[1].read_bytes()


def test_the_wheel_works_in_a_clean_environment_without_rust(programs: Path, tmp_path: Path) -> None:
    where = "import celltrain, shutil; print(celltrain.__file__, shutil.which('cargo'))"
    told = trial.checked([str(programs / "python"), "-c", where], tmp_path).split()
    assert Path(told[0]).is_relative_to(programs.parent)
    assert told[1] == "None"
    # `make dist` and the workflow type the others, too.
    trial.use(programs, tmp_path, commands=[each for each in trial.COMMANDS if each[0] in FIRST])
    assert {"adsl.toml", "run", "sweep"} <= {path.name for path in tmp_path.iterdir()}


def test_a_command_that_fails_after_installation_is_named_with_what_it_printed(tmp_path: Path) -> None:
    (tmp_path / "celltrain").write_text("#!/bin/sh\necho broken >&2; exit 3\n")
    (tmp_path / "celltrain").chmod(0o755)
    with pytest.raises(FailedError, match=r"celltrain --version ended with 3:\nbroken"):
        trial.use(tmp_path, tmp_path)


def changed(wheel: Path, folder: Path, name: str, content: bytes | None) -> Path:
    """Return a copy of a wheel in which a file has another content, or is missing."""
    target = folder / wheel.name
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(target, "w") as new:
        for one in old.namelist():
            if one != name:
                new.writestr(one, old.read(one))
        if content is not None:
            new.writestr(name, content)
    return target


INFO = f"celltrain-{VERSION}.dist-info"


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("celltrain/examples/adsl.toml", None, "lacks celltrain/examples/adsl.toml"),
        (
            "celltrain/examples/adsl.toml",
            b"other",
            "RECORD: celltrain/examples/adsl.toml is missing, or has another hash",
        ),
        ("celltrain/notes.txt", b"", "has celltrain/notes.txt, which git does not know"),
        (f"{INFO}/licenses/LICENSE-MIT", None, f"lacks {INFO}/licenses/LICENSE-MIT"),
        (f"{INFO}/METADATA", b"Version: 9\n", f"METADATA: Version is 9; expected {VERSION}"),
        (f"{INFO}/entry_points.txt", b"", "lacks the command celltrain"),
        ("celltrain/_native.abi3.so", None, "has the compiled modules []; expected celltrain/_native.abi3.so"),
        ("celltrain/_native.abi3.so", b"text", "no ELF, Mach-O or PE file of 64 bits"),
        (
            "celltrain/_native.abi3.so",
            b"\x7fELF\x02\x01" + bytes(12) + bytes([OTHER, 0]) + b"PyInit__native",
            f"celltrain/_native.abi3.so is elf for processor {OTHER:#x}; expected elf, {OURS:#x}",
        ),
        (
            "celltrain/_native.abi3.so",
            b"\x7fELF\x02\x01" + bytes(12) + bytes([OURS, 0]),
            "does not export PyInit__native",
        ),
    ],
)
def test_a_wheel_with_a_mistake_is_found_out(
    wheel: Path, tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    wrong = changed(wheel, tmp_path, name, content)
    found = list(contents.problems([wrong], VERSION, REPOSITORY))
    assert any(said in problem for problem in found), found
    assert all(problem.startswith(f"{wheel.name}: ") for problem in found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("celltrain-9.9.9-cp311-abi3-win_amd64.whl", "is version 9.9.9"),
        (f"celltrain-{VERSION}-cp312-cp312-win_amd64.whl", "is for cp312-cp312; expected cp311-abi3"),
        (f"celltrain-{VERSION}-cp311-abi3-linux_x86_64.whl", "its platform is none that wheels are made for"),
        (f"celltrain-{VERSION}-cp311-abi3-win_amd64.whl", "expected celltrain/_native.pyd"),
    ],
)
def test_a_wheel_with_a_wrong_name_is_found_out(wheel: Path, tmp_path: Path, name: str, said: str) -> None:
    shutil.copy(wheel, tmp_path / name)
    assert said in "\n".join(contents.problems([tmp_path / name], VERSION, REPOSITORY))


def test_the_source_distribution_has_examples_and_documentation(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "maturin", "sdist", "--out", str(tmp_path)]
    subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, timeout=100)
    (sdist,) = tmp_path.glob("*.tar.gz")
    assert list(contents.problems([sdist], VERSION, REPOSITORY)) == []
