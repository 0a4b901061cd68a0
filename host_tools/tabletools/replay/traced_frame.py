"""The camera frame in a trace of a dice tray, also read again by the device's reader."""

from binascii import crc32
from collections.abc import Sequence
from typing import Any

from tablelogic.dice.stepwise import finish
from tablelogic.dice_tray.eye import Eye, size
from tablespec.roles.dice_tray import READING
from tabletools.replay.parsed_trace import Trace
from tabletools.replay.trace_errors import TraceError
from tabletools.replay.trace_events import Order
from tablewire.dice_tray import DICE_SEEN, FRAME_SIZE, LINE_ROW

# Fields of dice_seen: reading and faces, and the index of the frame's sum.
_FACES, _CRC = 7, 11
_STATES = ("moving", "too_dark", "covered", "moved", "frozen", "no_frame", "good")
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


def read_again(trace: Trace) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return what the device read in the stored frame, and what its reader reads there now.

    Each: reading and faces. None when there is no frame, or it was not read. Raises TraceError if
    it is not the last frame examined.
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
    reported = tuple(sightings[-1].values[:_FACES])
    if reported[0] not in _READ:
        return None
    eye = Eye(list(trace.config))
    eye.look(trace.frame)
    reading: Any = finish(eye.read(trace.frame))
    return reported, (reading, *eye.fields[1:_FACES])
