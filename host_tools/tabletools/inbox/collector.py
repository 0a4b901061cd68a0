"""Between the link of one table and the inbox: what is stored, what a lost link means.

Time is handed in. Not responsible for opening files or printing.
"""

import time
from collections.abc import Callable

from tablespec.config import KEYS
from tabletools.evidence.attesting import Attesting
from tabletools.evidence.fetching import Evidence
from tabletools.inbox.errors import InboxError
from tabletools.inbox.store import WAITING_AT, Inbox
from tabletools.link import (
    Contradiction,
    Event,
    Keys,
    Notice,
    Questions,
    Received,
    Session,
    Tampered,
)
from tabletools.release import Manifest
from tablewire.codec import Frame
from tablewire.messages import GET_CONFIGURATION, HEARTBEAT, IDENTITY
from tablewire.names import NAMES

_TO_TABLE = ">"
_NS = 1_000_000_000


class Collector:
    """Stores what one table sends.

    keys: of the tables that have one here; a table without one works, and is never settled.
    session: to be run by a link. attesting: what asks for the program, if anything does.
    device: the table heard last, None before any. failure: why something could not be stored,
    None if all was.
    """

    def __init__(
        self,
        inbox: Inbox,
        keys: Keys,
        *,
        manifest: Manifest | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """manifest: of the release the table has to hold, None to ask for none.

        clock: that of the link, in seconds.
        """
        self.session = Session(self._store, keys=keys, hear=self._hear, program="collect")
        self._questions = Questions(self.session)
        self._evidence = Evidence(self.session, inbox.traces)
        self.attesting = None if manifest is None else Attesting(self.session, inbox, manifest)
        self._asked: tuple[int, int] | None = None  # boot whose configuration was asked for
        self.device: int | None = None
        self.failure: Exception | None = None
        self._inbox = inbox
        inbox.requires_attestation = manifest is not None
        inbox.is_fresh = lambda: not self.session.freshness.is_stale(int(clock() * _NS))
        self._is_linked = False
        self._clock = clock
        self._asked_s: float | None = None  # when this connection first asked who is there
        self._trip_s: float | None = None  # until the first answer

    def take(self, event: Event) -> None:
        """Follow an event of the link: 2 s of silence, or a lost port, close the bets.

        A forged frame stops the table.
        """
        if isinstance(event, Tampered):
            self._tampered(event)
        elif isinstance(event, Received):
            self._ask(event.frame)
            self._follow(event)
        if not isinstance(event, Notice):
            return
        elif event.kind == "online":
            self._is_linked = True
        elif event.kind in ("link_stale", "clock_step"):
            if self.device is not None:
                self._inbox.close_bets(self.device, event.kind, event.text, event.kind)
        elif event.kind in ("offline", "disconnected", "taken"):
            if self._is_linked and self.device is not None:
                self._is_linked = False
                self._inbox.close_bets(self.device, "link_lost", event.text)
        elif event.kind == "connected":
            self._asked_s = self._trip_s = self._asked = None
            if self.attesting is not None:
                self.attesting.connected()

    def _ask(self, frame: Frame) -> None:
        """Ask for the configuration once nothing waits: then records tell what changed before."""
        self._questions.take(frame)
        nothing_waits = frame.type == HEARTBEAT and frame.values[WAITING_AT] == 0
        if nothing_waits and self._asked != self.session.present:
            self._asked = self.session.present
            self._questions.drop()
            for key in KEYS:
                self._questions.put(GET_CONFIGURATION, (key.number,))
        self._questions.tick(self._clock())

    def _follow(self, event: Received) -> None:
        now_s = self._clock()
        try:
            self._evidence.take(event.frame, now_s)
            if self.attesting is not None:
                self.attesting.take(event.frame, event.seal, now_s)
        except InboxError as error:
            self.failure = error

    def sent(self, now_s: float, direction: str, _data: bytes) -> None:
        """Bytes passed the port: the first ones to the table ask who is there."""
        if direction == _TO_TABLE and self._asked_s is None:
            self._asked_s = now_s

    def _tampered(self, event: Tampered) -> None:
        self.device = event.device
        try:
            self._inbox.tamper(event.device, named(event), event.data)
        except InboxError as error:
            self.failure = error

    def _store(self, frame: Frame, wire: bytes, seal: str, key: int | None) -> bool:
        try:
            return self._inbox.store(frame, wire, seal, key)
        except Contradiction:
            raise
        except Exception as error:
            self.failure = error
            raise

    def _hear(self, frame: Frame) -> None:
        before, self.device = self.device, frame.device
        try:
            if before not in (None, frame.device):
                text = f"device {frame.device} answers in place of {before}"
                self._inbox.close_bets(before, "replaced", text)
            self._inbox.hear(frame)
        except InboxError as error:
            self.failure = error
        is_answer = frame.type == IDENTITY and frame.values and any(frame.values[0])
        if is_answer and self._asked_s is not None:
            if self._trip_s is None:
                # If it was asked again meanwhile the way was shorter: this much is certain.
                self._trip_s = self._clock() - self._asked_s
            self._inbox.answered(frame.device, int(self._trip_s * _NS))


def named(event: Tampered) -> str:
    """A forged frame in words: what it claimed to be, and why it was refused."""
    frame = event.skip.frame
    if frame is None:
        return f"a frame refused: {event.skip.detail}"
    kind = NAMES.get(frame.type, f"type 0x{frame.type:02x}")
    place = f"device {frame.device} boot {frame.boot} counter {frame.counter}"
    return f"{kind} of {place} refused: {event.skip.detail}"
