"""The physical card shuffler: a deck fed card by card past two light gates, in virtual time.

Cards are drawn in past gate in, each put into a slot of a wheel, then given out past gate out.
A gate is a beam: its light falls while the edge of a card crosses it, dust takes light away, and
a comparator sees light and noise. One kind has a serial line of its own: it counts by itself, and
reports twice a second. Times are integer microseconds since power-on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import repeat
from math import cos, log, sin, sqrt, tau
from typing import ClassVar

from tableemulator.machines.core.board_pins import ANALOG, INPUTS, PORT
from tableemulator.machines.core.emulator import option
from tableemulator.machines.core.planned import Planned
from tablewire import messages

GATE_IN, GATE_OUT, _FREE, LID, READY, FAILED = INPUTS[:6]
MOTOR = ANALOG

CARD_US = 80_000  # 88 mm at 1.1 m/s
GAP_US = 55_000  # from one card to the next, at least
SLOT_US = 2_500  # the wheel's way to the next slot
EDGE_US = 3_000  # an edge crosses the beam
SPIN_UP_US = 800_000
TURN_OVER_US = 1_500_000  # the last card in to the first card out
DOWN_US = 600_000
# 16-bit readings of the motor's current: at rest, carrying, blocked.
REST_RAW, WORK_RAW, BLOCKED_RAW = 1_500, 19_000, 60_000
NOISE = 0.012
MOST_NOISE = 8.6 * NOISE  # no deviate that a 53-bit random number gives is larger
THRESHOLD, HYSTERESIS = 0.5, 0.01
SAMPLE_US = 100
FREE_SAMPLE_US = 500
# Share of the light at each sample while the edge of a card leaves the beam, or enters it.
RISING = tuple(step * SAMPLE_US / EDGE_US for step in range(EDGE_US // SAMPLE_US + 1))
FALLING = tuple(1 - share for share in RISING)
# With more light than this a free beam never flickers: seven sigma.
BRIGHT = THRESHOLD + 7 * NOISE

Event = list[int | str]


@dataclass
class Trouble:
    """What is wrong in one pass; nothing by default. place: the card it happens to, from 0.

    overlap: share of a card under the one before it at gate in. jam: pin of the gate a card
    stands in; inside: it stands between the gates. slip: factor on the time of one card.
    torn: share of a card that is left. blocked: the motor stops. lifted: the lid opens.
    failed: the machine raises its fault line. dies: its power goes. dust: light lost in each of
    the gates from the first to the last card.
    """

    place: int = 0
    overlap: float = 0.0
    jam: int | None = None
    inside: bool = False
    slip: float = 1.0
    torn: float = 0.0
    blocked: bool = False
    lifted: bool = False
    failed: bool = False
    dies: bool = False
    dust: dict[int, float] = field(default_factory=dict)


class Normal:
    """Normal deviates, the numbers of random.gauss. Two come of two uniform numbers.

    second: those two, while the second deviate is still to come.
    """

    def __init__(self, rng: random.Random) -> None:
        self.second: tuple[float, float] | None = None
        self._random = rng.random

    def draw(self) -> float:
        """Return the next deviate, of mean 0 and spread 1."""
        if self.second is None:
            self.second = drawn = self._random(), self._random()
            return cos(drawn[0] * tau) * sqrt(-2.0 * log(1.0 - drawn[1]))
        drawn, self.second = self.second, None
        return sin(drawn[0] * tau) * sqrt(-2.0 * log(1.0 - drawn[1]))


class CardShuffler:
    """One machine with its deck, front card first; deterministic for a seed.

    wear: share by which worn rollers are slower than new ones. light: of each gate, 1 when clean.
    fed, dealt: cards that went in and came out in the last pass.
    """

    def __init__(self, deck: list[str], seed: int | str = 0, *, wear: float = 0.0) -> None:
        self.deck = deck
        self.tray: list[str] = []  # what came out
        self.wear = wear
        self.fed = self.dealt = 0
        self.light = {GATE_IN: 1.0, GATE_OUT: 1.0}
        self._rng = random.Random(f"{seed}/shuffler")
        self._normal = Normal(self._rng)
        self._agenda: Planned[tuple[str, int, int]] = Planned()
        self._levels: dict[int, int] = {}
        self._free_us = dict.fromkeys(self.light, 0)
        self._dark = dict.fromkeys(self.light, 0)  # what each comparator sees
        self.set_input(0, READY, 1)
        self.set_motor(0, REST_RAW)

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Return the events up to t_us that were not returned before, in time order."""
        events: list[Event] = []
        for when, (kind, pin, value) in self._agenda.take(t_us):
            if kind == "adc" or self._levels.get(pin, 0) != value:
                self._levels[pin] = value
                events.append([when, kind, pin, value])
        return events

    def levels(self) -> dict[int, int]:
        """Return what each pin showed last."""
        return dict(self._levels)

    def set_input(self, t_us: int, pin: int, level: int) -> None:
        """Set a contact or a line."""
        self._agenda.add(t_us, ("pin", pin, level))

    def set_motor(self, t_us: int, raw: int) -> None:
        """Let the motor draw a current."""
        self._agenda.add(t_us, ("adc", MOTOR, raw))

    # --- a pass -----------------------------------------------------------------------------

    def shuffle(self, t_us: int, trouble: Trouble | None = None) -> int:
        """Shuffle the deck once, from t_us on; returns when nothing moves any more."""
        trouble = trouble or Trouble()
        self.set_input(t_us, READY, 0)
        self.set_motor(t_us + 20_000, WORK_RAW)
        self.tray = []
        self.fed = self.dealt = 0
        t_us, whole = self._feed(t_us + SPIN_UP_US, trouble)
        if not whole:
            return t_us
        self._rng.shuffle(self.tray)
        t_us = self._give(t_us + TURN_OVER_US, trouble)
        if t_us < 0:
            return -t_us
        self.deck, self.tray = self.tray, []
        self.set_motor(t_us, REST_RAW)
        self.set_input(t_us + DOWN_US, READY, 1)
        return t_us + DOWN_US

    def _feed(self, t_us: int, trouble: Trouble) -> tuple[int, bool]:
        place = 0
        while place < len(self.deck):
            strikes = place == trouble.place
            if strikes and self._stop(t_us, trouble):
                return t_us, False
            length = self._card_us()
            count = 1
            if strikes and trouble.jam == GATE_IN:
                self._beam(GATE_IN, t_us, None, trouble)
                self.set_motor(t_us + 50_000, WORK_RAW + 6_000)
                return t_us, False
            if strikes and trouble.torn:
                length = int(length * trouble.torn)
            if strikes and trouble.overlap and place + 1 < len(self.deck):
                length = int(length * (2 - trouble.overlap))
                count = 2
            if strikes:
                length = int(length * trouble.slip)
            self._beam(GATE_IN, t_us, t_us + length, trouble)
            self.tray += self.deck[place : place + count]
            place += count
            self.fed = place
            t_us += length
            if strikes and trouble.inside:
                return t_us, False
            t_us += GAP_US + SLOT_US * self._rng.randrange(40)
        return t_us, True

    def _give(self, t_us: int, trouble: Trouble) -> int:
        """Give every card out; negative: stopped by then."""
        for place in range(len(self.tray)):
            if place == trouble.place and trouble.jam == GATE_OUT:
                self._beam(GATE_OUT, t_us, None, trouble)
                return -t_us
            end = t_us + self._card_us()
            self._beam(GATE_OUT, t_us, end, trouble)
            self.dealt = place + 1
            t_us = end + GAP_US + self._rng.randrange(15_000)
        return t_us

    def _stop(self, t_us: int, trouble: Trouble) -> bool:
        if trouble.blocked:
            self.set_motor(t_us, BLOCKED_RAW)
        if trouble.dies:
            self.set_motor(t_us, 0)
        if trouble.lifted:
            self.set_input(t_us, LID, 1)
        if trouble.failed:
            self.set_input(t_us, FAILED, 1)
        return trouble.blocked or trouble.dies or trouble.lifted or trouble.failed

    def _card_us(self) -> int:
        return int(CARD_US * (1 + self.wear) * (1 + self._normal.draw() * 0.015))

    # --- hands ------------------------------------------------------------------------------

    def clear(self, t_us: int, deck: list[str] | None = None) -> int:
        """Open the lid, take all cards out, close it; returns when the machine is ready again."""
        self._agenda.forget(t_us)
        self.deck = deck if deck is not None else self.tray + self.deck[len(self.tray) :]
        self.set_motor(t_us, REST_RAW)
        self.set_input(t_us, LID, 1)
        for pin in (GATE_IN, GATE_OUT, FAILED):
            self.set_input(t_us + 500_000, pin, 0)
        self._free_us = dict.fromkeys(self.light, t_us + 500_000)
        self._dark = dict.fromkeys(self.light, 0)
        self.set_input(t_us + 2_000_000, LID, 0)
        self.set_input(t_us + 2_500_000, READY, 1)
        return t_us + 5_000_000

    # --- a gate -----------------------------------------------------------------------------

    def _beam(self, pin: int, enters: int, leaves: int | None, trouble: Trouble) -> None:
        """Let a card cover the beam; leaves: None when it stays."""
        self.light[pin] -= trouble.dust.get(pin, 0.0) / max(len(self.deck), 1)
        full = self.light[pin]
        self._flicker(pin, enters)
        self._cross(pin, enters, full, leaving=False)
        if leaves is None:
            return
        self._cross(pin, leaves, full, leaving=True)
        self._free_us[pin] = leaves + EDGE_US

    def _cross(self, pin: int, t_us: int, full: float, *, leaving: bool) -> None:
        """Let one edge of a card cross the beam."""
        times = range(t_us, t_us + EDGE_US + 1, SAMPLE_US)
        self._compare(pin, times, RISING if leaving else FALLING, full)

    def _flicker(self, pin: int, until_us: int) -> None:
        """A free beam with hardly any light left, up to the next card, one second at most."""
        if self.light[pin] >= BRIGHT:
            return
        start = max(self._free_us[pin] + FREE_SAMPLE_US, until_us - 1_000_000)
        times = range(start, until_us - FREE_SAMPLE_US, FREE_SAMPLE_US)
        self._compare(pin, times, repeat(1.0), self.light[pin])

    def _compare(self, pin: int, times: range, shares: Iterable[float], full: float) -> None:
        """See at each time this share of the full light, and noise; write when the output of the
        comparator changes.
        """
        random, normal, dark = self._rng.random, self._normal, self._dark[pin]
        for t_us, share in zip(times, shares, strict=False):
            level = THRESHOLD + HYSTERESIS if dark else THRESHOLD - HYSTERESIS
            light = full * share
            # As normal.draw(), but where the light is far from the level no deviate is computed.
            if normal.second is None:
                normal.second = drawn = random(), random()
                wave = cos
            else:
                drawn, normal.second = normal.second, None
                wave = sin
            if -MOST_NOISE < light - level < MOST_NOISE:
                light += wave(drawn[0] * tau) * sqrt(-2.0 * log(1.0 - drawn[1])) * NOISE
            if (light < level) != dark:
                dark = 1 - dark
                self.set_input(t_us, pin, dark)
        self._dark[pin] = dark


