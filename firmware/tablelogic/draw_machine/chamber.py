"""The mixing chamber: how many balls are in it. A draw begins only with all of them inside.

Balls that leave through the gate are counted out, recalled balls are counted in at the return.
Where the count may be wrong it is unknown, and an operator has to count.
"""

from tablewire import draw_machine as words
from tablewire import messages as m

from ..core.ticks import diff
from .beam import Beam

if -0:  # for mypy
    from tabletypes import Config, RecordSink

    from ..core.round import RoundControl

# What an operator has checked who declares the balls.
_CHECKED = (
    words.DUPLICATE_BALL,
    words.FOREIGN_BALL,
    words.BALLS_MISSING,
    words.BALLS_EXTRA,
    words.NOT_COUNTED,
)


class Chamber:
    """inside: balls in it, -1 unknown. expected: balls of the machine. out: the sink.

    at_rest: nothing but the beam waits for time to pass; see core.snapshot.
    """

    def __init__(self, cfg: "Config", control: "RoundControl", out: "RecordSink") -> None:
        self.inside = -1
        self.expected = cfg[words.BALLS]
        self.beam = Beam(cfg[words.BALL_STUCK_MS] * 1000)
        self._ball_us = cfg[words.BALL_MS] * 1000
        self._recall_ms = cfg[words.RECALL_MS]
        self._control = control
        self._out = out
        self._known = False  # whether it was reported that the count is unknown
        self._recalling = False  # balls come in, and not all are in
        self._came_ms = 0
        self._waits = False  # balls_counted is still to be sent
        self._counted = self._counted_by = 0  # its fields
        self.at_rest = False

    def is_full(self) -> bool:
        """Whether every ball is in it."""
        return self.inside == self.expected

    def edge(self, level: int, t_us: int) -> None:
        """The beam of the return switched: 1 covered."""
        self._settle(t_us)
        self.beam.edge(level, t_us)

    def tick(self, t_us: int) -> None:
        """Judge a recall that stopped, send what is still to be sent."""
        control = self._control
        if self.beam.pending:
            self._settle(t_us)
        if not self.beam.settled:
            self.beam.tick(t_us)
        if not self._known:
            self._known = True
            control.raise_fault(words.NOT_COUNTED, m.UNKNOWN_U8, 0, 1)
        if self._recalling and diff(control.now_ms, self._came_ms) >= self._recall_ms:
            self._recalling = False
            inside, expected = self.inside, self.expected
            control.raise_fault(words.BALLS_MISSING, words.INPUT_RETURN, inside, expected)
        if self._waits:
            fields = [self._counted, self.expected, self._counted_by]
            self._waits = not self._out.record(words.BALLS_COUNTED, fields)
        self.at_rest = self._known and not (self._recalling or self._waits)

    def left(self) -> None:
        """Count one ball out."""
        self._recalling = False
        if self.inside > 0:
            self.inside -= 1
        elif not self.inside:
            self.lose()  # out of an empty chamber

    def lose(self) -> None:
        """Mark the count as unknown."""
        self.inside = -1
        self._recalling = False
        self._known = self.at_rest = False

    def came(self) -> None:
        """Count one ball in: no draw continues after that, nor the count.

        The air may have blown it out of the return, or pushed back one of two.
        """
        if self.inside >= 0:
            self._count_in()
        if self._control.phase == words.PHASE_DRAWING:
            self._control.void(words.BALL_RETURNED, words.INPUT_RETURN)
            self.lose()

    def _count_in(self) -> None:
        control = self._control
        self.inside += 1
        inside, expected = self.inside, self.expected
        self._came_ms = control.now_ms
        self._recalling = inside < expected
        self.at_rest = False
        if inside > expected:
            control.raise_fault(words.BALLS_EXTRA, words.INPUT_RETURN, inside, expected)
        elif inside == expected:
            control.clear_fault(words.BALLS_MISSING)
            self._report(words.COUNTED_BY_RETURNED)

    def declare(self, inside: int) -> None:
        """Take an operator's count of the balls in it, and the check of the set."""
        self.inside = inside
        self._known = True
        self._recalling = False
        for code in _CHECKED:
            self._control.clear_fault(code)
        self._report(words.COUNTED_BY_DECLARED)

    def _settle(self, t_us: int) -> None:
        beam = self.beam
        while beam.is_due(t_us):
            beam.change()
            # Too short or too close behind: the same ball again. Better one too few than too many.
            alone = beam.gap_us >= self._ball_us
            if not beam.covered and alone and beam.last_us * 3 >= self._ball_us:
                self.came()

    def _report(self, by: int) -> None:
        self._counted, self._counted_by = self.inside, by
        self._waits = True
        self.at_rest = False
