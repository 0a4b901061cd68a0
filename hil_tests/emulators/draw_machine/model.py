"""The physical ball-draw machine: balls on an air stream, gate, tube and return, in virtual time.

The blower whirls the balls about; one rises through the gate, flies to the tube, lies there until
it is recalled into the chamber through the return. Beams see a ball while it covers them, readers
read its tag. Times are integer microseconds since power-on.
"""

from __future__ import annotations

import random
from bisect import insort
from dataclasses import dataclass

from hil_tests.emulators.ball_readers import Tag, TwoReaders

# Pins of the emulated board (boards/emulated/WIRING.md).
INNER, OUTER, TUBE, RETURN = 2, 3, 6, 7
BUTTON, TILT, LID, MAINTENANCE = 8, 9, 10, 21
BLOWER = 26
READER_PORT = 1

BALL_MM = 40.0
OUTER_MM, READER_MM, TUBE_MM = 15.0, 160.0, 700.0  # from the inner beam
BACK_S = (0.02, 0.04)  # a ball that only comes near the gate
SAMPLE_US = 100_000
# 16-bit readings of the blower's sensor: running, standing.
RUNS_RAW, STANDS_RAW, RIPPLE_RAW = 40_000, 1_200, 700
OUR_SET, OTHER_SET = 3, 9
# Share of edges that flicker, of lines that are damaged.
NOISE = {"none": (0.0, 0.0), "healthy": (0.02, 0.002), "worn": (0.2, 0.05)}

Event = list[int | str]


@dataclass(slots=True)
class Flight:
    """What is odd with one ball on its way; nothing by default.

    pair: another touches it. close: another follows at once, so many ms behind. falls_back: from
    the gate. stands: pin of the beam it stays in. taken: by a hand, before the tube. exit_tag,
    tube_tag: what a reader makes of it in place of its own tag; blind: readers that miss it.
    dead: a beam that sees nothing.
    """

    pair: bool = False
    close_ms: int = 0
    falls_back: bool = False
    stands: int = 0
    taken: bool = False
    exit_tag: Tag | None = None
    tube_tag: Tag | None = None
    blind: str = ""
    dead: int = 0


