"""Frames that the tables here cannot decode: of another minor version, or invalid.

On a device it is loaded only when such a frame came.
"""

from struct import calcsize, unpack_from

from .codec import HEADER_BYTES, Frame, FrameError, UnreadFrame
from .compat import const
from .layouts import APPENDED, LAYOUTS
from .messages import VERSION

_ZERO = const(48)
_NINE = const(57)


def unpack_grown(
    plan: tuple, ident: int, body: "bytes | bytearray", length: int
) -> "tuple | None":
    """Values of a payload of `length` bytes that another minor version wrote, or None.

    Bytes after the last field known here are ignored. Fields missing at the end are filled.
    """
    layout = "<" + LAYOUTS[ident][0].decode()
    if length > plan[0]:
        return unpack_from(layout, body, HEADER_BYTES)
    required, *fills = APPENDED.get(ident, (0,))
    ends = [
        place + 1 for place in range(1, len(layout)) if not _ZERO <= ord(layout[place]) <= _NINE
    ]
    for count in range(len(ends) - len(fills), len(ends)):
        shorter = layout[: ends[count - 1] if count else 1]
        if calcsize(shorter) == length:
            return unpack_from(shorter, body, HEADER_BYTES) + tuple(fills[count - required :])
    return None


def foreign(version: int, flags: int) -> FrameError:
    """The error for another major version, or for unknown flags."""
    if version != VERSION:
        return FrameError("version", "%d is not %d" % (version, VERSION))
    return FrameError("flags", "0x%02x" % flags)


def unfit(ident: int, plan: "tuple | None", length: int) -> FrameError:
    """The error for an unknown type (no plan), or for a payload of a wrong length."""
    if plan is None:
        return FrameError("type", "0x%02x" % ident)
    return FrameError("length", "payload of %d bytes, not %d" % (length, plan[0]))


def unread(frame: Frame, error: FrameError) -> FrameError:
    """The error, with the part of the frame that could be decoded."""
    item = UnreadFrame()
    for name in Frame.__slots__:
        setattr(item, name, getattr(frame, name))
    item.values = ()
    item.problem = str(error)
    error.frame = item
    return error
