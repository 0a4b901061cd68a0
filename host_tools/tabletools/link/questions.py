"""Commands to one table, one at a time: the next goes out when the last was answered.

A command without an answer is sent again: twice does what once does. Without I/O.
"""

from collections import deque

from tabletools.link.outgoing import Order
from tabletools.link.session import ONLINE, Session
from tablewire.codec import Frame, UnreadFrame
from tablewire.codes import FIRMWARE_MISMATCH
from tablewire.config import ROLE
from tablewire.messages import (
    CLEAR_FAULT,
    CONFIGURATION,
    FACTORY_CONFIGURATION,
    FAULT_CLEARED,
    FAULT_RAISED,
    FLAG_DURABLE,
    GET_CONFIGURATION,
    LOCK,
    MAINTENANCE,
    MAINTENANCE_CHANGED,
    REFUSAL,
)

# Commands that are done once a record tells so, with its first field as theirs.
_DONE = {CLEAR_FAULT: FAULT_CLEARED, MAINTENANCE: MAINTENANCE_CHANGED, LOCK: FAULT_RAISED}
AGAIN_AFTER_S = 0.5
TRIES = 6


class Questions:
    """What is still to be asked of the table at the other end of a session.

    is_busy: something waits for its turn or its answer. has_failed: the table did not answer one
    of them TRIES times; what waited is forgotten.
    """

    def __init__(self, session: Session) -> None:
        self.has_failed = False
        self._session = session
        self._waiting: deque[tuple[int, tuple[int, ...]]] = deque()
        self._sent: list[Order] = []  # the first one, as often as it was given
        self._after = (0, 0)  # boot and counter of the newest frame when it was given first
        self._again_at = 0.0

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    def put(self, ident: int, values: tuple[int, ...]) -> None:
        """Ask this when all before it is answered."""
        self._waiting.append((ident, values))
        self.has_failed = False

    def drop(self) -> None:
        """Forget what waits: the table is another, or gone."""
        self._waiting.clear()
        self._sent.clear()

    def tick(self, now: float) -> None:
        """Send what is due. now: clock of the link, in seconds."""
        present = self._session.present
        if not self._waiting or self._session.state != ONLINE or present is None:
            return
        if self._sent and now < self._again_at:
            return
        if len(self._sent) == TRIES:
            self.drop()
            self.has_failed = True
            return
        ident, values = self._waiting[0]
        if not self._sent:
            self._after = (present[1], self._session.newest)
        self._sent.append(self._session.command(ident, values, 0))
        self._again_at = now + AGAIN_AFTER_S

    def take(self, frame: Frame) -> bool:
        """Whether a frame answers what was asked; then the next has its turn."""
        # What this release cannot read is no answer that it understands.
        is_read = not isinstance(frame, UnreadFrame)
        if not self._sent or not is_read or not self._is_answer(frame):
            return False
        self._waiting.popleft()
        self._sent.clear()
        return True

    def _is_answer(self, frame: Frame) -> bool:
        ident, values = self._waiting[0]
        told: tuple[int, ...] = tuple(frame.values[:2])
        if frame.type == REFUSAL:
            return told[0] == ident and told[1] in [order.counter for order in self._sent]
        if frame.flags & FLAG_DURABLE:
            done = (_DONE.get(ident), values[0] if values else FIRMWARE_MISMATCH)
            # A record from before the command may be repeated any time.
            return (frame.type, told[0]) == done and (frame.boot, frame.counter) > self._after
        if frame.type != CONFIGURATION:
            return False
        if ident == FACTORY_CONFIGURATION:
            return bool(told[0] == ROLE)
        # A late second answer to a question before is none to a set.
        return values == (told[:1] if ident == GET_CONFIGURATION else told)
