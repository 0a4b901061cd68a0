"""Events of a link for its owner."""

from dataclasses import dataclass

from tabletools.link.frame_log import Logged
from tabletools.link.session_trust import Proof
from tablewire.codec import Frame
from tablewire.framing import Skip


@dataclass(frozen=True)
class Received:
    """A frame received for the first time."""

    frame: Frame
    stored: bool  # acknowledged to the table as safe
    seal: str  # how far it is authenticated, see tabletools.authenticity
    wire: bytes  # on the line, delimiter included
    proof: Proof | None  # what verified it, None if nothing did


@dataclass(frozen=True)
class FrameRefused:
    """Bytes that are not a frame."""

    skip: Skip
    data: bytes


@dataclass(frozen=True)
class Unread(FrameRefused):
    """An authentic frame that this release cannot read."""

    stored: bool  # acknowledged to the table as safe


@dataclass(frozen=True)
class Tampered(FrameRefused):
    """A frame with a valid CRC which the table did not make, or made for another time."""

    device: int  # the table whose link it came on


@dataclass(frozen=True)
class Notice:
    """An event of the link itself."""

    # connected, online, rebooted, fresh, or one of the errors: replaced, boot_fell, disconnected,
    # offline, store_failed, conflict, unreachable, link_stale, clock_step, taken.
    kind: str
    text: str
    error: bool = False
    frames: tuple[Logged, ...] = ()  # of an error, the last of the link
    step_ns: int = 0  # of clock_step, how far the table's clock is ahead


Event = Received | FrameRefused | Notice
