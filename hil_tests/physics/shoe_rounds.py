"""Whole rounds dealt from a shoe whose reader counts on its serial line, right or wrong.

Cards as in card_shoe; the reader sees a card when its trailing corner comes, counts it and sends
its line; once a second it sends its count. The device's driver reads that line. The croupier ends
the dealing soon after the last card, and tries again every half second while that is refused. The
truth is which cards were pulled.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tabledev
from hil_tests.physics.card_shoe import (
    HANDS,
    SMOOTH,
    Pull,
    Sheet,
    View,
    configuration,
    draw_build,
    draw_pull,
    view_of,
)
from hil_tests.physics.control_steps import Steps
from hil_tests.physics.making import MakeRole, Sink, alone
from tablelogic.card_shoe.card_shoe import CardShoe
from tablelogic.card_shoe.reader_watch import READER_SAID
from tablewire import card_shoe as words
from tablewire import messages

LINE_MS = 15.6  # 15 bytes at 9600 baud
POLL_MS = 80.0
FIRST_MS = 4_000.0
PRESS_AGAIN_MS = 500.0
GIVES_UP_MS = 10_000.0  # after the last card
NAMES = [rank + suit for suit in "CDHS" for rank in "23456789TJQKA"]


class _Port:
    """A serial port on which what was sent by now has arrived. lines: (ms, bytes)."""

    def __init__(self, *_place: object, **_options: object) -> None:
        self.lines: list[tuple[float, bytes]] = []
        self.now = 0.0
        self._here = bytearray()

    def any(self) -> int:
        """Bytes that have arrived."""
        while self.lines and self.lines[0][0] <= self.now:
            self._here += self.lines.pop(0)[1]
        return len(self._here)

    def readinto(self, byte: bytearray) -> int:
        """Read one."""
        byte[0] = self._here.pop(0)
        return 1


class _Pin:
    IN = 0

    def __init__(self, *_place: object) -> None: ...
    def irq(self, _handler: object) -> None: ...


def _driver() -> Any:
    """Load the device's driver of a card reader, on ports of this model."""
    path = Path(str(tabledev.__file__)).with_name("drivers") / "card_reader.py"
    spec = importlib.util.spec_from_file_location("physics_card_reader", path)
    assert spec
    assert spec.loader
    module, machine = importlib.util.module_from_spec(spec), types.ModuleType("machine")
    machine.UART, machine.Pin = _Port, _Pin  # type: ignore[attr-defined]
    before = sys.modules.get("machine")
    sys.modules["machine"] = machine
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules["machine"]
        if before is not None:
            sys.modules["machine"] = before
    return module.CardReader


_CardReader = _driver()


@dataclass
class Outcome:
    """cards: reported of the round. ended: with them; wait_s: from the croupier's order to that.

    code: of the void, 0 for none.
    """

    cards: list[int] = field(default_factory=list)
    ended: bool = False
    code: int = 0
    wait_s: float = 0.0


class _Sink(Sink):
    def __init__(self) -> None:
        self.outcome = Outcome()

    def void(self, values: list[int]) -> None:
        self.outcome.code = values[0]

    def result(self, values: list[Any]) -> None:
        self.outcome.ended = True

    def record(self, ident: int, values: list[int]) -> bool:
        if ident == words.CARD_DEALT and values[3] == words.CARD_USE_ROUND:
            self.outcome.cards.append(values[2])
        return True


@dataclass
class Round:
    """One round. cards: pulled, by number from 1. pulls: their hands; a pair is one pull.

    twice: the card that the reader counts twice; missed: the one it does not see; -1 none.
    """

    rng: random.Random
    pulls: list[Pull]
    cards: list[int]
    twice: int = -1
    missed: int = -1
    ends_ms: float = 600.0


KINDS = ("healthy", "counted twice", "missed and counted twice", "two, edge to edge")


def draw(kind: str, seed: str) -> Round:
    """Draw a round of four to six cards."""
    rng = random.Random(seed)
    build, count = draw_build(rng, 50.0), rng.randint(4, 6)
    hands = [hand.__name__ for hand in SMOOTH]
    pulls = [draw_pull(rng, build, rng.choice(hands), None) for _ in range(count)]
    drawn = Round(rng, pulls, [], ends_ms=rng.uniform(300.0, 2_000.0))
    if kind == "counted twice":
        drawn.twice = rng.randrange(count)
    elif kind == "missed and counted twice":
        drawn.twice, drawn.missed = rng.sample(range(count), 2)
    elif kind == "two, edge to edge":
        overlap = rng.uniform(-1.0, 2.0)
        pulls[rng.randrange(count)] = draw_pull(rng, build, rng.choice(list(HANDS)), overlap)
        count += 1
    drawn.cards = rng.sample(range(1, 53), count)
    return drawn