class BallMachine:
    """One machine with its balls; deterministic for a seed. tube: balls that lie in it.

    came: those that came out, in order, until somebody forgets them.
    """

    def __init__(self, balls: int, seed: int | str = 0, *, noise: str = "healthy") -> None:
        self.chamber = [Tag(number, OUR_SET) for number in range(1, balls + 1)]
        self.tube: list[Tag] = []
        self.lost: list[Tag] = []
        self.came: list[Tag] = []
        self.now_us = 0
        self.rng = random.Random(f"{seed}/balls")
        self._flicker, damage = NOISE[noise]
        self.readers = TwoReaders(random.Random(f"{seed}/readers"), damage)
        self._agenda: list[tuple[int, int, str, int, int]] = []
        self._order = 0
        self._shown: dict[int, int] = {}
        self._raw = STANDS_RAW
        self._sampled_us = 0

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Let time pass to t_us; returns the events since the last call, in time order."""
        found: list[Event] = []
        while self._agenda and self._agenda[0][0] <= t_us:
            when, _, kind, pin, value = self._agenda.pop(0)
            if self._shown.get(pin, 0) != value:
                self._shown[pin] = value
                found.append([when, kind, pin, value])
        while self._sampled_us + SAMPLE_US <= t_us:
            self._sampled_us += SAMPLE_US
            raw = self._raw + self.rng.randint(-RIPPLE_RAW, RIPPLE_RAW)
            found.append([self._sampled_us, "adc", BLOWER, max(raw, 0)])
        for when, line in self.readers.said_until(t_us):
            found.append([when, "rx", READER_PORT, line.hex()])
        self.now_us = t_us
        found.sort(key=lambda event: event[0])
        return found

    def set_input(self, t_us: int, pin: int, level: int) -> None:
        """Set a contact, or what a beam sees."""
        self._order += 1
        insort(self._agenda, (t_us, self._order, "pin", pin, level))

    def blow(self, *, on: bool) -> None:
        """Switch the blower, or let it stop."""
        self._raw = RUNS_RAW if on else STANDS_RAW

    # --- a ball -----------------------------------------------------------------------------

    def draw(self, flight: Flight | None = None, tag: Tag | None = None) -> Tag:
        """Let one ball rise, now; tag: this one. Returns it."""
        flight = flight or Flight()
        rng, t_us = self.rng, self.now_us + 3_000
        ball = tag or rng.choice(self.chamber)
        if rng.random() < 0.2:
            near_us = int(rng.uniform(*BACK_S) * 1e6)
            self._pass(INNER, t_us, t_us + near_us, flight)
            t_us += near_us + rng.randint(60_000, 200_000)
        speed = min(max(rng.gauss(1.0, 0.07), 0.8), 1.2)  # metres a second
        if flight.falls_back:
            self._fall_back(t_us)
            return ball
        self.chamber.remove(ball)
        t_us = self._rise(ball, t_us, speed, flight)
        if flight.pair or flight.close_ms:
            other = rng.choice(self.chamber)
            self.chamber.remove(other)
            if flight.close_ms:
                self._rise(other, t_us + flight.close_ms * 1000, speed, Flight())
            else:
                self.tube.append(other)
        return ball

    def _rise(self, ball: Tag, t_us: int, speed: float, flight: Flight) -> int:
        """Fly from the gate to the tube; returns when the inner beam is free again."""

        def at(mm: float) -> int:
            return t_us + int(mm / speed * 1000)

        long_mm = BALL_MM * 2 if flight.pair else BALL_MM
        for pin, mm in ((INNER, 0.0), (OUTER, OUTER_MM)):
            if flight.stands == pin:
                self._pass(pin, at(mm), None, flight)
                self.lost.append(ball)
                return at(mm)
            self._pass(pin, at(mm), at(mm + long_mm), flight)
        if flight.taken:
            self.lost.append(ball)
            return at(long_mm)
        if "exit" not in flight.blind:
            self.readers.read("E", at(READER_MM) + 60_000, flight.exit_tag or ball)
        slow = self.rng.uniform(1.0, 1.8)  # it slows down in the bend
        rests_us = at(TUBE_MM * slow)
        leaves = None if flight.stands == TUBE else rests_us + int(long_mm / speed * 1000 * slow)
        self._pass(TUBE, rests_us, leaves, flight)
        if "tube" not in flight.blind:
            pause_us = self.rng.randint(80_000, 250_000)
            self.readers.read("T", rests_us + pause_us, flight.tube_tag or ball)
        self.tube.append(ball)
        self.came.append(ball)
        return at(long_mm)

    def _fall_back(self, t_us: int) -> None:
        clear = Flight()
        self._pass(INNER, t_us, t_us + 120_000, clear)
        self._pass(OUTER, t_us + 20_000, t_us + 70_000, clear)

    def _pass(self, pin: int, enters: int, leaves: int | None, flight: Flight) -> None:
        """Let a ball cover a beam; leaves: None when it stays."""
        if flight.dead == pin:
            return
        for t_us, level in ((enters, 1), (leaves, 0)):
            if t_us is None:
                return
            if self.rng.random() < self._flicker:
                self.set_input(t_us - 1_500, pin, level)
                self.set_input(t_us - 700, pin, 1 - level)
            self.set_input(t_us, pin, level)

    # --- hands ------------------------------------------------------------------------------

    def drop_in(self, tag: Tag) -> int:
        """Put a ball into the chamber through the return, now; returns when it is in."""
        self.chamber.append(tag)
        enters = self.now_us + 3_000
        leaves = enters + int(BALL_MM * self.rng.uniform(0.9, 1.4) * 1000)
        self._pass(RETURN, enters, leaves, Flight())
        return leaves

    def recall(self, tag: Tag) -> int:
        """Let one ball of the tube roll back into the chamber; returns when it is in."""
        self.tube.remove(tag)
        return self.drop_in(tag)

    def place_in_tube(self, tag: Tag) -> None:
        """Have a hand lay a ball into the tube."""
        enters = self.now_us + 3_000
        self._pass(TUBE, enters, enters + 60_000, Flight())
        self.readers.read("T", enters + 150_000, tag)

    def clear(self) -> None:
        """Free every beam; balls that stood or were taken go to the tube, to be recalled."""
        self._agenda = [item for item in self._agenda if item[0] <= self.now_us]
        for pin in (INNER, OUTER, TUBE, RETURN):
            self.set_input(self.now_us + 1_000, pin, 0)
        self.tube += self.lost
        self.lost = []
