"""The camera frame in a trace of a dice tray, also read again as the table does."""

from binascii import crc32
from collections.abc import Sequence
from typing import Any

from tablelogic.dice_tray.eye import Eye, size
from tablelogic.dice_tray.faces import is_read_here
from tablelogic.tray_reader.rig import Rig, RigError
from tablelogic.tray_reader.stepwise import finish
from tablespec.roles.dice_tray import READING
from tabletools.replay.parsed_trace import Trace
from tabletools.replay.trace_errors import TraceError
from tabletools.replay.trace_events import Order
from tablewire.dice_tray import DICE_SEEN, FRAME_SIZE, LIGHTS, LINE_ROW

# Fields of dice_seen: reading and faces, the index of the frame's sum and of the tray's digest.
_FACES, _CRC, _RIG = 7, 11, 12
_STATES = (
    "moving", "too_dark", "covered", "moved", "frozen", "no_frame", "good", "not_commissioned",
)  # fmt: skip
_READ = frozenset(value for value, name in READING if name not in _STATES)


def size_of(config: Sequence[int]) -> tuple[int, int]:
    """Return width and height of the pictures of a tray. config: by key number."""
    width, height = size(list(config))
    return width, height


def beyond_line(trace: Trace) -> tuple[int, int, bytes]:
    """Return width, height and greys of the part of the picture in which faces are read.

    Raises TraceError if the trace has no picture of the size that its configuration says.
    """
    width, height = size_of(trace.config)
    if trace.frame is None:
        raise TraceError(
            "the table kept no picture of the round",
            "it decided without one, or its pictures are too large to be kept",
            "see frame_size",
        )
    if len(trace.frame) != width * height:
        raise TraceError(
            f"the picture has {len(trace.frame)} greys, not {width} x {height}",
            "it was replaced, or there is a defect",
            "keep the file and report it",
        )
    line = trace.config[LINE_ROW] * trace.config[FRAME_SIZE]
    return width, height - line, trace.frame[line * width :]


def tray_of(trace: Trace) -> int:
    """Return the digest of the tray with which the table read its picture, 0 if it did not."""
    sightings = [e for e in trace.events if isinstance(e, Order) and e.type == DICE_SEEN]
    return sum(sightings[-1].values[_RIG:]) if sightings else 0


def read_again(
    trace: Trace, tray: bytes | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return what the device read in the stored frame, and what is read there now.

    Each: reading and faces. tray: the file of the commissioned tray. None when there is no frame,
    it was not read, or it takes a tray that is not given. Raises TraceError if it is not the last
    frame examined, or was read with another tray.
    """
    if trace.frame is None:
        return None
    sightings = [e for e in trace.events if isinstance(e, Order) and e.type == DICE_SEEN]
    if not sightings or sightings[-1].values[_CRC] != crc32(trace.frame):
        raise TraceError(
            "the picture behind the trace is not the one that was read last",
            "it was replaced, or there is a defect",
            "keep the file and report it",
        )
    sighting = tuple(sightings[-1].values)
    if sighting[0] not in _READ:
        return None
    config = list(trace.config)
    if is_read_here(config):
        if tray is None:
            return None
        _verify_tray(tray, tray_of(trace))
    config[LIGHTS] = 0  # this frame is read with this tray
    eye = Eye(config, lambda _light: tray)
    eye.look(trace.frame)
    reading: Any = finish(eye.read(trace.frame))
    return sighting[:_FACES], (reading, *eye.fields[1:_FACES])


def _verify_tray(tray: bytes, digest: int) -> None:
    """Raise TraceError unless it is the file of the tray with that digest."""
    try:
        actual = Rig(tray).digest
    except RigError as error:
        what = f"the file of the tray is damaged ({error.args[0]})"
        raise TraceError(what, "bytes were lost or changed", "copy it again") from error
    if actual != digest:
        raise TraceError(
            f"the picture was read with tray {digest:08x}, the file is of tray {actual:08x}",
            "the tray was commissioned again, or it is another table's or another light's",
            "give the file that was in use then",
        )
