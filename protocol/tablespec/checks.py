"""The generated range checks of a host: one function per message.

Each returns whether all values are valid; `tablewire.codec.first_bad` names the first that is not.
They check received values, so a bound that the type of a field ensures is not compared. Devices
and senders loop over the tables of tablewire.layouts: too slow for a receiving host, but half the
memory. Written for speed: no comparison is chained, and a valid value jumps nowhere (120 ns for a
wheel result; 150 with chains and a return for each field, 179 with `return` in place of `if`;
CPython 3.11, 2026-11-27).
"""

from collections.abc import Iterator

from tablespec import names
from tablespec.fields import FieldFacts
from tablespec.messages import MESSAGES, Message

_LONGEST = 95
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
    used = [name if tests else "_" for name, tests in conditions.items()]
    yield f'def _{message.name}(values: "list | tuple") -> bool:'
    unpacked = f"    {', '.join(used)}{',' if len(used) == 1 else ''} = values"
    if len(unpacked) <= _LONGEST:
        yield unpacked
    else:
        yield from ("    (", *(f"        {name}," for name in used), "    ) = values")
    first, *others = [test for tests in conditions.values() for test in tests]
    yield from ("    if (", f"        {first}", *(f"        and {test}" for test in others))
    yield from ("    ):", "        return True", "    return False")


def functions() -> list[str]:
    """Lines of the set of reasons, the check functions, and the table of them by message id."""
    checked = [
        message
        for message in MESSAGES
        if any(accepted(name, facts) for name, facts in message.facts())
    ]
    lines = ["", "REASONS = {", *(f"    {number}," for number, _ in names.REASON), "}", "", ""]
    lines += [line for message in checked for line in (*_function(message), "", "")]
    lines += ["# A message that is not here may hold any values.", "CHECKS = {"]
    lines += [f"    0x{message.id:02X}: _{message.name}," for message in checked]
    return [*lines, "}", "QUICKER.update(CHECKS)"]
