"""What gate, tube, return and readers saw, compared with the one ball that may be in transit."""

from tablewire import draw_machine as words
from tablewire import messages as m

from . import draw, exit_gate, readers
from .draw import Draw
from .readers import Readers

if -0:  # for mypy
    from collections.abc import Sequence

    from tabletypes import Config

    from ..core.round import RoundControl
    from .chamber import Chamber
    from .exit_gate import ExitGate

# After these the number of balls that left is unknown. What goes back may be the neighbour of one
# that left.
_UNCOUNTED = (
    words.DOUBLE_EXIT,
    words.BALL_UNSEEN,
    words.EXIT_IMPLAUSIBLE,
    words.BALL_RETURNED,
)
_FAULTS = (words.DUPLICATE_BALL, words.FOREIGN_BALL)


class Witness:
    """draw: numbers so far, and the ball in transit. readings: both ball readers.

    passage_ms: how long the last passage through the gate took.
    """

    def __init__(
        self, cfg: "Config", control: "RoundControl", gate: "ExitGate", chamber: "Chamber"
    ) -> None:
        self.draw = Draw(cfg)
        self.readers = Readers()
        self.passage_ms = m.UNKNOWN_U16
        self._control = control
        self._gate = gate
        self._chamber = chamber

    def passed(self, what: int) -> None:
        """Something was in the exit gate."""
        self.passage_ms = min(self._gate.inner.last_us // 1000, 60000)
        if what == exit_gate.OUT:
            self._chamber.left()
            self._came_out()
        elif what == exit_gate.IN:
            self._chamber.came()
        elif what == exit_gate.DOUBLE:
            self.fail(words.DOUBLE_EXIT, words.INPUT_EXIT_INNER)
        elif what == exit_gate.ODD:
            self.fail(words.EXIT_IMPLAUSIBLE, words.INPUT_EXIT_OUTER)
        elif self._control.phase == words.PHASE_DRAWING:
            self.fail(words.BALL_RETURNED, words.INPUT_EXIT_INNER)
        elif not self._chamber.is_full():
            self._chamber.lose()

    def _came_out(self) -> None:
        phase, ball = self._control.phase, self.draw
        if phase == m.PHASE_BETS_OPEN:
            self.fail(words.BALL_EARLY, words.INPUT_EXIT_OUTER)
        elif phase == m.PHASE_NO_MORE_BETS:
            self.fail(words.MIXED_TOO_SHORT, words.INPUT_EXIT_OUTER)
        elif phase != words.PHASE_DRAWING:
            return
        elif ball.way != draw.NONE:
            self.fail(words.DOUBLE_EXIT, words.INPUT_EXIT_INNER)
        elif ball.reported < ball.drawn:
            self.fail(words.BALL_NOT_RECORDED, m.UNKNOWN_U8)
        else:
            ball.move(draw.OUT, self._control.now_ms)

    def rested(self) -> None:
        """Something passed into the tube."""
        ball = self.draw
        if self._control.phase != words.PHASE_DRAWING:
            self._contradict(words.INPUT_TUBE)
        elif ball.way == draw.OUT:
            ball.move(draw.REST, self._control.now_ms)
        else:
            code = words.DOUBLE_EXIT if ball.way else words.BALL_UNSEEN
            self.fail(code, words.INPUT_TUBE)

    def read(self, values: "Sequence[int]") -> None:
        """A report of a reader."""
        news, ball = self.readers.hear(values), self.draw
        if news == readers.NOTHING:
            return
        exit_read = values[0] == words.READER_EXIT
        sensor = words.INPUT_EXIT_READER if exit_read else words.INPUT_TUBE_READER
        if self._control.phase != words.PHASE_DRAWING:
            # The one at the tube may say late what it read of a ball that was recalled.
            if exit_read:
                self._contradict(sensor)
        elif news == readers.MISSED:
            self.fail(words.DOUBLE_EXIT, sensor)
        elif ball.way == draw.NONE and self._gate.place == exit_gate.FREE:
            self.fail(words.BALL_UNSEEN, sensor)
        else:
            self.fail(ball.read(values), sensor, values[2])

    def _contradict(self, sensor: int) -> None:
        # All balls are inside by count, and one is not: the gate did not see it leave.
        if self._chamber.is_full():
            self.fail(words.BALL_UNSEEN, sensor)

    def fail(self, code: int, sensor: int, number: int = 0) -> None:
        """Void the draw by a code, unless it is 0. number: that was read, of a wrong ball."""
        if code in _FAULTS:
            self._control.raise_fault(code, sensor, number, self._chamber.expected)
        elif code:
            self._control.void(code, sensor)
        if code in _UNCOUNTED:
            self._chamber.lose()
