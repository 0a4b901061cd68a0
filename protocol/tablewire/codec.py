"""Received messages by table: checked unpacking. The table is generated from tablespec."""

import struct

from .compat import Layout, const, unpack_from
from .crc import RESIDUE, crc32
from .layouts import LAYOUTS
from .messages import FLAG_AUTHENTICATED, SEED, VERSION

_HEADER = Layout("<BBBBBIIIIIIH")
HEADER_BYTES = const(31)
TAG_BYTES = const(16)
CRC_BYTES = const(4)
_LEAST_BYTES = const(35)  # header and CRC
_TAG_AT = const(-20)  # a tag is in front of the CRC
_TAG_END = const(-4)
_ALL_FLAGS = const(15)


class FrameError(ValueError):
    """A frame that is not sent or not trusted. reason: why, in the order of the checks:

    overlong: no delimiter within 255 bytes
    truncated: the stream ended before the delimiter
    cobs: the stuffing does not end at the delimiter
    short: fewer bytes than header and CRC need
    crc: the CRC-32 does not match, or the sender speaks another major version
    version: the major version in the header is another one
    flags: a flag bit is not known
    short: fewer bytes than a tag needs too, where the flags promise one
    device, session, unauthenticated, tag, replayed: refused by the receiver's own check
    type: the message id is not known
    length: the payload ends inside a field, or before the fields of wire 1.0 do
    range: a field is outside its range or enumeration

    frame: the known part of it, at least its header once the CRC was right, else None. With the
    last three reasons it is an UnreadFrame: the receiver's own check has passed.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason + ": " + detail)
        self.reason = reason
        self.frame: "Frame | None" = None


class Frame:
    """One valid frame, filled by `parse`. values: the payload's fields in wire order.

    minor: minor version of the schema it was written under; role: of the table then; echo and
    echo_ms: see the header. tag: 16 bytes or None. offset, length: place in the stream in bytes,
    delimiter included. No constructor: calling one would take a tenth of the time of a frame.
    """

    __slots__ = (
        "boot", "counter", "device", "echo", "echo_ms", "flags", "length", "minor", "offset",
        "role", "round", "tag", "type", "uptime_ms", "values",
    )  # fmt: skip
    type: int
    flags: int
    minor: int
    role: int
    device: int
    boot: int
    counter: int
    uptime_ms: int
    round: int
    echo: int
    echo_ms: int
    values: tuple
    tag: "bytes | bytearray | None"
    offset: int
    length: int


class UnreadFrame(Frame):
    """A frame that passed the receiver's own check and cannot be decoded: of a newer schema.

    values: empty. problem: what could not be decoded, a FrameError's text.
    """

    __slots__ = ("problem",)
    problem: str


# type: whether first_bad finds none, for a host with compiled checks (tablespec.host_tables).
QUICKER: dict = {}
_KNOWN: dict = {}  # type: (payload bytes, Layout, faster check or None), once received


def _learn(ident: int) -> "tuple | None":
    if ident not in LAYOUTS:
        return None
    layout = "<" + LAYOUTS[ident][0].decode()
    _KNOWN[ident] = struct.calcsize(layout), Layout(layout), QUICKER.get(ident)
    return _KNOWN[ident]


def first_bad(ident: int, values: "list | tuple") -> int:
    """The index of the first value its field may not have, or -1. ValueError: a wrong number."""
    layout = LAYOUTS[ident]
    if len(values) != len(layout) - 1:
        raise ValueError("%d values, not %d" % (len(values), len(layout) - 1))
    for place in range(len(values)):
        runs = layout[place + 1]
        if runs and not runs[0] <= values[place] <= runs[1] and not _is_in(runs, values[place]):
            return place
    return -1


def _is_in(runs: tuple, value: int) -> bool:
    for index in range(2, len(runs), 2):  # the caller has compared the first
        if runs[index] <= value <= runs[index + 1]:
            return True
    return False


def parse(
    body: "bytes | bytearray", seed: int = SEED, offset: int = 0, verify: object = None
) -> Frame:
    """Return the frame from header to CRC. Raises FrameError naming the first check it fails.

    offset: place in the stream. verify(frame, body): the receiver's own check, which may raise
    FrameError; frame.values is then not checked yet, and empty where type or length are not known.
    """
    whole = len(body)
    length = whole - _LEAST_BYTES
    if length < 0:
        raise FrameError("short", "%d bytes" % whole)
    if crc32(body, seed) != RESIDUE:
        raise FrameError("crc", "over %d bytes" % (whole - CRC_BYTES))
    frame = Frame()
    (
        version, ident, flags, frame.minor, frame.role, frame.device, frame.boot, frame.counter,
        frame.uptime_ms, frame.round, frame.echo, frame.echo_ms,
    ) = unpack_from(_HEADER, body)  # fmt: skip
    frame.type, frame.flags = ident, flags
    frame.offset, frame.length = offset, whole + 2
    frame.tag = None
    try:
        if version != VERSION or flags > _ALL_FLAGS:
            raise _seldom().foreign(version, flags)
        if flags & FLAG_AUTHENTICATED:
            length -= TAG_BYTES
            if length < 0:
                raise FrameError("short", "%d bytes, and a tag is promised" % whole)
            frame.tag = body[_TAG_AT:_TAG_END]
        plan = _KNOWN.get(ident) or _learn(ident)
        if plan is None or length != plan[0]:
            values = plan and _seldom().unpack_grown(plan, ident, body, length)
        else:
            values = unpack_from(plan[1], body, HEADER_BYTES)
        frame.values = values or ()
        if verify is not None:
            verify(frame, body)  # type: ignore[operator]
    except FrameError as error:
        error.frame = frame
        raise
    if plan is None or values is None:
        raise _seldom().unread(frame, _seldom().unfit(ident, plan, length))
    check = plan[2]
    if check is not None and check(values):
        return frame
    bad = first_bad(ident, values)
    if bad >= 0:
        raise _seldom().unread(frame, out_of_range(ident, bad, values[bad]))
    return frame


def _seldom() -> "ModuleType":  # type: ignore[name-defined]  # noqa: F821
    """The module for frames that cannot be decoded, which few tables ever need in memory."""
    from . import unread_frame

    return unread_frame


def out_of_range(ident: int, place: int, value: int) -> FrameError:
    """The error for a field whose value its range or enumeration does not allow."""
    where = (ident, place + 1, value)
    return FrameError("range", "message 0x%02x field %d is %d: see PROTOCOL.md" % where)
