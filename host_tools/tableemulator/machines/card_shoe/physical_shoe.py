"""The physical dealing shoe: cards pulled by hand past two gates, read at two corners.

Positions are millimetres the front card has moved: the inner gate at 0, the sheet sensor at 10,
the outer gate at 20. A hand pulls with a speed that rises or falls evenly. Times are integer
microseconds since power-on.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import sqrt
from typing import ClassVar

from tableemulator.machines.core.board_pins import ANALOG, BUTTON, DOME, INPUTS
from tableemulator.machines.core.emulator import option
from tableemulator.machines.core.planned import Planned
from tablewire import messages


@dataclass(frozen=True, slots=True)
class ShoeSetup:
    """One shoe as it was built and is played from."""

    role: ClassVar[str] = "card_shoe"
    decks: int = option(8, "Decks in the shoe.", least=1, most=8)

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {"role": messages.ROLE_CARD_SHOE, "decks": self.decks, "dealing_ms": 120_000}

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture has of it."""
        return {"table": "card_shoe", "decks": self.decks}


GATE_IN, GATE_OUT, _FREE, _FREE_TOO, HOLDS, CUT = INPUTS[:6]
LID = DOME
SHEET = ANALOG

CARD_MM = 88.0
INNER_MM, SHEET_MM, OUTER_MM = 0.0, 10.0, 20.0
# Where the leading edge is when the reader sees the first corner, and says what it saw of both.
LEADING_MM, SAID_MM = 12.0, 92.0
OUT_MM = CARD_MM + OUTER_MM
HALF_MM = 50.0
# The sheet sensor with no card, one and two, of 4095.
SHEET_RAW = (800, 1_900, 3_000, 3_900)
SHEET_NOISE = 60
ALIVE_US = 1_000_000
# A line of 15 bytes at 9600 baud.
LINE_US = 15_600
AGAIN_US = 40_000  # later a card is counted that is counted twice
CUT_CARD = "CC"
UNREAD = "??"

Event = list[int | str]


@dataclass
class Pull:
    """One pull at the shoe. speed: of the hand at first, m/s; gain: at the end, times that.

    held_us: how long the hand pauses half way.

    second: millimetres by which a second card is behind the first, None for one card. back_mm:
    how far it comes before it is pushed back; stop_mm: before it stays. share: of a torn card.
    corners: what the reader sees instead of the card, if anything. blind: gates that see nothing.
    twice: the reader counts the card again as it leaves.
    """

    speed: float = 0.8
    gain: float = 1.0
    held_us: int = 0
    second: float | None = None
    back_mm: float | None = None
    stop_mm: float | None = None
    share: float = 1.0
    corners: tuple[str | None, str | None] = (None, None)
    blind: tuple[int, ...] = ()
    twice: bool = False

    def when(self, s_mm: float) -> float:
        """Return microseconds until the leading edge is at a place, from INNER_MM."""
        first, last = self.speed**2, (self.speed * self.gain) ** 2
        there = sqrt(first + (last - first) * s_mm / OUT_MM)
        return 2_000 * s_mm / (self.speed + there) + (self.held_us if s_mm > HALF_MM else 0)


