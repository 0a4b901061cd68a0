"""The generated range checks: one function a message, the same on the device and the host.

A loop over the field tables would do, but takes a fifth of the time of receiving a frame.
"""

from collections.abc import Iterator

from tablespec import names
from tablespec.fields import FieldFacts
from tablespec.messages import MESSAGES, Message

_LONGEST = 95
# Struct letter: lowest and highest value the type itself can hold.
_TYPES = {
    "B": (0, 2**8 - 1),
    "H": (0, 2**16 - 1),
    "I": (0, 2**32 - 1),
    "b": (-(2**7), 2**7 - 1),
    "i": (-(2**31), 2**31 - 1),
}


def _runs(facts: FieldFacts) -> list[tuple[int, int]]:
    """Every value a field may hold, as runs (low, high) in rising order."""
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


def condition(name: str, facts: FieldFacts) -> str | None:
    """A Python expression, true when the field's value is allowed; None when every value is."""
    if facts.code.endswith("s"):
        return None
    if facts.names == names.REASON:
        return f"{name} in REASONS"
    parts = [part for low, high in _runs(facts) if (part := _inside(name, facts.code, low, high))]
    return f"({' or '.join(parts)})" if len(parts) > 1 else next(iter(parts), None)


def _inside(name: str, code: str, low: int, high: int) -> str | None:
    least, most = _TYPES[code]
    if low == high:
        return f"{name} == {low}"
    if low == least:
        return None if high == most else f"{name} <= {high}"
    return f"{name} >= {low}" if high == most else f"{low} <= {name} <= {high}"


def _function(message: Message) -> Iterator[str]:
    conditions = {name: condition(name, facts) for name, facts in message.facts()}
    used = [name if text else "_" for name, text in conditions.items()]
    first, *others = [text for text in conditions.values() if text]
    yield f"def _{message.name}(values: tuple) -> bool:"
    unpacked = f"    {', '.join(used)}{',' if len(used) == 1 else ''} = values"
    if len(unpacked) <= _LONGEST:
        yield unpacked
    else:
        yield from ("    (", *(f"        {name}," for name in used), "    ) = values")
    if others:
        yield from ("    return (", f"        {first}")
        yield from (*(f"        and {text}" for text in others), "    )")
    else:
        yield f"    return {first}"


def functions() -> list[str]:
    """Lines of the check functions, then of the table of them by message id."""
    checked = [
        message
        for message in MESSAGES
        if any(condition(name, facts) for name, facts in message.facts())
    ]
    lines = [line for message in checked for line in (*_function(message), "", "")]
    lines += ["# A message that is not here may hold any values.", "CHECKS = {"]
    lines += [f"    0x{message.id:02X}: _{message.name}," for message in checked]
    return [*lines, "}"]
