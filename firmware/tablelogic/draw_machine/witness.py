"""What gate, tube, return and readers saw, held against the one ball that may be on its way."""

from tablewire import draw_machine as words
from tablewire import messages as m

from . import draw, gate, readers
from .draw import Draw
from .readers import Readers

# How many balls left is not known after these.
_UNCOUNTED = (words.DOUBLE_EXIT, words.BALL_UNSEEN, words.EXIT_IMPLAUSIBLE)
_FAULTS = (words.DUPLICATE_BALL, words.FOREIGN_BALL)


class Witness:
    """table: table.DrawMachine; out: the sink. draw: numbers so far, and the ball on its way."""

    def __init__(self, cfg: list, table: object, out: object) -> None:
        self.draw = Draw(cfg)
        self.readers = Readers()
        self._table = table
        self._out = out
        self._passage_ms = m.UNKNOWN_U16  # of what was in the gate last

    def passed(self, what: int) -> None:
        """Something was in the exit gate."""
        table = self._table
        self._passage_ms = min(table.gate.inner.last_us // 1000, 60000)
        if what == gate.OUT:
            table.chamber.left()
            self._came_out()
        elif what == gate.IN:
            self.returned()
        elif what == gate.DOUBLE:
            self.fail(words.DOUBLE_EXIT, words.INPUT_EXIT_INNER)
        elif what == gate.ODD:
            self.fail(words.EXIT_IMPLAUSIBLE, words.INPUT_EXIT_OUTER)
        elif table.phase == words.PHASE_DRAWING:
            self.fail(words.BALL_RETURNED, words.INPUT_EXIT_INNER)

    def _came_out(self) -> None:
        table, ball = self._table, self.draw
        if table.phase == m.PHASE_BETS_OPEN:
            self.fail(words.BALL_EARLY, words.INPUT_EXIT_OUTER)
        elif table.phase == m.PHASE_NO_MORE_BETS:
            self.fail(words.MIXED_TOO_SHORT, words.INPUT_EXIT_OUTER)
        elif table.phase != words.PHASE_DRAWING:
            return
        elif ball.way != draw.NONE:
            self.fail(words.DOUBLE_EXIT, words.INPUT_EXIT_INNER)
        elif ball.told < ball.drawn:
            self.fail(words.BALL_NOT_KEPT, m.UNKNOWN_U8)
        else:
            ball.move(draw.OUT, table.now_ms)

    def rested(self) -> None:
        """Something passed into the tube."""
        ball = self.draw
        if self._table.phase != words.PHASE_DRAWING:
            return
        if ball.way == draw.OUT:
            ball.move(draw.REST, self._table.now_ms)
        else:
            code = words.DOUBLE_EXIT if ball.way else words.BALL_UNSEEN
            self.fail(code, words.INPUT_TUBE)

    def returned(self) -> None:
        """A ball went into the chamber."""
        self._table.chamber.came()
        if self._table.phase == words.PHASE_DRAWING:
            self.fail(words.BALL_RETURNED, words.INPUT_RETURN)

    def read(self, values: "list | tuple") -> None:
        """A reader says something."""
        news = self.readers.hear(values)
        table, ball = self._table, self.draw
        if news == readers.NOTHING or table.phase != words.PHASE_DRAWING:
            return
        exit_read = values[0] == words.READER_EXIT
        sensor = words.INPUT_EXIT_READER if exit_read else words.INPUT_TUBE_READER
        if news == readers.MISSED:
            self.fail(words.DOUBLE_EXIT, sensor)
        elif ball.way == draw.NONE and table.gate.place == gate.FREE:
            self.fail(words.BALL_UNSEEN, sensor)
        else:
            self.fail(ball.read(values), sensor, values[2])

    def fail(self, code: int, sensor: int, number: int = 0) -> None:
        """The draw is void by a code, or code is 0. number: that was read, of a wrong ball."""
        table = self._table
        if code in _FAULTS:
            table.raise_fault(code, sensor, number, table.chamber.expected, 0)
        elif code:
            table.void(code, sensor)
        if code in _UNCOUNTED:
            table.chamber.lose()

    def stopped(self, reason: int) -> None:
        """The open round ends void: tell what a draw had come to."""
        table, ball = self._table, self.draw
        if table.phase != words.PHASE_DRAWING:
            return
        inside = table.chamber.inside if table.chamber.inside >= 0 else m.UNKNOWN_U8
        at_exit, in_tube = ball.readings
        fields = [reason, ball.told, at_exit, in_tube, self._passage_ms, inside, table.blower.raw]
        self._out.record(words.DRAW_STOPPED, fields)