class PhysicalShoe:
    """A shoe with its reader; deterministic for a seed. cards: in it, the next one first.

    gone: cards that have left it, the cut card not. unplugged: nothing the reader says arrives.
    error: what its display shows. stuck_cut: once the cut card's sensor
    sees it, it goes on seeing it.
    """

    def __init__(self, seed: int | str) -> None:
        self.cards: list[str] = []
        self.gone: list[str] = []
        self.unplugged = False
        self.error = 0
        self.stuck_cut = False
        self.now_us = 0
        self._rng = random.Random(f"{seed}/shoe")
        self._agenda: Planned[tuple[str, int, int | str]] = Planned()
        self._levels: dict[int, int | str] = {}
        self._read = self._rng.randrange(256)
        self._put(self._rng.randrange(ALIVE_US), "alive", 0, 0)

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Return the events up to t_us that were not returned before, in time order."""
        events: list[Event] = []
        for when, (kind, pin, value) in self._agenda.take(t_us):
            if kind == "alive":
                self._say(when, f"E,{self.error}" if self.error else f"R,{self._read}")
                self._put(when + ALIVE_US, "alive", 0, 0)
            elif kind == "count":
                self._read = int(value)
            elif kind != "pin" or self._levels.get(pin, 0) != value:
                self._levels[pin] = value
                events.append([when, kind, pin, value])
        self.now_us = t_us
        return events

    def set_input(self, t_us: int, pin: int, level: int) -> None:
        """Set a contact or a beam."""
        self._put(t_us, "pin", pin, level)

    def press(self, t_us: int, ms: int = 200) -> None:
        """Press the croupier's button."""
        self.set_input(t_us, BUTTON, 1)
        self.set_input(t_us + ms * 1000, BUTTON, 0)

    def _put(self, t_us: int, kind: str, pin: int, value: int | str) -> None:
        self._agenda.add(t_us, (kind, pin, value))

    def _say(self, t_us: int, text: str) -> None:
        if self.unplugged:
            return
        check = 0
        for byte in text.encode():
            check ^= byte
        self._put(t_us, "rx", 1, f"{text}*{check:02X}\n".encode().hex())

    # --- hands ------------------------------------------------------------------------------

    def fill(self, t_us: int, cards: list[str]) -> int:
        """Open the lid, take out what is left, lay cards in, close; returns when it is done."""
        self._forget(t_us)
        self.set_input(t_us, LID, 1)
        for pin in (GATE_IN, GATE_OUT, HOLDS, CUT):
            self.set_input(t_us + 300_000, pin, 0)
        self._sheets(t_us + 300_000, 0)
        self.cards, self.gone, self.stuck_cut = list(cards), [], False
        self.set_input(t_us + 1_500_000, HOLDS, 1)
        self._show(t_us + 1_600_000)
        self.set_input(t_us + 2_000_000, LID, 0)
        return t_us + 5_500_000

    def free(self, t_us: int) -> None:
        """Take whatever is in the mouth out of it, or push it back."""
        self._forget(t_us)
        for pin in (GATE_IN, GATE_OUT, LID):
            self.set_input(t_us, pin, 0)
        self._sheets(t_us, 0)
        self.unplugged, self.error, self.stuck_cut = False, 0, False
        self._show(t_us)

    def _forget(self, t_us: int) -> None:
        """Nothing that was about to happen happens; the reader goes on."""
        self._agenda.forget(t_us, but=lambda what: what[0] in ("alive", "count"))

    def empty(self, t_us: int) -> None:
        """Lift all cards out of it."""
        self.cards = []
        self._show(t_us)

    def pull(self, t_us: int, pull: Pull) -> int:
        """Pull the card in front; returns when the hand is done."""
        behind = [0.0] if pull.second is None else [0.0, pull.second]
        length = CARD_MM * pull.share
        if pull.back_mm is not None:
            return self._push_back(t_us, pull, pull.back_mm)
        end_mm = OUTER_MM + length + behind[-1] if pull.stop_mm is None else pull.stop_mm
        for pin, place in ((GATE_IN, INNER_MM), (GATE_OUT, OUTER_MM)):
            if pin not in pull.blind:
                self._cross(t_us, pull, pin, [place + o for o in behind], length, end_mm)
        self._thick(t_us, pull, [SHEET_MM + o for o in behind], length, end_mm)
        done_us = t_us + int(pull.when(end_mm))
        if end_mm >= SAID_MM or pull.share < 1:
            self._corners(t_us, pull, self.cards[: len(behind)])
        if pull.stop_mm is None:
            for card in self.cards[: len(behind)]:
                if card != CUT_CARD:
                    self.gone.append(card)
            self.cards = self.cards[len(behind) :]
            self._show(done_us)
        return done_us

    def _push_back(self, t_us: int, pull: Pull, top_mm: float) -> int:
        turn_us = t_us + int(pull.when(top_mm))
        for pin, place in ((GATE_IN, INNER_MM), (GATE_OUT, OUTER_MM)):
            if top_mm > place:
                self._edge(t_us + int(pull.when(place)), pin, 1)
                self._edge(2 * turn_us - t_us - int(pull.when(place)) + 50_000, pin, 0)
        if top_mm >= SAID_MM:
            self._corners(t_us, pull, self.cards[:1])
        return 2 * turn_us - t_us + 60_000

    # --- what the sensors see ---------------------------------------------------------------

    def _cross(
        self, t_us: int, pull: Pull, pin: int, places: list[float], length: float, end_mm: float
    ) -> None:
        covered_to = -1.0
        for place in places:
            if place > covered_to:
                if covered_to >= 0:
                    self._leave(t_us, pull, pin, covered_to, end_mm)
                if place <= end_mm:
                    self._edge(t_us + int(pull.when(place)), pin, 1)
            covered_to = place + length
        self._leave(t_us, pull, pin, covered_to, end_mm)

    def _leave(self, t_us: int, pull: Pull, pin: int, place: float, end_mm: float) -> None:
        if place <= end_mm:
            self._edge(t_us + int(pull.when(place)), pin, 0)

    def _edge(self, t_us: int, pin: int, level: int) -> None:
        """An edge of a card flickers for less than a millisecond."""
        self.set_input(t_us, pin, level)
        for step in range(self._rng.randrange(3)):
            self.set_input(t_us + 150 + 200 * step, pin, 1 - level)
            self.set_input(t_us + 250 + 200 * step, pin, level)

    def _thick(
        self, t_us: int, pull: Pull, places: list[float], length: float, end_mm: float
    ) -> None:
        steps = [(place, 1) for place in places] + [(place + length, -1) for place in places]
        sheets = 0
        for place, change in sorted(steps):
            sheets += change
            if place <= end_mm:
                self._sheets(t_us + int(pull.when(place)), sheets)

    def _sheets(self, t_us: int, sheets: int) -> None:
        raw = SHEET_RAW[sheets] + self._rng.randint(-SHEET_NOISE, SHEET_NOISE)
        self._put(t_us, "adc", SHEET, raw << 4)

    def _corners(self, t_us: int, pull: Pull, cards: list[str]) -> None:
        count = self._read
        for number, card in enumerate(cards):
            offset = pull.second or 0.0 if number else 0.0
            if number and offset < LEADING_MM:
                continue  # it never saw more of the second one than an edge
            corners = [corner or card for corner in pull.corners]
            at_us = t_us + int(pull.when(SAID_MM + offset)) + LINE_US
            for after_us in (0, AGAIN_US)[: 1 + pull.twice]:
                count = (count + 1) & 255
                self._put(at_us + after_us - LINE_US, "count", 0, count)
                self._say(at_us + after_us, f"C,{count},{corners[0]},{corners[1]}")

    def _show(self, t_us: int) -> None:
        self.set_input(t_us + 20_000, HOLDS, int(bool(self.cards)))
        is_next = bool(self.cards) and self.cards[0] == CUT_CARD
        if is_next or not self.stuck_cut:
            self.set_input(t_us + 20_000, CUT, int(is_next))
