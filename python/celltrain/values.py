"""Values as users write them: on the command line and in cells of a CSV file."""

from __future__ import annotations

import tomllib
from typing import Any

_OPEN, _CLOSE = "[{", "]}"


def value_of(text: str) -> Any:  # noqa: ANN401 - any value of the language
    """Read a value of the scenario language; text that is not TOML is a string.

    >>> value_of("4"), value_of("10 ms"), value_of("true"), value_of('["a", "b"]'), value_of('"4"')
    (4, '10 ms', True, ['a', 'b'], '4')
    """
    try:
        value = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):  # Numbers of too many digits are no TOMLDecodeError.
        return text
    # Dates are TOML, too, but not values of a scenario; a line break could introduce a second key.
    plain = isinstance(value["value"], bool | int | float | str | list | dict) and len(value) == 1
    return value["value"] if plain else text


def split_values(text: str) -> list[str]:
    """Split at the commas outside quotes and brackets.

    >>> split_values('10 ms,1 s'), split_values('[1, 2],"a, b"')
    (['10 ms', '1 s'], ['[1, 2]', '"a, b"'])
    """
    parts, quote, depth = [""], "", 0
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            depth += (character in _OPEN) - (character in _CLOSE)
        if character == "," and not quote and depth <= 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts]
