"""What goes wrong at a card shoe, as physics, and the code the table must report.

Each is a hand, a card, a beam or a plug, and bends one planned round.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from tableemulator.machines.card_shoe.physical_shoe import (
    CUT_CARD,
    GATE_IN,
    GATE_OUT,
    LID,
    UNREAD,
    Pull,
)
from tableemulator.machines.card_shoe.shoe_dealer import DealPlan
from tableemulator.machines.core import fault_actions as common
from tableemulator.machines.core.board_pins import TILT
from tableemulator.machines.core.fault_actions import Fault
from tablewire import card_shoe as words
from tablewire import codes

_MS = 1_000


def _pull(plan: DealPlan, **pull: Any) -> None:
    """Bend how one of the first four cards is pulled, which every round has."""
    usual = Pull(plan.rng.uniform(0.35, 1.1), plan.rng.uniform(0.85, 1.5))
    plan.pulls[plan.rng.randrange(4)] = replace(usual, **pull)


def _stack(plan: DealPlan, *cards: str) -> None:
    """Lay cards on top of those in the shoe, when the round begins."""

    def act(table: Any) -> None:
        table.shoe.cards[:0] = list(cards)

    plan.before.append(act)


def stuck_together(plan: DealPlan) -> None:
    _pull(plan, second=plan.rng.uniform(0.0, 4.0))


def two_at_once(plan: DealPlan) -> None:
    _pull(plan, second=plan.rng.uniform(4.0, 84.0))


def next_behind(plan: DealPlan) -> None:
    _pull(plan, second=plan.rng.uniform(92.0, 105.0))


def pushed_back(plan: DealPlan) -> None:
    _pull(plan, back_mm=plan.rng.uniform(22.0, 86.0))


def read_and_pushed_back(plan: DealPlan) -> None:
    _pull(plan, back_mm=plan.rng.uniform(92.0, 106.0))


def peeked_at(plan: DealPlan) -> None:
    _pull(plan, back_mm=plan.rng.uniform(3.0, 19.0))


def joker(plan: DealPlan) -> None:
    _stack(plan, "JK")


def half_a_card(plan: DealPlan) -> None:
    _pull(plan, share=plan.rng.uniform(0.3, 0.55))


def dirty_corner(plan: DealPlan) -> None:
    _pull(plan, corners=plan.rng.choice([(None, UNREAD), (UNREAD, None)]))


def blank(plan: DealPlan) -> None:
    _pull(plan, corners=(UNREAD, UNREAD))


def misread(plan: DealPlan) -> None:
    _pull(plan, corners=("2C", "3D"))


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
    plan.at_close.append(
        lambda table: table.schedule(table.now_us + 5_000 * _MS, lambda t: t.shoe.empty(t.now_us))
    )


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


def lift_lid(plan: DealPlan) -> None:
    plan.at_close.append(lambda table: table.shoe.set_input(table.now_us + 1_500 * _MS, LID, 1))


def unplug(plan: DealPlan) -> None:
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
    _pull(plan, blind=(GATE_IN,))


def outer_gate_blind(plan: DealPlan) -> None:
    _pull(plan, blind=(GATE_OUT,))


def counted_twice(plan: DealPlan) -> None:
    _pull(plan, twice=True)


def gates_blind(plan: DealPlan) -> None:
    _pull(plan, blind=(GATE_IN, GATE_OUT))
    plan.pause_s = 3.0


def host_away(plan: DealPlan) -> None:
    plan.cards, plan.pause_s = 50, 0.5
    plan.at_close.append(lambda table: table.stop_acknowledging())
    plan.repair = lambda table: table.acknowledge_again()


def power_cut(plan: DealPlan) -> None:
    plan.at_close.append(
        lambda table: table.schedule(table.now_us + 3_000 * _MS, lambda t: t.cut_power())
    )


def exchange(plan: DealPlan) -> None:
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


FAULTS: tuple[Fault, ...] = (
    Fault("cards_lifted", words.SHOE_SHORT, "shoe", "all cards are lifted out", lifted_out),
    Fault(
        "cards_slipped_in",
        words.SHOE_LONG,
        "shoe",
        "it deals more cards than its decks have",
        slipped_in,
    ),
    Fault(
        "duplicate",
        words.DUPLICATE_CARD,
        "deck",
        "a cheat's decks: one card appears again and again",
        printed_twice,
    ),
    Fault("joker", words.FOREIGN_CARD, "deck", "a joker was left in it", joker),
    Fault("torn_card", words.FOREIGN_CARD, "deck", "half a card is dealt", half_a_card),
    Fault("dirty_corner", words.CARD_UNREAD, "reader", "one corner is dirty", dirty_corner),
    Fault("blank_card", words.CARD_UNREAD, "reader", "reads neither corner", blank),
    Fault("corners_differ", words.READS_DISAGREE, "reader", "reads two cards in one", misread),
    Fault(
        "stuck_together",
        words.TWO_CARDS,
        "hand",
        "two cards are drawn as one, edge to edge",
        stuck_together,
    ),
    Fault("two_at_once", words.TWO_CARDS, "hand", "two cards overlap", two_at_once),
    Fault(
        "next_behind",
        words.TWO_CARDS,
        "hand",
        "the next one follows too closely",
        next_behind,
    ),
    Fault("pushed_back", words.CARD_BACK, "hand", "pushes the card back", pushed_back),
    Fault(
        "read_and_pushed_back",
        words.CARD_BACK,
        "hand",
        "pushes it back when it is almost out",
        read_and_pushed_back,
    ),
    Fault("peeked_at", words.CARD_BACK, "hand", "draws a card to the mouth only", peeked_at),
    Fault("outer_gate_blind", words.CARD_BACK, "gate out", "detects nothing", outer_gate_blind),
    Fault(
        "pulled_outside",
        words.CARD_OUTSIDE,
        "hand",
        "pulls one after the round was stopped",
        pulled_outside,
        void_code=codes.CROUPIER_VOID,
    ),
    Fault("pulled_early", words.CARD_EARLY, "hand", "pulls one with bets open", pulled_early),
    Fault(
        "cut_card_next",
        words.CUT_CARD_REACHED,
        "shoe",
        "the cut card is drawn",
        cut_card_next,
        voids=False,
    ),
    Fault("lid_lifted", words.SHOE_LID_OPEN, "lid", "opened", lift_lid),
    Fault("unplugged", words.READER_LINK_LOST, "reader", "it is unplugged", unplug),
    Fault("reader_error", words.READER_FAILED, "reader", "reports an error", reader_error),
    Fault(
        "stands_in_the_mouth",
        words.CARD_STUCK,
        "hand",
        "leaves a card half out",
        stands_in_the_mouth,
    ),
    Fault("inner_gate_blind", words.GATE_BLIND, "gate in", "detects nothing", inner_gate_blind),
    Fault(
        "counted_twice", words.READ_WITHOUT_CARD, "reader", "counts one card twice", counted_twice
    ),
    Fault("gates_blind", words.READ_WITHOUT_CARD, "gates", "detect nothing", gates_blind),
    Fault(
        "host_away",
        words.CARDS_UNREPORTED,
        "host",
        "acknowledges nothing, and 50 cards are dealt",
        host_away,
    ),
    Fault(
        "power_cut_dealing",
        words.SHOE_UNKNOWN,
        "controller",
        "its power fails",
        power_cut,
        void_code=codes.SYSTEM_INTERRUPTION,
    ),
    Fault(
        "shoe_exchanged",
        words.SHOE_EXCHANGED,
        "host",
        "another shoe is declared",
        exchange,
    ),
    Fault(
        "cut_sensor_sticks",
        words.CUT_SENSOR_STUCK,
        "cut sensor",
        "stays active when the cut card is out",
        cut_sensor_sticks,
    ),
    Fault("walks_away", words.DEALING_LATE, "croupier", "goes away", walks_away),
    Fault("never_ends", words.TOO_MANY_CARDS, "croupier", "deals 62 cards", never_ends),
    replace(common.TILT, inject=leaned_on),
)
