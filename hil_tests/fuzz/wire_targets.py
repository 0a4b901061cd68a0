"""Targets of the wire: three decoders of one verdict, any split the same, two-copy records.

tablewire as the device runs it, construct from the declarations, and the Lua dissector written by
hand from PROTOCOL.md read the same stream.
"""

from __future__ import annotations

import random
import zlib
from functools import cache
from typing import Any

from construct import ConstructError, Struct, Terminated

from hil_tests.fuzz.input_search import Target
from hil_tests.fuzz.mutate import frames, mutate, present, split
from protocol.tests import wireshark_tools
from tablespec import provisioning
from tablespec.frame import FLAG_AUTHENTICATED, HEADER_FIELDS, TAG_BYTES, Header
from tablespec.frame import body as whole_frame
from tablespec.message_list import BY_ID
from tablewire import slots
from tablewire.cobs import MAX_BODY, unstuff
from tablewire.codec import CRC_BYTES, Frame
from tablewire.crc import crc32
from tablewire.framing import Receiver, Skip
from tablewire.messages import MINOR, SEED
from tablewire.sender import Sender

_KINDS = (slots.CONFIGURATION, slots.COUNTERS, slots.FAULTS)
# What the declarations decide; the other reasons are those of stuffing, sum and header.
_OF_THE_PAYLOAD = ("length", "range")
_HEADER_NAMES = [name for name, _, _ in HEADER_FIELDS]


def vectors() -> list[bytes]:
    """The hand-written frames, all in a row and each alone."""
    whole = wireshark_tools.vectors(*wireshark_tools.ALL)
    return [whole, *split(whole)]


@cache
def _lua() -> Any:
    return wireshark_tools.lua_core("lua54")


def check_stream(stream: bytes) -> None:
    """One verdict of three decoders, whatever the split; what is believed packs to itself."""
    stream = present(stream)
    receiver = Receiver()
    items = receiver.feed(stream) + receiver.finish()
    here = wireshark_tools.decoded(stream, SEED)
    there = [wireshark_tools.from_core(i) for i in _lua().stream(stream, SEED).values()]
    assert here == there, f"the dissector reads {_first_other(here, there)}"
    assert len(here) == len(items)
    for item in items:
        _declare(item, stream)
        if isinstance(item, Frame):
            _packs_to_itself(item, stream)
    assert [_fields(item) for item in items] == [_fields(item) for item in _in_pieces(stream)]


def _first_other(here: list[Any], there: list[Any]) -> str:
    pairs = zip([*here, None], [*there, None], strict=False)
    return next(f"{b}, tablewire {a}" for a, b in pairs if a != b)


def _fields(item: Frame | Skip) -> tuple[Any, ...]:
    if isinstance(item, Skip):
        return item.offset, item.length, item.reason, item.detail
    return tuple(getattr(item, name) for name in Frame.__slots__)


def _in_pieces(stream: bytes) -> list[Frame | Skip]:
    """The stream as its reads may cut it; what waits for its zero stays small."""
    rng, receiver = random.Random(zlib.crc32(stream)), Receiver()
    items, place = [], 0
    while place < len(stream):
        size = rng.choice((1, 2, 20, 100, 300))
        items += receiver.feed(stream[place : place + size])
        place += size
        assert len(receiver._tail) <= MAX_BODY + 1, "an unended frame is kept without limit"
    return items + receiver.finish()


def _declare(item: Frame | Skip, stream: bytes) -> None:
    """What construct says of the same bytes."""
    if isinstance(item, Skip) and item.reason not in _OF_THE_PAYLOAD:
        return
    parsed = _parse(stream[item.offset : item.offset + item.length - 1])
    if isinstance(item, Skip):
        assert parsed is None, f"construct believes {parsed}, tablewire says {item.reason}"
        return
    assert parsed is not None, f"construct refuses a frame of 0x{item.type:02x} {item.values}"
    assert _values(parsed.header)[1:] == tuple(getattr(item, name) for name in _HEADER_NAMES[1:])
    assert _values(parsed.payload) == tuple(map(_number, item.values))
    assert parsed.tag == item.tag


