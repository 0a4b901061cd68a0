"""The physical ball-draw machine: balls on an air stream, gate, tube and return, two readers.

The blower whirls the balls about; one rises through the gate, flies to the tube, rests there until
it is recalled into the chamber through the return. Beams see a ball while it covers them; the two
readers, on one line, report four times a second what they read. Times are integer microseconds
since power-on.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from tableemulator.machines.core.board_pins import ANALOG, DOME, INPUTS, PORT
from tableemulator.machines.core.emulator import SetupError, option
from tableemulator.machines.core.planned import Planned
from tablewire import messages

PERIOD_US = 250_000
BYTE_US = 1_042  # at 9600 baud


class Tag(NamedTuple):
    """What a ball carries. number 0: it cannot be read."""

    number: int
    ball_set: int


UNREADABLE = Tag(0, 0)


class TwoReaders:
    """E at the exit, T at the tube. damage: share of lines a byte of which is disturbed.

    unplugged: letters of those nobody hears.
    """

    def __init__(self, rng: random.Random, damage: float) -> None:
        self.unplugged = ""
        self._rng = rng
        self._damage = damage
        self._count = {letter: rng.randrange(256) for letter in "ET"}
        self._last = dict.fromkeys("ET", UNREADABLE)
        self._agenda: Planned[tuple[str, Tag | None]] = Planned()
        self._free_us = 0
        for place, letter in enumerate("ET"):
            self._agenda.add(PERIOD_US + place * PERIOD_US // 2, (letter, None))

    def read(self, letter: str, t_us: int, tag: Tag) -> None:
        """Have a reader read a tag at a time."""
        self._agenda.add(t_us, (letter, tag))

    def said_until(self, t_us: int) -> list[tuple[int, bytes]]:
        """Return (time of its last byte, line) of each line up to t_us."""
        letters = []
        for when, (letter, tag) in self._agenda.take(t_us):
            if tag is None:
                self._agenda.add(when + PERIOD_US, (letter, None))
            else:
                self._count[letter] = (self._count[letter] + 1) % 256
                self._last[letter] = tag
            if letter not in self.unplugged:
                line = self._line(letter)
                # One speaks after the other; what is not over by t_us comes in the next slice.
                self._free_us = max(self._free_us, when) + len(line) * BYTE_US
                letters.append((min(self._free_us, t_us), line))
        return letters

    def _line(self, letter: str) -> bytes:
        tag = self._last[letter]
        line = bytearray(line_of(letter, self._count[letter], tag))
        if self._rng.random() < self._damage:
            line[self._rng.randrange(len(line) - 1)] ^= 1 << self._rng.randrange(7)
        return bytes(line)


def line_of(letter: str, count: int, tag: Tag) -> bytes:
    """Return the bytes on the line, with their check: the exclusive or of all before the star."""
    text = f"{letter},{count},{tag.number},{tag.ball_set}"
    check = 0
    for byte in text.encode():
        check ^= byte
    return f"{text}*{check:02X}\n".encode()


MIX_MS, RECALL_MS = 3_000, 5_000


@dataclass(frozen=True, slots=True)
class DrawSetup:
    """One machine: balls it has; draws: how many come out, 0 until a player has won (Bingo)."""

    role: ClassVar[str] = "draw_machine"
    balls: int = option(80, "Balls in the machine.", least=20, most=90)
    draws: int = option(20, "Balls to draw; 0: until a player has won (Bingo).", least=0, most=90)

    def __post_init__(self) -> None:
        if self.draws > self.balls:
            what = f"{self.draws} balls of {self.balls}"
            raise SetupError(what, "draws", f"0 to {self.balls}")

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {
            "role": messages.ROLE_DRAW_MACHINE,
            "balls": self.balls,
            "draw_count": self.draws,
            "ball_set": OUR_SET,
            "ball_ratio": round(100 * BALL_MM / OUTER_MM),
            "max_bet_ms": 5_000,
            "mix_ms": MIX_MS,
            "transit_ms": 1_700,
            "ball_read_ms": 1_000,
            "ball_wait_ms": 10_000,
            "recall_ms": RECALL_MS,
            "result_hold_ms": 500,
        }

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture has of it."""
        return {"table": "draw_machine", "balls": self.balls, "draws": self.draws}


