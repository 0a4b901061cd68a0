"""An independent physical model of cards pulled from a shoe, one or two at once.

Places in millimetres: the leading edge of the front card, from the inner gate. Speeds in m/s,
which is mm/ms; times in ms. Shares no constant and no code with tableemulator.machines. Gates and
sheet sensor as HARDWARE.md and WIRING.md say: 20 mm apart, beam of 1 mm, 0.1 ms, sheet sensor
between them. The reader is no witness here: it reads the front card and never another; see
card_rounds for one that counts.
"""

from __future__ import annotations

import bisect
import math
import random
from collections.abc import Callable
from dataclasses import dataclass

from hil_tests.physics.control_steps import TICK_MS, Steps
from hil_tests.physics.making import MakeRole, Sink, alone, configured
from tablelogic.card_shoe.card_shoe import CardShoe
from tablelogic.card_shoe.reader_watch import READER_SAID
from tablewire import card_shoe as words
from tablewire import messages

STEP_MS = 0.1
SETTLED_MS = 3_000.0
CARD_MM = 88.0
# Speeds of hands, m/s. Above 1.7 a card is across both gates for less than a tick.
SLOWEST, FASTEST, QUICKEST = 0.1, 1.6, 3.0
BRAKES = 0.03  # of a hand that stops or starts, mm/ms2
FINGER_RAW = 3_900  # what the sheet sensor reads of a finger

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

    speed: of the hand. finger: millimetres by which a finger that follows the card reaches in
    behind the outer gate, and how long it stays, 0 for none.
    """

    rng: random.Random
    build: Build
    speed: Speed
    rest_mm: float = 0.0
    second_mm: float | None = None
    finger: tuple[float, float] = (0.0, 0.0)


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


def _stopping(base: Speed, place: float, holds_ms: float, after: Speed) -> Speed:
    """Stop at a place, for so long, then go on with another speed."""
    stopped = [-1.0]

    def speed(t: float, s: float) -> float:
        if s < place - 0.2:
            return min(base(t, s), math.sqrt(2 * BRAKES * (place - s)))
        if stopped[0] < 0:
            stopped[0] = t
        if t < stopped[0] + holds_ms:
            return 0.0
        gone = max(s - place, 0.0) + 0.02
        return min(after(t, s), math.sqrt(2 * BRAKES * gone))

    return speed


def held(rng: random.Random) -> tuple[Speed, float]:
    """Held half way, then pulled on."""
    speed, rest = rng.choice(SMOOTH[:3])(rng)
    return _stopping(speed, rng.uniform(15.0, 95.0), _log(rng, 50.0, 1_500.0), speed), rest


def two_strokes(rng: random.Random) -> tuple[Speed, float]:
    """Two strokes, the second with another speed."""
    first, second = _log(rng, 0.2, FASTEST), _log(rng, 0.2, FASTEST)
    place, holds = rng.uniform(30.0, 80.0), rng.uniform(30.0, 400.0)
    return _stopping(lambda t, s: first, place, holds, lambda t, s: second), 0.0


def snatching(rng: random.Random) -> tuple[Speed, float]:
    """Slowly, then snatched away late."""
    slow, fast = _log(rng, SLOWEST, 0.4), rng.uniform(1.0, 2.5)
    place, gain = rng.uniform(40.0, 100.0), rng.uniform(0.02, 0.06)
    return lambda t, s: min(math.sqrt(slow**2 + 2 * gain * max(s - place, 0.0)), fast), 0.0


def quick(rng: random.Random) -> tuple[Speed, float]:
    """Quicker than a control step."""
    speed = rng.uniform(FASTEST, QUICKEST)
    return lambda t, s: speed, 0.0


def lurching(rng: random.Random) -> tuple[Speed, float]:
    """Slow at both gates, fast between."""
    slow, fast, wide = _log(rng, 0.3, 0.8), rng.uniform(1.2, 2.0), rng.uniform(15.0, 30.0)

    def speed(t: float, s: float) -> float:
        return slow + (fast - slow) * math.exp(-(((s - 60.0) / wide) ** 4))

    return speed, 0.0


UNEVEN = (lurching, hesitating, held, two_strokes, snatching, quick)
FINGER = "finger behind"
HANDS: dict[str, Callable[[random.Random], tuple[Speed, float]]] = {
    hand.__name__: hand for hand in (*SMOOTH, *UNEVEN)
}


def draw(hand: str, seed: str, overlap: float | None, holds_ms: float = 0.0) -> Pull:
    """Draw a pull of one card, or of two that overlap by so many millimetres."""
    rng = random.Random(seed)
    return draw_pull(rng, draw_build(rng, holds_ms), hand, overlap)


def draw_pull(rng: random.Random, build: Build, hand: str, overlap: float | None) -> Pull:
    """Draw a pull from this shoe."""
    speed, rest = rng.choice(SMOOTH)(rng) if hand == FINGER else HANDS[hand](rng)
    tremor, beat, phase = rng.uniform(0.0, 0.05), rng.uniform(8.0, 12.0), rng.uniform(0.0, 6.3)

    def unsteady(t: float, s: float) -> float:
        return speed(t, s) * (1 + tremor * math.sin(phase + beat * t * 0.006283))

    second_mm = None if overlap is None else CARD_MM - overlap
    finger = (rng.uniform(0.0, 17.0), rng.uniform(20.0, 400.0)) if hand == FINGER else (0.0, 0.0)
    return Pull(rng, build, unsteady, rest, second_mm, finger)


# --- sensors ---------------------------------------------------------------------------------


@dataclass
class View:
    """edges: (ms, beam, level). sheets: how many are at the sensor, each STEP_MS.

    places: of the leading edge, the same. out_ms: when it is over; across_ms: how long both gates
    were covered.
    """

    edges: list[tuple[float, int, int]]
    sheets: list[int]
    places: list[float]
    out_ms: float
    across_ms: float

    def when(self, place: float) -> float:
        """When the leading edge was at a place."""
        return bisect.bisect_left(self.places, place) * STEP_MS


def view_of(pull: Pull) -> View:
    """Let the card, or both, pass."""
    build, rng = pull.build, pull.rng
    backs = [0.0] if pull.second_mm is None else [0.0, pull.second_mm]
    gates = (0.0, build.gates)
    jitter = [[rng.gauss(0.0, build.edge_mm) for _ in range(2)] for _ in range(2)]
    edges: list[tuple[float, int, int]] = []
    sheets: list[int] = []
    places: list[float] = []
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
        places.append(s)
        s += pull.speed(t, s) * STEP_MS
        t += STEP_MS
    if pull.finger[1]:
        _follow(pull, edges, sheets, times)
    edges.sort()
    return View(edges, sheets, places, t, times[0, 0] - times[1, 1])


def _follow(
    pull: Pull,
    edges: list[tuple[float, int, int]],
    sheets: list[int],
    times: dict[tuple[int, int], float],
) -> None:
    """Have a finger take the place of the card in the outer gate, from outside, and stay a while.

    It comes once the card has left the inner gate and the sheet sensor.
    """
    build, rng, (reach, stays) = pull.build, pull.rng, pull.finger
    last = times[1, 0]
    gone = max(place for place, count in enumerate(sheets) if count) * STEP_MS
    edges[:] = [each for each in edges if each[1] == 1 or each[0] < times[0, 0] - 1.0]
    edges += _flicker(rng, build, last + stays, 2, 0)
    if reach > build.gates - build.sheet:
        sheets += [0] * max(0, int((last + stays) / STEP_MS) + 1 - len(sheets))
        for place in range(int(gone / STEP_MS) + 1, int((last + stays) / STEP_MS)):
            sheets[place] = 3


def _flicker(
    rng: random.Random, build: Build, t: float, beam: int, level: int
) -> list[tuple[float, int, int]]:
    edges = [(t, beam, level)]
    for _ in range(rng.randrange(3)):
        off = t + rng.uniform(0.02, 0.5) * build.flicker_ms
        edges += [(off, beam, 1 - level), (off + 0.3 * build.flicker_ms, beam, level)]
        t = off + 0.3 * build.flicker_ms
    return edges


class Sheet:
    """The sheet sensor's output."""

    def __init__(self, pull: Pull, view: View) -> None:
        build, level, held, held_for = pull.build, pull.build.none, 0.0, 0.0
        self._rng, self._noise = pull.rng, build.noise
        self._levels: list[float] = []
        for count in [*view.sheets, *[0] * 2000]:
            wanted = (build.none, build.one, build.two, FINGER_RAW)[count]
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
        "sheet_card_raw": round(build.one),
    }
    return configured(wanted)


