"""Text from outside, safe for a terminal: what would steer it is shown as an escape."""

import re

_LINE_ENDS = "\n"
# Control characters (ECMA-48, C0 and C1), and the marks and separators that reorder or break lines
# unseen (Unicode Standard Annex 9). A tab only moves on.
_UNSAFE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str, *, keeps: str = _LINE_ENDS) -> str:
    r"""Return a text with every character that steers a terminal as \uXXXX, as JSON writes it.

    keeps: of these characters, those that stay; "" for a text of one line.
    """
    return _UNSAFE.sub(lambda match: _escape(match[0], keeps), text)


def _escape(character: str, keeps: str) -> str:
    return character if character in keeps else f"\\u{ord(character):04x}"
