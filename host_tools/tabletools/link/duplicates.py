"""Detects repeated records: the identity of a record is (device, boot, counter)."""

from collections import OrderedDict
from collections.abc import Callable

from tablewire.codec import Frame, UnreadFrame

Identity = tuple[int, int, int]

NEW = "new"
DUPLICATE = "duplicate"
CONFLICT = "conflict"

_DEPTH = 4096  # a table stores at most 1000 unacknowledged records


class Contradiction(Exception):
    """A record that contradicts a stored one, and does not replace it.

    is_kept: it is stored beside it, in an alarm. Then it is acknowledged, or the table would
    repeat it endlessly and no ruling could end that.
    """

    def __init__(self, what: str, *, is_kept: bool = False) -> None:
        super().__init__(what)
        self.is_kept = is_kept


def identity(frame: Frame) -> Identity:
    """The permanent identity of a record."""
    return frame.device, frame.boot, frame.counter


def named(frame: Frame) -> str:
    """The identity as text."""
    return f"device {frame.device} boot {frame.boot} counter {frame.counter}"


class DuplicateFilter:
    """Remembers the last records; the depth must exceed what a table can store unacknowledged."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._contents: OrderedDict[Identity, tuple[object, ...]] = OrderedDict()

    def look(self, frame: Frame) -> str:
        """NEW, DUPLICATE (the same again) or CONFLICT (another content with the same identity)."""
        known = self._contents.get(identity(frame))
        if known is None:
            return NEW
        return DUPLICATE if known == _content(frame) else CONFLICT

    def enter(self, frame: Frame) -> str:
        """Return the verdict on a record, and remember it if it is new; the oldest is dropped."""
        name, content = identity(frame), _content(frame)
        known = self._contents.setdefault(name, content)
        if known is not content:
            return DUPLICATE if known == content else CONFLICT
        if len(self._contents) > self._depth:
            self._contents.popitem(last=False)
        return NEW

    def remember(self, frame: Frame) -> None:
        """Remember a record; the oldest is dropped."""
        self._contents[identity(frame)] = _content(frame)
        if len(self._contents) > self._depth:
            self._contents.popitem(last=False)


def _content(frame: Frame) -> tuple[object, ...]:
    return frame.type, frame.round, frame.values


class OnceStore:
    """A store for a program that needs the records only while it runs: each is stored once.

    keep: called with every new record before it is acknowledged.
    """

    def __init__(self, keep: Callable[[Frame], None]) -> None:
        self._keep = keep
        self._records = DuplicateFilter(_DEPTH)

    def __call__(self, frame: Frame, _wire: bytes, _seal: str, _proof: object) -> bool:
        """Store it; False if it is a repeat. Raises Contradiction, ValueError if unread."""
        if isinstance(frame, UnreadFrame):
            raise ValueError(f"{named(frame)} cannot be read ({frame.problem}): update tabletool")
        verdict = self._records.look(frame)
        if verdict == CONFLICT:
            raise Contradiction(f"{named(frame)} came again with different content")
        if verdict == DUPLICATE:
            return False
        self._keep(frame)
        self._records.remember(frame)
        return True
