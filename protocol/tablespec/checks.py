"""The range checks of a host: one function per message, compiled from its Struct.

Each returns whether all values are valid; `tablewire.codec.first_bad` names the first that is not.
They check received values, so a bound that the type of a field ensures is not compared. Devices
and senders loop over a table: too slow for a receiving host, but half the memory. Written for
speed: no comparison is chained, and a valid value jumps nowhere (120 ns for a wheel result; 150
with chains and a return for each field, 179 with `return` in place of `if`; CPython 3.11,
2026-11-27).
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tablespec import names
from tablespec.field_types import FieldFacts
from tablespec.message_list import Message

Check = Callable[[Sequence[Any]], bool]
# Least and most that a field of this type can hold.
_HOLDS = {"B": (0, 2**8 - 1), "H": (0, 2**16 - 1), "I": (0, 2**32 - 1)}
_HOLDS |= {"b": (-(2**7), 2**7 - 1), "i": (-(2**31), 2**31 - 1)}


def runs(facts: FieldFacts) -> list[tuple[int, int]]:
    """Return every value a field may have, as runs (low, high) in rising order."""
    runs = [(value, value) for value, _ in facts.names] or [(facts.low, facts.high)]
    if facts.unknown is not None:
        runs.append((facts.unknown, facts.unknown))
    joined: list[tuple[int, int]] = []
    for low, high in sorted(runs):
        if joined and low == joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


def accepted(name: str, facts: FieldFacts) -> list[str]:
    """Return Python expressions, all of them true when a received value is valid.

    A bound that the field's type ensures is not tested.
    """
    if facts.code.endswith("s"):
        return []
    if facts.names == names.REASON:
        other = "" if facts.unknown is None else f"{name} == {facts.unknown} or "
        return [f"({other}{name} in REASONS)"]
    parts = [_inside(name, low, high, *_HOLDS[facts.code]) for low, high in runs(facts)]
    if len(parts) == 1:
        return parts[0]
    return [f"({' or '.join(' and '.join(part) for part in parts)})"]


def _inside(name: str, low: int, high: int, least: int, most: int) -> list[str]:
    """Return the comparisons of low <= name <= high without those that always hold."""
    if low == high:
        return [f"{name} == {low}"]
    above = [] if low == least else [f"{name} >= {low}"]
    return above if high == most else [*above, f"{name} <= {high}"]


def _function(message: Message) -> Iterator[str]:
    conditions = {name: accepted(name, facts) for name, facts in message.facts()}
    tests = [test for each in conditions.values() for test in each]
    if tests:
        used = [name if each else "_" for name, each in conditions.items()]
        yield f"def _{message.name}(values):"
        yield f"    {', '.join(used)}, = values"
        yield f"    if {' and '.join(tests)}:"
        yield "        return True"
        yield "    return False"


def compiled(messages: Sequence[Message]) -> dict[int, Check]:
    """Return the check of each message by its id; one that is left out may hold any values."""
    defined: dict[str, Any] = {"REASONS": frozenset(number for number, _ in names.REASON)}
    exec("\n".join(line for message in messages for line in _function(message)), defined)
    functions = {message.id: defined.get(f"_{message.name}") for message in messages}
    return {ident: check for ident, check in functions.items() if check}
