"""An independent physical model of cards pulled from a shoe, one or two at once.

Places in millimetres: the leading edge of the front card, from the inner gate. Speeds in m/s,
which is mm/ms; times in ms. Shares no constant and no code with hil_tests.emulators. Gates and
sheet sensor as HARDWARE.md and WIRING.md say: 20 mm apart, beam of 1 mm, 0.1 ms, sheet sensor
between them. The reader is no witness here: it reads the front card and never another.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from hil_tests.physics.making import MakeRole, Sink, alone, configured
from tablelogic.card_shoe.reader import READER_SAID
from tablelogic.card_shoe.table import CardShoe
from tablewire import card_shoe as words
from tablewire import messages

STEP_MS = 0.1
TICK_MS = 40.0
SETTLED_MS = 3_000.0
START_US = (1 << 30) - 9_000_000  # the clock wraps while cards are pulled
_MASK = (1 << 30) - 1
CARD_MM = 88.0
# Speeds of hands, m/s. Above 1.7 a card is across both gates for less than a tick.
SLOWEST, FASTEST = 0.1, 1.6

Speed = Callable[[float, float], float]  # of a hand, by time and place


@dataclass
class Build:
    """One shoe. gates: their distance; sheet: place of the sensor between them.

    none, one, two: what it reads of as many sheets; noise, of it; lag_ms: its time constant.
    holds_ms: how long its output keeps a peak. flicker_ms: of a beam at an edge; edge_mm: how far
    from its place a beam sees an edge.
    """

    gates: float
    sheet: float
    none: float
    one: float
    two: float
    noise: float
    lag_ms: float
    holds_ms: float
    flicker_ms: float
    edge_mm: float


def draw_build(rng: random.Random, holds_ms: float) -> Build:
    """Draw a shoe built within the requirements."""
    one = rng.uniform(1600, 2000)
    return Build(
        gates=rng.uniform(19.5, 20.5),
        sheet=rng.uniform(7.0, 13.0),
        none=rng.uniform(500, 900),
        one=one,
        two=one + rng.uniform(900, 1300),
        noise=rng.uniform(20, 60),
        lag_ms=rng.uniform(0.5, 2.0),
        holds_ms=holds_ms,
        flicker_ms=rng.uniform(0.0, 0.5),
        edge_mm=rng.uniform(0.05, 0.3),
    )


@dataclass
class Pull:
    """One pull. rest_mm: how far before the inner gate the card is; second_mm: behind it, another.

    speed: of the hand.
    """

    rng: random.Random
    build: Build
    speed: Speed
    rest_mm: float = 0.0
    second_mm: float | None = None


# --- hands -----------------------------------------------------------------------------------


def _log(rng: random.Random, low: float, high: float) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def even(rng: random.Random) -> tuple[Speed, float]:
    """The same speed all the way."""
    speed = _log(rng, SLOWEST, FASTEST)
    return lambda t, s: speed, 0.0


def accelerating(rng: random.Random) -> tuple[Speed, float]:
    """Evenly faster, from 0.1 m/s or more at the inner gate."""
    first = _log(rng, SLOWEST, 0.6)
    last = rng.uniform(max(first, 0.5), 2.2)
    gain = (last**2 - first**2) / 108.0
    return lambda t, s: math.sqrt(first**2 + gain * max(s, 0.0)), 0.0


def slowing(rng: random.Random) -> tuple[Speed, float]:
    """Evenly slower."""
    first = rng.uniform(0.5, FASTEST)
    last = rng.uniform(0.15, 0.8) * first
    loss = (last**2 - first**2) / 108.0
    return lambda t, s: math.sqrt(max(first**2 + loss * max(s, 0.0), 0.01)), 0.0


def reaching(rng: random.Random) -> tuple[Speed, float]:
    """From rest just behind the gate to its place on the table, with the least jerk."""
    reach, top = rng.uniform(180.0, 450.0), rng.uniform(0.4, FASTEST)
    takes_ms = 1.875 * reach / top

    def speed(t: float, s: float) -> float:
        part = min(t / takes_ms, 1.0)
        return max(30 * reach / takes_ms * (part * (1 - part)) ** 2, 0.03)

    return speed, rng.uniform(1.0, 15.0)


def jerking(rng: random.Random) -> tuple[Speed, float]:
    """From rest just behind the gate to its full speed within some tens of milliseconds."""
    top, rise_ms = rng.uniform(0.4, FASTEST), rng.uniform(15.0, 80.0)
    return lambda t, s: max(top * (1 - math.exp(-t / rise_ms)), 0.03), rng.uniform(1.0, 12.0)


SMOOTH = (even, accelerating, slowing, reaching, jerking)


def hesitating(rng: random.Random) -> tuple[Speed, float]:
    """Any of these, nearly or wholly stopped once on the way."""
    speed, rest = rng.choice(SMOOTH)(rng)
    place, wide = rng.uniform(5.0, 85.0), rng.uniform(3.0, 12.0)
    slow = rng.uniform(0.05, 0.6)

    def hesitant(t: float, s: float) -> float:
        dip = math.exp(-(((s - place) / wide) ** 2))
        return max(speed(t, s) * (1 - (1 - slow) * dip), 0.02)

    return hesitant, rest


HANDS: dict[str, Callable[[random.Random], tuple[Speed, float]]] = {
    hand.__name__: hand for hand in (*SMOOTH, hesitating)
}


def draw(hand: str, seed: str, overlap: float | None, holds_ms: float = 0.0) -> Pull:
    """Draw a pull of one card, or of two that overlap by so many millimetres."""
    rng = random.Random(seed)
    build = draw_build(rng, holds_ms)
    speed, rest = HANDS[hand](rng)
    tremor, beat, at = rng.uniform(0.0, 0.05), rng.uniform(8.0, 12.0), rng.uniform(0.0, 6.3)

    def unsteady(t: float, s: float) -> float:
        return speed(t, s) * (1 + tremor * math.sin(at + beat * t * 0.006283))

    return Pull(rng, build, unsteady, rest, None if overlap is None else CARD_MM - overlap)


# --- sensors ---------------------------------------------------------------------------------


@dataclass
class Seen:
    """edges: (ms, beam, level). sheets: how many are at the sensor, each STEP_MS.

    out_ms: when it is over; across_ms: how long both gates were covered.
    """

    edges: list[tuple[float, int, int]]
    sheets: list[int]
    out_ms: float
    across_ms: float


def seen_of(pull: Pull) -> Seen:
    """Let the card, or both, pass."""
    build, rng = pull.build, pull.rng
    backs = [0.0] if pull.second_mm is None else [0.0, pull.second_mm]
    gates = (0.0, build.gates)
    jitter = [[rng.gauss(0.0, build.edge_mm) for _ in range(2)] for _ in range(2)]
    edges: list[tuple[float, int, int]] = []
    sheets: list[int] = []
    covered = [0, 0]
    times: dict[tuple[int, int], float] = {}
    t, s = 0.0, -pull.rest_mm - 0.5
    end = build.gates + CARD_MM + backs[-1] + 3.0
    while s < end:
        for beam in (0, 1):
            level = int(
                any(
                    gates[beam] + back + jitter[beam][0]
                    <= s
                    < gates[beam] + back + CARD_MM + jitter[beam][1]
                    for back in backs
                )
            )
            if level != covered[beam]:
                covered[beam] = level
                times[beam, level] = t
                edges += _flicker(rng, build, t + 0.1 * rng.random(), beam + 1, level)
        sheets.append(sum(build.sheet + b <= s < build.sheet + b + CARD_MM for b in backs))
        s += pull.speed(t, s) * STEP_MS
        t += STEP_MS
    edges.sort()
    return Seen(edges, sheets, t, times[0, 0] - times[1, 1])


def _flicker(
    rng: random.Random, build: Build, t: float, beam: int, level: int
) -> list[tuple[float, int, int]]:
    found = [(t, beam, level)]
    for _ in range(rng.randrange(3)):
        off = t + rng.uniform(0.02, 0.5) * build.flicker_ms
        found += [(off, beam, 1 - level), (off + 0.3 * build.flicker_ms, beam, level)]
        t = off + 0.3 * build.flicker_ms
    return found


class Sheet:
    """The sheet sensor's output."""

    def __init__(self, pull: Pull, seen: Seen) -> None:
        build, level, held, held_for = pull.build, pull.build.none, 0.0, 0.0
        self._rng, self._noise = pull.rng, build.noise
        self._levels: list[float] = []
        for count in [*seen.sheets, *[0] * 2000]:
            wanted = (build.none, build.one, build.two)[count]
            level += (wanted - level) * STEP_MS / build.lag_ms
            held_for += STEP_MS
            if level >= held or held_for > build.holds_ms:
                held, held_for = level, 0.0
            self._levels.append(held)

    def raw(self, t_ms: float) -> int:
        """What the converter reads, in steps of 64."""
        place = int(t_ms / STEP_MS)
        level = self._levels[min(max(place, 0), len(self._levels) - 1)]
        return max(0, min(4095, int(level + self._rng.gauss(0.0, self._noise)))) & ~63


