"""Write the reference pages of results and scenarios from the core's descriptions of its columns and keys.

A page is a template of `docs/templates` with its tables filled in:

- `<!-- columns: TABLE -->` becomes the columns of a table of results, from the registry of columns of the core.
- `<!-- keys: TYPE -->`, or `<!-- keys: TYPE VARIANT -->`, becomes the keys of a table of a scenario, from its schema.
  What the doc comment of a key says last, `Allowed: ... Default: ...`, goes into the columns of type and default.

With ``--check`` nothing is written; it is an error if a page is out of date.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from celltrain.columns import COLUMNS

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
    "boolean": "true, false",
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


def columns(table: str) -> str:
    """Write the columns of a table of results."""
    rows = [
        f"| `{each.name}` | {each.unit} | {each.kind} | {each.meaning.replace('|', chr(92) + '|')} |"
        for each in COLUMNS[table].values()
    ]
    return "\n".join(["| column | unit | type | meaning |", "|---|---|---|---|", *rows, ""])


def keys(name: str) -> str:
    """Write the keys of a table of a scenario."""
    definitions: Schema = json.loads((ROOT / SCHEMA).read_text(encoding="utf-8"))["$defs"]
    members = _members(name, definitions)
    required = members.get("required", ())
    rows = [
        key(each, value, definitions, is_required=each in required)
        for each, value in members["properties"].items()
        if "const" not in value
    ]
    return "\n".join(["| key | type | default | meaning |", "|---|---|---|---|", *rows, ""])


def _members(name: str, definitions: Schema) -> Schema:
    """Return the table of a type, or of a variant selected by the value of one of its keys."""
    kind, _, variant = name.partition(" ")
    whole: Schema = definitions[kind]
    if not variant:
        return whole
    chosen: Iterator[Schema] = (
        each
        for each in whole["oneOf"]
        if any(value.get("const") == variant for value in each.get("properties", {}).values())
    )
    return next(chosen)


def key(name: str, value: Schema, definitions: Schema, *, is_required: bool) -> str:
    """Write the row of a key.

    >>> key("n", {"type": "integer", "description": "Of it. Allowed: 1 to 3. Default: a lot."}, {}, is_required=False)
    '| `n` | whole number, 1 to 3 | a lot | Of it. |'
    """
    meaning = " ".join(value["description"].split())
    meaning, _, default = meaning.partition(" Default: ")
    meaning, _, allowed = meaning.partition(" Allowed: ")
    if is_required:
        default = "required"
    elif not default and (written := value.get("default")) is not None:
        default = f"`{json.dumps(written)}`" if len(json.dumps(written)) < LONGEST else "its own"
    meaning += names(value, definitions, known=meaning)
    kinds = ", ".join(filter(None, (kind_of(value, definitions), allowed.removesuffix("."))))
    shown = meaning.replace("|", "\\|")
    return f"| `{name}` | {kinds} | {default.removesuffix('.') or 'none'} | {shown} |"


def kind_of(value: Schema, definitions: Schema) -> str:
    """Name the type of a key.

    >>> kind_of({"title": "a time such as '10 ms'", "type": "string"}, {}), kind_of({"type": ["integer", "null"]}, {})
    ('time', 'whole number')
    >>> kind_of({"anyOf": [{"title": "RED", "type": "object"}, {"type": "null"}]}, {})
    'table'
    """
    if value.get("type") == "object":
        return "table"
    if "title" in value:
        return str(value["title"]).removeprefix("a number of ").removeprefix("a ").split(" such as")[0]
    if "$ref" in value:
        aim = definitions[_aim(value)]
        return "name" if _choices(aim) else kind_of(aim, definitions)
    if "anyOf" in value or "oneOf" in value:
        kinds = (kind_of(each, definitions) for each in value.get("anyOf", value.get("oneOf", ())))
        return " or ".join(dict.fromkeys(each for each in kinds if each != NOTHING))
    types = value["type"] if isinstance(value["type"], list) else [value["type"]]
    return " or ".join(KINDS[each] for each in types if each != "null") or NOTHING


def names(value: Schema, definitions: Schema, known: str) -> str:
    """Describe the names that a key may have, except those that `known` describes."""
    aims = [each for each in (value, *value.get("anyOf", ())) if "$ref" in each]
    choices = [choice for each in aims for choice in _choices(definitions[_aim(each)])]
    told = (f' `"{name}"`: {" ".join(text.split())}' for name, text in choices if f'"{name}"' not in known)
    return "".join(told)


def _aim(value: Schema) -> str:
    return str(value["$ref"]).rpartition("/")[2]


def _choices(definition: Schema) -> list[tuple[str, str]]:
    """Return the names of a type, and the meaning of each."""
    choices = definition.get("oneOf", ())
    return [(each["const"], each.get("description", "")) for each in choices if "const" in each]


WRITERS: Mapping[str, Callable[[str], str]] = {"columns": columns, "keys": keys}


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
