"""A frame as a record: plain data with names for numbers, ready for JSON; and as it is stored.

The names come from tablespec, and the words of roles for fields; an unknown value becomes None.
"""

import json
from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import msgspec

from tablespec import names
from tablespec.config_keys import KEYS
from tablespec.field_types import FieldFacts
from tablespec.frame import FLAGS
from tablespec.message_list import BY_ID
from tabletools.authenticity import NONE, UNVERIFIED, VERIFIED
from tabletools.roles.role import Record
from tablewire.codec import CRC_BYTES, HEADER_BYTES, Frame
from tablewire.messages import FLAG_RETRANSMITTED, ROLE_ROULETTE, UNKNOWN_U16
from tablewire.unstuffing import bodies

STORED_WORDS_OF = ROLE_ROULETTE
"""The role in whose words a ledger names the fields of messages, also those of other roles: so
ledgers of all releases agree."""
_FLAGS_AT, _MINOR_AT, _ROLE_AT = 2, 3, 4  # in the header
_TAG_BYTES = 16


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


def labels(fields: Record, role: str | None) -> dict[str, Any]:
    """Return fields by the words of the roles: each with its value for its role, else None."""
    return {
        word: fields[field] if own == role else None
        for own, words in _WORDS.items()
        for field, word in words.items()
        if field in fields
    }


def record(frame: Frame, seal: str | None = None) -> dict[str, Any]:
    """Return the frame as a record: header, payload by name, then its place in the stream.

    seal: see tabletools.authenticity; without it a tag counts as unverified. authenticated:
    whether it is verified. offset and length: bytes of the stream. A key is never shown.
    """
    name, fields = _PLANS[frame.type]
    fields_by_name: dict[str, Any] = {
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


# --- stored frames -------------------------------------------------------------------------------


class FrameRow(NamedTuple):
    """A frame as it is stored."""

    id: int
    device: int
    boot: int
    counter: int
    type: int
    flags: int
    round: int
    uptime_ms: int
    payload: str
    """JSON, values as on the wire."""
    body: bytes
    raw: bytes
    seal: str
    line_session_id: int | None
    """Row of the session that verified it."""
    counts: int
    received_ns: int
    """UTC."""
    made_ns: int | None
    """When the device made it, UTC, if known."""
    uncertainty_ns: int | None

    @property
    def place(self) -> tuple[int, int]:
        """Boot and counter."""
        return self.boot, self.counter


def payload_of(frame: Frame) -> str:
    """The payload as a JSON object, values as on the wire."""
    fields = field_names(frame.type)
    values = (value.hex() if isinstance(value, bytes) else value for value in frame.values)
    return json.dumps(dict(zip(fields, values, strict=True)))


@cache
def field_names(kind: int) -> tuple[str, ...]:
    """Return the names of a message's fields in a ledger. kind: its number on the wire."""
    return names.words(kind, STORED_WORDS_OF)


def body_of(frame: Frame, wire: bytes) -> bytes:
    """Return header and payload without the flag `retransmitted`, which identify a record.

    Tag and CRC are new in each repeat. wire: its bytes on the line.
    """
    [plain] = bodies([wire.rstrip(b"\0")])
    if plain is None or len(plain) < HEADER_BYTES + CRC_BYTES:
        raise ValueError(f"not the bytes of a frame: {wire.hex()}")
    end = len(plain) - CRC_BYTES - (0 if frame.tag is None else _TAG_BYTES)
    body = bytearray(plain[:end])
    body[_FLAGS_AT] &= ~FLAG_RETRANSMITTED
    return bytes(body)


def decoded(row: FrameRow) -> dict[str, Any]:
    """A record as decoded when it came: a later schema of the wire may not read its bytes.

    A field that was added after the record is unknown.
    """
    frame, payload = Frame(), json.loads(row.payload)
    frame.minor, frame.role = row.body[_MINOR_AT], row.body[_ROLE_AT]
    frame.echo, frame.echo_ms = 0, UNKNOWN_U16
    frame.type, frame.flags, frame.device = row.type, row.flags, row.device
    frame.boot, frame.counter = row.boot, row.counter
    frame.round, frame.uptime_ms = row.round, row.uptime_ms
    values = (payload.get(name, unknown) for name, unknown in _unknown_values(frame.type))
    frame.values = values_of(values)
    frame.tag, frame.offset, frame.length = None, 0, len(row.raw)
    return record(frame, row.seal)


@cache
def _unknown_values(kind: int) -> tuple[tuple[str, Any], ...]:
    """Each field of a message by its name in a ledger, with the value that means unknown."""
    unknown = (facts.unknown for _, facts in BY_ID[kind].facts())
    return tuple(zip(field_names(kind), unknown, strict=True))


def values_of(stored: Iterable[int | str]) -> tuple[int | bytes, ...]:
    """The values of a stored payload: bytes as hex."""
    return tuple(bytes.fromhex(value) if isinstance(value, str) else value for value in stored)
