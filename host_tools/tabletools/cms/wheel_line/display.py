"""Sends status lines, so that displays on the market can show a table: settled results only.

A void shows warning 2 and never state 5. The lines prove nothing: nothing is settled by them.
"""

import selectors
import socket
import threading
from collections.abc import Callable

from tabletools.cms.wheel_line import status_line as w
from tabletools.cms.wheel_line.status_line import Status, build, build_number
from tabletools.store import Store
from tabletools.table import wheel_lines
from tabletools.table.wheel_lines import Face

PERIOD_S = 0.5
RESULT_S = 5.0  # how long a number is shown as new, as on the wheels that send these lines


class Display:
    """The lines of one table. Times are monotonic, injected, in seconds."""

    def __init__(self) -> None:
        self._spin = 1
        self._round: int | None = None
        self._settled: tuple[int, int] | None = None  # round and generation
        self._number = w.NO_NUMBER
        self._since = 0.0

    def lines(self, face: Face, now: float) -> bytes:
        """Return what to send now: a status line, after the bare number when it is new."""
        out = b""
        if face.round != self._round:
            self._round = face.round
            self._spin = self._spin % w.SPINS + 1
        if face.settled is not None and (face.settled, face.generation) != self._settled:
            is_corrected = self._settled is not None and self._settled[0] == face.settled
            self._settled, self._since = (face.settled, face.generation), now
            if face.pocket is not None:
                self._number = f"{face.pocket:>2}"
                out = build_number(self._number)
            elif is_corrected:
                self._number = w.NO_NUMBER  # the number shown did not fall
        state, warnings = self._state(face, now)
        return out + build(Status(state, self._spin, self._number, warnings, 0, False))

    def _state(self, face: Face, now: float) -> tuple[int, int]:
        if not face.is_enabled or face.round is None:
            return w.CLOSED, 0
        if face.settled == face.round:
            if now - self._since >= RESULT_S:
                return w.BEFORE_START, 0
            if face.pocket is None:
                return w.CLOSED, w.SAME_WAY  # void: no number, and none is shown as won
            return w.WINNING_NUMBER, 0
        return (w.PLACE_BETS if face.bets_open else w.NO_MORE_BETS), 0


def shown_of(ledger: Store, table: int) -> Face:
    """Return the state of a table for a display."""
    with ledger.read() as db:
        return wheel_lines.face(db, table)


def serve_lines(
    listener: socket.socket, next_lines: Callable[[], bytes], stop: threading.Event
) -> None:
    """Send lines to every display that connects, twice a second, until stopped.

    A display that does not read is disconnected; what displays send is ignored.
    """
    listener.setblocking(False)
    with selectors.DefaultSelector() as selector:
        selector.register(listener, selectors.EVENT_READ)
        displays: list[socket.socket] = []
        while not stop.wait(PERIOD_S):
            for key, _ in selector.select(0):
                if key.fileobj is listener:
                    displays.append(listener.accept()[0])
                    displays[-1].setblocking(False)
            data = next_lines()
            displays = [one for one in displays if _send(one, data)]
        for one in displays:
            one.close()


def _send(display: socket.socket, data: bytes) -> bool:
    try:
        if display.send(data) == len(data):
            return True
    except OSError:
        pass
    display.close()
    return False
