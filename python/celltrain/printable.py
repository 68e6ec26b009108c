r"""Text from files and names, made safe: what would control a terminal is shown escaped, markup in Markdown is text.

>>> escaped("a\x1b[31m\x00\u202eb\n")
'a\\x1b[31m\\x00\\u202eb\n'
"""

from __future__ import annotations

import re

#: Control characters (C0 but tab and newline, DEL, C1), what changes the direction of text or its lines (Unicode TR 36,
#: 3.4), and octets that are no characters.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def escaped(text: str) -> str:
    """Return a text in which such characters are written as in Python's strings."""
    return UNSAFE.sub(_escape, text)


def encodable(text: str) -> str:
    r"""Return a text that can be written as UTF-8: octets of a file name that are none are shown as in Python.

    >>> encodable("a\udcff")
    'a\\xff'
    """
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_safe(text: str) -> bool:
    """Return whether a text can be written to a terminal as it is."""
    return UNSAFE.search(text) is None


def in_markdown(text: str) -> str:
    r"""Return a text for a cell of a Markdown table (GFM 4.10), in which it is neither HTML nor a link nor code.

    >>> in_markdown("<b>a|b</b>"), in_markdown("[x](y)"), in_markdown("rate [kbit/s]")
    ('&lt;b>a\\|b&lt;/b>', '[x]\\(y)', 'rate [kbit/s]')
    """
    text = " ".join(text.splitlines()) if "\n" in text else text
    for special in ("\\", "`", "|"):
        text = text.replace(special, f"\\{special}")
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("](", "]\\(")


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
