"""The bytes of a port as frames and refusals: checked, logged and counted."""

from collections.abc import Iterator

from tablespec.names import NAMES
from tabletools.capture import FROM_TABLE, Window
from tabletools.link.events import Event, FrameRefused, Tampered
from tabletools.link.far_end import FarEnd
from tabletools.link.frame_log import FrameLog
from tabletools.link.session_trust import NOT_JUDGED, Trust
from tablewire.codec import Frame, UnreadFrame
from tablewire.framing import Receiver, Skip


class Incoming:
    """What comes from one table after another. Counts are since the start."""

    def __init__(self, trust: Trust, log: FrameLog) -> None:
        # What is there, by the bytes received on this port.
        self.far_end = FarEnd()
        # Frames accepted and read.
        self.frames = 0
        # Bytes that are not a frame, and frames that cannot be read.
        self.skipped = 0
        # Forged frames.
        self.tampered = 0
        self._trust = trust
        self._log = log
        self._receiver = Receiver(verify=trust.check)
        self._window = Window()

    def restart(self) -> None:
        """Start with the first byte of another port."""
        self.far_end = FarEnd()
        self._receiver = Receiver(verify=self._trust.check)
        self._window = Window()

    def add(self, data: bytes) -> None:
        """Take bytes; `frames_of` has to follow."""
        self._window.add(data)
        self.far_end.take(data)

    def frames_of(self, data: bytes) -> Iterator[Frame | Skip]:
        """Yield the frames and refusals that bytes complete.

        One frame at a time is checked: it may begin the session under which the next is judged.
        """
        *complete, tail = data.split(b"\0")
        for piece in complete:
            yield from self._receiver.feed(piece + b"\0")
        if tail:
            yield from self._receiver.feed(tail)

    def finish(self) -> list[Skip]:
        """Return what the end of the port cut off."""
        rest: list[Skip] = self._receiver.finish()
        self._receiver = Receiver(verify=self._trust.check)
        return rest

    def note(self, item: Frame | Skip, now: float) -> bytes:
        """Log and count a frame or refusal; return its bytes on the line."""
        wire = self._window.part(item.offset, item.length)
        if isinstance(item, Frame):
            self.frames += 1
            name = NAMES[item.type]
        elif isinstance(item.frame, UnreadFrame):
            self.skipped += 1
            name = f"not read: {item.frame.problem}"
        else:
            name = f"refused: {item.reason}"
        self._log.add(now, FROM_TABLE, wire, name)
        return wire

    def refuse(self, skip: Skip, wire: bytes) -> list[Event]:
        """Count and report a refusal; what came before a session is not judged."""
        if skip.reason == NOT_JUDGED:
            return []
        if not self._trust.is_tampering(skip.reason):
            self.skipped += 1
            return [FrameRefused(skip, wire)]
        self.tampered += 1
        return [Tampered(skip, wire, self._trust.accuse(skip))]
