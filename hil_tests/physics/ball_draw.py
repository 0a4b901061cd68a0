"""Draws of the physical ball-draw machine: its operator, its controller, what is true.

Whatever happens to a draw, afterwards the balls are put back and the host opens the next round,
which may open only with every ball of the set in the chamber, and no other.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hil_tests.physics import balls
from hil_tests.physics.balls import Ball, Tag, Way
from hil_tests.physics.making import MakeRole, Sink, alone, configured
from tablelogic.draw_machine.draw_machine import DrawMachine
from tablelogic.draw_machine.reader_line import ReaderLines
from tablewire import draw_machine as words
from tablewire import messages

TICK_MS = 40.0
START_US = (1 << 30) - 12_000_000  # the clock wraps while balls are drawn
_MASK = (1 << 30) - 1
BALLS, SET = 80, 3
OPENS_MS, CLOSES_MS, MIX_MS = 1_400.0, 4_000.0, 3_000.0
GIVES_UP_MS = 200_000.0
RUNS, STANDS = 2_400, 150
_BEAMS = {
    balls.INNER: words.INPUT_EXIT_INNER,
    balls.OUTER: words.INPUT_EXIT_OUTER,
    balls.TUBE: words.INPUT_TUBE,
}


@dataclass
class Outcome:
    """numbers: of a result, None without one. displayed: reported one by one. code: of a void."""

    numbers: frozenset[int] | None = None
    displayed: list[int] = field(default_factory=list)
    code: int = 0
    ended: bool = False


class _Sink(Sink):
    def __init__(self) -> None:
        self.outcome = Outcome()

    def result(self, values: list[Any]) -> None:
        bits = int.from_bytes(values[5], "little")
        numbers = frozenset(n for n in range(1, 97) if bits >> (n - 1) & 1)
        self.outcome.numbers, self.outcome.ended = numbers, True

    def void(self, values: list[int]) -> None:
        self.outcome.code, self.outcome.ended = values[0], True

    def record(self, ident: int, values: list[int]) -> bool:
        if ident == words.BALL_DRAWN:
            self.outcome.displayed.append(values[1])
        return True


class Draw:
    """One draw. count: of balls, 0 until a call; counts: balls that count. chamber: balls in it.

    strikes: what happens to the ball at a place, from 0.
    odd: something befell it, so it may be void. spoiled: it must be. late: acts (ms, what).
    after: what is done once the balls are back. held: balls that a hand keeps. place: of the next
    ball, which rises at next_ms.
    """

    def __init__(self, seed: str, count: int, make: MakeRole = alone) -> None:
        self.rng = rng = random.Random(seed)
        build = balls.draw_build(rng)
        self.way = Way(rng, build)
        self.count = self.counts = count
        self.chamber = [Tag(number, SET) for number in range(1, BALLS + 1)]
        self.strikes: dict[int, Callable[[Ball], None]] = {}
        self.late: list[tuple[float, Callable[[], object]]] = []
        self.held: list[Tag] = []
        self.after: Callable[[], None] | None = None
        self.odd = self.spoiled = False
        self.blows = True
        self.now = 0.0
        self.place = 0
        self.next_ms = CLOSES_MS + MIX_MS + rng.uniform(300.0, 2_000.0)
        self.pending: list[tuple[float, int, int]] = []
        self.sink = _Sink()
        self.role = make(DrawMachine, self._configuration(seed), self.sink)
        self._lines = ReaderLines(0)
        self._report = [0] * 4

    def _configuration(self, seed: str) -> list[int]:
        wanted = {
            "role": 5,
            "auto_open": 0,
            "balls": BALLS,
            "draw_count": self.count,
            "ball_set": SET,
            "mix_ms": int(MIX_MS),
            **balls.calibrated(self.way.build, seed),
        }
        return configured(wanted)

    # --- time ------------------------------------------------------------------------------------

    def us(self, t: float) -> int:
        """Of the controller's clock."""
        return (int(t * 1000) + START_US) & _MASK

    def order(self, ident: int, *values: int) -> int:
        """Have the host say something."""
        answer: int = self.role.order(ident, list(values), self.us(self.now))
        return answer

    def run(self, until: float) -> None:
        """Let time pass, tick by tick."""
        while self.now < until:
            self.now += TICK_MS
            while self.late and min(self.late)[0] <= self.now:
                self.late.remove(act := min(self.late))
                act[1]()
            self.way.run(self.now)
            self.chamber += self.way.back
            self.way.back.clear()
            self.pending += [(t, _BEAMS[beam], level) for t, beam, level in self.way.edges]
            self.way.edges.clear()
            self._tick()

    def _tick(self) -> None:
        now, role, way = self.now, self.role, self.way
        self.pending.sort()
        while self.pending and self.pending[0][0] <= now:
            t, sensor, level = self.pending.pop(0)
            role.edge(sensor, level, self.us(t))
        if role.wants_analog():
            raw = (RUNS if self.blows else STANDS) + self.rng.gauss(0.0, 40.0)
            role.analog(max(int(raw), 0))
        role.tick(self.us(now))
        while way.lines and way.lines[0][0] <= now:
            self._lines.feed(way.lines.pop(0)[1])
        lines, now_ms = self._lines, int(now)
        if lines.take(now_ms, self._report) or lines.silent(now_ms, self._report):
            self.order(words.READER_REPORT, *self._report)

    def schedule(self, after_ms: float, act: Callable[[], object]) -> None:
        """Have something happen so long from now on."""
        self.late.append((self.now + after_ms + self.rng.random() * 0.001, act))

    def switch(self, sensor: int, level: int, after_ms: float = 0.0) -> None:
        """Have a contact, or the beam of the return, switch."""
        self.pending.append((self.now + after_ms, sensor, level))

    # --- balls -----------------------------------------------------------------------------------

    def take(self) -> Tag:
        """Take any ball out of the chamber."""
        return self.chamber.pop(self.rng.randrange(len(self.chamber)))

    def rise(self, behind: float = 0.0) -> Ball:
        """Let any ball rise to the gate."""
        return self.way.rise(self.take(), behind)

    def roll_in(self, tag: Tag | None) -> None:
        """Something rolls through the return now: a ball, or as long as one."""
        build = self.way.build
        takes = 2 * build.chord / self.rng.uniform(0.4, 1.0)
        self.switch(words.INPUT_RETURN, 1, 1.0)
        self.switch(words.INPUT_RETURN, 0, 1.0 + takes)
        if tag is not None:
            self.chamber.append(tag)

    def _peek(self) -> None:
        # A ball that comes near the gate, and not up to the outer beam.
        build, ball = self.way.build, self.rise()
        turns = build.outer - build.chord - 3.0

        def hand(ball: Ball) -> None:
            if ball.x > turns - abs(ball.v) * 30:
                ball.air = -build.air
                ball.v = min(ball.v, 0.05)

        ball.hand = hand

    # --- a round ---------------------------------------------------------------------------------

    def play(self) -> None:
        """Play a round to its end, or until the machine gives up."""
        outcome = self.sink.outcome
        self.run(OPENS_MS - 400.0)
        self.order(words.DECLARE_BALLS, BALLS)
        self.run(OPENS_MS)
        assert self.role.open_bets(self.us(self.now)) == 0
        self.run(CLOSES_MS)
        if not outcome.ended:
            self.role.close_bets(messages.CLOSE_CAUSE_COMMAND, self.us(self.now))
        while not outcome.ended and self.now < GIVES_UP_MS:
            if self.now >= self.next_ms and self.place <= (self.count or BALLS):
                self._next()
            self.run(self.now + TICK_MS)

    def _next(self) -> None:
        if self.rng.random() < 0.2:
            self._peek()
            self.run(self.now + 320.0)
        if not self.place:
            self.spoiled |= len(self.chamber) != BALLS
        ball = self.rise()
        if self.place in self.strikes:
            self.odd = True
            self.strikes[self.place](ball)
        self.place += 1
        self.next_ms = self.now + self.rng.uniform(2_800.0, 3_800.0)

    def recall(self) -> None:
        """Put every ball back into the chamber that nobody keeps."""
        self.blows = False
        self.run(self.now + 4_000.0)
        lying = [ball.tag for ball in self.way.balls if not ball.held] + self.way.rack
        self.way.balls = [ball for ball in self.way.balls if ball.held]
        for tag in lying:
            if tag in self.held:
                continue
            self.roll_in(tag)
            self.run(self.now + self.rng.uniform(300.0, 700.0))
        self.run(self.now + 1_500.0)
        if self.after:
            self.after()
            self.run(self.now + 500.0)

    def reopens(self) -> bool:
        """Whether another round opens."""
        cause: int = self.role.open_bets(self.us(self.now))
        return cause == 0
