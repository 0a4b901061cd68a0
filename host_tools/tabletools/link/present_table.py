"""The device and boot at the other end of a line, followed by the counters of its frames."""

from typing import NamedTuple

from tablewire.codec import Frame
from tablewire.messages import FLAG_RETRANSMITTED
from tablewire.sender import Sender


class Succession(NamedTuple):
    """Another device or boot than the present one."""

    kind: str  # of the notice: replaced, rebooted or boot_fell
    text: str
    is_followed: bool  # it is the present one from now on


class PresentTable:
    """The newest device and boot."""

    def __init__(self) -> None:
        # To it, outside a session; None before its first frame.
        self.sender: Sender | None = None
        # Highest counter received of the present boot.
        self.newest = 0
        # Gaps in the frames' counters since the start.
        self.missed = 0
        # Time of the last frame in seconds that was no repeat.
        self.received_at: float | None = None
        # The same, or when the port was opened after it.
        self.quiet_since = 0.0
        self._lower_boot: int | None = None  # received below the present one, and reported

    @property
    def name(self) -> tuple[int, int] | None:
        """Device and boot, None before the first frame."""
        return None if self.sender is None else (self.sender.device, self.sender.boot)

    def note_time(self, frame: Frame, now: float) -> bool:
        """Note the time if the frame is live, and return whether it is.

        It is if it was made after all earlier ones: a repeat proves no life.
        """
        if frame.flags & FLAG_RETRANSMITTED:
            return False
        present = self.sender
        if present is not None and frame.device == present.device:
            if frame.boot < present.boot:
                return False
            if frame.boot == present.boot and frame.counter <= self.newest:
                return False
        self.received_at = self.quiet_since = now
        return True

    def follow(self, frame: Frame) -> Succession | None:
        """Note the sender and missed frames; only of a frame that is no repeat.

        Boots only rise: a lower one is reported once and not followed.
        """
        before = self.sender
        if before is not None and (frame.device, frame.boot) == (before.device, before.boot):
            self.missed += max(frame.counter - self.newest - 1, 0)
            self.newest = max(frame.counter, self.newest)
            return None
        if before is not None and frame.device == before.device and frame.boot < before.boot:
            if frame.boot == self._lower_boot:
                return None
            self._lower_boot = frame.boot
            text = f"boot {frame.boot} after boot {before.boot}: the boot counter fell"
            return Succession("boot_fell", text, is_followed=False)
        self.sender, self.newest = Sender(frame.device, frame.boot), frame.counter
        if before is None:
            return None
        if frame.device != before.device:
            text = f"device {frame.device} in place of {before.device}"
            return Succession("replaced", text, is_followed=True)
        text = f"boot {frame.boot} after boot {before.boot}"
        return Succession("rebooted", text, is_followed=True)
