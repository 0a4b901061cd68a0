"""The round: its phases, bets and faults, and the interval between rounds."""

from tablewire import config
from tablewire import messages as m
from tablewire.compat import const

from .faults import ActiveFaults
from .ticks import MillisClock, diff

if -0:  # for mypy
    from tabletypes import Config, Decisions, Evidence, Fields, Moving, Transitions

OPEN = const(1)  # the bets open
CLOSE = const(2)  # they close, before anything moves
END = const(3)  # a result, or a void

# Rows of phase, event, next phase; others are ignored. A role adds rows, with events from 10.
# From every phase of a round END leads to closed.
TRANSITIONS = (
    (m.PHASE_CLOSED, OPEN, m.PHASE_BETS_OPEN),
    (m.PHASE_BETS_OPEN, CLOSE, m.PHASE_NO_MORE_BETS),
)
_NO_MOTION = [m.UNKNOWN_U16, 0, 0, m.UNKNOWN_U16, m.UNKNOWN_U16]
_QUIET_MS = const(6000)  # the ball has left the rim and rests in a pocket by then


class RoundControl(MillisClock):
    """The round as every part of a role sees it: its phase, bets and active faults, and the time.

    transitions, own_faults: of the role. phase: messages.PHASE_*. betting: bets are open.
    moving: the part whose motion() gives the last five values of round_void, None if nothing
    moves. evidence: the part whose voided(phase, reason) is called before a void is sent, or None.
    Every round that opens ends in exactly one result or void, and its bets are closed before
    either is sent.
    """

    moving: "Moving | None"
    evidence: "Evidence | None"

    def __init__(
        self,
        cfg: "Config",
        out: "Decisions",
        transitions: "Transitions" = (),
        own_faults: "tuple[int, ...]" = (),
    ) -> None:
        super().__init__()
        self._out = out
        self._transitions: "Transitions" = TRANSITIONS + transitions
        self._max_bet_ms = cfg[config.MAX_BET_MS]
        self.faults = ActiveFaults(out, own_faults)
        self.interval = RoundInterval(cfg)
        self.moving = self.evidence = None
        self.phase = m.PHASE_CLOSED
        self.betting = False
        self._since_ms = 0  # phase entered
        self._opened_ms = 0
        self._state = [0, 0]  # one list for all: sending a state allocates nothing

    def move(self, event: int) -> bool:
        """Make the transition of `event`; False when the table has none for this phase."""
        before, after = self.phase, 0
        if event == END and before != m.PHASE_CLOSED:
            after = m.PHASE_CLOSED
        for row in self._transitions:
            if row[0] == before and row[1] == event:
                after = row[2]
        if not after:
            return False
        fields = self._state
        fields[0], fields[1] = after, before
        self.phase = after
        self._since_ms = self.now_ms
        self._out.state(fields)
        return True

    def open(self, values: "Fields") -> None:
        """Open the bets; values: those of round_opened."""
        self.betting = True
        self._opened_ms = self.now_ms
        self._out.round_opened(values)
        self.move(OPEN)

    def close_bets(self, cause: int) -> None:
        """Close the bets, once; the phase stays."""
        if self.betting:
            self.betting = False
            self._out.bets_closed([cause, max(self.open_ms(), 0)])

    def no_more_bets(self, cause: int) -> None:
        """Close the bets before anything moves."""
        self.close_bets(cause)
        self.move(CLOSE)

    def end(self, values: "Fields") -> None:
        """End the open round with a result; values: those of its message."""
        self._out.result(values)
        self._ended()

    def void(self, reason: int, sensor: int) -> bool:
        """End the open round without a result; False when none is open.

        Also one whose opening failed before its first phase: the host may have its record.
        """
        phase = self.phase
        if phase == m.PHASE_CLOSED and not self.betting:
            return False
        if self.evidence:
            self.evidence.voided(phase, reason)
        self.close_bets(m.CLOSE_CAUSE_VOID)
        self._out.void([reason, phase, sensor] + self.motion())
        self._ended()
        return True

    def motion(self) -> "list[int]":
        """Circuits, direction of ball and rotor, speed of the rotor, last lap: of round_void."""
        return self.moving.motion() if self.moving else _NO_MOTION

    def _ended(self) -> None:
        self.move(END)
        self.interval.round_ended(self.now_ms)

    def raise_fault(self, code: int, sensor: int, value: int, limit: int) -> None:
        """Raise a fault unless it is active: it voids an open round and locks the table."""
        if self.faults.activate(code, sensor, value, limit, self.now_ms):
            self.void(code, sensor)

    def clear_fault(self, code: int) -> None:
        """Clear a fault whose cause is gone."""
        self.faults.clear(code, self.now_ms)

    def tick(self) -> None:
        """Time passed: bets are open for a limited time."""
        if self.faults.count:
            self.faults.tick(self.now_ms)
        if self.betting and diff(self.now_ms, self._opened_ms) >= self._max_bet_ms:
            self.no_more_bets(m.CLOSE_CAUSE_TIMEOUT)

    def open_ms(self) -> int:
        """Time since the bets opened."""
        return diff(self.now_ms, self._opened_ms)

    def phase_ms(self) -> int:
        """Time in the present phase."""
        return diff(self.now_ms, self._since_ms)


class RoundInterval:
    """quiet: no ball passed for six seconds. held: result or void were shown long enough.

    Both are stored as flags: a table may rest for longer than its clock can measure.
    """

    def __init__(self, cfg: "Config") -> None:
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
        """A result or void was sent."""
        self.held = False
        self._ended_ms = now_ms

    def tick(self, now_ms: int) -> int:
        """Time passed with no round open; true when the next one should open automatically."""
        if diff(now_ms, self._passed_ms) >= _QUIET_MS:
            self.quiet = True
        if diff(now_ms, self._ended_ms) >= self._hold_ms:
            self.held = True
        return self._auto_open and self.held and self.quiet
