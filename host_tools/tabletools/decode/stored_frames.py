"""Frames stored as received: whether a row is what its bytes say, and the trace in its frames."""

import json
import struct
from collections.abc import Iterator

from tablespec.frame import HEADER_FIELDS
from tabletools.authenticity import VERIFIED
from tabletools.roles.frame_record import FrameRow, body_of, payload_of
from tablewire.codec import HEADER_BYTES, Frame
from tablewire.framing import Receiver
from tablewire.messages import FLAG_TEST_MODE, TRACE_CHUNK

_HEADER = struct.Struct("<" + "".join(code for _, code, _ in HEADER_FIELDS))
_NAMES = [name for name, _, _ in HEADER_FIELDS]
_FIELDS = ("type", "flags", "device", "boot", "counter", "uptime_ms", "round")


def differences(row: FrameRow) -> Iterator[str]:
    """Yield how the bytes of a frame differ from the other columns of its row."""
    if row.counts and (row.seal != VERIFIED or row.flags & FLAG_TEST_MODE):
        yield "it counts, but its tag was not verified"
    items = Receiver().feed(row.raw)
    if len(items) != 1 or not isinstance(items[0], Frame):
        # With another major version the CRC cannot match, and the header has another length.
        if not (items and getattr(items[0], "reason", "") in ("crc", "short")):
            yield "its bytes are not a frame"
        return
    header = dict(zip(_NAMES, _HEADER.unpack(row.body[:HEADER_BYTES]), strict=True))
    # The body is stored without the flag `retransmitted`.
    wrong = [n for n in _FIELDS if n != "flags" and header[n] != getattr(row, n)]
    frame = items[0]
    wrong += [name for name in _FIELDS if getattr(frame, name) != getattr(row, name)]
    # A release with more fields fills those that the record lacks.
    payload, stored = json.loads(payload_of(frame)), json.loads(row.payload)
    is_other = any(payload.get(name) != value for name, value in stored.items())
    if is_other or body_of(frame, row.raw) != row.body:
        wrong.append("payload")
    if wrong:
        yield f"its bytes have a different {', '.join(dict.fromkeys(wrong))}"


def assembled(raw: bytes) -> bytes:
    """Return the trace in frames, empty if the table reported that it has none."""
    data, total = b"", 0
    for frame in Receiver().feed(raw):
        if isinstance(frame, Frame) and frame.type == TRACE_CHUNK:
            _, offset, total, piece = frame.values
            data = data[:offset] + piece
    return data[:total]
