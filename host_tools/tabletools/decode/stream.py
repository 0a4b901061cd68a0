"""One direction of a link: received bytes in, records out, what is refused diagnosed."""

from typing import Any, Literal

from tablespec.message_list import BY_ID
from tabletools.capture import Window
from tabletools.decode.seed import SkipWatch
from tabletools.decode.stream_tags import SealedReceiver, Tags
from tabletools.roles.frame_record import record
from tabletools.roles.role import Record
from tablewire.codec import Frame
from tablewire.framing import Skip
from tablewire.messages import SEED

Sender = Literal["table", "host"]


class Decoder:
    """Turns bytes into records, oldest first; any split of the stream gives the same records.

    frames, refused: records returned so far. hint: the last diagnosis of what was refused (another
    version, or what the line does to bytes), or None.
    """

    def __init__(
        self,
        *,
        direction: str | None = None,
        sender: Sender | None = None,
        seed: int = SEED,
        tags: Tags | None = None,
    ) -> None:
        """direction: added to every record under that key, unless None.

        sender: of the stream, if known; a message that only the other end sends is skipped with
        the reason "direction". tags: verifies them, for both directions of a link.
        """
        self.frames = 0
        self.refused = 0
        self.hint: str | None = None
        self._direction = direction
        self._sender = sender
        self._tags = tags
        self._seed = seed
        self._watch = SkipWatch(seed)
        self._begin(0)

    def _begin(self, offset: int) -> None:
        self._receiver = SealedReceiver(self._tags, self._seed)
        self._window = Window()
        self._first = offset  # of the receiver's first byte in the stream
        self._end = offset

    def feed(
        self, data: bytes, t_us: int | None = None, offset: int | None = None
    ) -> list[Record]:
        """Take bytes; t_us: when they came, added to the records unless None.

        offset: of the first in the stream; a gap before it ends a begun frame.
        """
        rest = []
        if offset is not None and offset != self._end:
            rest = self.finish()
            self._begin(offset)
        self._end += len(data)
        self._window.add(data)
        return rest + [self._record(*item, t_us) for item in self._receiver.feed(data)]

    def finish(self) -> list[Record]:
        """Return the rest at the end of the stream."""
        return [self._record(*item, None) for item in self._receiver.finish()]

    def _record(self, item: Frame | Skip, seal: str | None, t_us: int | None) -> Record:
        if isinstance(item, Frame) and self._is_foreign(item):
            self.refused += 1
            decoded = _misplacement(item)
        elif isinstance(item, Frame):
            self.frames += 1
            decoded = record(item, seal)
        else:
            self.refused += 1
            decoded = skipped(item)
            data = self._window.part(item.offset, item.length)
            if (cause := self._watch.look(item.reason, data)) is not None:
                decoded["hint"], decoded["step"] = cause
                self.hint = cause.text
        decoded["offset"] += self._first
        if self._direction is not None:
            decoded["direction"] = self._direction
        if t_us is not None:
            decoded["t_us"] = t_us
        return decoded

    def _is_foreign(self, frame: Frame) -> bool:
        return self._sender is not None and BY_ID[frame.type].sender != self._sender


def skipped(skip: Skip) -> dict[str, Any]:
    """Return bytes that are not a frame as a record. offset and length: bytes of the stream."""
    return {
        "type": "skipped",
        "offset": skip.offset,
        "length": skip.length,
        "reason": skip.reason,
        "detail": skip.detail,
    }


def _misplacement(frame: Frame) -> dict[str, Any]:
    message = BY_ID[frame.type]
    return {
        "type": "skipped",
        "offset": frame.offset,
        "length": frame.length,
        "reason": "direction",
        "detail": f"{message.name} is sent by the {message.sender} only",
    }
