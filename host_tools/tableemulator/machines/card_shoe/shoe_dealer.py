"""The croupier of a Punto Banco table with a shoe that reads its cards, and one round of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tableemulator.machines.card_shoe.physical_shoe import CUT_CARD, PhysicalShoe, Pull, ShoeSetup
from tableemulator.machines.core.harness import (
    Controller,
    Harness,
    Played,
)
from tablewire import card_shoe as words
from tablewire import messages
from tablewire.codec import Frame

SUITS, RANKS = "CDHS", "23456789TJQKA"


def decks(count: int) -> list[str]:
    """Return so many whole decks, unshuffled."""
    return [rank + suit for _ in range(count) for suit in SUITS for rank in RANKS]


@dataclass
class DealPlan:
    """One planned round. rng: for what bends it. pulls: how a card is pulled, by its place.

    before: what happens to the table before the round; at_close: right after no more bets, at_end:
    before the round is ended. open_s, pause_s, first_s: bets open, between two cards, before the
    first. cards: to be dealt whatever the rules say. early: one is pulled with bets open. walks:
    the croupier goes away after so many cards. repair: what is repaired after the round.
    """

    rng: random.Random
    open_s: float
    pause_s: float
    first_s: float = 1.0
    pulls: dict[int, Pull] = field(default_factory=dict)
    before: list[Callable[[Any], None]] = field(default_factory=list)
    at_close: list[Callable[[Any], None]] = field(default_factory=list)
    at_end: list[Callable[[Any], None]] = field(default_factory=list)
    cards: int | None = None
    early: bool = False
    walks: int | None = None
    end_s: float = 1.0
    fault: str | None = None
    repair: Callable[[Any], None] | None = None


class ShoeCroupier:
    """Draws how each round is dealt; the same seed deals the same."""

    def __init__(self, seed: int | str) -> None:
        self._rng = random.Random(f"{seed}/shoe croupier")

    def plan(self) -> DealPlan:
        """Plan a healthy round."""
        return DealPlan(self._rng, self._rng.uniform(2.0, 6.0), self._rng.uniform(0.5, 1.2))

    def shuffled(self, count: int) -> list[str]:
        """Return decks shuffled, with the cut card seven cards from the end (de-live 1.3.1)."""
        cards = decks(count)
        self._rng.shuffle(cards)
        cards.insert(len(cards) - 7, CUT_CARD)
        return cards

    def pull(self) -> Pull:
        """Draw how a card is pulled: 0.35 to 1.1 m/s, a little faster or slower at the end.

        A slow hand pauses half way, up to 0.6 s: one in five.
        """
        speed, gain = self._rng.uniform(0.35, 1.1), self._rng.uniform(0.85, 1.5)
        return Pull(speed, gain, int(max(0.5 - speed, 0.0) * 4_000_000))


def is_dealt(cards: list[str]) -> bool:
    """Return whether these are all cards of a round of Punto Banco, in the order dealt."""
    if len(cards) < 4:
        return False
    punto, banco = _points(cards[0], cards[2]), _points(cards[1], cards[3])
    if max(punto, banco) >= 8:
        return True
    if punto >= 6:
        return banco >= 6 or len(cards) == 5
    if len(cards) < 5:
        return False
    return len(cards) == 6 or _points(cards[4]) not in _BANK_DRAWS[banco]


def _points(*cards: str) -> int:
    return sum(int(c[0]) if c[0].isdigit() else c[0] == "A" for c in cards) % 10


# By the bank's points: third cards of the punto on which the bank draws (hc2023 3:3(2)).
_BANK_DRAWS = (
    range(10),
    range(10),
    range(10),
    (0, 1, 2, 3, 4, 5, 6, 7, 9),
    range(2, 8),
    range(4, 8),
    (6, 7),
    (),
)


SECOND_US = 1_000_000
FOLLOW_US = 4_500_000
PRESS_AGAIN_US = 7_000_000
# Below this many cards a new shoe is loaded although no cut card came: it was taken for a fault.
FEW = 8
# Numbers of cards on the wire, from 1 (PROTOCOL.md, card_dealt).
_CARDS = ("", *decks(1))


@dataclass(frozen=True, slots=True)
class Deal(Played):
    """What physically happened in one round, and what the table reported of it.

    cards: that left the shoe in it, in their order. dealt: cards the table reported of the round.
    """

    cards: tuple[str, ...]
    dealt: tuple[Frame, ...]

    def truth(self) -> dict[str, object]:
        """Return the truth record: what happened, whatever the table reported."""
        return {"cards": list(self.cards), "fault": self.fault}

    @property
    def reported(self) -> str | None:
        """Return the cards of the round as the table reported them, None for a void."""
        if self.reason is not None:
            return None
        return " ".join(self.named)

    @property
    def named(self) -> list[str]:
        """Return the cards reported as cards of the round, whatever became of it."""
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
        self._is_opening = False
        super().__init__(controller, self.shoe, seed, **options)

    def spin(
        self, inject: Callable[[DealPlan], None] | None = None, name: str | None = None
    ) -> Deal:
        """Play one round, from the shoe made ready until its end and what follows it."""
        plan = self._croupier.plan()
        if inject is not None:
            plan.fault = name
            inject(plan)
        self._make_ready()
        for act in plan.before:
            act(self)
        self._dealt = []
        gone = len(self.shoe.gone)
        self._open()
        self._schedule(plan)
        ended_us, ended = self._until_ended(plan)
        cards = tuple(self.shoe.gone[gone:])
        self._follow(plan, ended_us)
        self._verify_one_end()
        dealt = tuple(f for f in self._dealt if f.round == ended.round)
        return Deal(plan.fault, ended, tuple(self._faults), cards, dealt)

    def _follow(self, plan: DealPlan, ended_us: int) -> None:
        self._wait_until(max(self.now_us, ended_us + FOLLOW_US))
        if plan.repair is not None:
            plan.repair(self)

    # --- the shoe ---------------------------------------------------------------------------

    def declare(self, load: int, cards: int, burns: int = 0) -> None:
        """Have the host say what the shoe holds, and wait until the reader was heard again.

        A host on the port says it itself, when the croupier has filled the shoe.
        """
        if self._has_host:
            self.order(words.LOAD_SHOE, load, cards, burns)
        else:
            self.wait_for_others(lambda: not self.active_faults, "get its shoe declared")
        self._wait_until(self.now_us + 2_500_000)

    def fill(self) -> None:
        """Load a new, whole, shuffled shoe, and declare it."""
        self._wait_until(self.shoe.fill(self.now_us, self._croupier.shuffled(self.setup.decks)))
        self.declare(words.SHOE_LOAD_NEW, 52 * self.setup.decks)

    def _make_ready(self) -> None:
        self._wait_until(self.now_us + SECOND_US)
        if self.active_faults or not self.shoe.cards or len(self.shoe.cards) < FEW:
            self.shoe.free(self.now_us)
            self._wait_until(self.now_us + 2 * SECOND_US)
            if self.active_faults and self.shoe.cards and self.shoe.cards[0] != CUT_CARD:
                # What a person counts on the tables; the host may have it go on.
                self.declare(words.SHOE_LOAD_CONTINUED, len(self.shoe.gone))
        if self.active_faults or len(self.shoe.cards) < FEW:
            self.fill()
        while self.shoe.cards[0] == CUT_CARD and not self.active_faults:
            self._wait_until(self.shoe.pull(self.now_us, Pull()) + 2 * SECOND_US)
            self._make_ready()

    # --- one round --------------------------------------------------------------------------

    def _open(self) -> None:
        self._opened, self._ended, self._faults = None, [], []
        self._is_opening = True
        self.shoe.press(self.now_us + 100_000)
        self.schedule(self.now_us + PRESS_AGAIN_US, lambda table: table.press_again())
        try:
            self._begin_round()
        finally:
            self._is_opening = False

    def press_again(self) -> None:
        """Press again while no bets are open: the table may have been busy, or its host away."""
        if self._is_opening and self._opened is None:
            self.shoe.press(self.now_us)
            self.schedule(self.now_us + PRESS_AGAIN_US, lambda table: table.press_again())

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

    def _read(self, when: int, frame: Frame) -> None:
        is_new = (frame.boot, frame.counter) not in self._counters
        super()._read(when, frame)
        if not is_new or not frame.flags & messages.FLAG_DURABLE:
            return
        if frame.type == words.CARD_DEALT:
            self._dealt.append(frame)
