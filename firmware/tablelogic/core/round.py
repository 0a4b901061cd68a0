"""The round: its phases, its bets, what is sent about it, and the interval between rounds."""

from tablewire import config
from tablewire import messages as m
from tablewire.compat import const

from .clock import diff

OPEN = const(1)  # the bets open
CLOSE = const(2)  # they close, before anything moves
END = const(3)  # a result, or a void

# Rows of phase, event, next phase; others are ignored. A role adds its own, with events from 10.
# From every phase of a round END leads to closed.
TRANSITIONS = (
    (m.PHASE_CLOSED, OPEN, m.PHASE_BETS_OPEN),
    (m.PHASE_BETS_OPEN, CLOSE, m.PHASE_NO_MORE_BETS),
)
_QUIET_MS = const(6000)  # the ball has left the rim and lies in a pocket by then


def following(rows: tuple, phase: int, event: int) -> int:
    """The phase that follows, 0 when the event means nothing in this phase."""
    if event == END:
        return m.PHASE_CLOSED if phase != m.PHASE_CLOSED else 0
    for row in rows:
        if row[0] == phase and row[1] == event:
            return row[2]
    return 0


class Round:
    """Moves through the phases and tells the sink. Knows nothing of sensors.

    transitions: of the role, as above. betting: bets are open. Every round that opens ends in
    exactly one result or void, and its bets are closed before either is told.
    """

    def __init__(self, out: object, transitions: tuple = ()) -> None:
        self._out = out
        self._transitions = TRANSITIONS + transitions
        self.phase = m.PHASE_CLOSED
        self.betting = False
        self.since_ms = 0  # phase entered
        self._opened_ms = 0
        self._state = [0, 0]  # one list for all: sending a state allocates nothing

    def move(self, event: int, now_ms: int) -> bool:
        """Take the transition of `event`; False when the table has none for this phase."""
        phase = following(self._transitions, self.phase, event)
        if not phase:
            return False
        fields = self._state
        fields[0], fields[1] = phase, self.phase
        self.phase = phase
        self.since_ms = now_ms
        self._out.state(fields)
        return True

    def open(self, values: list, now_ms: int) -> None:
        """Open the bets; values: those of round_opened."""
        self.betting = True
        self._opened_ms = now_ms
        self._out.round_opened(values)
        self.move(OPEN, now_ms)

    def close_bets(self, cause: int, now_ms: int) -> None:
        """No more bets, sent once."""
        if not self.betting:
            return
        self.betting = False
        self._out.bets_closed([cause, max(self.open_ms(now_ms), 0)])

    def result(self, values: list, now_ms: int) -> None:
        """A number; values: those of wheel_result."""
        self._out.result(values)
        self.move(END, now_ms)

    def void(self, values: list, now_ms: int) -> None:
        """Nothing decided; values: those of round_void."""
        self.close_bets(m.CLOSE_CAUSE_VOID, now_ms)
        self._out.void(values)
        self.move(END, now_ms)

    def open_ms(self, now_ms: int) -> int:
        """Time since the bets opened."""
        return diff(now_ms, self._opened_ms)

    def phase_ms(self, now_ms: int) -> int:
        """Time in the present phase."""
        return diff(now_ms, self.since_ms)


class RoundInterval:
    """quiet: no ball passed for six seconds. held: result or void were shown for long enough.

    Both answers are kept as flags: a table may rest for longer than its clock can measure.
    """

    def __init__(self, cfg: list) -> None:
        self._auto_open = cfg[config.AUTO_OPEN]
        self._hold_ms = cfg[config.RESULT_HOLD_MS]
        self.quiet = False
        self.held = False
        self._passed_ms = 0
        self._ended_ms = 0

    def ball_passed(self, now_ms: int) -> None:
        """A ball passed a rim sensor."""
        self.quiet = False
        self._passed_ms = now_ms

    def round_ended(self, now_ms: int) -> None:
        """A result or void was told."""
        self.held = False
        self._ended_ms = now_ms

    def tick(self, now_ms: int) -> bool:
        """Time passed with no round open; True when the next one should open by itself."""
        if diff(now_ms, self._passed_ms) >= _QUIET_MS:
            self.quiet = True
        if diff(now_ms, self._ended_ms) >= self._hold_ms:
            self.held = True
        return self._auto_open and self.held and self.quiet
