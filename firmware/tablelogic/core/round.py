"""The round: its phase, its bets, and what is told of it to the outside."""

from tablewire import messages as m

from . import phases
from .ticks import diff


class Round:
    """Moves through the phases and tells the sink. Knows nothing of sensors.

    transitions: of the role, see phases. betting: bets are open. Every round that opens ends in
    exactly one result or void, and its bets are closed before either is told.
    """

    def __init__(self, out: object, transitions: tuple = ()) -> None:
        self._out = out
        self._transitions = phases.TRANSITIONS + transitions
        self.phase = m.PHASE_CLOSED
        self.betting = False
        self.since_ms = 0  # phase entered
        self._opened_ms = 0
        self._state = [0, 0]
        self._closed = [0, 0]

    def move(self, event: int, now_ms: int) -> bool:
        """Take the transition of `event`; False when the table has none for this phase."""
        phase = phases.following(self._transitions, self.phase, event)
        if not phase:
            return False
        told = self._state
        told[0], told[1] = phase, self.phase
        self.phase = phase
        self.since_ms = now_ms
        self._out.state(told)
        return True

    def open(self, values: list, now_ms: int) -> None:
        """Open the bets; values: those of round_opened."""
        self.betting = True
        self._opened_ms = now_ms
        self._out.round_opened(values)
        self.move(phases.OPEN, now_ms)

    def close_bets(self, cause: int, now_ms: int) -> None:
        """No more bets, told once."""
        if not self.betting:
            return
        self.betting = False
        told = self._closed
        told[0], told[1] = cause, max(diff(now_ms, self._opened_ms), 0)
        self._out.bets_closed(told)

    def result(self, values: list, now_ms: int) -> None:
        """A number; values: those of wheel_result."""
        self._out.result(values)
        self.move(phases.END, now_ms)

    def void(self, values: list, now_ms: int) -> None:
        """Nothing decided; values: those of round_void."""
        self.close_bets(m.CLOSE_CAUSE_VOID, now_ms)
        self._out.void(values)
        self.move(phases.END, now_ms)

    def open_ms(self, now_ms: int) -> int:
        """Time since the bets opened."""
        return diff(now_ms, self._opened_ms)

    def phase_ms(self, now_ms: int) -> int:
        """Time in the present phase."""
        return diff(now_ms, self.since_ms)
