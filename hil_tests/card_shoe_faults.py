"""The fault catalogue of the card shoe: see faults.py. Each is a hand, card, beam or plug."""

from __future__ import annotations

from hil_tests.emulators.card_shoe import faults as mishaps
from hil_tests.faults import Fault
from tablewire import card_shoe as words
from tablewire import codes

FAULTS: tuple[Fault, ...] = (
    Fault(
        "cards_lifted", words.SHOE_SHORT, "shoe", "all cards are lifted out", mishaps.lifted_out
    ),
    Fault(
        "cards_slipped_in", words.SHOE_LONG, "shoe",
        "more cards come than its decks have", mishaps.slipped_in,
    ),
    Fault(
        "duplicate", words.DUPLICATE_CARD, "deck",
        "a cheat's decks: one card comes again and again", mishaps.printed_twice,
    ),
    Fault("joker", words.FOREIGN_CARD, "deck", "a joker was left in it", mishaps.joker),
    Fault("torn_card", words.FOREIGN_CARD, "deck", "half a card comes", mishaps.half_a_card),
    Fault(
        "dirty_corner", words.CARD_UNREAD, "reader", "one corner is dirty", mishaps.dirty_corner
    ),
    Fault("blank_card", words.CARD_UNREAD, "reader", "reads neither corner", mishaps.blank),
    Fault(
        "corners_differ", words.READS_DISAGREE, "reader", "reads two cards in one", mishaps.misread
    ),
    Fault(
        "stuck_together", words.TWO_CARDS, "hand",
        "two cards come as one, edge on edge", mishaps.stuck_together,
    ),
    Fault(
        "two_at_once", words.TWO_CARDS, "hand", "two cards overlap", mishaps.two_at_once
    ),
    Fault(
        "next_behind", words.TWO_CARDS, "hand", "the next one comes at its heels",
        mishaps.next_behind,
    ),
    Fault("pushed_back", words.CARD_BACK, "hand", "pushes the card back", mishaps.pushed_back),
    Fault(
        "read_and_pushed_back", words.CARD_BACK, "hand",
        "pushes it back when it is all but out", mishaps.read_and_pushed_back,
    ),
    Fault(
        "peeked_at", words.CARD_BACK, "hand", "draws a card to the mouth only", mishaps.peeked_at
    ),
    Fault(
        "outer_gate_blind", words.CARD_BACK, "gate out", "sees nothing", mishaps.outer_gate_blind
    ),
    Fault(
        "pulled_outside", words.CARD_OUTSIDE, "hand", "pulls one after the round was stopped",
        mishaps.pulled_outside, void_code=codes.CROUPIER_VOID,
    ),
    Fault(
        "pulled_early", words.CARD_EARLY, "hand", "pulls one with bets open", mishaps.pulled_early
    ),
    Fault(
        "cut_card_next", words.CUT_CARD_REACHED, "shoe", "the cut card comes",
        mishaps.cut_card_next,
    ),
    Fault("lid_lifted", words.SHOE_LID_OPEN, "lid", "opened", mishaps.lid_lifted),
    Fault(
        "unplugged", words.READER_LINK_LOST, "reader", "its plug is drawn", mishaps.unplugged
    ),
    Fault("reader_error", words.READER_FAILED, "reader", "says so", mishaps.reader_error),
    Fault(
        "stands_in_the_mouth", words.CARD_STUCK, "hand", "leaves a card half out",
        mishaps.stands_in_the_mouth,
    ),
    Fault(
        "inner_gate_blind", words.GATE_BLIND, "gate in", "sees nothing", mishaps.inner_gate_blind
    ),
    Fault(
        "gates_blind", words.READ_WITHOUT_CARD, "gates", "see nothing", mishaps.gates_blind
    ),
    Fault(
        "host_away", words.CARDS_UNTOLD, "host", "acknowledges nothing, and 50 cards are dealt",
        mishaps.host_away,
    ),
    Fault(
        "power_cut_dealing", words.SHOE_UNKNOWN, "controller", "its power fails",
        mishaps.power_cut, void_code=codes.SYSTEM_INTERRUPTION,
    ),
    Fault(
        "shoe_exchanged", words.SHOE_EXCHANGED, "host", "another shoe is declared",
        mishaps.exchanged,
    ),
    Fault(
        "cut_sensor_sticks", words.CUT_SENSOR_STUCK, "cut sensor",
        "stays active when the cut card is out", mishaps.cut_sensor_sticks,
    ),
    Fault(
        "walks_away", words.DEALING_LATE, "croupier", "goes away", mishaps.walks_away
    ),
    Fault(
        "never_ends", words.TOO_MANY_CARDS, "croupier", "deals 62 cards", mishaps.never_ends
    ),
    Fault("tilt", codes.TILT, "table", "someone leans on it", mishaps.leaned_on),
)  # fmt: skip

# Faults that void no round.
QUIET = ("cut_card_next",)
