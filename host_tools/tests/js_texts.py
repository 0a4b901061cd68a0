"""The string literals of a JavaScript module, for the check that none is a text of the console."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_STEP = re.compile(
    r"""//[^\n]*|/\*.*?\*/
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<regex>/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*)
    |(?P<word>[\w$]+)|(?P<space>\s+)|(?P<sign>.)""",
    re.DOTALL | re.VERBOSE,
)
_AFTER_VALUE = re.compile(r"[\w$)\]}]\s*$")


class Literal(NamedTuple):
    """A literal or a piece of a template, with the line it is on and the code before it."""

    text: str
    line: int
    before: str


def literals(source: str) -> Iterator[Literal]:
    """Yield every string of a module, and every piece of its templates."""
    at, open_templates, depth = 0, [], 0
    while at < len(source):
        sign = source[at]
        closes = sign == "}" and open_templates and open_templates[-1] == depth
        if sign == "`" or closes:
            if closes:
                open_templates.pop()
            text, at, goes_on = _piece(source, at + 1)
            yield Literal(text, source.count("\n", 0, at) + 1, source[max(0, at - 200) : at])
            if goes_on:
                open_templates.append(depth)
            continue
        match = _STEP.match(source, at)
        assert match
        if match["regex"] and _AFTER_VALUE.search(source[max(0, at - 20) : at]):
            at += 1  # a division
            continue
        if match["string"]:
            line = source.count("\n", 0, at) + 1
            yield Literal(match["string"][1:-1], line, source[max(0, at - 200) : at])
        depth += {"{": 1, "}": -1}.get(sign, 0)
        at = match.end()


def _piece(source: str, at: int) -> tuple[str, int, bool]:
    """Return a piece of a template, the place after it, and whether an expression follows."""
    begun = at
    while source[at] != "`" and source[at : at + 2] != "${":
        at += 2 if source[at] == "\\" else 1
    goes_on = source[at] == "$"
    return source[begun:at], at + (2 if goes_on else 1), goes_on
