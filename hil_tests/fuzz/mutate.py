"""Mutations: of any bytes, and of streams of frames, whose sums are made right again.

Inputs carry fingerprint 0, as the hand-written vectors do, so that no change of the schema makes
a corpus worthless; `present` gives the stream as an end of today takes it.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tablespec.frame import FLAG_AUTHENTICATED, TAG_BYTES, Header
from tablespec.message_list import BY_ID
from tablewire.cobs import unstuff
from tablewire.crc import RESIDUE, crc32
from tablewire.messages import SEED

# Values at which limits lie: of bytes, of enumerations, of signed and unsigned numbers.
EDGES = (0, 1, 2, 3, 7, 20, 21, 37, 38, 127, 128, 250, 254, 255)
WIDE = (0, 1, 2**15, 2**16 - 1, 2**30, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1)
_HEADER = Header.sizeof()
_CRC = 4
_TYPES = tuple(BY_ID)
_TYPE_AT, _FLAGS_AT = 1, 2
_BOOT_AT, _COUNTER_AT = slice(9, 13), slice(13, 17)
_WIDE_AT = (3, 7, 11, 15, 19)  # device, boot, counter, uptime, round


def mutate(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """One to four changes: a byte, a bit, a piece left out, doubled, moved or taken from other."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        place = rng.randrange(len(out) + 1)
        size = rng.choice((1, 1, 2, 4, 16, 64))
        kind = rng.randrange(7)
        if kind == 0 and place < len(out):
            out[place] ^= 1 << rng.randrange(8)
        elif kind == 1 and place < len(out):
            out[place] = rng.choice(EDGES)
        elif kind == 2:
            del out[place : place + size]
        elif kind == 3:
            out[place:place] = rng.randbytes(size)
        elif kind == 4:
            out[place:place] = out[place : place + size]
        elif kind == 5:
            start = rng.randrange(len(other) + 1)
            out[place : place + size * rng.randrange(2)] = other[start : start + size]
        else:
            out[place : place + 4] = rng.choice(WIDE).to_bytes(4, "little")
    return bytes(out)


def stuff(body: bytes) -> bytes:
    """A whole frame by the textbook: groups end at zeros or after 254 bytes; then the zero."""
    out = b""
    groups = body.split(b"\0")
    for number, group in enumerate(groups, 1):
        is_full = len(group) >= 254
        while len(group) >= 254:
            out, group = out + b"\xff" + group[:254], group[254:]
        if group or number < len(groups) or not is_full:
            out += bytes([len(group) + 1]) + group
    return out + b"\0"


def sealed(body: bytes, seed: int = 0) -> bytes:
    """Header and payload as a frame with the right sum."""
    return stuff(body + crc32(body, seed).to_bytes(_CRC, "little"))


def present(stream: bytes) -> bytes:
    """The stream with every sum that is right under seed 0 made right under ours."""
    return b"".join(_reseal(piece, 0, SEED) for piece in split(stream))


def lasting(stream: bytes) -> bytes:
    """The stream with every sum that is right under our seed made right under 0."""
    return b"".join(_reseal(piece, SEED, 0) for piece in split(stream))


def _reseal(piece: bytes, seed: int, new: int) -> bytes:
    body = unstuff(piece[:-1]) if len(piece) > 1 and piece.endswith(b"\0") else None
    if body is None or len(body) <= _CRC or crc32(body, seed) != RESIDUE:
        return piece
    return sealed(bytes(body[:-_CRC]), new)


def split(stream: bytes) -> list[bytes]:
    """The pieces of a stream, each with its zero; the last may have none."""
    pieces = [piece + b"\0" for piece in stream.split(b"\0")]
    pieces[-1] = pieces[-1][:-1]
    return [piece for piece in pieces if piece]


