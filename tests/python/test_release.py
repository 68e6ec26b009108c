"""Releases: versions in all files, the bill of materials, checksums, and what each wheel is built with."""

import hashlib
import json
import platform as host
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY
from release import __main__ as release
from release import contents, materials, targets, versions, wheels
from release.binary import container_and_machine
from release.failed import FailedError

CARGO = """[workspace.package]
version = "0.1.0"
[workspace.dependencies]
celltrain-sim = { path = "crates/celltrain-sim", version = "0.1.0" }
other = { version = "0.1.0" }
"""
CITATION = "title: celltrain\nversion: 0.1.0\nlicense: MIT\n"
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository with the files that have a version, in which Cargo needs not be run."""
    lock = '[[package]]\nname = "celltrain-sim"\nversion = "{}"\n'
    files = {
        "Cargo.toml": CARGO,
        "CITATION.cff": CITATION,
        "CHANGELOG.md": CHANGELOG,
        "Cargo.lock": lock.format("0.1.0"),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def update(command: list[str], *, cwd: Path, check: bool) -> "subprocess.CompletedProcess[str]":
        assert (command[:2], check) == (["cargo", "update"], False)
        (cwd / "Cargo.lock").write_text(lock.format(versions.current(cwd)))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", update)
    return tmp_path


def test_the_versions_of_this_repository_agree() -> None:
    assert list(versions.disagreements(REPOSITORY)) == []


def test_a_new_version_is_in_all_files(repository: Path) -> None:
    versions.set_version(repository, "1.2.0rc1", "2027-01-02")
    assert list(versions.disagreements(repository)) == []
    assert (repository / "Cargo.toml").read_text() == (CARGO.replace('version = "0.1.0"', 'version = "1.2.0-rc.1"', 2))
    assert (repository / "CITATION.cff").read_text() == (
        'title: celltrain\nversion: 1.2.0rc1\ndate-released: "2027-01-02"\nlicense: MIT\n'
    )
    assert (repository / "CHANGELOG.md").read_text() == (
        "# Changelog\n\n## [Unreleased]\n\n## [1.2.0rc1] - 2027-01-02\n\n### Added\n\n- A thing.\n"
    )


def test_the_date_of_the_previous_release_is_replaced(repository: Path) -> None:
    versions.set_version(repository, "0.2.0", "2027-01-02")
    changelog = repository / "CHANGELOG.md"
    changelog.write_text(changelog.read_text().replace("[Unreleased]\n", "[Unreleased]\n\n- More.\n"))
    versions.set_version(repository, "0.3.0", "2027-03-04")
    assert (repository / "CITATION.cff").read_text().count("date-released") == 1
    assert list(versions.disagreements(repository)) == []


def test_the_notes_of_a_release_are_its_part_of_the_changelog(repository: Path) -> None:
    versions.set_version(repository, "0.2.0", "2027-01-02")
    changelog = f"{(repository / 'CHANGELOG.md').read_text()}\n## [0.1.0] - 2026-01-01\n\n- Old.\n"
    assert versions.notes(changelog, "0.2.0") == "### Added\n\n- A thing.\n"
    assert versions.notes(changelog, "0.1.0") == "- Old.\n"
    with pytest.raises(FailedError, match=r"no version 0\.3\.0: make dist VERSION=0\.3\.0"):
        versions.notes(changelog, "0.3.0")


@pytest.mark.parametrize(
    ("version", "changelog", "said"),
    [
        ("1.2", CHANGELOG, "VERSION=1.2: expected numbers such as 1.2.3"),
        ("v1.2.3", CHANGELOG, "VERSION=v1.2.3: expected"),
        (
            "0.2.0",
            "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- Old.\n",
            "nothing under \\[Unreleased\\]",
        ),
        ("0.2.0", "# Changelog\n", "nothing under \\[Unreleased\\]"),
        ("0.1.0", f"{CHANGELOG}\n## [0.1.0] - 2026-01-01\n", "has a version 0.1.0 already"),
    ],
)
def test_a_version_that_cannot_be_set_changes_no_file(
    repository: Path, version: str, changelog: str, said: str
) -> None:
    (repository / "CHANGELOG.md").write_text(changelog)
    with pytest.raises(FailedError, match=said):
        versions.set_version(repository, version, "2027-01-02")
    assert (repository / "Cargo.toml").read_text() == CARGO
    assert (repository / "CITATION.cff").read_text() == CITATION


@pytest.mark.parametrize(
    ("name", "before", "after", "said"),
    [
        ("CITATION.cff", "version: 0.1.0", "version: 0.0.9", "CITATION.cff: version 0.0.9; Cargo.toml has 0.1.0"),
        ("CITATION.cff", "version: 0.1.0\n", "", "CITATION.cff: version none"),
        ("Cargo.lock", "0.1.0", "0.0.9", "Cargo.lock: celltrain-sim 0.0.9; Cargo.toml has 0.1.0"),
        ("CHANGELOG.md", "[Unreleased]", "[0.0.9] - 2026-01-01", "CHANGELOG.md: has no [Unreleased]"),
        (
            "CHANGELOG.md",
            "A thing.\n",
            "A thing.\n\n## [0.1.0] - 2026-01-01\n",
            "released on no date; CHANGELOG.md has 2026-",
        ),
    ],
)
def test_versions_that_differ_are_found(repository: Path, name: str, before: str, after: str, said: str) -> None:
    path = repository / name
    path.write_text(path.read_text().replace(before, after))
    assert said in "\n".join(versions.disagreements(repository))


def test_the_bill_names_every_crate_of_the_package_and_no_tool_of_its_tests() -> None:
    bill = materials.bill(REPOSITORY, "0.1.0", "2027-01-02", {"a.whl": "00"})
    components = {each["name"]: each for each in bill["components"]}
    assert {"celltrain-sim", "pyo3", "rustls", "numpy"} <= set(components)
    assert not {"proptest", "celltrain-hunt", "celltrain-benches", "ruff", "sphinx"} & set(components)
    assert components["serde"]["purl"].startswith("pkg:cargo/serde@1.")
    assert len(components["serde"]["hashes"][0]["content"]) == 64
    assert components["numpy"]["scope"] == "required"
    assert components["polars"]["scope"] == "optional"
    assert all(each["licenses"][0]["expression"] for each in bill["components"] if each["purl"].startswith("pkg:cargo"))
    assert bill["metadata"]["component"]["components"][0]["hashes"] == [{"alg": "SHA-256", "content": "00"}]
    references = [each["bom-ref"] for each in bill["components"]]
    assert len(references) == len(set(references))
    assert bill["dependencies"][0]["dependsOn"] == references


def test_checksums_are_those_of_the_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    wheel = tmp_path / "celltrain-0.1.0.whl"
    wheel.write_bytes(b"wheel")
    release.sealed(tmp_path, [wheel])
    names = sorted([wheel.name, release.BILL])
    hashes = [hashlib.sha256((tmp_path / name).read_bytes()).hexdigest() for name in names]
    listed = "".join(f"{digest}  {name}\n" for digest, name in zip(hashes, names, strict=True))
    assert (tmp_path / release.SUMS).read_text() == listed
    assert json.loads((tmp_path / release.BILL).read_text())["metadata"]["timestamp"] == "2027-01-15T00:00:00Z"


def test_a_release_has_a_wheel_for_each_system(monkeypatch: pytest.MonkeyPatch) -> None:
    tags = [
        "manylinux*_x86_64",
        "manylinux*_aarch64",
        "musllinux_1_2_x86_64",
        "musllinux_1_2_aarch64",
        "macosx_*_x86_64",
        "macosx_*_arm64",
        "win_amd64",
    ]
    assert [each.tag for each in targets.TARGETS] == tags
    monkeypatch.setattr(sys, "platform", "linux")
    here, others = targets.linked_here()
    assert [each.tag for each in here] == tags[:-1]
    assert [each.tag for each in others] == tags[-1:]
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(host, "machine", lambda: "AMD64")
    assert [each.tag for each in targets.linked_here()[0]] == tags


def test_the_workflow_builds_the_wheels_that_are_made() -> None:
    workflow = (REPOSITORY / ".github/workflows/release.yml").read_text()
    for target in targets.TARGETS:
        assert f"target: {target.triple}," in workflow


@pytest.mark.parametrize(
    ("platform", "machine", "profiled"),
    [
        ("linux", "x86_64", {"x86_64-unknown-linux-gnu", "x86_64-unknown-linux-musl"}),
        ("linux", "aarch64", {"aarch64-unknown-linux-gnu", "aarch64-unknown-linux-musl"}),
        ("darwin", "arm64", {"aarch64-apple-darwin"}),
        ("win32", "AMD64", {"x86_64-pc-windows-msvc"}),
    ],
)
def test_wheels_have_a_profile_where_their_programs_run(
    platform: str, machine: str, profiled: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(host, "machine", lambda: machine)
    commands = {each.triple: wheels.command_for(each, Path("dist")) for each in targets.TARGETS}
    assert {triple for triple, command in commands.items() if "tools/pgo.py" in command} == profiled
    assert "--zig" not in commands["x86_64-pc-windows-msvc"]
    assert "manylinux2014" in commands["aarch64-unknown-linux-gnu"]


def test_a_target_without_standard_library_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in ("rustc", "rustup"):
        (tmp_path / program).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FailedError, match=r"no standard library for aarch64-apple-darwin, .* `rustup target add"):
        wheels.standard_library(targets.named("aarch64-apple-darwin"))


@pytest.mark.parametrize(
    ("octets", "expected"),
    [
        (b"\x7fELF\x02\x01" + bytes(12) + b"\xb7\x00", ("elf", 0xB7)),
        (bytes.fromhex("cffaedfe 0c000001"), ("mach-o", 0x0100000C)),
        (b"MZ" + bytes(58) + b"\x40\0\0\0PE\0\0\x64\x86", ("pe", 0x8664)),
    ],
)
def test_formats_of_modules_are_recognized(octets: bytes, expected: tuple[str, int]) -> None:
    assert container_and_machine(octets) == expected


@pytest.mark.parametrize("octets", [b"", b"\x7fELF\x01\x01" + bytes(20), b"MZ" + bytes(62), b"#!/bin/sh\n"])
def test_other_files_are_no_modules(octets: bytes) -> None:
    with pytest.raises(ValueError, match="no ELF, Mach-O or PE file of 64 bits"):
        container_and_machine(octets)


def test_every_wheel_has_one_target() -> None:
    names = [each.tag.replace("*", "2_17") for each in targets.TARGETS]
    found = [contents.target_of(Path(f"celltrain-1.0.0-cp311-abi3-{name}.whl")) for name in names]
    assert [each and each.tag for each in found] == [each.tag for each in targets.TARGETS]


def test_mistakes_on_the_command_line_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert release.main(["wheel", "sparc"]) == 1
    assert "no wheels are made for 'sparc'; there are x86_64-unknown-linux-gnu" in capsys.readouterr().err
    assert release.main(["check", "--out", str(tmp_path)]) == 1
    assert "there is no wheel and no source distribution to check" in capsys.readouterr().err
    wrong = tmp_path / "other.whl"
    wrong.write_bytes(b"")
    assert release.main(["check", str(wrong)]) == 1
    assert "other.whl: expected celltrain-VERSION-PYTHON-ABI-PLATFORM.whl" in capsys.readouterr().err
