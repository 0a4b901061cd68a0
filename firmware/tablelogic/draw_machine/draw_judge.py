"""The effect of time on a draw: it may begin, a ball counts, it is over, or no more ball comes."""

from tablewire import draw_machine as words
from tablewire import messages as m
from tablewire.compat import const
from tablewire.draw_machine import PHASE_DRAWING
from tablewire.messages import PHASE_NO_MORE_BETS

if -0:  # for mypy
    from tabletypes import Config, RecordSink

    from ..core.round import RoundControl
    from .blower import Blower
    from .chamber import Chamber
    from .witness import Witness

BEGIN = const(10)  # event of the phases, besides those of core.round: balls may come


class Judge:
    """count: balls to draw, 0 until a player has won. out: the sink.

    refused: value of the order refused last, lowest and highest allowed.
    """

    def __init__(
        self,
        cfg: "Config",
        control: "RoundControl",
        out: "RecordSink",
        witness: "Witness",
        chamber: "Chamber",
        blower: "Blower",
    ) -> None:
        self.draw = witness.draw
        self.count = cfg[words.DRAW_COUNT]
        self.refused = [0, 0, 0]
        self._control = control
        self._out = out
        self._witness = witness
        self._chamber = chamber
        self._blower = blower
        self._mix_ms = cfg[words.MIX_MS]
        self._wait_ms = cfg[words.BALL_WAIT_MS]

    def look(self, jammed: int) -> None:
        """Raise and clear faults. jammed: the sensor a ball is stuck at, UNKNOWN_U8 none."""
        control, readers = self._control, self._witness.readers
        faults, lost = control.faults, readers.lost
        if jammed != m.UNKNOWN_U8:
            self._jam(jammed)
        elif faults.count and faults.is_active(words.BALL_JAMMED):
            control.clear_fault(words.BALL_JAMMED)
            self._chamber.lose()
        if lost:
            exit_lost = lost & words.READER_EXIT
            sensor = words.INPUT_EXIT_READER if exit_lost else words.INPUT_TUBE_READER
            control.raise_fault(words.READER_LOST, sensor, lost, 0)
        elif faults.count and readers.is_heard():
            control.clear_fault(words.READER_LOST)
        if self._blower.runs and faults.count:
            control.clear_fault(words.BLOWER_STALLED)

    def tick(self) -> None:
        """Time passed."""
        phase = self._control.phase
        if phase == PHASE_DRAWING:
            self._go_on()
        elif phase == PHASE_NO_MORE_BETS:
            self._mix()

    def _jam(self, sensor: int) -> None:
        # The operator who frees the ball decides where it goes, and no beam can detect that.
        if not self._control.faults.is_active(words.BALL_JAMMED):
            self._control.raise_fault(words.BALL_JAMMED, sensor, 1, 0)
            self._chamber.lose()

    def _mix(self) -> None:
        control, blower = self._control, self._blower
        closed_ms = control.phase_ms()
        ran_ms = min(blower.ran_ms(control.now_ms), closed_ms)
        if blower.runs and ran_ms >= self._mix_ms:
            self.draw.begin(control.now_ms)
            control.move(BEGIN)
        elif closed_ms >= self._mix_ms + self._wait_ms:
            control.void(words.DRAW_UNFINISHED, words.INPUT_BLOWER)

    def _go_on(self) -> None:
        control, ball, blower = self._control, self.draw, self._blower
        now_ms = control.now_ms
        if not blower.runs and blower.is_stalled(now_ms):
            raw, least = blower.raw, blower.least_raw
            control.raise_fault(words.BLOWER_STALLED, words.INPUT_BLOWER, raw, least)
            return
        code = ball.judge(now_ms)
        if code:
            self._witness.fail(code, ball.sensor(code), ball.readings[0])
            return
        if ball.reported == ball.drawn:
            return
        fields = [ball.drawn, ball.numbers[ball.reported], ball.drawn_ms]
        if self._out.record(words.BALL_DRAWN, fields):
            ball.reported = ball.drawn
            most = self.count or self._chamber.expected
            if ball.reported == most:
                self._finish(most, words.DRAW_END_COUNT)

    def end_draw(self, counted: int) -> int:
        """The host reports that a player has won; returns 0 or the REFUSAL cause."""
        phase, reported = self._control.phase, self.draw.reported
        drawing = words.PHASE_DRAWING
        if phase != drawing or self.count or not reported:
            return self._refuse(m.REFUSAL_WRONG_PHASE, phase, drawing, drawing)
        if counted > reported:
            return self._refuse(m.REFUSAL_OUT_OF_RANGE, counted, 0, reported)
        self._finish(counted or reported, words.DRAW_END_COMMAND)
        return 0

    def declare(self, inside: int) -> int:
        """An operator has counted the balls in the chamber; returns 0 or the REFUSAL cause."""
        phase, closed, most = self._control.phase, m.PHASE_CLOSED, self._chamber.expected
        if phase != closed:
            return self._refuse(m.REFUSAL_ROUND_OPEN, phase, closed, closed)
        if inside > most:
            return self._refuse(m.REFUSAL_OUT_OF_RANGE, inside, 0, most)
        self._chamber.declare(inside)
        return 0

    def _refuse(self, cause: int, value: int, low: int, high: int) -> int:
        refused = self.refused
        refused[0], refused[1], refused[2] = value, low, high
        return cause

    def called(self) -> None:
        """The croupier reports that a player has won."""
        if not self.count and self.draw.reported:
            self._finish(self.draw.reported, words.DRAW_END_CROUPIER)

    def _finish(self, counted: int, by: int) -> None:
        control, ball = self._control, self.draw
        spent_ms = ball.ms(control.now_ms)
        most = self._chamber.expected
        control.end([counted, ball.drawn, most, by, spent_ms, ball.counted(counted)])

    def voided(self, phase: int, reason: int) -> None:
        """Record the state of a voided draw."""
        if phase == words.PHASE_DRAWING:
            inside, (at_exit, in_tube) = self._chamber.inside, self.draw.readings
            fields = [
                reason,
                self.draw.reported,
                at_exit,
                in_tube,
                self._witness.passage_ms,
                inside if inside >= 0 else m.UNKNOWN_U8,
                self._blower.raw,
            ]
            self._out.record(words.DRAW_STOPPED, fields)
