"""Write the reference pages of results, scenarios and algorithms from the core's own descriptions.

A page is a template of `docs/templates` with its tables filled in:

- `<!-- columns: TABLE -->` becomes the columns of a table of results, from the registry of columns of the core;
  `dbs.TABLE` is a table of `celltrain dbs run`.
- `<!-- keys: TYPE -->`, or `<!-- keys: TYPE VARIANT -->`, becomes the keys of a table of a scenario, from its schema.
  The end of a key's description, `Allowed: ... Default: ...`, goes into the columns of type and default.
- `<!-- choices: TYPE -->` becomes a row for each variant of such a table: what selects it, its keys, its meaning.
- `<!-- algorithms: TYPE -->` becomes a part for each algorithm of a registry, with its keys.

With ``--check`` nothing is written; it is an error if a page is out of date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from celltrain.cli.columns import tables

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = Path("docs/templates")
PAGES = Path("docs/reference")
NOTE = "<!-- Made by `make reference` from {template}; change that, or the doc comments that it shows. -->\n\n"

SCHEMA = Path("docs/reference/scenario.schema.json")
Schema = Mapping[str, Any]

#: Names of the JSON types.
KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "boolean",
    "array": "list",
    "object": "table",
}
#: Placeholder for an omitted value.
NOTHING = "nothing"
#: A default longer than this, in characters, is a table with its own keys and defaults.
LONGEST = 60

_MARK = re.compile(r"<!-- (\w+): (.*) -->\n")


def page(template: str, writers: Mapping[str, Callable[[str], str]]) -> str:
    r"""Fill in the tables of a template.

    >>> page("A <!-- not this: x -->\n<!-- shout: hey -->\n", {"shout": str.upper})
    'A <!-- not this: x -->\nHEY'
    """
    return _MARK.sub(lambda mark: writers[mark[1]](mark[2]), template)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""Write a table.

    >>> table(["a", "b"], [["1", "x | y"]])
    '| a | b |\n|---|---|\n| 1 | x \\| y |\n'
    """
    lines = [headings, *rows]
    written = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines]
    return "".join([written[0], "|---" * len(headings) + "|\n", *written[1:]])


def columns(name: str) -> str:
    """Write the columns of a table of results."""
    rows = [(f"`{each.name}`", each.unit, each.kind, each.meaning) for each in tables()[name].values()]
    return table(("column", "unit", "type", "meaning"), rows)


def keys(name: str) -> str:
    """Write the keys of a table of a scenario."""
    kind, _, variant = name.partition(" ")
    whole = definitions()[kind]
    return keys_of(_variant(whole, variant) if variant else whole, definitions())


def choices(name: str) -> str:
    """Write a row for each variant of a table of a scenario."""
    variants = [(member, *_choice(member)) for member in _tables(definitions()[name])]
    rows = [
        (f'`"{chosen}"`', ", ".join(_keys_in_short(member)) or "none", " ".join(member["description"].split()))
        for member, _, chosen in variants
    ]
    return table((f"`{variants[0][1]}`", "keys", "meaning"), rows)


def algorithms(name: str) -> str:
    """Describe all algorithms of a registry."""
    family = definitions()[name]
    parts = [algorithm(member, definitions()) for member in _tables(family)]
    return "\n".join([f"{family['description']}\n", *parts])


def algorithm(member: Schema, known: Schema) -> str:
    """Describe one algorithm: its name, its keyword and its keys."""
    tag, chosen = _choice(member)
    about = f'### {member["title"]}\n\n`{tag} = "{chosen}"`: {member["description"]}\n\n'
    return about + (keys_of(member, known) if len(member["properties"]) > 1 else "It has no other keys.\n")


@cache
def definitions() -> Schema:
    """Return all types of a scenario."""
    found: Schema = json.loads((ROOT / SCHEMA).read_text(encoding="utf-8"))["$defs"]
    return found


def _variant(whole: Schema, variant: str) -> Schema:
    """Return the one of several tables that the value of its key selects."""
    return next(member for member in _tables(whole) if _choice(member)[1] == variant)


def _tables(definition: Schema) -> list[Schema]:
    """Return the variants of a type that are tables, not names alone."""
    return [member for member in definition["oneOf"] if "properties" in member]


def _choice(member: Schema) -> tuple[str, str]:
    """Return the key and the value that select a variant."""
    return next((key, value["const"]) for key, value in member["properties"].items() if "const" in value)


