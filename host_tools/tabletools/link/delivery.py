"""What becomes of an accepted frame: stored and acknowledged, delivered once, or a conflict."""

from collections.abc import Callable

from tabletools.link.duplicates import CONFLICT, DUPLICATE, Contradiction, DuplicateFilter, named
from tabletools.link.events import Event, Notice, Received, Unread
from tabletools.link.notices import Notices
from tabletools.link.session_trust import Proof, Trust
from tablewire.codec import Frame, UnreadFrame
from tablewire.framing import Skip
from tablewire.messages import FLAG_DURABLE

_DURABLE_DEPTH = 4096  # a table stores at most 1000 unacknowledged records
_EPHEMERAL_DEPTH = 256

# Takes a durable record, its bytes on the line, delimiter included, and how far it is
# authenticated (seals.NONE ...), with the number of the key that verified it. Returns, once it is
# safe, whether it was new. Raises Contradiction, or another error if it could not be stored.
Store = Callable[[Frame, bytes, str, Proof | None], bool]


class Delivery:
    """Passes frames on.

    Only the store decides what is a repeat of a record, because it remembers longer than a
    session; without one the last frames are remembered here.
    """

    def __init__(
        self,
        store: Store | None,
        on_frame: Callable[[Frame], None] | None,
        trust: Trust,
        notices: Notices,
        acknowledge: Callable[[Frame], None],
    ) -> None:
        # Repeats since the start.
        self.duplicates = 0
        # Whether records are stored here; a program without a store watches.
        self.has_store = store is not None
        self._store = store
        self._on_frame = on_frame
        self._trust = trust
        self._notices = notices
        self._acknowledge = acknowledge
        self._records = DuplicateFilter(_DURABLE_DEPTH)
        self._others = DuplicateFilter(_EPHEMERAL_DEPTH)

    def deliver(self, frame: Frame, wire: bytes) -> list[Event]:
        """Store a record and have it acknowledged; deliver any other frame once."""
        if self._on_frame is not None:
            self._on_frame(frame)
        if self._store is not None and frame.flags & FLAG_DURABLE:
            return self._store_record(self._store, frame, wire)
        known = self._records if frame.flags & FLAG_DURABLE else self._others
        verdict = known.enter(frame)
        if verdict == CONFLICT:
            return [self._conflict(f"{named(frame)} came again with different content")]
        if verdict == DUPLICATE:
            self.duplicates += 1
            return []
        return [self.received(frame, wire)]

    def deliver_unread(self, skip: Skip, frame: UnreadFrame, wire: bytes) -> list[Event]:
        """Store an authentic record that cannot be decoded as it is."""
        if self._on_frame is not None:
            self._on_frame(frame)
        if self._store is None or not frame.flags & FLAG_DURABLE:
            return [Unread(skip, wire, False)]
        return [
            Unread(skip, wire, True) if isinstance(event, Received) else event
            for event in self._store_record(self._store, frame, wire)
        ]

    def received(self, frame: Frame, wire: bytes, *, stored: bool = False) -> Received:
        """Return the event of a frame received for the first time."""
        return Received(frame, stored, self._trust.seal, wire, self._trust.proof)

    def _store_record(self, store: Store, frame: Frame, wire: bytes) -> list[Event]:
        if not (frame.boot and frame.counter):  # no acknowledgement can name it
            return [self._conflict(f"{named(frame)}: both count from 1")]
        try:
            is_new = store(frame, wire, self._trust.seal, self._trust.proof)
        except Contradiction as error:
            if error.is_kept:
                self._acknowledge(frame)
            return [self._conflict(str(error))]
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            return [self._notices.error("store_failed", text)]
        self._acknowledge(frame)
        self.duplicates += not is_new
        return [self.received(frame, wire, stored=True)] if is_new else []

    def _conflict(self, text: str) -> Notice:
        return self._notices.error("conflict", text)