PERIOD_US = 500_000
LINE_READY, LINE_SHUFFLING, LINE_ERROR = "R", "S", "E"


class TalkingShuffler:
    """cards: in its tray. unplugged: nothing it says arrives. error: what its display shows."""

    def __init__(self, cards: int) -> None:
        self.cards = cards
        self.unplugged = False
        self.error = 0
        self._began_us = -1
        self._ends_us = -1
        self._due_us = PERIOD_US

    def shuffle(self, t_us: int, *, seconds: int = 20) -> int:
        """Shuffle from t_us on; returns when it is done."""
        self._began_us, self._ends_us = t_us, t_us + seconds * 1_000_000
        return self._ends_us

    def said_until(self, t_us: int) -> list[tuple[int, tuple[str, int, int, int]]]:
        """Return (time, (state, cards in, cards out, error)) of each line up to t_us."""
        lines = []
        while self._due_us <= t_us:
            if not self.unplugged:
                lines.append((self._due_us, self._say(self._due_us)))
            self._due_us += PERIOD_US
        return lines

    def _say(self, t_us: int) -> tuple[str, int, int, int]:
        if self.error:
            return LINE_ERROR, 0, 0, self.error
        if self._began_us < 0:
            return LINE_READY, 0, 0, 0
        if t_us >= self._ends_us:
            return LINE_READY, self.cards, self.cards, 0
        if t_us < self._began_us:
            return LINE_READY, self.cards, self.cards, 0
        done = 2 * (t_us - self._began_us) / (self._ends_us - self._began_us)
        intake, output = min(done, 1.0), max(done - 1.0, 0.0)
        return LINE_SHUFFLING, int(self.cards * intake), int(self.cards * output), 0


