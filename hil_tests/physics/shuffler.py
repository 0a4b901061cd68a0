"""An independent physical model of a card shuffler watched from outside, and of hands at it.

Cards ride on rollers past a gate where they go in, and past another where they come out; lengths
in mm, speeds in m/s, which is mm/ms, times in ms. The truth is which cards lie where. A deck may
be dealt from only if exactly its cards lie in the tray. Shares no constant and no code with
tableemulator.machines. Gates as HARDWARE.md says: beam of 1 mm, 0.1 ms.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from hil_tests.physics.making import MakeRole, Sink, alone, configured
from tabledev.app.card_times import Values
from tablelogic.shuffler.gate import Gate
from tablelogic.shuffler.shuffler import Shuffler
from tablewire import shuffler as words

TICK_MS = 40.0
START_US = (1 << 30) - 9_000_000  # the clock wraps while cards go in
_MASK = (1 << 30) - 1
LIMIT_RAW = 2_000
SPREAD_MOST = 60  # permille; a calibration refuses a machine whose cards spread by more


@dataclass
class Build:
    """One machine. length: of a card as it passes; speed: of the rollers; ripple: of that, share.

    slip: spread of the cards; gap: between two, from and to. edge: how far a beam is off at an
    edge. flicker: share of edges. works, stalls: the motor's current, 12 bits.
    """

    length: float
    speed: float
    ripple: float
    slip: float
    gap: tuple[float, float]
    edge: float
    flicker: float
    works: float
    stalls: float


def draw_build(rng: random.Random) -> Build:
    """Draw a machine built within the requirements."""
    works = rng.uniform(500, 1_000)
    return Build(
        length=rng.choice((63.0, 88.0)),
        speed=rng.uniform(0.4, 1.5),
        ripple=rng.uniform(0.0, 0.05),
        slip=rng.uniform(0.005, 0.04),
        gap=(rng.uniform(9.0, 25.0), rng.uniform(30.0, 150.0)),
        edge=rng.uniform(0.05, 0.3),
        flicker=rng.choice((0.01, 0.05)),
        works=works,
        stalls=rng.uniform(2_300, 3_500),
    )


class _Sink(Sink):
    def __init__(self) -> None:
        self.has_room = True
        self.codes: list[int] = []
        self.verified = 0

    def record(self, ident: int, values: list[int]) -> bool:
        if self.has_room and ident == words.SHUFFLE_DONE:
            self.verified += values[5] == words.VERDICT_VERIFIED
        return self.has_room

    def fault_raised(self, values: list[int]) -> None:
        self.codes.append(values[0])


class Stopped(Exception):
    """The machine is stopped, with cards where they are."""


class Machine:
    """One shuffler and its controller. cards: of a deck. tray: to go in; inside; out: came out.

    t: what happened was planned up to then. in_hands, out_hands: what happens to the card at a
    place. torn: what is left of a torn card, by its number, share.
    """

    def __init__(
        self,
        seed: str,
        make: MakeRole = alone,
        cards: int = 52,
        passes: int = 1,
        *,
        is_calibrated: bool = True,
    ) -> None:
        self.rng = random.Random(seed)
        self.build = draw_build(self.rng)
        self.cards = cards
        self.tray = list(range(cards))
        self.inside: list[int] = []
        self.out: list[int] = []
        self.in_hands: dict[int, Callable[[], None]] = {}
        self.out_hands: dict[int, Callable[[], None]] = {}
        self.in_overlaps: dict[int, float] = {}
        self.out_overlaps: dict[int, float] = {}
        self.torn: dict[int, float] = {}
        self.t = self.now = 0.0
        self.dust = 0.0
        self._plan: list[tuple[float, int, int]] = []
        self._currents: list[tuple[float, float]] = [(0.0, 120.0)]
        self.sink = _Sink()
        learned = self._learn()
        while learned["card_spread"] > SPREAD_MOST:
            self.build = draw_build(self.rng)
            learned = self._learn()
        learned = learned if is_calibrated else {"card_ms": learned["card_ms"]}
        self.role = make(Shuffler, self._configuration(passes, learned), self.sink)
        self.switch(words.INPUT_READY, 1)
        self.wait(1_500.0)

    def _learn(self) -> dict[str, int]:
        """What the calibration makes of a good deck at both gates: time and spread of a card."""
        spread, median_us = 0, 0
        for _gate in range(2):
            times, gate = Values(), Gate(80_000, 1_500_000)
            gate.measured = times.add
            for _card in range(52):
                self.cover(0, self.build.length)
                self.t += self.build.gap[1] / self.build.speed
            for t, _, level in sorted(self._plan):
                gate.edge(level, int(t * 1000) & _MASK)
            gate.tick(int(self.t * 1000) & _MASK)
            self._plan.clear()
            spread, median_us = max(spread, times.spread()), median_us + times.median() // 2
        self.t = 0.0
        return {
            "card_ms": round(median_us / 1000),
            "card_spread": max(spread + -(-spread // 10), 5),
        }

    def _configuration(self, passes: int, learned: dict[str, int]) -> list[int]:
        wanted = {
            "role": 4,
            "cards": self.cards,
            "passes": passes,
            "motor_limit_raw": LIMIT_RAW,
        }
        return configured(wanted | learned)

    # --- time ------------------------------------------------------------------------------------

    def us(self, t: float) -> int:
        """Of the controller's clock."""
        return (int(t * 1000) + START_US) & _MASK

    def switch(self, sensor: int, level: int, after: float = 0.0) -> None:
        """Have an input switch, so long after what was planned."""
        self._plan.append((self.t + after, sensor, level))

    def current(self, raw: float) -> None:
        """Have the motor draw a current from now on."""
        self._currents.append((self.t, raw))

    def wait(self, ms: float) -> None:
        """Nothing is planned for so long, and what was is played."""
        self.t += ms
        self._plan.sort()
        while self.now + TICK_MS <= self.t:
            self.now += TICK_MS
            while self._plan and self._plan[0][0] <= self.now:
                t, sensor, level = self._plan.pop(0)
                self.role.edge(sensor, level, self.us(t))
            while len(self._currents) > 1 and self._currents[1][0] <= self.now:
                self._currents.pop(0)
            if self.role.wants_analog():
                raw = self._currents[0][1] * (1 + self.rng.gauss(0.0, 0.02))
                self.role.analog(max(0, min(4095, int(raw))) & ~63)
            self.role.tick(self.us(self.now))

    # --- a gate ----------------------------------------------------------------------------------

    def _speed(self) -> float:
        build, rng = self.build, self.rng
        wave = 1 + build.ripple * rng.uniform(-1.0, 1.0)
        return build.speed * wave / max(1 + rng.gauss(0.0, build.slip), 0.5)

    def cover(self, gate: int, mm: float, speed: float = 0.0) -> None:
        """So much of a card is in a gate; speed: of a hand."""
        speed = speed or self._speed()
        self._edge(gate, 1, speed)
        self.t += mm / speed
        self._edge(gate, 0, speed)

    def _edge(self, gate: int, level: int, speed: float) -> None:
        rng = self.rng
        t = rng.gauss(0.0, self.build.edge) / speed
        if rng.random() < self.build.flicker + self.dust:
            for _ in range(rng.randint(1, 2)):
                self.switch(gate, level, t)
                t += rng.uniform(0.1, 1.0)
                self.switch(gate, 1 - level, t)
                t += rng.uniform(0.1, 1.0)
        self.switch(gate, level, t)

    def free(self, mm: float) -> None:
        """Nothing is in the gate for so long."""
        self.t += mm / self._speed()

    # --- a pass ----------------------------------------------------------------------------------

    def feed(self) -> None:
        """Every card of the tray goes in."""
        self.switch(words.INPUT_READY, 0)
        self.current(self.build.works * 1.6)
        self.t += self.rng.uniform(400.0, 1_500.0)
        self.current(self.build.works)
        self._ride(words.INPUT_GATE_IN, self.tray, self.inside, self.in_hands, self.in_overlaps)

    def give(self) -> None:
        """Every card comes out, in another order, and the machine is ready."""
        self.t += self.rng.uniform(300.0, 2_000.0)
        self.rng.shuffle(self.inside)
        self._ride(words.INPUT_GATE_OUT, self.inside, self.out, self.out_hands, self.out_overlaps)
        self.current(120.0)
        self.switch(words.INPUT_READY, 1, self.rng.uniform(100.0, 900.0))
        self.wait(3_000.0)

    def _ride(
        self,
        gate: int,
        source: list[int],
        target: list[int],
        hands: dict[int, Callable[[], None]],
        overlaps: dict[int, float],
    ) -> None:
        build, rng, place = self.build, self.rng, 0
        while source:
            if place in hands:
                hands.pop(place)()
            overlap = overlaps.pop(place, 0.0)
            count = 2 if overlap and len(source) > 1 else 1
            self.cover(gate, build.length * (2 - overlap if count == 2 else self.left(source[0])))
            target += source[:count]
            del source[:count]
            self.free(rng.uniform(*build.gap))
            place += 1

    def left(self, card: int) -> float:
        """How much of a card is left, share."""
        return self.torn.get(card, 1.0)

    def shuffle(self) -> None:
        """One pass, unless the machine stops."""
        try:
            self.feed()
            self.give()
        except Stopped:
            self.wait(1_000.0)

    def again(self) -> None:
        """Somebody lays all cards that are there into the tray, and shuffles."""
        self.tray, self.inside, self.out = self.out + self.inside + self.tray, [], []
        self.in_hands.clear()
        self.out_hands.clear()
        self.wait(2_000.0)
        self.shuffle()

    def opens(self) -> bool:
        """Whether a round opens."""
        cause: int = self.role.open_bets(self.us(self.now))
        return cause == 0

    def is_whole(self) -> bool:
        """Whether the deck is in the tray of the cards that came out."""
        return not self.torn and sorted(self.out) == list(range(self.cards))