def play(pull: Pull, make: MakeRole = alone) -> tuple[Outcome, View]:
    """Pull in a round of a table with a new shoe, and wait until it is judged."""
    sink = _Sink()
    view = view_of(pull)
    sheet = Sheet(pull, view)
    role = make(CardShoe, configuration(pull.build), sink)
    begins = 3_000.0 + pull.rng.uniform(0.0, TICK_MS)
    steps = Steps(role, pull.rng, lambda now: sheet.raw(now - begins))
    steps.switch(0.0, words.INPUT_SHOE_CARDS, 1)
    for t, beam, level in view.edges:
        steps.switch(t + begins, beam, level)
    read_at = begins + view.out_ms * 0.8
    count, has_read, has_opened = 0, False, False
    next_alive = 0.0
    while steps.now < begins + view.out_ms + SETTLED_MS:
        now, at_us = steps.now, steps.now_us
        asked = role.report[0]
        if now >= read_at and not has_read and asked == words.READER_ASK_HAND:
            has_read, count = True, 1
            role.order(READER_SAID, [asked, words.READER_STATE_VALUE, 1, 7, 7], at_us)
        elif now >= next_alive:
            next_alive += 1_000.0
            count = int(now >= read_at)
            role.order(READER_SAID, [asked, words.READER_STATE_ALIVE, count, 0, 0], at_us)
        if not has_opened and now >= 1_000.0 and next_alive == 2_000.0:
            has_opened = True
            role.order(words.LOAD_SHOE, [words.SHOE_LOAD_NEW, 416, 0], at_us)
        if now >= 2_600.0 and role.phase == messages.PHASE_CLOSED and not sink.outcome.code:
            assert role.open_bets(at_us) == 0
            role.close_bets(messages.CLOSE_CAUSE_COMMAND, at_us)
        steps.step()
    return sink.outcome, view
