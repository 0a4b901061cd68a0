"""Takes out of a file of the specification what a released schema did not have yet.

It looks at the shape of the file, so that additions need no entry here: a field, message, reason,
key or name that the release lacks goes, and so does an order of two keys of which it lacks one.
A list of reasons or names of which it has none is no part of a schema and stays.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple


class Release(NamedTuple):
    """What a released schema has. pairs: (value, name) of every enumeration and input."""

    minor: int
    roles: frozenset[int]
    messages: frozenset[int]
    keys: frozenset[int]
    key_names: frozenset[str]
    pairs: frozenset[tuple[int, str]]


def release_of(schema: dict[str, Any]) -> Release:
    """Read the schema of a release."""
    names = [field["names"] for message in schema["messages"] for field in message["fields"]]
    pairs = [(value, name) for pairs in names for value, name in pairs]
    pairs += [(value, name) for _role, value, name in schema["inputs"]]
    return Release(
        schema["minor"],
        frozenset(role for role, _value, _name in schema["inputs"]),
        frozenset(message["id"] for message in schema["messages"]),
        frozenset(key[0] for key in schema["configuration"]),
        frozenset(key[1] for key in schema["configuration"]),
        frozenset(pairs),
    )


def has_role(text: str, release: Release) -> bool:
    """Whether the role that a file defines was in a release; true for a file that defines none."""
    numbers = re.findall(r"RoleWords\(\s*(\d+),", text)
    return {int(number) for number in numbers} <= release.roles


def as_released(text: str, release: Release) -> str:
    """Return the text of a file without what is later than a release."""
    lines = text.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:n])) for n in range(len(lines))]
    rest, end = b"".join(lines), sum(map(len, lines))
    for node in sorted(_later(ast.parse(text), release), key=_place, reverse=True):
        first = starts[node.lineno - 1] + node.col_offset
        last = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        if last <= end:  # else it is in one that is gone
            comma = re.compile(rb",?[ ]*\n?[ ]*").match(rest, last)
            rest, end = rest[:first] + rest[comma.end() if comma else last :], first
    return rest.decode()


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _later(tree: ast.AST, release: Release) -> Iterator[ast.expr]:
    """The elements of lists and the arguments of calls that are later."""
    for node in ast.walk(tree):
        together = getattr(node, "elts", None) or getattr(node, "args", None)
        if isinstance(node, ast.Tuple | ast.Call) and isinstance(together, list):
            pairs = [_pair(each) for each in together]
            if not release.pairs.isdisjoint(pair for pair in pairs if pair):
                later = zip(together, pairs, strict=True)
                yield from (each for each, pair in later if pair and pair not in release.pairs)
            yield from (each for each in together if _is_later(each, release))


def _pair(node: ast.expr) -> tuple[int, str] | None:
    """The number and the name of a reason, or of a value of an enumeration."""
    match node:
        case ast.Call(
            ast.Name("Reason"), [ast.Constant(int(number)), ast.Constant(str(name)), *_]
        ):
            return number, name
        case ast.Tuple([ast.Constant(int(number)), ast.Constant(str(name))]):
            return number, name
    return None


def _is_later(node: ast.expr, release: Release) -> bool:
    match node:
        case ast.Call(ast.Name("Key"), [ast.Constant(int(number)), *_]):
            return number not in release.keys
        case ast.Call(ast.Name("Message"), [ast.Constant(int(number)), *_]):
            return number not in release.messages
        case ast.Call(ast.Name("Order"), [ast.Constant(str(low)), ast.Constant(str(high)), *_]):
            return not {low, high} <= release.key_names
        case ast.BinOp(ast.Constant(str()), ast.Div(), ast.Call(_, _, keywords)):
            since = [word.value for word in keywords if word.arg == "since"]
            numbers = [each.value for each in since if isinstance(each, ast.Constant)]
            return any(isinstance(n, int) and n > release.minor for n in numbers)
    return False
