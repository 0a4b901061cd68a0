"""What the host reads in the picture of a throw, taken from the trace that its table kept.

Depends on its arguments alone, so any process may do it, at once or years later.
"""

from __future__ import annotations

from binascii import crc32
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from tabletools.errors import ToolError
from tabletools.evidence.second_readings import Awaited, Reading

if TYPE_CHECKING:
    from tabletools.dice.host_reading import Aside
    from tabletools.dice.reference import Reference
    from tabletools.dice.second_camera import Colour, SecondCamera

RELEASE = version("tablewire")


@dataclass(frozen=True)
class Second:
    """What a table's second camera saw. picture: None where it gave none, trouble says why."""

    camera: SecondCamera
    picture: Colour | None
    trouble: str = ""

    def aside(self, size: tuple[int, int], rows: int) -> Aside:
        """Return it with the first camera's picture, see dice.host_reading. Raises ToolError."""
        from tabletools.dice.host_reading import aside_of

        if self.picture is None:
            raise ToolError(self.trouble)
        return aside_of(self.camera, size, self.picture, rows)

    @property
    def png(self) -> bytes:
        """The picture as it is kept, PNG."""
        from tabletools.dice import second_camera

        return b"" if self.picture is None else second_camera.png(self.picture)


def get_ready() -> None:
    """Load what reads, so that the first throw does not wait for it."""
    from tabletools.dice import host_reading, second_camera  # noqa: F401
    from tabletools.replay import traced_frame  # noqa: F401


def read(
    data: bytes, one: Awaited, reference: Reference | None, second: Second | None = None
) -> Reading:
    """Return what the host reads in the picture of a trace, if it is the one of the result.

    second: what the second camera saw when the result came.
    """
    from tabletools.dice.host_reading import read_picture
    from tabletools.dice.pictures import Frame
    from tabletools.dice.reference import Reference
    from tabletools.replay.parsed_trace import contents
    from tabletools.replay.trace_errors import TraceError
    from tabletools.replay.traced_frame import beyond_line

    if not one.is_proved:
        return Reading((), "no key proves that the table sent it", RELEASE)
    if not data:
        return Reading((), "the table has no picture of the round", RELEASE)
    try:
        trace = contents(data)
        width, height, grey = beyond_line(trace)
    except TraceError as error:
        return Reading((), error.what, RELEASE)
    assert trace.frame is not None
    if (trace.device, trace.round) != (one.device, one.number):
        what = f"it is of device {trace.device}, round {trace.round}"
        return Reading((), what, RELEASE)
    if crc32(trace.frame) != one.frame_crc:
        return Reading(
            (), "it is not the picture that the table read: its CRC-32 differs", RELEASE
        )
    tray = reference and Reference(reference.grey[-height:])
    aside, second_picture = None, b""
    if second:
        second_picture = second.png
        try:
            aside = second.aside((width, len(trace.frame) // width), height)
        except ToolError as error:
            return Reading((), error.what, RELEASE, second_picture=second_picture)
    verdict = read_picture(Frame(width, height, grey), one.dice, tray, aside)
    return Reading(verdict.dice, verdict.reason, RELEASE, verdict.referred, second_picture)
