"""SECURITY.md: each promise names tests that exist, and unsafe code is listed with its proof."""

from __future__ import annotations

import re
import tomllib

from conftest import REPOSITORY

PAGE = (REPOSITORY / "SECURITY.md").read_text("utf-8")
_UNSAFE = re.compile(r"\bunsafe\s*(\{|fn|impl|extern)")


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the table after a heading."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_each_promise_names_a_test_that_exists() -> None:
    promises = rows("Each promise and its test")
    assert len(promises) >= 20
    for promise, held in promises:
        words = re.findall(r"`([^`]+)`", held)
        files = [word for word in words if "/" in word and " " not in word]
        assert files or "`make " in held, f"{promise}: nothing holds it"
        text = ""
        for file in files:
            assert (REPOSITORY / file).is_file(), f"{promise}: there is no {file}"
            text += (REPOSITORY / file).read_text("utf-8")
        for name in (word for word in words if re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+){3,}", word)):
            assert re.search(rf"\b(fn|def) {name}", text), f"{promise}: there is no test {name}"


def test_each_target_of_make_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert set(re.findall(r"`make ([a-z-]+)`", PAGE)) <= targets


def test_unsafe_code_is_listed_and_has_its_proof() -> None:
    found = set()
    for path in (*REPOSITORY.glob("crates/*/src/**/*.rs"), *REPOSITORY.glob("benches/src/**/*.rs")):
        lines = path.read_text("utf-8").splitlines()
        for number, line in enumerate(lines):
            if _UNSAFE.search(line.partition("//")[0]):
                found.add(str(path.relative_to(REPOSITORY)))
                assert any("// SAFETY: " in before for before in lines[max(0, number - 4) : number]), (
                    f"{path}:{number + 1}"
                )
    assert found == {place.strip("`") for place, _, _ in rows("Code that the compiler does not check")}


def test_every_crate_keeps_unsafe_code_out() -> None:
    common = tomllib.loads((REPOSITORY / "Cargo.toml").read_text("utf-8"))["workspace"]["lints"]["rust"]["unsafe_code"]
    assert common == "forbid"
    for path in (*REPOSITORY.glob("crates/*/Cargo.toml"), REPOSITORY / "benches/Cargo.toml"):
        lints = tomllib.loads(path.read_text("utf-8"))["lints"]
        own = common if lints.get("workspace") else lints["rust"]["unsafe_code"]
        # In the bindings it is a warning, and `make check` refuses warnings.
        assert own in ("forbid", "deny") or (path.parent.name, own) == ("celltrain-py", "warn"), path
