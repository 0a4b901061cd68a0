"""Which records came before: the identity of a record is (device, boot, counter)."""

from collections import OrderedDict

from tablewire.codec import Frame

Identity = tuple[int, int, int]

NEW = "new"
DUPLICATE = "duplicate"
CONFLICT = "conflict"


def identity(frame: Frame) -> Identity:
    """What names this record for ever."""
    return frame.device, frame.boot, frame.counter


class Seen:
    """Remembers the last records; the depth must exceed what a table can hold unacknowledged."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._contents: OrderedDict[Identity, tuple[object, ...]] = OrderedDict()

    def look(self, frame: Frame) -> str:
        """NEW, DUPLICATE (the same again) or CONFLICT (another content under the same name)."""
        known = self._contents.get(identity(frame))
        if known is None:
            return NEW
        return DUPLICATE if known == _content(frame) else CONFLICT

    def remember(self, frame: Frame) -> None:
        """Keep it; the oldest falls out."""
        self._contents[identity(frame)] = _content(frame)
        if len(self._contents) > self._depth:
            self._contents.popitem(last=False)


def _content(frame: Frame) -> tuple[object, ...]:
    return frame.type, frame.round, frame.values
