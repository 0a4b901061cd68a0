"""The part of a frame that identifies the record, without what may change when it is repeated."""

import json
from functools import cache

from tablespec import names
from tablewire.cobs import unstuff
from tablewire.codec import CRC_BYTES, HEADER_BYTES, Frame
from tablewire.messages import FLAG_RETRANSMITTED, ROLE_ROULETTE

_FLAGS_AT = 2
_TAG_BYTES = 16


def body_of(frame: Frame, wire: bytes) -> bytes:
    """Header and payload without the flag `retransmitted`; tag and CRC are new in each repeat."""
    plain = unstuff(wire.rstrip(b"\0"))
    if plain is None or len(plain) < HEADER_BYTES + CRC_BYTES:
        raise ValueError(f"not the bytes of a frame: {wire.hex()}")
    end = len(plain) - CRC_BYTES - (0 if frame.tag is None else _TAG_BYTES)
    body = bytearray(plain[:end])
    body[_FLAGS_AT] &= ~FLAG_RETRANSMITTED
    return bytes(body)


@cache
def field_names(kind: int) -> tuple[str, ...]:
    """Return the names of a message's fields in a ledger. kind: its number on the wire.

    They are roulette's for every role, so that ledgers of all releases agree.
    """
    return names.words(kind, ROLE_ROULETTE)


def payload_of(frame: Frame) -> str:
    """The payload as a JSON object, values as on the wire."""
    names = field_names(frame.type)
    values = (value.hex() if isinstance(value, bytes) else value for value in frame.values)
    return json.dumps(dict(zip(names, values, strict=True)))
