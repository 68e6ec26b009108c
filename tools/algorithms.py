"""Write the reference of algorithms, ``docs/reference/algorithms.md``, from the JSON Schema of scenarios.

The schema has the names, meanings, defaults and bounds from the registries of the core. An algorithm has a part of the
page as soon as it has its row there; nobody writes it.

With ``--check`` nothing is written; it is an error if the page is out of date.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = Path("docs/reference/scenario.schema.json")
PAGE = Path("docs/reference/algorithms.md")

Schema = Mapping[str, Any]

#: The definitions that are registries, with the table of a scenario that they describe.
FAMILIES = {
    "Control": "[links.NAME.control]",
    "QueueManagement": "[links.NAME.queue_management]",
    "Discard": "[links.NAME.discard]",
    "Loss": "[links.NAME.loss]",
    "TcpVariant": "[flows.NAME.tcp] variant",
}
HEAD = """# Algorithms

Made by `make schema` from the registries of the core. [The scenario language](scenario.md) says where the tables stand.
"""


def page(schema: Schema) -> str:
    """Write the page."""
    definitions = schema["$defs"]
    parts = [part for name, table in FAMILIES.items() for part in family(definitions[name], table, definitions)]
    return "\n".join([HEAD, *parts])


def family(definition: Schema, table: str, definitions: Schema) -> Iterator[str]:
    """Write of all algorithms of a kind."""
    yield f"## `{table}`\n\n{definition['description']}\n"
    for member in definition["oneOf"]:
        if "title" in member:
            yield algorithm(member, definitions)


def algorithm(member: Schema, definitions: Schema) -> str:
    """Write of one algorithm: its name, its keyword and its keys."""
    tag, chosen = next((key, value["const"]) for key, value in member["properties"].items() if "const" in value)
    lines = [f"### {member['title']}", "", f'`{tag} = "{chosen}"`: {member["description"]}', ""]
    rows = [row(key, value, member, definitions) for key, value in member["properties"].items() if key != tag]
    head = ["| key | type | default | meaning |", "|---|---|---|---|"]
    return "\n".join([*lines, *head, *rows, ""] if rows else [*lines, "It has no other keys.", ""])


def row(key: str, value: Schema, member: Schema, definitions: Schema) -> str:
    """Write the row of a key."""
    default = json.dumps(value["default"]) if "default" in value else "none"
    default = "required" if key in member["required"] else f"`{default}`" if default != "none" else default
    meaning = f"{value['description']}{names(value, definitions)}"
    return f"| `{key}` | {kind(value)} | {default} | {meaning} |"


def kind(value: Schema) -> str:
    """Name the type of a key.

    >>> kind({"title": "a time such as '10 ms'", "type": "string"}), kind({"$ref": "#/$defs/End"})
    ('time', 'name')
    """
    if "$ref" in value:
        return "name"
    if "title" in value:
        return str(value["title"]).removeprefix("a number of ").removeprefix("a ").split(" such as")[0]
    return "boolean" if value.get("type") == "boolean" else "fraction"


def names(value: Schema, definitions: Schema) -> str:
    """Say which names a key may have, and what each means."""
    if "$ref" not in value:
        return ""
    choices = definitions[value["$ref"].rpartition("/")[2]]["oneOf"]
    return "".join(f' `"{choice["const"]}"`: {" ".join(choice["description"].split())}' for choice in choices)


def main(arguments: Sequence[str]) -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is not as it would be")
    check = parser.parse_args(arguments).check
    text = page(json.loads((ROOT / SCHEMA).read_text(encoding="utf-8")))
    path = ROOT / PAGE
    if check:
        is_current = path.exists() and path.read_text(encoding="utf-8") == text
        if not is_current:
            sys.stderr.write(f"{PAGE} is not what {SCHEMA} makes; write it with `make schema`\n")
        return 0 if is_current else 1
    path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
