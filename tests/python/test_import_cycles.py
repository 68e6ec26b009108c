"""There are no import cycles in a crate or in a Python package; the check for them finds cycles."""

from pathlib import Path

import pytest
from import_cycles.__main__ import ROOT, STILL_TIED, problems
from import_cycles.graph import Imports
from import_cycles.python import package_imports
from import_cycles.rust import crate_imports


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def crate(root: Path, files: dict[str, str]) -> Imports:
    write(root, {f"crates/c/src/{name}": text for name, text in files.items()})
    return {file: of for file, of in crate_imports(root / "crates/c/src", root / "crates/c/src").items() if of}


def test_no_files_of_this_repository_import_each_other() -> None:
    assert list(problems(ROOT, STILL_TIED)) == []


def test_a_name_is_imported_from_the_file_that_defines_it(tmp_path: Path) -> None:
    files = {
        "lib.rs": "mod a;\npub mod b;\npub use b::Named;",
        "a.rs": "use crate::{Named, b::{self, deep::Other as Another}};\nfn f() { b::given(); }",
        "b.rs": "mod deep;\npub use self::deep::given;\npub use deep::Named;",
        "b/deep.rs": "pub struct Named;\npub enum Other {}\npub fn given() {}",
    }
    assert crate(tmp_path, files) == {"a.rs": {"b/deep.rs": {"Named", "Other", "b::given"}}}


@pytest.mark.parametrize(
    "text",
    [
        "use super::b::Named;",
        "fn f(it: &super::b::Named) {}",
        "fn f() { g!(crate::b::Named::new()) }",
        "fn f() { use crate::b::Named; }",
        "use super::*;\nfn f(it: b::Named) {}",
        '#[serde(default = "super::b::Named")]\nstruct S;',
        "mod inner { use super::super::b::Named; }",
        "#[cfg(unix)]\nuse super::b::Named;",
    ],
)
def test_what_is_an_import(tmp_path: Path, text: str) -> None:
    assert "b.rs" in crate(tmp_path, {"lib.rs": "mod a;\nmod b;", "a.rs": text, "b.rs": "pub struct Named;"})["a.rs"]


@pytest.mark.parametrize(
    "text",
    [
        "pub use crate::b::Named;",
        '// crate::b::Named\n/* crate::b::Named */\nfn f() { g("crate::b::Named") }',
        "#[cfg(test)]\n// Tests.\nmod tests { use crate::b::Named; }",
        "#[cfg(test)]\nuse crate::b::Named;",
        "fn f() {\n#[cfg(test)]\ncrate::b::f();\n}",
        "pub(in crate::b) fn f() {}",
        "use std::collections::BTreeMap;\nuse other::b::Named;",
    ],
)
def test_what_is_no_import(tmp_path: Path, text: str) -> None:
    assert crate(tmp_path, {"lib.rs": "mod a;\nmod b;", "a.rs": text, "b.rs": "pub struct Named;"}) == {}


def test_a_module_and_its_own_part_are_a_circle_where_each_uses_the_other(tmp_path: Path) -> None:
    files = {
        "crates/c/src/lib.rs": "mod a;",
        "crates/c/src/a.rs": "mod part;\npub struct Whole(part::Part);",
        "crates/c/src/a/part.rs": "pub struct Part;",
    }
    write(tmp_path, files)
    assert list(problems(tmp_path)) == []
    write(tmp_path, {"crates/c/src/a/part.rs": "use super::Whole;\npub struct Part;"})
    (found,) = problems(tmp_path)
    assert "crates/c/src/a/part.rs imports Whole from crates/c/src/a.rs" in found


def test_a_cycle_is_reported_with_the_imports_that_form_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "crates/c/src/lib.rs": "mod a;\nmod b;",
            "crates/c/src/a.rs": "use crate::b::B;\npub struct A;",
            "crates/c/src/b.rs": "use crate::a::A;\npub struct B;",
        },
    )
    assert list(problems(tmp_path)) == [
        "2 files import each other:\n"
        "  crates/c/src/a.rs imports B from crates/c/src/b.rs\n"
        "  crates/c/src/b.rs imports A from crates/c/src/a.rs"
    ]


def test_an_exception_is_one_folder_and_ends_with_its_circle(tmp_path: Path) -> None:
    files = {
        "crates/c/src/lib.rs": "mod in_room;\nmod outside;",
        "crates/c/src/in_room/mod.rs": "mod a;\nmod b;\npub use a::A;",
        "crates/c/src/in_room/a.rs": "use super::b::B;\npub struct A;",
        "crates/c/src/in_room/b.rs": "use super::a::A;\npub struct B;",
        "crates/c/src/outside.rs": "pub struct O;",
    }
    write(tmp_path, files)
    room = "crates/c/src/in_room"
    assert list(problems(tmp_path, [room])) == []
    write(tmp_path, {f"{room}/b.rs": "use crate::outside::O;\nuse super::a::A;\npub struct B;"})
    write(tmp_path, {"crates/c/src/outside.rs": "use crate::in_room::A;\npub struct O;"})
    (found,) = problems(tmp_path, [room])
    assert f"{room} imports O from crates/c/src/outside.rs" in found
    write(tmp_path, {"crates/c/src/outside.rs": "pub struct O;", f"{room}/b.rs": "pub struct B;"})
    (found,) = problems(tmp_path, [room])
    assert "remove it" in found


def test_imports_of_type_checkers_and_functions_count_and_a_stub_is_a_module(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "python/p/__init__.py": "from p.a import A\nfrom p import core",
            "python/p/core.pyi": "",
            "python/p/a.py": "from p import core\nif TYPE_CHECKING:\n    from p.b import B",
            "python/p/b.py": "def f() -> None:\n    from . import a\n    import p.core",
        },
    )
    assert package_imports(tmp_path / "python/p", tmp_path) == {
        "python/p/__init__.py": {"python/p/a.py": {"A"}, "python/p/core.pyi": {"core"}},
        "python/p/a.py": {"python/p/core.pyi": {"core"}, "python/p/b.py": {"B"}},
        "python/p/b.py": {"python/p/a.py": {"a"}, "python/p/core.pyi": {"p.core"}},
        "python/p/core.pyi": {},
    }
    (found,) = problems(tmp_path)
    assert "python/p/a.py imports B from python/p/b.py" in found
