"""A row of a registry is the only place of the core that names its algorithm."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from celltrain import _native

ROOT = Path(__file__).parents[2]
CRATES = ("language", "proto", "sim", "line", "dbs", "verify", "py")

#: A system of the 1990s is a variant and a preset.
PRESET = frozenset({"sim/src/scenario/preset.rs"})

#: Keywords that are also something else (a preset, a random stream, a service, an application, a key, a framing), with
#: the files in which they are.
HOMONYMS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("4.3bsd-reno", "4.3bsd-tahoe", "4.4bsd", "4.4bsd-lite2", "linux-1999"), PRESET),
    "bbr": frozenset({"proto/src/tcp/variant/bbr/law.rs"}),
    "cbr": frozenset({"proto/src/schedule/class.rs", "sim/src/scenario/queue.rs", "sim/src/scenario/service.rs"}),
    "ethernet": frozenset({"verify/src/shrink/lines.rs"}),
    "greedy": frozenset({"sim/src/scenario/application.rs"}),
    "sack": frozenset({"sim/src/network/check.rs"}),
}

NAMES = _native.names_of_algorithms()
TEST_FILE = re.compile(r"(^|/)tests?(_\w+)?(/|\.rs$)")
TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{.*", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)


@cache
def product() -> Mapping[str, str]:
    """Return the Rust sources of the product by path, without tests and comments."""
    found = {}
    for crate in CRATES:
        folder = ROOT / "crates" / f"celltrain-{crate}"
        for path in sorted((folder / "src").rglob("*.rs")):
            inside = path.relative_to(folder).as_posix()
            if not TEST_FILE.search(inside):
                found[f"{crate}/{inside}"] = COMMENT.sub("", TESTS.sub("", path.read_text()))
    return found


@pytest.mark.parametrize("keyword", sorted({keyword for _, keyword, _ in NAMES}))
def test_the_row_of_a_registry_alone_names_an_algorithm(keyword: str) -> None:
    registries = [registry for registry, other, _ in NAMES if other == keyword]
    naming = {path for path, text in product().items() if f'"{keyword}"' in text}
    rows = {path for path in naming if re.search(rf'^ *"{re.escape(keyword)}", "', product()[path], re.MULTILINE)}
    assert len(rows) == len(registries), rows
    assert naming - rows == HOMONYMS.get(keyword, frozenset())


ROW = re.compile(r'^ *"([^"]+)", "[^"]+" => (?:\w+::)?\w+\((?:\w+::)?(\w+)\)', re.MULTILINE)
USE = re.compile(r"^pub (\(.*\) )?use [^;]*;", re.MULTILINE)

#: Parameters that a short form of a scenario makes (`ethernet = "10 Mbit/s"` of a host, a recording of a link), or
#: another algorithm (FQ-CoDel has a CoDel for each flow, FQ-PIE a PIE, BLUE of
#: packets that of cells).
SHORT_FORMS: Mapping[str, frozenset[str]] = {
    "CoDelParameters": frozenset({"proto/src/packet_queue/fq_codel.rs"}),
    "PieParameters": frozenset({"proto/src/packet_queue/fq_pie.rs"}),
    "BlueParameters": frozenset({"proto/src/packet_queue/blue.rs"}),
    "EthernetParameters": frozenset({"sim/src/scenario/node.rs"}),
    **dict.fromkeys(
        ("DelayListParameters", "LossListParameters", "ListParameters"),
        frozenset({"proto/src/line/schedule/csv.rs"}),
    ),
}


def rows() -> list[tuple[str, str]]:
    """Return the file and the parameters of each row whose algorithm has parameters of its own."""
    found = [(path, type_) for path, text in product().items() for _, type_ in ROW.findall(text)]
    return [(path, type_) for path, type_ in found if type_ != "NoParameters"]


@pytest.mark.parametrize(("registry", "parameters"), rows())
def test_an_algorithm_is_one_file_and_one_row(registry: str, parameters: str) -> None:
    used = {path for path, text in product().items() if re.search(rf"\b{parameters}\b", USE.sub("", text))}
    same_name = {other for other, type_ in rows() if type_ == parameters}
    own = used - same_name - SHORT_FORMS.get(parameters, frozenset())
    assert len(own) == len(same_name), own


def test_the_rows_were_found() -> None:
    assert len(rows()) >= 45
