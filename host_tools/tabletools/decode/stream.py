"""One direction of a link: bytes as they came in, records out, foreign schemas diagnosed."""

from tabletools.decode.records import Record, record, skipped
from tabletools.decode.seed import SeedWatch
from tablewire.codec import Frame
from tablewire.framing import Receiver, Skip
from tablewire.messages import FINGERPRINT


class Decoder:
    """Turns bytes into records, oldest first; any split of the stream gives the same records.

    frames, refused: records given so far. hint: the last diagnosis of a foreign schema, or None.
    """

    def __init__(self, *, direction: str | None = None, seed: int = FINGERPRINT) -> None:
        """direction: added to every record under that key, unless None."""
        self.frames = 0
        self.refused = 0
        self.hint: str | None = None
        self._direction = direction
        self._receiver = Receiver(seed)
        self._watch = SeedWatch(seed)
        self._kept = b""  # bytes of the stream from _base on, for the diagnosis of skips
        self._base = 0

    def feed(self, data: bytes, t_us: int | None = None) -> list[Record]:
        """Take bytes; t_us: when they came, added to the records unless None."""
        self._kept += data
        found = [self._record(item, t_us) for item in self._receiver.feed(data)]
        self._forget()
        return found

    def finish(self) -> list[Record]:
        """The stream is over: what is left of it."""
        return [self._record(item, None) for item in self._receiver.finish()]

    def _record(self, item: Frame | Skip, t_us: int | None) -> Record:
        if isinstance(item, Frame):
            self.frames += 1
            found = record(item)
        else:
            self.refused += 1
            found = skipped(item)
            if item.reason == "crc":
                start = item.offset - self._base
                hint = self._watch.look(self._kept[start : start + item.length])
                if hint:
                    found["hint"] = self.hint = hint
        if self._direction is not None:
            found["direction"] = self._direction
        if t_us is not None:
            found["t_us"] = t_us
        return found

    def _forget(self) -> None:
        """Drop what no later skip of a possible length can reach back to."""
        begun = self._kept.rfind(b"\0") + 1
        surplus = max(begun, len(self._kept) - 256)
        self._kept = self._kept[surplus:]
        self._base += surplus
