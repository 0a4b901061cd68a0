"""The camera frame in a trace of a dice tray, read again by the device's reader."""

from binascii import crc32
from typing import Any

from tablelogic.dice.steps import finish
from tablelogic.dice_tray.eye import Eye
from tablespec.roles.dice_tray import READING
from tabletools.replay.errors import TraceError
from tabletools.replay.events import Order
from tabletools.replay.trace import Trace
from tablewire.dice_tray import DICE_SEEN

# Fields of dice_seen: reading and faces, and the index of the frame's sum.
_FACES, _CRC = 7, 11
_STATES = ("moving", "too_dark", "covered", "moved", "frozen", "no_frame", "good")
_READ = frozenset(value for value, name in READING if name not in _STATES)


def read_again(trace: Trace) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return what the device read in the stored frame, and what its reader reads there now.

    Each: reading and faces. None when there is no frame, or it was not read. Raises TraceError if
    it is not the last frame examined.
    """
    if trace.frame is None:
        return None
    seen = [e for e in trace.events if isinstance(e, Order) and e.type == DICE_SEEN]
    if not seen or seen[-1].values[_CRC] != crc32(trace.frame):
        raise TraceError(
            "the picture behind the trace is not the one looked at last",
            "it was exchanged, or is a defect",
            "keep the file and report it",
        )
    reported = tuple(seen[-1].values[:_FACES])
    if reported[0] not in _READ:
        return None
    eye = Eye(list(trace.config))
    reading: Any = finish(eye.read(trace.frame))
    return reported, (reading, *eye.seen[1:_FACES])