INNER, OUTER, _FREE, _FREE_TOO, TUBE, RETURN = INPUTS[:6]
LID = DOME
BLOWER = ANALOG

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
    the gate. stands: pin of the beam it stays in. is_taken: by a hand, before the tube. exit_tag,
    tube_tag: what a reader makes of it in place of its own tag; blind: readers that miss it.
    dead: a beam that sees nothing.
    """

    pair: bool = False
    close_ms: int = 0
    falls_back: bool = False
    stands: int = 0
    is_taken: bool = False
    exit_tag: Tag | None = None
    tube_tag: Tag | None = None
    blind: str = ""
    dead: int = 0


class DrawMachine:
    """One machine with its balls; deterministic for a seed. tube: balls that lie in it.

    came: those that came out, in order, until they are cleared.
    """

    def __init__(self, balls: int, seed: int | str = 0, *, noise: str = "healthy") -> None:
        self.chamber = [Tag(number, OUR_SET) for number in range(1, balls + 1)]
        self.tube: list[Tag] = []
        self.lost: list[Tag] = []
        self.came: list[Tag] = []
        self.now_us = 0
        self.rng = random.Random(f"{seed}/balls")
        # Apart: which ball comes does not depend on how often the supply was sampled before.
        self._ripple = random.Random(f"{seed}/ripple")
        self._flicker, damage = NOISE[noise]
        self.readers = TwoReaders(random.Random(f"{seed}/readers"), damage)
        self._agenda: Planned[tuple[int, int]] = Planned()
        self._levels: dict[int, int] = {}
        self._raw = STANDS_RAW
        self._sampled_us = 0

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Let time pass to t_us; returns the events since the last call, in time order."""
        events: list[Event] = []
        for when, (pin, level) in self._agenda.take(t_us):
            if self._levels.get(pin, 0) != level:
                self._levels[pin] = level
                events.append([when, "pin", pin, level])
        while self._sampled_us + SAMPLE_US <= t_us:
            self._sampled_us += SAMPLE_US
            raw = self._raw + self._ripple.randint(-RIPPLE_RAW, RIPPLE_RAW)
            events.append([self._sampled_us, "adc", BLOWER, max(raw, 0)])
        for when, line in self.readers.said_until(t_us):
            events.append([when, "rx", PORT, line.hex()])
        self.now_us = t_us
        events.sort(key=lambda event: event[0])
        return events

    def set_input(self, t_us: int, pin: int, level: int) -> None:
        """Set a contact, or what a beam sees."""
        self._agenda.add(t_us, (pin, level))

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

        def time_us(mm: float) -> int:
            return t_us + int(mm / speed * 1000)

        long_mm = BALL_MM * 2 if flight.pair else BALL_MM
        for pin, mm in ((INNER, 0.0), (OUTER, OUTER_MM)):
            if flight.stands == pin:
                self._pass(pin, time_us(mm), None, flight)
                self.lost.append(ball)
                return time_us(mm)
            self._pass(pin, time_us(mm), time_us(mm + long_mm), flight)
        if flight.is_taken:
            self.lost.append(ball)
            return time_us(long_mm)
        if "exit" not in flight.blind:
            self.readers.read("E", time_us(READER_MM) + 60_000, flight.exit_tag or ball)
        slow = self.rng.uniform(1.0, 1.8)  # it slows down in the bend
        rests_us = time_us(TUBE_MM * slow)
        leaves = None if flight.stands == TUBE else rests_us + int(long_mm / speed * 1000 * slow)
        self._pass(TUBE, rests_us, leaves, flight)
        if "tube" not in flight.blind:
            pause_us = self.rng.randint(80_000, 250_000)
            self.readers.read("T", rests_us + pause_us, flight.tube_tag or ball)
        self.tube.append(ball)
        self.came.append(ball)
        return time_us(long_mm)

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
        self._agenda.forget(self.now_us)
        for pin in (INNER, OUTER, TUBE, RETURN):
            self.set_input(self.now_us + 1_000, pin, 0)
        self.tube += self.lost
        self.lost = []