# --- the table -------------------------------------------------------------------------------


@dataclass
class Outcome:
    """dealt: cards reported as dealt in the round. code: of the void, 0 for none."""

    dealt: int = 0
    code: int = 0


class _Sink(Sink):
    def __init__(self) -> None:
        self.outcome = Outcome()

    def void(self, values: list[int]) -> None:
        self.outcome.code = values[0]

    def record(self, ident: int, values: list[int]) -> bool:
        if ident == words.CARD_DEALT:
            self.outcome.dealt += values[3] == words.CARD_USE_ROUND
        return True


def configuration(build: Build) -> list[int]:
    """The keys a technician sets: the ratio as calibrated, the limit half way between sheets."""
    wanted = {
        "role": 6,
        "card_ratio": round(CARD_MM * 100 / build.gates),
        "sheet_limit_raw": round((build.one + build.two) / 2),
    }
    return configured(wanted)


def play(pull: Pull, make: MakeRole = alone) -> tuple[Outcome, Seen]:
    """Pull in a round of a table with a new shoe, and wait until it is judged."""
    sink = _Sink()
    seen = seen_of(pull)
    sheet = Sheet(pull, seen)
    role = make(CardShoe, configuration(pull.build), sink)
    role.edge(words.INPUT_SHOE_CARDS, 1, START_US)
    begins = 3_000.0 + pull.rng.uniform(0.0, TICK_MS)
    edges = [(t + begins, beam, level) for t, beam, level in seen.edges]
    read_at = begins + seen.out_ms * 0.8
    now, count, has_read = 0.0, 0, False
    while now < begins + seen.out_ms + SETTLED_MS:
        now += TICK_MS
        at_us = int(now * 1000) + START_US & _MASK
        while edges and edges[0][0] <= now:
            t, beam, level = edges.pop(0)
            role.edge(beam, level, int(t * 1000) + START_US & _MASK)
        if role.wants_analog():
            role.analog(sheet.raw(now - begins))
        role.tick(at_us)
        asked = role.report[0]
        if now >= read_at and not has_read and asked == words.READER_ASK_HAND:
            has_read, count = True, 1
            role.order(READER_SAID, [asked, words.READER_STATE_VALUE, 1, 7, 7], at_us)
        elif int(now) % 1000 < TICK_MS:
            count = int(now >= read_at)
            role.order(READER_SAID, [asked, words.READER_STATE_ALIVE, count, 0, 0], at_us)
        if int(now) == 1_000:
            role.order(words.LOAD_SHOE, [words.SHOE_LOAD_NEW, 416, 0], at_us)
        if int(now) == 2_600:
            assert role.open_bets(at_us) == 0
            role.close_bets(messages.CLOSE_CAUSE_COMMAND, at_us)
    return sink.outcome, seen


def is_too_quick(seen: Seen) -> bool:
    """Whether it was across both gates for less than a tick: no reading of the sheet sensor."""
    return seen.across_ms < TICK_MS