def frames(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Change a stream of frames: order and number of its pieces, or what a piece says."""
    pieces = split(data) or [b"\0"]
    for _ in range(rng.choice((1, 1, 2, 3))):
        place = rng.randrange(len(pieces))
        rng.choice(_MOVES)(rng, pieces, place, split(other) or [b"\0"])
        pieces = pieces or [b"\0"]
    return b"".join(pieces)


def _edit(rng: random.Random, pieces: list[bytes], place: int, others: list[bytes]) -> None:
    body = unstuff(pieces[place].rstrip(b"\0") or b"\1")
    if body is None or len(body) < _HEADER + _CRC:
        body = unstuff(rng.choice(others).rstrip(b"\0") or b"\1")
    if body is None or len(body) < _HEADER + _CRC:
        body = bytearray(_HEADER + _CRC)
        body[0], body[_TYPE_AT] = 1, rng.choice(_TYPES)
    plain = body[:-_CRC]
    rng.choice(_EDITS)(rng, plain)
    pieces[place] = sealed(bytes(plain))


def _edit_header(rng: random.Random, body: bytearray) -> None:
    offset = rng.choice(_WIDE_AT)
    before = int.from_bytes(body[offset : offset + 4], "little")
    near = (before + rng.choice((-2, -1, 1, 1, 1, 2, 3))) % 2**32
    body[offset : offset + 4] = rng.choice((near, near, rng.choice(WIDE))).to_bytes(4, "little")


def _edit_payload(rng: random.Random, body: bytearray) -> None:
    if len(body) > _HEADER:
        body[_HEADER:] = _same_length(rng, bytes(body[_HEADER:]))


def _same_length(rng: random.Random, payload: bytes) -> bytes:
    out, place = bytearray(payload), rng.randrange(len(payload))
    size = rng.choice((1, 1, 2, 4))
    if size == 1:
        near = (out[place] + rng.choice((-1, 1))) % 256
        out[place] = rng.choice((near, near, rng.choice(EDGES), rng.randrange(256)))
    else:
        out[place : place + size] = rng.choice(WIDE).to_bytes(4, "little")[:size]
    return bytes(out[: len(payload)])


def _edit_type(rng: random.Random, body: bytearray) -> None:
    body[_TYPE_AT] = rng.choice((rng.choice(_TYPES), rng.choice(_TYPES), rng.randrange(256)))
    message = BY_ID.get(body[_TYPE_AT])
    if message is not None and rng.random() < 0.9:
        size = message.payload.sizeof()
        low = bytes(rng.choice((0, 1, 1, 2, 7)) for _ in range(size))
        body[_HEADER:] = rng.choice((low, rng.randbytes(size)))


def _edit_flags(rng: random.Random, body: bytearray) -> None:
    body[_FLAGS_AT] ^= rng.choice((1, 2, 2, 4, 8, 8, 16))
    if body[_FLAGS_AT] & FLAG_AUTHENTICATED and rng.random() < 0.8:
        body += rng.randbytes(TAG_BYTES)


def _edit_length(rng: random.Random, body: bytearray) -> None:
    if rng.random() < 0.5:
        del body[rng.randrange(len(body)) :]
    else:
        body += rng.randbytes(rng.choice((1, 2, TAG_BYTES, 200, 230)))


def _noise(rng: random.Random, pieces: list[bytes], place: int, others: list[bytes]) -> None:
    pieces[place] = mutate(rng, pieces[place], rng.choice(others))


def _drop(_rng: random.Random, pieces: list[bytes], place: int, _others: list[bytes]) -> None:
    del pieces[place]


def _double(rng: random.Random, pieces: list[bytes], place: int, _others: list[bytes]) -> None:
    pieces.insert(rng.randrange(len(pieces) + 1), pieces[place])


def _swap(rng: random.Random, pieces: list[bytes], place: int, _others: list[bytes]) -> None:
    with_ = rng.randrange(len(pieces))
    pieces[place], pieces[with_] = pieces[with_], pieces[place]


def _contradict(rng: random.Random, pieces: list[bytes], place: int, others: list[bytes]) -> None:
    """A record again under a new counter, with another content."""
    bodies = [unstuff(piece[:-1]) for piece in pieces if len(piece) > _HEADER + _CRC]
    plain = [body[:-_CRC] for body in bodies if body is not None and len(body) >= _HEADER + _CRC]
    if not plain:
        _lend(rng, pieces, place, others)
        return
    again = bytearray(rng.choice(plain))
    same = [body for body in plain if body[_BOOT_AT] == again[_BOOT_AT]]
    newest = max(int.from_bytes(body[_COUNTER_AT], "little") for body in same)
    again[_COUNTER_AT] = ((newest + 1) % 2**32).to_bytes(4, "little")
    _edit_payload(rng, again)
    pieces.append(sealed(bytes(again)))


def _lend(rng: random.Random, pieces: list[bytes], place: int, others: list[bytes]) -> None:
    start = rng.randrange(len(others))
    pieces[place:place] = others[start : start + rng.choice((1, 1, 3, 10))]


_EDITS: tuple[Callable[[random.Random, bytearray], None], ...] = (
    _edit_header,
    _edit_header,
    _edit_payload,
    _edit_payload,
    _edit_type,
    _edit_flags,
    _edit_length,
)
_MOVES: tuple[Callable[[random.Random, list[bytes], int, list[bytes]], None], ...] = (
    _edit,
    _edit,
    _edit,
    _edit,
    _edit,
    _noise,
    _drop,
    _double,
    _swap,
    _lend,
    _contradict,
    _contradict,
)
