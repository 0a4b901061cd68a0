"""What befalls a card shoe: each bends one planned round, as physics."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from hil_tests.emulators.card_shoe.model import CUT_CARD, GATE_IN, GATE_OUT, LID, Pull
from hil_tests.emulators.card_shoe_hands import DealPlan
from hil_tests.emulators.geometry import TILT
from tablewire import card_shoe as words

_MS = 1_000


def _pulled(plan: DealPlan, **pull: Any) -> None:
    """Bend how one of the first four cards is pulled, which every round has."""
    usual = Pull(plan.rng.uniform(0.35, 1.1), plan.rng.uniform(0.85, 1.5))
    plan.pulls[plan.rng.randrange(4)] = replace(usual, **pull)


def _stack(plan: DealPlan, *cards: str) -> None:
    """Lay cards on top of those in the shoe, when the round begins."""

    def act(table: Any) -> None:
        table.shoe.cards[:0] = list(cards)

    plan.before.append(act)


def stuck_together(plan: DealPlan) -> None:
    _pulled(plan, second=plan.rng.uniform(0.0, 4.0))


def two_at_once(plan: DealPlan) -> None:
    _pulled(plan, second=plan.rng.uniform(4.0, 84.0))


def next_behind(plan: DealPlan) -> None:
    _pulled(plan, second=plan.rng.uniform(92.0, 105.0))


def pushed_back(plan: DealPlan) -> None:
    _pulled(plan, back_mm=plan.rng.uniform(22.0, 86.0))


def read_and_pushed_back(plan: DealPlan) -> None:
    _pulled(plan, back_mm=plan.rng.uniform(92.0, 106.0))


def peeked_at(plan: DealPlan) -> None:
    _pulled(plan, back_mm=plan.rng.uniform(3.0, 19.0))


def joker(plan: DealPlan) -> None:
    _stack(plan, "JK")


def half_a_card(plan: DealPlan) -> None:
    _pulled(plan, share=plan.rng.uniform(0.3, 0.55))


def dirty_corner(plan: DealPlan) -> None:
    _pulled(plan, corners=plan.rng.choice([(None, "??"), ("??", None)]))


def blank(plan: DealPlan) -> None:
    _pulled(plan, corners=("??", "??"))


def misread(plan: DealPlan) -> None:
    _pulled(plan, corners=("2C", "3D"))


def printed_twice(plan: DealPlan) -> None:
    plan.cards = 12
    _stack(plan, *["9H"] * 12)


def slipped_in(plan: DealPlan) -> None:
    """Cards more than the decks have: a person counted so, two before the end."""

    def act(table: Any) -> None:
        table.declare(words.SHOE_LOAD_CONTINUED, 52 * table.setup.decks - 2)

    plan.before.append(act)


def lifted_out(plan: DealPlan) -> None:
    plan.walks = 2
    plan.at_close.append(lambda table: table.schedule(
        table.now_us + 5_000 * _MS, lambda t: t.shoe.empty(t.now_us)
    ))  # fmt: skip


def pulled_early(plan: DealPlan) -> None:
    plan.early = True


def pulled_outside(plan: DealPlan) -> None:
    """The croupier stops the round, and then pulls one more."""
    plan.walks = 0

    def act(table: Any) -> None:
        table.shoe.press(table.now_us + 1_000 * _MS, ms=1_800)
        table.shoe.pull(table.now_us + 4_000 * _MS, Pull())

    plan.at_close.append(act)


def cut_card_next(plan: DealPlan) -> None:
    def act(table: Any) -> None:
        cards = [card for card in table.shoe.cards if card != CUT_CARD]
        table.shoe.cards = [*cards[:3], CUT_CARD, *cards[3:]]

    plan.before.append(act)


def cut_sensor_sticks(plan: DealPlan) -> None:
    cut_card_next(plan)
    plan.end_s = 9.0
    plan.at_close.append(lambda table: setattr(table.shoe, "stuck_cut", True))


def lid_lifted(plan: DealPlan) -> None:
    plan.at_close.append(lambda table: table.shoe.set_input(table.now_us + 1_500 * _MS, LID, 1))


def unplugged(plan: DealPlan) -> None:
    plan.first_s = 6.0
    plan.at_close.append(lambda table: setattr(table.shoe, "unplugged", True))


def reader_error(plan: DealPlan) -> None:
    plan.first_s = 4.0
    plan.at_close.append(lambda table: setattr(table.shoe, "error", 42))


def stands_in_the_mouth(plan: DealPlan) -> None:
    place = plan.rng.randrange(4)
    plan.pulls[place] = Pull(stop_mm=plan.rng.uniform(4.0, 100.0))
    plan.walks = place + 1


def inner_gate_blind(plan: DealPlan) -> None:
    _pulled(plan, blind=(GATE_IN,))


def outer_gate_blind(plan: DealPlan) -> None:
    _pulled(plan, blind=(GATE_OUT,))


def gates_blind(plan: DealPlan) -> None:
    _pulled(plan, blind=(GATE_IN, GATE_OUT))
    plan.pause_s = 3.0


def host_away(plan: DealPlan) -> None:
    plan.cards, plan.pause_s = 50, 0.5
    plan.at_close.append(lambda table: table.stop_acknowledging())
    plan.repair = lambda table: table.acknowledge_again()


def power_cut(plan: DealPlan) -> None:
    plan.at_close.append(
        lambda table: table.schedule(table.now_us + 3_000 * _MS, lambda t: t.cut_power())
    )


def exchanged(plan: DealPlan) -> None:
    plan.walks = 2

    def act(table: Any) -> None:
        load = partial(
            table.order, words.LOAD_SHOE, words.SHOE_LOAD_NEW, 52 * table.setup.decks, 0
        )
        table.schedule(table.now_us + 5_000 * _MS, lambda _table: load())

    plan.at_close.append(act)


def leaned_on(plan: DealPlan) -> None:
    def act(table: Any) -> None:
        table.shoe.set_input(table.now_us + 2_000 * _MS, TILT, 1)
        table.shoe.set_input(table.now_us + 2_400 * _MS, TILT, 0)

    plan.at_close.append(act)


def walks_away(plan: DealPlan) -> None:
    plan.walks = 3


def never_ends(plan: DealPlan) -> None:
    plan.cards, plan.pause_s = 62, 0.5
