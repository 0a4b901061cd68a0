"""One frame or skip as a record: plain data with names for numbers, ready for JSON.

Knows no port, file or bet. The names come from tablespec; an unknown value becomes None.
"""

from typing import Any

import msgspec

from tablespec import names
from tablespec.config_keys import KEYS
from tablespec.field_types import FieldFacts
from tablespec.frame import FLAGS
from tablespec.message_list import BY_ID
from tabletools.authenticity import NONE, UNVERIFIED, VERIFIED
from tablewire.codec import Frame
from tablewire.framing import Skip
from tablewire.messages import UNKNOWN_U16

Record = dict[str, Any]


class Head(msgspec.Struct, frozen=True):
    """What the record of every frame has; times and places as in the header of the frame."""

    type: str
    device: int
    boot: int
    counter: int
    uptime_ms: int
    round: int
    role: str | None
    seal: str
    flags: list[str]
    direction: str = ""
    """host_to_table or table_to_host, where both are decoded."""


def head_of(record: Record) -> Head:
    """Return what the record of a frame has."""
    return msgspec.convert(record, Head)


_KEY_NAMES = {key.number: key.name for key in KEYS}
_COMMANDS = {message.id: message.name for message in BY_ID.values() if message.sender == "host"}
_ROLE_NAMES = dict(names.ROLE)
_FLAG_NAMES = tuple((value, name) for value, name, _ in FLAGS)


def _names(facts: FieldFacts) -> dict[int, str] | None:
    return dict(facts.names) if facts.names else None


# type: (name, ((field, names or None, unknown value, facts), ...))
_PLANS = {
    ident: (
        message.name,
        tuple((name, _names(facts), facts.unknown, facts) for name, facts in message.facts()),
    )
    for ident, message in BY_ID.items()
}

# (type, number of a role): its fields for which the role has a word, each with the word.
_LABELS = {
    (message.id, role): pairs
    for message in BY_ID.values()
    for role, words in names.LABELS.items()
    if (pairs := tuple((name, words[name]) for name, _ in message.facts() if name in words))
}


# Role: its words for fields, by the name of the field.
_WORDS = {_ROLE_NAMES[number]: words for number, words in names.LABELS.items() if words}


def labels(fields: Record, role: str | None) -> Record:
    """Return fields by the words of the roles: each with its value for its role, else None."""
    return {
        word: fields[field] if own == role else None
        for own, words in _WORDS.items()
        for field, word in words.items()
        if field in fields
    }


def record(frame: Frame, seal: str | None = None) -> Record:
    """Return the frame as a record: header, payload by name, then its place in the stream.

    seal: see tabletools.authenticity; without it a tag counts as unverified. authenticated:
    whether it is verified. offset and length: bytes of the stream. A key is never shown.
    """
    name, fields = _PLANS[frame.type]
    fields_by_name: Record = {
        "type": name,
        "device": frame.device,
        "boot": frame.boot,
        "counter": frame.counter,
        "uptime_ms": frame.uptime_ms,
        "round": frame.round,
        "minor": frame.minor,
        "role": _ROLE_NAMES.get(frame.role),
        "echo": frame.echo or None,
        "echo_ms": None if frame.echo_ms == UNKNOWN_U16 else frame.echo_ms,
    }
    for value, (field, mapping, unknown, facts) in zip(frame.values, fields, strict=True):
        if value == unknown:
            fields_by_name[field] = None
        elif mapping is not None:
            fields_by_name[field] = mapping[value]
        else:
            fields_by_name[field] = value
        if field == "input":
            is_known = value != unknown
            fields_by_name["sensor"] = _input_name(frame.role, value) if is_known else None
        if facts.names is names.REASON:
            fields_by_name["code"] = None if value == unknown else value
        elif type(value) is bytes:
            fields_by_name[field] = _bytes_text(field, value)
        elif field == "command":
            fields_by_name[field] = _COMMANDS.get(value, f"0x{value:02x}")
        elif field == "key":
            fields_by_name["key_name"] = _KEY_NAMES.get(value)
        elif field == "contradicts":
            fields_by_name[field] = _KEY_NAMES.get(value, value)
    for field, word in _LABELS.get((frame.type, frame.role), ()):
        fields_by_name[word] = fields_by_name[field]
    seal = seal or (NONE if frame.tag is None else UNVERIFIED)
    fields_by_name |= {
        "flags": [name for value, name in _FLAG_NAMES if frame.flags & value],
        "seal": seal,
        "authenticated": seal == VERIFIED,
        "offset": frame.offset,
        "length": frame.length,
    }
    return fields_by_name


def _input_name(role: int, number: int) -> str:
    return names.INPUTS.get(role, names.INPUTS[0]).get(number, f"input_{number}")


def _bytes_text(field: str, value: bytes) -> str:
    if field in ("board", "host"):
        return _text(value)
    return "withheld" if field == "secret" else value.hex()


def _text(value: bytes) -> str:
    """A zero-padded ASCII field; bytes that are not printable ASCII are shown as \\xNN."""
    text = value.rstrip(b"\0").decode("ascii", "backslashreplace")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def skipped(skip: Skip) -> Record:
    """Return bytes that are not a frame as a record. offset and length: bytes of the stream."""
    return {
        "type": "skipped",
        "offset": skip.offset,
        "length": skip.length,
        "reason": skip.reason,
        "detail": skip.detail,
    }
