"""Write the conformance table: the rules of the standards, and the tests that cover each.

A test belongs to a rule by its name, ``PREFIX_NUMBER_what_it_says``: ``source_rule_05_...``, ``tcp_section_3_1_...``.
The rules are in ``conformance.toml`` beside this file. With ``--check`` nothing is written; it is an error if the
page is out of date, a rule has no test, a test names an unknown rule, or a feature listed as unreachable from
scenarios is named by the simulator, or by no protocol core.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = Path("docs/reference/conformance.md")
RULES = Path("tools/conformance.toml")

INTRODUCTION = """\
# Conformance

The rules of the standards, and the tests that cover each. `make conformance` generates this page from the names of the
tests; a rule without a test, or a page that is out of date, fails `make test`.

A test's name begins with the prefix and the number below, as in `source_rule_05_...` or `tcp_section_3_1_...`, and
continues as a sentence that can be false. Rules of TM 4.0 have the numbers of the standard; where a source has no
numbers, subjects are numbered here. Expected values are those of the sources, or worked out by hand from them.
"""

TEST = re.compile(
    r"""
    ^[ \t]*\#\[test\]                   # the attribute, not a mention of it in a comment
    (?:\s*\#\[(?:[^\]"]|"[^"]*")*\])*   # others behind it
    (?:\s*//[^\n]*)*
    \s*fn\s+(\w+)
    """,
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True, order=True)
class RustTest:
    """A test function of Rust: its file, relative to the repository, and its name."""

    file: str
    name: str


@dataclass
class Rule:
    """A row of the table: a numbered rule or subject, and the tests that name it."""

    number: str
    source: str
    says: str
    absent: str | None = None
    left_out: str | None = None
    # Features that no scenario can choose, by name in the protocol core.
    unreachable: dict[str, str] = field(default_factory=dict)
    tests: list[tuple[str, RustTest]] = field(default_factory=list)


@dataclass
class Group:
    """The rules of one document, whose tests share a prefix."""

    title: str
    prefix: str
    rules: dict[str, Rule]


def read_rules(text: str) -> tuple[list[Group], dict[str, str]]:
    """Read the rules, and the spelling of words that names write differently.

    Parameters
    ----------
    text
        TOML with a table ``group`` for each prefix. The source of a row is its own, or the group's with ``{number}``.
    """
    content = tomllib.loads(text)
    groups = []
    for group in content["group"]:
        rules = {}
        for row in group["rows"]:
            source = row.get("source") or group["source"].format(number=row["number"])
            rules[row["number"]] = Rule(row["number"], source, row["says"], row.get("absent"), row.get("left_out"))
            rules[row["number"]].unreachable = row.get("unreachable", {})
        groups.append(Group(group["title"], group["prefix"], rules))
    return groups, {re.sub(r"\W", "", word).lower(): word for word in content["spellings"]}


def tests_of(file: str, text: str) -> Iterator[RustTest]:
    """Yield the test functions in a Rust source, including those in ``proptest!``."""
    for match in TEST.finditer(text):
        yield RustTest(file, match[1])


def find_tests(root: Path) -> list[RustTest]:
    """Return all tests below ``crates``, by file and then in the order of the source."""
    files = sorted(path for path in (root / "crates").rglob("*.rs") if "target" not in path.parts)
    return [test for path in files for test in tests_of(path.relative_to(root).as_posix(), path.read_text("utf-8"))]


def assign(groups: Sequence[Group], tests: Sequence[RustTest]) -> list[str]:
    """Assign each test with a prefix to its rule; return a message for each that names none."""
    problems = []
    for test in tests:
        for group in groups:
            # `_3a_` is a part of rule 3; `_3_1_` is subject 3.1 if it exists, else 3.
            match = re.fullmatch(rf"{group.prefix}_0*(\d+)[a-z]?(?:_(\d+))?_(\w+)", test.name)
            if match is None:
                continue
            number, part, says = match.groups()
            if part is not None and f"{number}.{part}" in group.rules:
                number = f"{number}.{part}"
            elif part is not None:
                says = f"{part}_{says}"
            if number in group.rules:
                group.rules[number].tests.append((says, test))
            else:
                problems.append(f"{test.file}: {test.name}: there is no {group.prefix} {number} in {RULES}")
    return problems


def gaps(groups: Sequence[Group]) -> list[str]:
    """Return a message for each rule without a test or a reason, or with both."""
    problems = []
    for group in groups:
        for rule in group.rules.values():
            name = f"{group.prefix} {rule.number} ({rule.source}: {rule.says})"
            if not rule.tests and rule.absent is None:
                problems.append(f"{name} has no test")
            if rule.tests and rule.absent is not None:
                problems.append(f"{name} has a test: {rule.tests[0][1].name}; drop `absent` in {RULES}")
    return problems


def reached(groups: Sequence[Group], root: Path) -> list[str]:
    """Return a message for each part of a rule that is wrongly listed as unreachable from scenarios."""
    core, simulator = (
        "".join(path.read_text("utf-8") for path in sorted((root / "crates" / crate / "src").rglob("*.rs")))
        for crate in ("celltrain-proto", "celltrain-sim")
    )
    problems = []
    for rule in (rule for group in groups for rule in group.rules.values()):
        for says, name in rule.unreachable.items():
            if re.search(rf"\b{name}\b", core) is None:
                problems.append(f"{says}: celltrain-proto has no {name}; correct `unreachable` in {RULES}")
            if re.search(rf"\b{name}\b", simulator) is not None:
                problems.append(f"{says}: celltrain-sim names {name}; drop `unreachable` in {RULES}")
            if re.search(rf"=> \w+::{name}\(", core) is not None:
                problems.append(f"{says}: {name} is in a registry of celltrain-proto; drop `unreachable` in {RULES}")
    return problems


def sentence(name: str, spellings: Mapping[str, str]) -> str:
    """Return the end of a test's name as a sentence."""
    text = " ".join(spellings.get(word, word) for word in name.split("_"))
    return text[:1].upper() + text[1:]


def row(rule: Rule, spellings: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of a row."""
    yield f"* - {rule.number}"
    yield f"  - {rule.says[:1].upper()}{rule.says[1:]}."
    yield ""
    yield f"    {rule.source}"
    if rule.left_out is not None:
        yield ""
        yield f"    Not modelled: {rule.left_out}."
    if rule.unreachable:
        yield ""
        yield f"    Only in the protocol core, not reachable from scenarios: {', '.join(rule.unreachable)}."
    if rule.absent is not None:
        yield f"  - {rule.absent}"
        return
    file = ""
    lead = "  - "
    for says, test in rule.tests:
        if test.file != file:
            file = test.file
            if lead == "    ":
                yield ""
            yield f"{lead}`{file.removeprefix('crates/')}`"
            yield ""
            lead = "    "
        yield f"    * {sentence(says, spellings)}"


def page(groups: Sequence[Group], spellings: Mapping[str, str]) -> str:
    """Return the page in Markdown."""
    lines = [INTRODUCTION]
    for group in groups:
        count = sum(len(rule.tests) for rule in group.rules.values())
        lines += [f"## {group.title}", "", f"Prefix `{group.prefix}`; {count} tests.", ""]
        lines += ["```{list-table}", ":header-rows: 1", ":widths: 6 34 60", "", "* - No.", "  - Content", "  - Tests"]
        for rule in group.rules.values():
            lines += row(rule, spellings)
        lines += ["```", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write or check the page; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository")
    options = parser.parse_args(arguments)
    root: Path = options.root

    groups, spellings = read_rules((root / RULES).read_text("utf-8"))
    problems = assign(groups, find_tests(root)) + gaps(groups) + reached(groups, root)
    text, path = page(groups, spellings), root / PAGE
    if not options.check:
        path.write_text(text, "utf-8")
    elif not path.exists() or path.read_text("utf-8") != text:
        problems.append(f"{PAGE} is out of date: run `make conformance`")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
