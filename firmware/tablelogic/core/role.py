"""What every role shares: the round, its bets, standing faults, contacts, and the time.

A role is one kind of table. It adds its sensors and its rules, and says through the hooks at the
end what a round of its kind starts with and how its end is told. Time: microseconds on the 30-bit
clock.
"""

from tablewire import config
from tablewire import messages as m

from .clock import MillisClock
from .faults import ActiveFaults
from .inputs import Inputs
from .round import CLOSE, Round, RoundInterval


class Role:
    """cfg: list indexed by key number. out: the sink of decisions.

    result_message: type of the message of its results. last_bets_phase, last_phase: the last in
    which bets may be open, and of a round. rotor_direction, rotor_drpm: as in
    heartbeat. edges_most: that all its motions give together in 40 ms. own_faults: codes that
    stand, beside those of every role. transitions: see round.
    commands: of the host that this role alone obeys, by order(ident, values, t_us) -> 0 or the
    REFUSAL cause. report: a list for what an attached machine says, None when there is none;
    driver: the module in tabledev.drivers for that machine's line.
    report_message: what it is told as to order(), and to the host if reports_are_told.
    withheld: sensors below it never stand in a trace. has_camera: see dice_tray.
    """

    result_message = 0
    last_bets_phase = m.PHASE_BETS_OPEN
    last_phase = m.PHASE_NO_MORE_BETS
    edges_most = 24
    own_faults = ()
    transitions = ()
    commands = ()
    report = None
    driver = ""
    report_message = 0
    reports_are_told = False
    withheld = 0
    has_camera = False
    rotor_direction = 0
    rotor_drpm = m.UNKNOWN_U16

    def __init__(self, cfg: list, out: object) -> None:
        self._out = out
        self.round = Round(out, self.transitions)
        self.standing = ActiveFaults(out, self.own_faults)
        self.inputs = Inputs(cfg, self)
        self.pause = RoundInterval(cfg)
        self._clock = MillisClock()
        self._max_bet_ms = cfg[config.MAX_BET_MS]
        self.now_ms = 0

    @property
    def phase(self) -> int:
        """The phase, messages.PHASE_*."""
        return self.round.phase

    @property
    def bets_open(self) -> bool:
        """Whether bets are open."""
        return self.round.betting

    def faults(self) -> int:
        """How many faults stand."""
        return self.standing.count

    def circuits(self) -> int:
        """Complete circuits of ball or wheel so far, 255 unknown."""
        return m.UNKNOWN_U8

    def wants_array(self) -> int:
        """After how many steps the pocket array is to be read again, 0: there is none."""
        return 0

    def wants_analog(self) -> bool:
        """Whether there is a converter to read before every tick."""
        return False

    def begin_tick(self, t_us: int) -> None:
        """Let time pass to t_us."""
        self.now_ms = self._clock.advance(t_us)

    def end_tick(self, t_us: int) -> None:
        """What every role does after its own sensors were heard."""
        now_ms = self.now_ms
        self.inputs.tick(now_ms, t_us)
        if self.standing.count:
            self.standing.tick(now_ms)
        if self.round.betting and self.round.open_ms(now_ms) >= self._max_bet_ms:
            self.close_bets(m.CLOSE_CAUSE_TIMEOUT, t_us)

    def open_when_due(self, t_us: int) -> None:
        """Open the next round by itself, when the pause is over."""
        if self.round.phase == m.PHASE_CLOSED and self.pause.tick(self.now_ms):
            self.open_bets(t_us)

    def open_bets(self, t_us: int) -> int:
        """Open a round; returns 0 or the REFUSAL cause."""
        if self.round.phase != m.PHASE_CLOSED:
            return m.REFUSAL_ROUND_OPEN
        if self.standing.count:
            return m.REFUSAL_FAULT_STANDING
        if not self.pause.quiet or not self.is_ready():
            return m.REFUSAL_WRONG_PHASE
        if not self._out.may_open():
            return m.REFUSAL_JOURNAL_FULL
        self.round.open(self.opened(t_us), self.now_ms)
        return 0

    def close_bets(self, cause: int, t_us: int) -> int:
        """No more bets; returns 0 or the REFUSAL cause."""
        if not self.round.betting:
            return m.REFUSAL_WRONG_PHASE
        self.round.close_bets(cause, self.now_ms)
        self.round.move(CLOSE, self.now_ms)
        return 0

    def void_round(self, reason: int, t_us: int) -> int:
        """Void the open round; returns 0 or the REFUSAL cause."""
        return 0 if self.void(reason, m.UNKNOWN_U8) else m.REFUSAL_WRONG_PHASE

    def raise_fault(self, code: int, sensor: int, value: int, limit: int, t_us: int) -> None:
        """A standing fault, new or from before a boot: voids an open round, locks the table."""
        fitted = self.inputs.hold(code, self.now_ms)
        if fitted and self.standing.up(code, sensor, value, limit, self.now_ms):
            self.void(code, sensor)

    def clear_fault(self, code: int, t_us: int) -> None:
        """The cause of a standing fault is gone."""
        self.standing.down(code, self.now_ms)

    def refused(self) -> "list | tuple":
        """Of the order refused last: what it came with, lowest and highest that would do."""
        return self.phase, m.PHASE_NO_MORE_BETS, m.PHASE_NO_MORE_BETS

    def void(self, reason: int, sensor: int) -> bool:
        """End the open round without a result; False when none is open."""
        if self.round.phase == m.PHASE_CLOSED:
            return False
        values = [reason, self.phase, sensor] + self.motion()
        self.round.void(values, self.now_ms)
        self.pause.round_ended(self.now_ms)
        return True

    def motion(self) -> list:
        """The last five values of round_void: what moved, and how far and fast."""
        return [m.UNKNOWN_U16, 0, 0, m.UNKNOWN_U16, m.UNKNOWN_U16]

    def end(self, values: list) -> None:
        """End the open round with a result; values: those of its message."""
        self.round.result(values, self.now_ms)
        self.pause.round_ended(self.now_ms)

    # Hooks: is_ready() -> bool and opened(t_us) -> values of round_opened.
