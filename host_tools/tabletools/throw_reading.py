"""What the host reads of a throw: with its own camera, or in the picture that its table kept.

`read` depends on its arguments alone, so any process may do it, at once or years later.
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
    from tabletools.dice.overhead.host_camera import HostCamera
    from tabletools.dice.reference import Reference
    from tabletools.dice.second_camera import Colour, SecondCamera

RELEASE = version("tablewire")
THROW = "tablewire-throw"
"""Key of the text in the picture of a throw, see dice.overhead.throw_picture."""


@dataclass(frozen=True)
class Second:
    """What a table's second camera saw. picture: None where it gave none, trouble says why."""

    camera: SecondCamera
    picture: Colour | None
    trouble: str = ""

    def aside(self, size: tuple[int, int], rows: int, scale: float = 1.0) -> Aside:
        """Return it with the first camera's picture, see dice.host_reading. Raises ToolError."""
        from tabletools.dice.host_reading import aside_of

        if self.picture is None:
            raise ToolError(self.trouble)
        return aside_of(self.camera, size, self.picture, rows, scale)

    @property
    def png(self) -> bytes:
        """The picture as it is kept, PNG."""
        from tabletools.dice import second_camera

        return b"" if self.picture is None else second_camera.png(self.picture)


def get_ready() -> None:
    """Load what reads, so that the first throw does not wait for it."""
    from tabletools.dice import host_reading, second_camera  # noqa: F401
    from tabletools.replay import traced_frame  # noqa: F401


def get_camera_ready() -> None:
    """Load what reads with the host's own camera."""
    from tabletools.dice.overhead import host_camera, throw  # noqa: F401


def late(what: str) -> str:
    """Return the reason of a throw that was not photographed in time."""
    from tabletools.dice.overhead.troubles import LATE, CameraTrouble

    return CameraTrouble(LATE, what).text


def verify_camera(camera: HostCamera) -> str:
    """Return what is wrong with the host's camera now and what to do, "" if nothing is."""
    from tabletools.dice.overhead.troubles import CameraTrouble

    try:
        camera.verify()
    except CameraTrouble as trouble:
        return trouble.text
    return ""


def photograph(camera: HostCamera, one: Awaited, second: Second | None = None) -> Reading:
    """Return what the host reads of a throw with its own camera, now.

    second: what the second camera sees of it.
    """
    from tabletools.dice.overhead.capture import hashes
    from tabletools.dice.overhead.throw import read_throw
    from tabletools.dice.overhead.throw_picture import throw_picture
    from tabletools.dice.overhead.troubles import REMEDIES, CameraTrouble

    tray, aside = camera.tray, None
    try:
        frames = camera.burst()
        if second:
            aside = second.aside(tray.size, tray.size[1], tray.scale)
        reading = read_throw(tray, frames, one.dice, aside)
    except CameraTrouble as trouble:
        return Reading((), trouble.text, RELEASE, second_picture=second.png if second else b"")
    except ToolError as error:
        return Reading((), error.what, RELEASE)
    reason = reading.reason
    if remedy := REMEDIES.get(reason):
        reason = f"{reason}; {remedy}"
    aside_picture = second.picture if second else None
    facts = _name(one) | {"tray": camera.digest, "frames": hashes(frames)}
    picture = throw_picture(THROW, facts, reading, aside_picture)
    return Reading(reading.dice, reason, RELEASE, referred=True, second_picture=picture)


def is_photographed(reading: Reading) -> bool:
    """Return whether a reading is of the host's own camera above the tray."""
    return THROW.encode() in reading.second_picture


def unlike_kept(one: Awaited, reading: Reading) -> str:
    """Return how the kept picture of a throw contradicts what was stored of it, "" if it does not.

    reading: one that is_photographed.
    """
    from tabletools.dice.overhead import throw_picture

    picture = reading.second_picture
    try:
        facts = throw_picture.facts_of(picture, THROW)
    except throw_picture.PictureDamaged as error:
        return f"the picture by the host's camera cannot be read: {error}"
    if facts.throw != _name(one):
        return f"the picture by the host's camera is of another throw: {facts.throw}"
    if not facts.is_whole:
        return "the picture by the host's camera is not the one that was read"
    is_read = [*facts.dice] == [*reading.dice] and (bool(reading.reason) or facts.agreed > 1)
    return "" if is_read else "the host's camera did not show the dice that were stored"


def _name(one: Awaited) -> dict[str, int]:
    """Return what names a throw in its picture."""
    return {"device": one.device, "throw": one.number, "frame_crc": one.frame_crc}


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
