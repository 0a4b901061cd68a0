"""A whole emulated card table with a shoe that reads: shoe, croupier, controller and pit host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hil_tests.emulators.card_shoe.model import CUT_CARD, PhysicalShoe, Pull
from hil_tests.emulators.card_shoe_hands import DealPlan, ShoeCroupier, decks, is_dealt
from hil_tests.emulators.core.harness import OPEN_WITHIN_US, Controller, Harness
from hil_tests.emulators.played import Played
from tablewire import card_shoe as words
from tablewire import messages
from tablewire.codec import Frame

SECOND_US = 1_000_000
FOLLOW_US = 4_500_000
# Below this many cards a new shoe is loaded although no cut card came: it was taken for a fault.
FEW = 8
# Numbers of cards on the wire, from 1 (PROTOCOL.md, card_dealt).
_CARDS = ("", *decks(1))


@dataclass(frozen=True, slots=True)
class ShoeSetup:
    """One shoe as it was built and is played from."""

    decks: int = 8

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {"role": messages.ROLE_CARD_SHOE, "decks": self.decks, "dealing_ms": 120_000}

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture says of it."""
        return {"table": "card_shoe", "decks": self.decks}


@dataclass(frozen=True, slots=True)
class Deal(Played):
    """What physically happened in one round, and what the table said of it.

    cards: that left the shoe in it, in their order. dealt: cards the table told of the round.
    """

    cards: tuple[str, ...]
    dealt: tuple[Frame, ...]

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table said."""
        return {"cards": list(self.cards), "fault": self.fault}

    @property
    def told(self) -> str | None:
        """Return the cards of the round as the table told them, None for a void."""
        if self.reason is not None:
            return None
        return " ".join(self.named)

    @property
    def named(self) -> list[str]:
        """Return the cards told as cards of the round, whatever became of it."""
        own = [f.values for f in self.dealt if f.values[3] == words.CARD_USE_ROUND]
        return [_CARDS[values[2]] for values in own]

    @property
    def true(self) -> str:
        """Return what happened, in the same words."""
        return " ".join(self.cards)


class ShoeTable(Harness):
    """One table. options: see Harness; noise has no meaning here."""

    def __init__(
        self,
        controller: Controller,
        setup: ShoeSetup,
        seed: int | str,
        *,
        noise: str = "healthy",
        **options: Any,
    ) -> None:
        self.setup = setup
        self.shoe = PhysicalShoe(seed)
        self._croupier = ShoeCroupier(seed)
        self._dealt: list[Frame] = []
        self._standing: set[int] = set()
        super().__init__(controller, self.shoe, seed, **options)

    def spin(
        self, mishap: Callable[[DealPlan], None] | None = None, name: str | None = None
    ) -> Deal:
        """Play one round, from the shoe made ready until its end and what follows it."""
        plan = self._croupier.plan()
        if mishap is not None:
            plan.fault = name
            mishap(plan)
        self._make_ready()
        for act in plan.before:
            act(self)
        self._dealt = []
        gone = len(self.shoe.gone)
        self._open()
        self._schedule(plan)
        ended_us, ended = self._until_ended()
        cards = tuple(self.shoe.gone[gone:])
        self._agenda.clear()
        self._wait_until(max(self.now_us, ended_us + FOLLOW_US))
        if plan.repair is not None:
            plan.repair(self)
        self._verify_one_end()
        dealt = tuple(f for f in self._dealt if f.round == ended.round)
        return Deal(plan.fault, ended, tuple(self._faults), cards, dealt)

    # --- the shoe ---------------------------------------------------------------------------

    def declare(self, load: int, cards: int, burns: int = 0) -> None:
        """Have the host say what the shoe holds, and wait until the reader was heard again.

        A host on the port says it itself, when the croupier has filled the shoe.
        """
        if self._has_host:
            self.order(words.LOAD_SHOE, load, cards, burns)
        else:
            self._wait(lambda: not self._standing, OPEN_WITHIN_US, "get its shoe declared")
        self._wait_until(self.now_us + 2_500_000)

    def fill(self) -> None:
        """Load a new, whole, shuffled shoe, and declare it."""
        self._wait_until(self.shoe.fill(self.now_us, self._croupier.shuffled(self.setup.decks)))
        self.declare(words.SHOE_LOAD_NEW, 52 * self.setup.decks)

    def _make_ready(self) -> None:
        self._wait_until(self.now_us + SECOND_US)
        if self._standing or not self.shoe.cards or len(self.shoe.cards) < FEW:
            self.shoe.free(self.now_us)
            self._wait_until(self.now_us + 2 * SECOND_US)
            if self._standing and self.shoe.cards and self.shoe.cards[0] != CUT_CARD:
                # What a person counts on the tables; the host may have it go on.
                self.declare(words.SHOE_LOAD_CONTINUED, len(self.shoe.gone))
        if self._standing or len(self.shoe.cards) < FEW:
            self.fill()
        while self.shoe.cards[0] == CUT_CARD and not self._standing:
            self._wait_until(self.shoe.pull(self.now_us, Pull()) + 2 * SECOND_US)
            self._make_ready()

    # --- one round --------------------------------------------------------------------------

    def _open(self) -> None:
        self._opened, self._ended, self._faults = None, [], []
        self.shoe.press(self.now_us + 100_000)
        self._begin_round()

    def _schedule(self, plan: DealPlan) -> None:
        open_us = int(plan.open_s * SECOND_US)
        if plan.early:
            self.schedule(
                self.now_us + open_us // 2, lambda t: t.shoe.pull(t.now_us, self._croupier.pull())
            )
        self.schedule(self.now_us + open_us, lambda table: table.close(plan))

    def close(self, plan: DealPlan) -> None:
        """Say that there are no more bets, and deal."""
        self.shoe.press(self.now_us)
        for act in plan.at_close:
            act(self)
        begun = len(self.shoe.gone)
        after_us = self.now_us + 300_000 + int(plan.first_s * SECOND_US)
        self.schedule(after_us, lambda table: table.deal(plan, begun, 0))

    def deal(self, plan: DealPlan, begun: int, place: int) -> None:
        """Pull the next card, or end the round when all are dealt."""
        dealt = self.shoe.gone[begun:]
        is_over = is_dealt(dealt) if plan.cards is None else len(dealt) >= plan.cards
        if plan.walks is not None and place >= plan.walks:
            return
        if is_over and not (self.shoe.cards and self.shoe.cards[0] == CUT_CARD):
            for act in plan.at_end:
                act(self)
            self.schedule(
                self.now_us + int(plan.end_s * SECOND_US), lambda t: t.shoe.press(t.now_us)
            )
            return
        if not self.shoe.cards:
            return
        is_cut = self.shoe.cards[0] == CUT_CARD
        pull = self._croupier.pull()
        pull = pull if is_cut else plan.pulls.get(place, pull)
        end_us = self.shoe.pull(self.now_us, pull)
        next_us = end_us + int(plan.pause_s * SECOND_US)
        self.schedule(next_us, lambda table: table.deal(plan, begun, place + (not is_cut)))

    # --- the host ---------------------------------------------------------------------------

    def stop_acknowledging(self) -> None:
        """The host is away: nothing it would have stored is acknowledged."""
        self._acknowledge = False

    def acknowledge_again(self) -> None:
        """It is back."""
        self._acknowledge = True

    def _read(self, when: int, frame: Frame) -> None:
        is_new = (frame.boot, frame.counter) not in self._seen
        super()._read(when, frame)
        if not is_new or not frame.flags & messages.FLAG_DURABLE:
            return
        self._seen.add((frame.boot, frame.counter))
        if frame.type == words.CARD_DEALT:
            self._dealt.append(frame)
        elif frame.type == messages.FAULT_RAISED:
            self._standing.add(frame.values[0])
        elif frame.type == messages.FAULT_CLEARED:
            self._standing.discard(frame.values[0])