class _Reader:
    """What the reader sends: it sees a card when the leading edge is at a place, and thinks."""

    def __init__(self, rng: random.Random, port: _Port) -> None:
        self._rng, self._port = rng, port
        self._sees, self._thinks = rng.uniform(86.0, 100.0), rng.uniform(0.0, 150.0)
        self._reads: list[tuple[float, int]] = []

    def pass_card(self, begins: float, view: View, back: float, card: int, times: int) -> None:
        """It sees a card so many times. back: how far it is behind the first one."""
        read_ms = begins + view.when(min(self._sees + back, view.places[-1])) + self._thinks
        for _ in range(times):
            self._reads.append((read_ms, card))
            read_ms += self._rng.uniform(10.0, 400.0)

    def send(self, until: float) -> None:
        """Send every line until then."""
        count, alive = self._rng.randrange(256), self._rng.uniform(0.0, 1_000.0)
        self._reads.sort()
        lines = self._port.lines
        for read_ms, card in [*self._reads, (until, 0)]:
            while alive < read_ms:
                lines.append((alive + LINE_MS, _line(f"R,{count}")))
                alive += 1_000.0
            if card:
                count = count + 1 & 255
                lines.append(
                    (read_ms + LINE_MS, _line(f"C,{count},{NAMES[card - 1]},{NAMES[card - 1]}"))
                )
        lines.sort()


def _line(text: str) -> bytes:
    check = 0
    for byte in text.encode():
        check ^= byte
    return f"{text}*{check:02X}\n".encode()


def play(drawn: Round, make: MakeRole = alone) -> Outcome:
    """Deal a round, and end it."""
    rng, sink = drawn.rng, _Sink()
    driver = _CardReader(1, 0, 1)
    port: _Port = driver._uart
    passing: list[tuple[float, Sheet]] = []

    def sheet(now: float) -> int:
        begins, sensor = max(each for each in passing if each[0] <= now or each is passing[0])
        return sensor.raw(now - begins)

    role = make(CardShoe, configuration(drawn.pulls[0].build), sink)
    steps = Steps(role, rng, sheet)
    steps.switch(0.0, words.INPUT_SHOE_CARDS, 1)
    reader, start_ms, card = _Reader(rng, port), FIRST_MS, 0
    for place, pull in enumerate(drawn.pulls):
        view = view_of(pull)
        passing.append((start_ms, Sheet(pull, view)))
        for t, beam, level in view.edges:
            steps.switch(start_ms + t, beam, level)
        for back in [0.0] if pull.second_mm is None else [0.0, pull.second_mm]:
            times = 0 if place == drawn.missed else 1 + (place == drawn.twice)
            reader.pass_card(start_ms, view, back, drawn.cards[card], times)
            card += 1
        out = start_ms + view.out_ms
        start_ms = out + rng.uniform(400.0, 1_200.0)
    reader.send(out + GIVES_UP_MS)
    _deal(role, steps, driver, out, drawn.ends_ms, sink.outcome)
    return sink.outcome


def _deal(
    role: Any, steps: Steps, driver: Any, out: float, ends_ms: float, outcome: Outcome
) -> None:
    polled, press, pressed, has_loaded, has_opened = 0.0, out + ends_ms, 0.0, False, False
    while steps.now < out + GIVES_UP_MS and not outcome.ended and not outcome.code:
        steps.step()
        now, at_us = steps.now, steps.now_us
        driver._uart.now = now
        if now >= polled:
            polled += POLL_MS
            if driver.poll(role.report):
                role.order(READER_SAID, role.report, at_us)
        if now >= 1_000.0 and not has_loaded:
            has_loaded = True
            role.order(words.LOAD_SHOE, [words.SHOE_LOAD_NEW, 416, 0], at_us)
        if now >= 3_600.0 and not has_opened:
            has_opened = True
            assert role.open_bets(at_us) == 0
            role.close_bets(messages.CLOSE_CAUSE_COMMAND, at_us)
        if now >= press:
            press += PRESS_AGAIN_MS
            pressed = pressed or now
            role.order(words.END_CARDS, [], at_us)
    outcome.wait_s = (steps.now - pressed) / 1000
