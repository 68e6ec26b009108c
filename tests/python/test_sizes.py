"""No file or function is longer than allowed; the check counts the right lines."""

from pathlib import Path
from types import ModuleType

import pytest
from conftest import REPOSITORY, tool

CODE = "    let x = 1;\n"


@pytest.fixture(scope="module")
def sizes() -> ModuleType:
    """Load the check, which is not part of the package."""
    return tool("sizes")


def rust(sizes: ModuleType, text: str) -> dict[str, int]:
    return {size.name: size.lines for size in sizes.rust_sizes("a.rs", text)}


def python(sizes: ModuleType, text: str) -> dict[str, int]:
    return {size.name: size.lines for size in sizes.python_sizes("a.py", text)}


def test_this_repository_passes(sizes: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    status = sizes.main(["--root", str(REPOSITORY)])
    assert status == 0, capsys.readouterr().err


def test_a_function_of_rust_has_its_lines_of_code(sizes: ModuleType) -> None:
    text = "/// Says.\n#[inline]\nfn f() {\n    // Why.\n\n    /* One\n    two. */\n    g(); // Why.\n"
    text += "    /* in */ h();\n}\n"
    assert rust(sizes, text) == {"a.rs::f": 4, "a.rs": 10}


def test_a_method_is_named_with_its_type(sizes: ModuleType) -> None:
    text = "mod m {\nimpl<T> Law for Vegas<T> {\nfn f() {}\n}\ntrait Law {\nfn g() {}\nfn h();\n}\n}\n"
    assert rust(sizes, text) == {"a.rs::m::Vegas<T>::f": 1, "a.rs::m::Law::g": 1, "a.rs": 9}


@pytest.mark.parametrize("attribute", ["#[cfg(test)]", "#[cfg(all(test, unix))]", "#[cfg(test)]\n#[allow(unused)]"])
def test_tests_do_not_count(sizes: ModuleType, attribute: str) -> None:
    text = "fn f() {}\n" + attribute + "\n// Tests.\nmod tests {\n    fn t() {\n" + CODE * 500 + "    }\n}\n"
    # The comment between the attribute and its module is the only remaining line.
    assert rust(sizes, text) == {"a.rs::f": 1, "a.rs": 2}


def test_other_conditions_count(sizes: ModuleType) -> None:
    assert rust(sizes, "#[cfg(unix)]\nmod m {\n    fn f() {}\n}\n") == {"a.rs::m::f": 1, "a.rs": 4}


def test_a_function_of_python_has_its_lines_of_code(sizes: ModuleType) -> None:
    text = 'class C:\n    """It."""\n\n    def f(self) -> None:\n        """Do.\n\n        So.\n        """\n'
    text += "        # Why.\n        g()\n"
    assert python(sizes, text) == {"a.py::C::f": 2, "a.py": 10}


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in {"tools/sizes.toml": "", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("crates/c/src/a.rs", "fn f() {\n" + CODE * 59 + "}\n", "a.rs::f: 61 lines, at most 60"),
        ("crates/c/src/a.rs", "// Why.\n" * 401, "a.rs: 401 lines, at most 400"),
        ("python/p/a.py", "def f():\n" + "    g()\n" * 60, "a.py::f: 61 lines, at most 60"),
        ("tools/a.py", "X = 1\n" * 401, "a.py: 401 lines, at most 400"),
    ],
)
def test_what_is_too_long_fails(
    sizes: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, said: str
) -> None:
    write(tmp_path, {name: text})
    assert sizes.main(["--root", str(tmp_path)]) == 1
    assert said in capsys.readouterr().err
    line = text.splitlines()[1] + "\n"
    write(tmp_path, {name: text.replace(line, "", 1)})
    assert sizes.main(["--root", str(tmp_path)]) == 0


def test_files_of_tests_may_be_long(sizes: ModuleType, tmp_path: Path) -> None:
    long = "// Why.\n" * 401
    files = {
        "crates/c/src/lib.rs": "mod a;",
        "crates/c/src/a.rs": "#[cfg(test)]\nmod tests;\n",
        "crates/c/src/a/tests.rs": "mod deep;\n" + long,
        "crates/c/src/a/tests/deep.rs": long,
        "crates/c/tests/all.rs": long,
        "tests/python/test_a.py": long.replace("//", "#"),
    }
    write(tmp_path, files)
    assert sizes.main(["--root", str(tmp_path)]) == 0


EXCEPTION = '[[exception]]\nname = "crates/c/src/a.rs::f"\nlines = 70\nbecause = "So."\n'


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (70, ""),
        (71, "71 lines, at most 70"),
        (65, "65 lines now: write that in tools/sizes.toml instead of 70"),
        (60, "within 60: remove it"),
        (None, "there is no such file or function any more"),
    ],
)
def test_an_exception_can_only_shrink(
    sizes: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: int | None, said: str
) -> None:
    text = "" if lines is None else "fn f() {\n" + CODE * (lines - 2) + "}\n"
    write(tmp_path, {"tools/sizes.toml": EXCEPTION, "crates/c/src/a.rs": text})
    assert sizes.main(["--root", str(tmp_path)]) == (1 if said else 0)
    assert said in capsys.readouterr().err


def test_an_exception_gives_its_reason(sizes: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"a\.rs::f: say `because`"):
        sizes.read_exceptions(EXCEPTION.replace("So.", " "))
