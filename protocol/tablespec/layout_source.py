"""The layouts: the type of every field and its allowed values, as a table and as its source.

A host has the table; the source is generated for the device, where a field costs a reference of
four bytes, because fields share their allowed values.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from tablespec import names
from tablespec.checks import runs
from tablespec.field_types import FieldFacts, choice
from tablespec.message_list import Message

_LONGEST = 95
_WHOLE = {
    (0, 2**8 - 1): "u8",
    (0, 2**16 - 1): "u16",
    (0, 2**32 - 1): "u32",
    (-(2**31), 2**31 - 1): "i32",
}
_REASONS = choice("H", names.REASON, "").facts


Layout = tuple[bytes, *tuple[tuple[int, ...], ...]]
"""Types of the fields as for struct, then the values that each may have."""
Fills = tuple[int | bytes, ...]
"""Number of fields in wire 1.0, then what fills each field that an older end left out."""


def layout(message: Message) -> Layout:
    """Return what tablewire.layouts.LAYOUTS has for a message."""
    fields = [facts for _, facts in message.facts()]
    codes = "".join(facts.code for facts in fields)
    return codes.encode(), *map(_allow, fields)


def fills(message: Message) -> Fills | None:
    """Return what tablewire.layouts.APPENDED has for a message, None if it has not grown."""
    later = [facts for _, facts in message.facts() if facts.since]
    return (len(message.facts()) - len(later), *map(_fill, later)) if later else None


def _fill(facts: FieldFacts) -> int | bytes:
    """Return the fill for a field which an older sender left out."""
    if facts.code.endswith("s"):
        return bytes(int(facts.code[:-1]))
    assert facts.unknown is not None, f"an appended field needs an unknown value: {facts.meaning}"
    return facts.unknown


def _allow(facts: FieldFacts) -> tuple[int, ...]:
    """Return every value a field may have: low and high of each run; nothing for raw bytes."""
    if facts.code.endswith("s"):
        return ()
    return tuple(bound for run in runs(facts) for bound in run)


def _share(messages: Sequence[Message]) -> dict[tuple[int, ...], str]:
    """Return sets of values that several fields allow, each with a descriptive name."""
    count = Counter(_allow(facts) for message in messages for _, facts in message.facts())
    named = {allowed: _name(allowed) for allowed in sorted(count) if count[allowed] > 1}
    if () in count:
        named[()] = "raw"
    if _allow(_REASONS) in count:
        named[_allow(_REASONS)] = "reasons"
    if (0, 0, *_allow(_REASONS)) in count:
        named[0, 0, *_allow(_REASONS)] = "none_or_reasons"
    return named


def _name(allowed: tuple[int, ...]) -> str:
    if allowed in _WHOLE:
        return _WHOLE[allowed]
    words = [str(bound).replace("-", "m") for bound in dict.fromkeys(allowed)]
    return f"of_{'_'.join(words)}"


def _value(name: str, allowed: tuple[int, ...]) -> Iterator[str]:
    line = f"{name} = {allowed}"
    if len(line) <= _LONGEST:
        yield line
        return
    half = len(allowed) // 4 * 2
    yield f"{name} = ("
    for part in (allowed[:half], allowed[half:]):
        yield f"    {', '.join(map(str, part))},"
    yield ")"


def _entry(message: Message, shared: dict[tuple[int, ...], str]) -> Iterator[str]:
    codes, *fields = layout(message)
    words = [f'b"{codes.decode()}"']
    words += [shared.get(allowed, str(allowed)) for allowed in fields]
    line = f"    0x{message.id:02X}: ("
    for word in words:
        if len(line) + len(word) > _LONGEST:
            yield line.rstrip()
            line = "        "
        line += f"{word}, "
    yield line.rstrip() + "),"


def appended(messages: Sequence[Message]) -> list[str]:
    """Return lines of the messages that grew since 1.0."""
    lines = []
    for message in messages:
        grown = fills(message)
        if grown:
            words = ", ".join(
                f"bytes({len(each)})" if isinstance(each, bytes) else str(each) for each in grown
            )
            lines.append(f"    0x{message.id:02X}: ({words}),")
    return lines


def tables(messages: Sequence[Message], use: str) -> list[str]:
    """Return lines that make the layouts by message id, and use them.

    use: the statement, with `_layouts()` for the layouts. In a function the shared values take no
    names of the module, which a device would keep.
    """
    shared = _share(messages)
    lines = ["# Values a field may hold: low and high of each run. Raw bytes may be anything."]
    lines += [line for allowed, name in shared.items() for line in _value(name, allowed)]
    lines += ["# id: (types of the fields as for struct, values each may hold)", "return {"]
    lines += [line for message in messages for line in _entry(message, shared)]
    body = [f"    {line}" for line in [*lines, "}"]]
    return ["", "def _layouts() -> dict:", *body, "", "", use, "del _layouts"]
