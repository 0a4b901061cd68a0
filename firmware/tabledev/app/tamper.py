"""Frames that no honest host sent: counted, reported in a durable record, and the table locked.

A flood of them fills neither journal nor memory: one record waits at a time and says how many
came since the one before. It is written while no ball runs, because writing can delay the edges. A
round whose bets are closed is finished before the table locks, or one forged frame after the ball
has dropped would undo any loss.
"""

from tablewire import messages as m
from tablewire.codes import LINK_TAMPERED
from tablewire.compat import const

from .fault_log import RESERVE

if -0:  # for mypy
    from tabletypes import Sure, TableRole
    from tablewire.codec import Frame
    from tablewire.framing import Skip

    from .transmitter import Transmitter

# Kinds of the record in the order of their numbers from 1; device is 6, the rest malformed, 5.
_KINDS = ("unauthenticated", "tag", "replayed", "session")
_MALFORMED = const(5)
_DEVICE = const(6)
_PAUSE = const(13)  # calls of report() between records, 80 ms each: a second
_MOST = const(0x3FFFFFFF)


def _kind(reason: str) -> int:
    if reason in _KINDS:
        return _KINDS.index(reason) + 1
    return _DEVICE if reason == "device" else _MALFORMED


class Tamper:
    """Created when the first such frame comes. transmitter: transmitter.Transmitter."""

    def __init__(self, transmitter: "Transmitter") -> None:
        self._transmitter = transmitter
        self._pause = 0
        self._waits = 0  # counter of the record not acknowledged, 0 for none
        self._values = [0, 0, 0, 0]  # of the record to come: kind, message, counter, count
        # Kind and type of the frame for which the table is to be locked.
        self._lock: "tuple[int, int] | None" = None

    def note(self, skip: "Skip", role: "TableRole", now_us: int, in_session: bool) -> None:
        """Note a frame refused with a valid CRC. role: locked by frames that came into a session.

        skip: framing.Skip. A failed start of a session may come from two hosts that asked at
        once, so it locks nothing.
        """
        frame: "Sure[Frame]" = skip.frame
        kind = _kind(skip.reason)
        values = self._values
        if not values[3]:
            values[0], values[1], values[2] = kind, frame.type, frame.counter
        values[3] = min(values[3] + 1, _MOST)
        if in_session and skip.reason in _KINDS:
            if skip.reason != "tag" or frame.type != m.START_SESSION:
                self._lock = kind, frame.type
                self._lock_when_due(role, now_us)

    def _lock_when_due(self, role: "TableRole", now_us: int) -> None:
        if self._lock is not None and (role.phase == m.PHASE_CLOSED or role.bets_open):
            kind, message = self._lock
            self._lock = None
            role.raise_fault(LINK_TAMPERED, m.UNKNOWN_U8, kind, message, now_us)

    def report(self, role: "TableRole", now_us: int) -> None:
        """Lock the table and store the record when due; called every 80 ms while no ball runs."""
        self._lock_when_due(role, now_us)
        if self._pause:
            self._pause -= 1
        elif self._values[3] and not self._waits and self._transmitter.outbox.room() > RESERVE:
            self._transmitter.send_durable(m.TAMPER, self._values)
            self._waits = self._transmitter.sender.counter
            self._values[3] = 0
            self._pause = _PAUSE

    def acknowledged(self, counter: int) -> None:
        """Note that the host has the record of this boot with this counter."""
        if counter == self._waits:
            self._waits = 0
