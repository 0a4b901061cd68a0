"""The people at a card table with a shuffler, and one round of it.

A round: the deck is shuffled, the shoe released, bets open and close, cards are dealt, the host
ends it. A fault happens to the deck of the next round, shuffled while cards are dealt. Only the
machine knows the order of the cards: nothing here looks at it. On a port its reader is the host:
rounds open, close and end on its commands, and it takes its time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tableemulator.machines.core.harness import (
    OPEN_WITHIN_US,
    SLICE_US,
    Controller,
    Harness,
    Played,
    TableStalled,
)
from tableemulator.machines.shuffler.physical_shuffler import (
    CardMachine,
    CardShuffler,
    ShufflerSetup,
    TalkingShuffler,
    Trouble,
    deck_of,
)
from tablewire import messages
from tablewire import shuffler as words
from tablewire.codec import Frame

BETTING_US = 5_000_000
DEALING_US = 12_000_000
# The machine is at rest so long before its shuffle counts, and when it was repaired.
SETTLE_MS = 2_000
REPAIRED_US = 35_000_000


@dataclass(frozen=True, slots=True)
class Dealt(Played):
    """One round. counted: cards into and out of the last deck verified before it, as reported.

    fed, dealt: cards that truly went in and came out in the last pass of all.
    """

    counted: tuple[int, int]
    verified: tuple[int, int]
    fed: int
    dealt: int

    def truth(self) -> dict[str, object]:
        """Return the truth record: counts and what happened, never a card."""
        return {"cards_in": self.fed, "cards_out": self.dealt, "fault": self.fault}

    @property
    def reported(self) -> str | None:
        """Return what the table said of the deck that was dealt from, None for a void."""
        return None if self.reason is not None else "ended, {} in, {} out".format(*self.counted)

    @property
    def true(self) -> str:
        """Return what happened, in the same words."""
        return "ended, {} in, {} out".format(*self.verified)


@dataclass(slots=True)
class CardPlan:
    """One round as it is to be played.

    dealing(table): what the croupier does when he deals; provoke(table): what happens to it then.
    """

    fault: str | None = None
    dealing: Callable[[Any], None] | None = None
    provoke: Callable[[Any], None] | None = None


class ShufflerTable(Harness):
    """One card table. noise: of its machine; options: see Harness."""

    def __init__(
        self,
        controller: Controller,
        setup: ShufflerSetup,
        seed: int | str,
        *,
        noise: str = "healthy",
        **options: Any,
    ) -> None:
        self.setup = setup
        self.machine = CardMachine(setup, seed, noise)
        self._shoe = words.SHOE_LOCKED
        self._counted = (0, 0)
        self._closed = self._declared = False
        super().__init__(controller, self.machine, seed, **options)

    @property
    def shuffler(self) -> CardShuffler:
        """Return the machine with its deck."""
        return self.machine.shuffler

    @property
    def talker(self) -> TalkingShuffler | None:
        """Return the machine's own line, None if it has none."""
        return self.machine.talker

    def spin(
        self, inject: Callable[[CardPlan], None] | None = None, name: str | None = None
    ) -> Dealt:
        """Play one round from the shuffle before it until its end, and repair what broke."""
        plan = CardPlan()
        if inject is not None:
            plan.fault = name
            inject(plan)
        self._release_shoe()
        self._open()
        verified = self._passed()
        self._close()
        dealt_us = self.now_us + DEALING_US
        self._until(lambda: self.now_us >= dealt_us or (not self._has_host and bool(self._ended)))
        if plan.dealing is not None:
            plan.dealing(self)
        if plan.provoke is not None:
            plan.provoke(self)
        passed = self._passed()
        if not self._has_host:
            self._until(lambda: bool(self._ended))
        elif not self._ended:
            self.order(words.END_ROUND)
        _ended_us, ended = self._until_ended(plan)
        counted = self._counted
        if plan.provoke is not None:
            self.repair()
        self._verify_one_end()
        return Dealt(plan.fault, ended, tuple(self._faults), counted, verified, *passed)

    def _open(self) -> None:
        if self._has_host:
            self._opened = None
            self.order(messages.OPEN_BETS)
        while not self._has_host and self._opened is None:
            self._until(lambda: self._declared or self._opened is not None)
            if self._declared:  # the deck he declares has to be shuffled
                self._release_shoe()
        self._begin_round()

    def _close(self) -> None:
        if not self._has_host:
            self._until(lambda: self._closed or bool(self._ended))
            return
        self._wait_until(self.now_us + BETTING_US)
        self.order(messages.CLOSE_BETS)

    def _until(self, done: Callable[[], bool]) -> None:
        while not done():
            self.step(self.now_us + SLICE_US)

    def _passed(self) -> tuple[int, int]:
        if self.talker is not None:
            return self.talker.cards, self.talker.cards
        return self.shuffler.fed, self.shuffler.dealt

    def _release_shoe(self) -> None:
        self._shoe, self._declared = 0, False
        for _ in range(self.setup.passes):
            self.shuffle()
        if self._shoe == words.SHOE_LOCKED and self._has_host:
            raise TableStalled("a healthy deck was not verified")

    def repair(self) -> None:
        """Put right what it was: cards counted, plugs in, gates clean, and say so."""
        if self.talker is not None:
            self.talker.unplugged, self.talker.error = False, 0
        shuffler = self.shuffler
        shuffler.light = dict.fromkeys(shuffler.light, 1.0)
        cleared_us = shuffler.clear(self.now_us, deck_of(self.setup.cards))
        self._wait_until(cleared_us + REPAIRED_US)
        if self._has_host:
            self._declared = False
            self.declare(words.REPLACEMENT_DECK)
            self.wait(lambda: self._declared, OPEN_WITHIN_US, "accept another deck")

    def _read(self, when: int, frame: Frame) -> None:
        is_new = (frame.boot, frame.counter) not in self._counters
        super()._read(when, frame)
        if not is_new:
            return
        if frame.type == words.SHOE_CHANGED:
            self._shoe = frame.values[0]
            self._declared |= bool(frame.values[2])
        elif frame.type == messages.ROUND_OPENED:
            self._closed = False
        elif frame.type == messages.BETS_CLOSED:
            self._closed = True
        elif frame.type == words.SHUFFLE_DONE and frame.values[5] == words.VERDICT_VERIFIED:
            self._counted = (frame.values[0], frame.values[1])

    # --- hands, as the fault catalogue of the shuffler uses them --------------------------

    def run(self, until_us: int) -> None:
        """Let time pass."""
        self._wait_until(until_us)

    def shuffle(self, trouble: Trouble | None = None, *, wait_ms: int = SETTLE_MS) -> None:
        """Shuffle once, and wait a little."""
        if self.talker is not None:
            end_us = self.talker.shuffle(self.now_us)
        else:
            end_us = self.shuffler.shuffle(self.now_us, trouble)
        self.run(end_us + wait_ms * 1000)

    def declare(self, replacement: int) -> None:
        """Have the host say what took the place of what failed, and let a moment pass."""
        self.order(words.DECLARE_REPLACEMENT, replacement)
        self.run(self.now_us + 200_000)

    def switch_on(self) -> None:
        """Power the controller off and on."""
        self.cut_power()
