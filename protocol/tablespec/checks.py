"""The generated range checks of a host: one function per message.

Each returns the index of the first field with an invalid value, or -1. They check received
values, so a bound that the type of a field ensures is not compared. Devices and senders loop over
the tables of tablewire.layouts: too slow for a receiving host, but half the memory.
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


def refused(name: str, facts: FieldFacts) -> str | None:
    """Return a Python expression, true when a received value is invalid; None if all are valid.

    A bound that the field's type ensures is not tested.
    """
    if facts.code.endswith("s"):
        return None
    if facts.names == names.REASON:
        other = "" if facts.unknown is None else f"{name} != {facts.unknown} and "
        return f"{other}{name} not in REASONS"
    parts = [_inside(name, low, high, *_HOLDS[facts.code]) for low, high in runs(facts)]
    if parts == [name]:
        return None
    return f"not ({' or '.join(parts)})" if len(parts) > 1 else f"not {parts[0]}"


def _inside(name: str, low: int, high: int, least: int, most: int) -> str:
    """Return the comparison low <= name <= high without bounds that always hold."""
    if low == high:
        return f"{name} == {low}"
    above = "" if low == least else f"{low} <= "
    below = "" if high == most else f" <= {high}"
    return f"{above}{name}{below}"


def _function(message: Message) -> Iterator[str]:
    conditions = {name: refused(name, facts) for name, facts in message.facts()}
    used = [name if text else "_" for name, text in conditions.items()]
    yield f'def _{message.name}(values: "list | tuple") -> int:'
    unpacked = f"    {', '.join(used)}{',' if len(used) == 1 else ''} = values"
    if len(unpacked) <= _LONGEST:
        yield unpacked
    else:
        yield from ("    (", *(f"        {name}," for name in used), "    ) = values")
    for place, text in enumerate(conditions.values()):
        if text:
            yield f"    if {text}:"
            yield f"        return {place}"
    yield "    return -1"


def functions() -> list[str]:
    """Lines of the table of reasons, the check functions, and the table of them by message id."""
    checked = [
        message
        for message in MESSAGES
        if any(refused(name, facts) for name, facts in message.facts())
    ]
    lines = ["", "REASONS = (", *(f"    {number}," for number, _ in names.REASON), ")", "", ""]
    lines += [line for message in checked for line in (*_function(message), "", "")]
    lines += ["# A message that is not here may hold any values.", "CHECKS = {"]
    lines += [f"    0x{message.id:02X}: _{message.name}," for message in checked]
    return [*lines, "}", "QUICKER.update(CHECKS)"]