def line_of(said: tuple[str, int, int, int]) -> bytes:
    """Return the bytes on the line, with their check: the exclusive or of all before the star."""
    text = ",".join(str(word) for word in said)
    check = 0
    for byte in text.encode():
        check ^= byte
    return f"{text}*{check:02X}\n".encode()


# Share by which the rollers are slower than new ones.
WEAR = {"none": 0.0, "healthy": 0.02, "worn": 0.12}


SUITS, RANKS = "CDHS", "23456789TJQKA"


@dataclass(frozen=True, slots=True)
class ShufflerSetup:
    """One card table as it was built. cards: in a deck; is_serial: the machine counts itself."""

    role: ClassVar[str] = "shuffler"
    cards: int = option(52, "Cards in a deck.", least=20, most=832)
    passes: int = option(1, "Passes that make a shuffle.", least=1, most=2)
    is_serial: bool = option(False, "The shuffler counts, and has a line.", name="serial")

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {"role": messages.ROLE_SHUFFLER, "cards": self.cards, **self.changed}

    @property
    def changed(self) -> dict[str, int]:
        """Return those in which it differs from a machine as it leaves the factory."""
        keys = {"passes": self.passes} if self.passes != 1 else {}
        return {**keys, "serial_shuffler": 1} if self.is_serial else keys

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture has of it."""
        return {"table": "shuffler", "cards": self.cards}


class CardMachine:
    """The shuffler and its serial line as the model of a table. talker: None without a line."""

    def __init__(self, setup: ShufflerSetup, seed: int | str, noise: str) -> None:
        self.now_us = 0
        self.talker = TalkingShuffler(setup.cards) if setup.is_serial else None
        self.shuffler = CardShuffler(deck_of(setup.cards), seed, wear=WEAR[noise])

    def events_until(self, t_us: int) -> list[Event]:
        """Let time pass to t_us and return the events since the last call, in time order."""
        self.now_us = t_us
        if self.talker is None:
            return self.shuffler.events_until(t_us)
        return [
            [time_us, "rx", PORT, line_of(what).hex()]
            for time_us, what in self.talker.said_until(t_us)
        ]


def deck_of(cards: int) -> list[str]:
    """Return that many cards of whole packs, as they come from the maker."""
    pack = [rank + suit for suit in SUITS for rank in RANKS]
    return [pack[place % len(pack)] for place in range(cards)]