def _surplus(body: bytes) -> int:
    """How many bytes a later minor version appended to the payload; negative: how many lack."""
    tag = TAG_BYTES if body[2] & FLAG_AUTHENTICATED else 0
    known = int(BY_ID[body[1]].payload.sizeof())
    return int(len(body) - Header.sizeof() - known - tag - CRC_BYTES)


def _parse(stuffed: bytes) -> Any:
    plain = unstuff(stuffed)
    assert plain is not None
    body = bytes(plain)
    if (surplus := _surplus(body)) > 0:
        end = Header.sizeof() + BY_ID[body[1]].payload.sizeof()
        body = body[:end] + body[end + surplus :]
    layout = Struct("frame" / whole_frame(BY_ID[body[1]].payload), Terminated)
    try:
        return layout.parse(body).frame
    except ConstructError:
        return None


def _values(container: Any) -> tuple[Any, ...]:
    return tuple(_number(value) for name, value in container.items() if name != "_io")


def _number(value: Any) -> Any:
    return bytes(value) if isinstance(value, bytes | bytearray) else int(value)


def _packs_to_itself(frame: Frame, stream: bytes) -> None:
    """Packed again, the frame is the same bytes: no two ways to say one thing."""
    wire = stream[frame.offset : frame.offset + frame.length]
    if frame.tag is not None or not frame.counter:
        return  # a sender counts from 1, and the tag is not its own to make
    if frame.minor != MINOR or _surplus(bytes(unstuff(wire[:-1]) or b"")):
        return  # of another minor version
    sender = Sender(frame.device, frame.boot)
    sender.role, sender.echo, sender.echo_ms = frame.role, frame.echo, frame.echo_ms
    sender.counter = frame.counter - 1
    sender.round = frame.round
    sender.uptime_low, sender.uptime_high = frame.uptime_ms & 0xFFFF, frame.uptime_ms >> 16
    again = sender.build(frame.type, frame.values, frame.flags)
    assert again == wire, f"{wire.hex()} packs to {again.hex()}"


def check_slot(data: bytes) -> None:
    """Two copies of a record, cut at a zero place: what is believed is what was packed."""
    half = len(data) // 2
    copies = [data[:half], data[half:], data]
    for kind in _KINDS:
        read = [slots.unpack_slot(kind, copy) for copy in copies]
        for copy, slot in zip(copies, read, strict=True):
            assert slot is None or slots.pack_slot(kind, *slot) == copy, copy.hex()
        best = slots.newest(kind, [*copies, None])
        good = [slot for slot in read if slot is not None]
        assert best == max(good, key=lambda slot: slot[0], default=None)


def slot_seeds() -> list[bytes]:
    """Copies of every kind, alone and in pairs, and nothing."""
    one = slots.pack_slot(slots.COUNTERS, 7, [3, 250, 1, -1])
    two = slots.pack_slot(slots.COUNTERS, 8, [3, 251, 0, -1])
    whole = provisioning.configuration()
    return [b"", one, one + two, whole + whole, slots.pack_slot(slots.FAULTS, 1, [504, 255])]


def mutated_slot(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """Changed bytes, most times under the right sum."""
    out = mutate(rng, data, other)
    if rng.random() < 0.3 or len(out) < 4:
        return out
    half = len(out) // 2 if rng.random() < 0.5 else 0
    parts = [
        part[:-4] + crc32(part[:-4], 0).to_bytes(4, "little") for part in (out[:half], out[half:])
    ]
    return b"".join(parts)


TARGETS = (
    Target(
        "wire",
        check_stream,
        vectors,
        frames,
        ("protocol/tablewire", "host_tools/tabletools/decode"),
    ),
    Target("slots", check_slot, slot_seeds, mutated_slot, ("protocol/tablewire/slots.py",)),
)
