"""What time makes of a draw: it may begin, a ball counts, it is over, or nothing comes more."""

from tablewire import draw_machine as words
from tablewire import messages as m
from tablewire.compat import const

from .witness import Witness

BEGIN = const(10)  # event of the phases, beside those of core.round: balls may come


class Judge:
    """table: table.DrawMachine; out: the sink. count: balls to draw, 0 until somebody has won.

    refused: what the order refused last came with, lowest and highest that would have done.
    """

    def __init__(self, cfg: list, table: object, out: object) -> None:
        self.witness = Witness(cfg, table, out)
        self.draw = self.witness.draw
        self.count = cfg[words.DRAW_COUNT]
        self.refused = [0, 0, 0]
        self._table = table
        self._out = out
        self._mix_ms = cfg[words.MIX_MS]
        self._wait_ms = cfg[words.BALL_WAIT_MS]

    def tick(self) -> None:
        """Time passed."""
        table, lost = self._table, self.witness.readers.lost
        jammed = self._jammed()
        if jammed != m.UNKNOWN_U8:
            self._jam(jammed)
        elif table.standing.count:
            table.clear_fault(words.BALL_JAMMED, 0)
        if lost:
            exit_lost = lost & words.READER_EXIT
            sensor = words.INPUT_EXIT_READER if exit_lost else words.INPUT_TUBE_READER
            table.raise_fault(words.READER_LOST, sensor, lost, 0, 0)
        elif table.standing.count and self.witness.readers.is_heard():
            table.clear_fault(words.READER_LOST, 0)
        if table.blower.runs and table.standing.count:
            table.clear_fault(words.BLOWER_STALLED, 0)
        if table.phase == m.PHASE_NO_MORE_BETS:
            self._mix()
        elif table.phase == words.PHASE_DRAWING:
            self._go_on()

    def _jammed(self) -> int:
        table = self._table
        if table.gate.inner.stuck:
            return words.INPUT_EXIT_INNER
        if table.gate.outer.stuck:
            return words.INPUT_EXIT_OUTER
        if table.tube.stuck:
            return words.INPUT_TUBE
        return words.INPUT_RETURN if table.chamber.beam.stuck else m.UNKNOWN_U8

    def _jam(self, sensor: int) -> None:
        # Whoever frees it decides where the ball goes, and no beam can tell.
        if not self._table.standing.is_up(words.BALL_JAMMED):
            self._table.raise_fault(words.BALL_JAMMED, sensor, 1, 0, 0)
            self._table.chamber.lose()

    def _mix(self) -> None:
        table, now_ms = self._table, self._table.now_ms
        closed_ms = table.round.phase_ms(now_ms)
        ran_ms = min(table.blower.ran_ms(now_ms), closed_ms)
        if table.blower.runs and ran_ms >= self._mix_ms:
            self.draw.begin(now_ms)
            table.round.move(BEGIN, now_ms)
        elif closed_ms >= self._mix_ms + self._wait_ms:
            table.void(words.DRAW_UNFINISHED, words.INPUT_BLOWER)

    def _go_on(self) -> None:
        table, ball = self._table, self.draw
        blower = table.blower
        if blower.is_stalled(table.now_ms):
            at = (words.INPUT_BLOWER, blower.raw, blower.least_raw, 0)
            table.raise_fault(words.BLOWER_STALLED, *at)
            return
        code = ball.judge(table.now_ms)
        if code:
            self.witness.fail(code, ball.sensor(code), ball.readings[0])
            return
        if ball.told < ball.drawn:
            fields = [ball.drawn, ball.numbers[ball.told], ball.drawn_ms]
            if self._out.record(words.BALL_DRAWN, fields):
                ball.told = ball.drawn
        most = self.count or table.chamber.expected
        if ball.told == most:
            self._finish(most, words.DRAW_END_COUNT)

    def end_draw(self, counted: int) -> int:
        """The host says that somebody has won; returns 0 or the REFUSAL cause."""
        table, told = self._table, self.draw.told
        drawing = words.PHASE_DRAWING
        if table.phase != drawing or self.count or not told:
            return self._refuse(m.REFUSAL_WRONG_PHASE, table.phase, drawing, drawing)
        if counted > told:
            return self._refuse(m.REFUSAL_OUT_OF_RANGE, counted, 0, told)
        self._finish(counted or told, words.DRAW_END_COMMAND)
        return 0

    def declare(self, inside: int) -> int:
        """A person has counted the balls in the chamber; returns 0 or the REFUSAL cause."""
        table, closed = self._table, m.PHASE_CLOSED
        if table.phase != closed:
            return self._refuse(m.REFUSAL_ROUND_OPEN, table.phase, closed, closed)
        if inside > table.chamber.expected:
            return self._refuse(m.REFUSAL_OUT_OF_RANGE, inside, 0, table.chamber.expected)
        table.chamber.declare(inside)
        return 0

    def _refuse(self, cause: int, value: int, low: int, high: int) -> int:
        told = self.refused
        told[0], told[1], told[2] = value, low, high
        return cause

    def called(self) -> None:
        """The croupier says so."""
        if not self.count and self.draw.told:
            self._finish(self.draw.told, words.DRAW_END_CROUPIER)

    def _finish(self, counted: int, by: int) -> None:
        ball, table = self.draw, self._table
        spent_ms = ball.ms(table.now_ms)
        most = table.chamber.expected
        table.end([counted, ball.drawn, most, by, spent_ms, ball.counted(counted)])