def _keys_in_short(member: Schema) -> Iterator[str]:
    """Name the keys of a variant with their defaults, and mark those optional without one."""
    for name, value in member["properties"].items():
        if "const" in value:
            continue
        default = f"`{json.dumps(value['default'])}`" if "default" in value else "none"
        yield f"`{name}`" if name in member.get("required", ()) else f"`{name}` ({default})"


def keys_of(members: Schema, known: Schema) -> str:
    """Write the keys of a table except the one that selects it."""
    required = members.get("required", ())
    rows = [
        key(name, value, known, is_required=name in required)
        for name, value in members["properties"].items()
        if "const" not in value
    ]
    return table(("key", "type", "default", "meaning"), rows)


def key(name: str, value: Schema, known: Schema, *, is_required: bool) -> tuple[str, str, str, str]:
    """Return name, type, default and meaning of a key.

    >>> key("n", {"type": "integer", "description": "Of it. Allowed: 1 to 3. Default: a lot."}, {}, is_required=False)
    ('`n`', 'whole number, 1 to 3', 'a lot', 'Of it.')
    """
    meaning = " ".join(value["description"].split())
    meaning, _, default = meaning.partition(" Default: ")
    meaning, _, allowed = meaning.partition(" Allowed: ")
    if is_required:
        default = "required"
    elif not default and (written := value.get("default")) is not None:
        default = f"`{json.dumps(written)}`" if len(json.dumps(written)) < LONGEST else "its own"
    kinds = ", ".join(filter(None, (kind_of(value, known), allowed.removesuffix("."))))
    return f"`{name}`", kinds, default.removesuffix(".") or "none", meaning + names(value, known, told=meaning)


def kind_of(value: Schema, known: Schema) -> str:
    """Name the type of a key.

    >>> kind_of({"title": "a time such as '10 ms'", "type": "string"}, {}), kind_of({"type": ["integer", "null"]}, {})
    ('time', 'whole number')
    >>> kind_of({"anyOf": [{"title": "RED", "type": "object"}, {"type": "null"}]}, {})
    'table'
    >>> kind_of({"anyOf": [{"type": "number"}, {"type": "string", "pattern": "[0-9]+/[0-9]+"}]}, {})
    'fraction'
    """
    if value.get("type") == "object":
        return "table"
    if "title" in value:
        return str(value["title"]).removeprefix("a number of ").removeprefix("a ").split(" such as")[0]
    if "$ref" in value:
        aim = known[_aim(value)]
        return "name" if _names(aim) else kind_of(aim, known)
    if "anyOf" in value or "oneOf" in value:
        members = value.get("anyOf", value.get("oneOf", ()))
        if any("/" in member.get("pattern", "") and member.get("title") is None for member in members):
            return "fraction"
        kinds = (kind_of(each, known) for each in members)
        return " or ".join(dict.fromkeys(each for each in kinds if each != NOTHING))
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    return " or ".join(KINDS[each] for each in types if each != "null") or NOTHING


def names(value: Schema, known: Schema, told: str) -> str:
    """Explain the names that a key may have, except those already `told`."""
    aims = [each for each in (value, *value.get("anyOf", ())) if "$ref" in each]
    found = [name for each in aims for name in _names(known[_aim(each)])]
    return "".join(f' `"{name}"`: {" ".join(text.split())}' for name, text in found if f'"{name}"' not in told)


def _aim(value: Schema) -> str:
    return str(value["$ref"]).rpartition("/")[2]


def _names(definition: Schema) -> list[tuple[str, str]]:
    """Return the names that a type consists of, and their meanings."""
    members = definition.get("oneOf", ())
    return [(each["const"], each.get("description", "")) for each in members if "const" in each]


WRITERS: Mapping[str, Callable[[str], str]] = {
    "columns": columns,
    "keys": keys,
    "choices": choices,
    "algorithms": algorithms,
}


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is not as it would be")
    check = parser.parse_args(arguments).check
    stale = []
    for template in sorted((ROOT / TEMPLATES).glob("*.md")):
        text = NOTE.format(template=TEMPLATES / template.name) + page(template.read_text(encoding="utf-8"), WRITERS)
        target = ROOT / PAGES / template.name
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(PAGES / template.name))
        if not check:
            target.write_text(text, encoding="utf-8")
    if check and stale:
        sys.stderr.write(f"{', '.join(stale)}: not what the core says; write them with `make reference`\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
