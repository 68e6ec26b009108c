"""All mutants of the engine in one program: an environment variable chooses the condition that is removed.

Each function that contains conditions becomes one whose body is chosen when it is called: the body without the chosen
condition, or else the body as it is. So the engine is compiled once and not once for each condition.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import tree_sitter_rust
from tree_sitter import Language, Node, Parser

#: The environment variable: the number of the condition that is removed at the start; none is without it.
VARIABLE = "CELLTRAIN_REMOVED"
#: The module of the crate that knows which one is removed and which ones a run has come to; the line that declares it.
MODULE = f"""//! Which condition of the engine is removed.

use std::sync::LazyLock;
use std::sync::atomic::{{AtomicBool, AtomicU32, Ordering::Relaxed}};

static CHOSEN: LazyLock<AtomicU32> = LazyLock::new(|| AtomicU32::new(match std::env::var("{VARIABLE}") {{
    Ok(number) => number.parse().expect("{VARIABLE} is the number of a condition"),
    Err(_) => u32::MAX,
}}));
static REACHED: [AtomicBool; 512] = [const {{ AtomicBool::new(false) }}; 512];

/// Whether the condition of this number is removed.
pub(crate) fn is(number: u32) -> bool {{
    REACHED[number as usize].store(true, Relaxed);
    CHOSEN.load(Relaxed) == number
}}

/// Removes the condition of this number and no other, and forgets which ones were reached.
pub fn choose(number: u32) {{
    CHOSEN.store(number, Relaxed);
    for it in &REACHED {{
        it.store(false, Relaxed);
    }}
}}

/// Whether a run has come to the condition of this number since the last choice.
pub fn reached(number: u32) -> bool {{
    REACHED[number as usize].load(Relaxed)
}}
"""
DECLARATION = "\npub mod removed;\n"
PARSER = Parser(Language(tree_sitter_rust.language()))


class ChoiceError(Exception):
    """A condition cannot be chosen at run time; the message says where it is."""


@dataclass(frozen=True)
class Removal:
    """A text of a file that occurs once there, its replacement, and the number that chooses it."""

    number: int
    was: str
    becomes: str

    def place(self, text: str) -> tuple[int, int]:
        """Return where the file changes: the first place and the one after the last."""
        start = text.index(self.was)
        before = agreeing(self.was, self.becomes)
        least = min(len(self.was), len(self.becomes)) - before
        after = min(agreeing(self.was[::-1], self.becomes[::-1]), least)
        return start + before, start + len(self.was) - after


def agreeing(one: str, other: str) -> int:
    """Return how many characters two texts have in common from their start."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def with_choice(text: str, removals: Sequence[Removal]) -> str:
    """Return a file of Rust in which removals can be chosen.

    Raises
    ------
    ChoiceError
        A removal is not inside of a function that is called at run time.
    """
    # Nodes are found by octets.
    raw = text.encode()
    root = PARSER.parse(raw).root_node
    bodies: Mapping[tuple[int, int], list[Removal]] = defaultdict(list)
    for removal in removals:
        first, last = (len(text[:place].encode()) for place in removal.place(text))
        body = body_around(root, first, last)
        if body is None:
            raise ChoiceError(f"`{removal.was}` is not in the body of a function that is called at run time")
        bodies[body].append(removal)
    # From the last one on, so that the places before it stay.
    for (start, end), inside in sorted(bodies.items(), reverse=True):
        plain = raw[start:end].decode()
        choices = [f"if crate::removed::is({it.number}) {without(raw, (start, end), it)}" for it in inside]
        chosen = " else ".join([*choices, plain])
        raw = raw[:start] + f"{{ {chosen} }}".encode() + raw[end:]
    return raw.decode()


def without(raw: bytes, body: tuple[int, int], removal: Removal) -> str:
    """Return a body after a removal."""
    start, end = body
    first = raw.index(removal.was.encode())
    last = first + len(removal.was.encode())
    # What is replaced may begin before the body, with the signature; both texts agree there.
    whole = raw[:first] + removal.becomes.encode() + raw[last:]
    return whole[start : end + len(whole) - len(raw)].decode()


def body_around(root: Node, first: int, last: int) -> tuple[int, int] | None:
    """Return where the body of the innermost function around octets starts and ends; none for a constant function."""
    node = root.descendant_for_byte_range(first, last)
    while node is not None and node.type != "function_item":
        node = node.parent
    body = None if node is None else node.child_by_field_name("body")
    if node is None or body is None or not body.start_byte < first <= last < body.end_byte:
        return None
    modifiers = [child for child in node.children if child.type == "function_modifiers"]
    if any(b"const" in (it.text or b"") for it in modifiers):
        return None
    return body.start_byte, body.end_byte
