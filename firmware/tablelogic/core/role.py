"""The common part of every role: its round, its faults, its contacts, how it opens and closes.

A role is one kind of table. It makes its parts, gives each what it needs, and passes on their
reports. Time: microseconds on the 30-bit clock.
"""

from tablewire import messages as m
from tablewire.compat import const

from .inputs import Inputs
from .round import RoundControl

if -0:  # for mypy
    from collections.abc import Callable, Sequence

    from tabletypes import Config, Decisions, Transitions, WatchedEdges

# What urgency() returns.
CALM = const(0)
WATCHFUL = const(1)
URGENT = const(2)
LOOK = const(3)
CLOSE = const(4)
SAMPLE = const(5)


class Role:
    """cfg: list indexed by key number. out: the sink of decisions. control: see RoundControl.

    result_message: type of the message of its results. last_bets_phase, last_phase: the last in
    which bets may be open, and of a round. rotor_direction, rotor_drpm: as in
    heartbeat. edges_most: of all its motions together in 40 ms. own_faults: codes of its
    faults, besides those of every role. transitions: see round.
    commands: of the host that only this role obeys, by order(ident, values, t_us) -> 0 or the
    REFUSAL cause. report: a list for reports of an attached machine, None when there is none;
    driver: the module in tabledev.drivers for that machine's line.
    report_message: its type for order(), and for the host if sends_reports.
    withheld: sensors below it never appear in a trace. has_camera: see dice_tray.
    wants_array() -> after how many steps the pocket array is to be read again, 0 not now;
    wants_analog() -> whether to read the converter before this tick; None: there is none.

    urgency(ring) -> between ticks: CALM, WATCHFUL to be called again soon, or URGENT, to be ticked
    at once. CLOSE: to be called again in 5 ms; SAMPLE: and the converter is read, whose highest
    value until the next tick is then its reading. LOOK: URGENT once the array shows something else
    than at the last step, else WATCHFUL. None: it is always calm. ring: edges to come;
    ring.has_rise(sensors) -> whether one of these sensors rises in it.
    """

    result_message = 0
    last_bets_phase = m.PHASE_BETS_OPEN
    last_phase = m.PHASE_NO_MORE_BETS
    edges_most = 24
    own_faults: "tuple[int, ...]" = ()
    transitions: "Transitions" = ()
    commands: "tuple[int, ...]" = ()
    report: "list[int] | None" = None
    driver = ""
    report_message = 0
    sends_reports = False
    withheld = 0
    has_camera = False
    rotor_direction = 0  # a wheel computes these two, which mypy takes for another kind of name
    rotor_drpm = m.UNKNOWN_U16
    wants_array: "Callable[[], int] | None" = None
    wants_analog: "Callable[[], int] | None" = None
    urgency: "Callable[[WatchedEdges], int] | None" = None
    # Hooks. Each role has these:
    is_ready: "Callable[[], bool]"
    opened: "Callable[[int], list[int]]"  # t_us: values of round_opened
    # One that has something to read, or commands or a machine, these:
    array: "Callable[[bytearray, int], None]"
    analog: "Callable[[int], None]"
    order: "Callable[[int, Sequence[int], int], int]"

    def __init__(self, cfg: "Config", out: "Decisions") -> None:
        self._out = out
        self.control = RoundControl(cfg, out, self.transitions, self.own_faults)
        self.inputs = Inputs(cfg, self.control, self.edges_most)

    @property
    def phase(self) -> int:
        """The phase, messages.PHASE_*."""
        return self.control.phase

    @property
    def bets_open(self) -> bool:
        """Whether bets are open."""
        return self.control.betting

    def faults(self) -> int:
        """How many faults are active."""
        return self.control.faults.count

    def circuits(self) -> int:
        """Complete circuits of ball or wheel so far, 255 unknown."""
        return m.UNKNOWN_U8

    def end_tick(self) -> None:
        """Common end of a tick, after the role's sensors were read."""
        inputs, control = self.inputs, self.control
        odd = inputs.plausible
        if control.faults.count or not inputs.at_rest or odd.edges > odd.limit:
            inputs.tick()
        elif odd.edges:
            odd.begin()
        if control.betting or control.faults.count:
            control.tick()

    def contact(self, sensor: int, level: int, t_us: int) -> None:
        """Tilt, dome or button switched. A short press opens the bets, or closes them."""
        if self.inputs.edge(sensor, level, t_us):
            if self.control.phase == m.PHASE_CLOSED:
                self.open_bets(t_us)
            else:
                self.close_bets(m.CLOSE_CAUSE_CROUPIER, t_us)

    def open_when_due(self, t_us: int) -> None:
        """Open the next round automatically, when the interval is over."""
        control = self.control
        if control.phase == m.PHASE_CLOSED and control.interval.tick(control.now_ms):
            self.open_bets(t_us)

    def open_bets(self, t_us: int) -> int:
        """Open a round; returns 0 or the REFUSAL cause."""
        control = self.control
        if control.phase != m.PHASE_CLOSED:
            return m.REFUSAL_ROUND_OPEN
        if control.faults.count:
            return m.REFUSAL_FAULT_ACTIVE
        if not control.interval.quiet or not self.is_ready():
            return m.REFUSAL_WRONG_PHASE
        if not self._out.may_open():
            return m.REFUSAL_JOURNAL_FULL
        control.open(self.opened(t_us))
        return 0

    def close_bets(self, cause: int, t_us: int) -> int:
        """No more bets; returns 0 or the REFUSAL cause."""
        if not self.control.betting:
            return m.REFUSAL_WRONG_PHASE
        self.control.no_more_bets(cause)
        return 0

    def void_round(self, reason: int, t_us: int) -> int:
        """Void the open round; returns 0 or the REFUSAL cause."""
        return 0 if self.control.void(reason, m.UNKNOWN_U8) else m.REFUSAL_WRONG_PHASE

    def raise_fault(self, code: int, sensor: int, value: int, limit: int, t_us: int) -> None:
        """Raise a fault, new or from before a boot: it voids an open round and locks the table."""
        if self.inputs.hold(code):
            self.control.raise_fault(code, sensor, value, limit)

    def clear_fault(self, code: int, t_us: int) -> None:
        """Clear a fault whose cause is gone."""
        self.control.clear_fault(code)

    def refused(self) -> "Sequence[int]":
        """Of the order refused last: its value, lowest and highest allowed."""
        return self.phase, m.PHASE_NO_MORE_BETS, m.PHASE_NO_MORE_BETS
