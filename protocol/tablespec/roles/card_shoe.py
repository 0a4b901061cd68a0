"""A card shoe that reads the cards leaving it.

It reports what was dealt from it, never what is still inside.
Reasons 931 to 959.

How a fault is cleared: by `load_shoe`, once measurements show that its cause is gone. Those after
which the content of the shoe is unknown (931 to 934, 941, 948, 949) only by a new shoe; the others
also by the same one, when an operator declares how many cards have left it.
"""

from construct import Struct

from tablespec.core import core_names as core_names
from tablespec.core.controller_keys import Key, Order
from tablespec.core.core_reasons import Reason
from tablespec.core.field_shapes import MAX_MS, Message
from tablespec.core.words import RoleWords
from tablespec.field_types import Names, Ranged, choice, number

CARD_USE: Names = ((1, "round"), (2, "burned"), (3, "void"))
READER_ASK: Names = ((0, "hold"), (1, "hand"), (2, "drop"))
READER_STATE: Names = ((1, "alive"), (2, "failed"), (3, "value"), (4, "counted"))
CORNER: Names = ((0, "unread"), (62, "cut_card"), (63, "foreign"))
SHOE_LOAD: Names = ((1, "new"), (2, "continued"))
SHOE_EVENT: Names = ((1, "new"), (2, "continued"), (3, "cut_card"), (4, "empty"))

_SHOE = "GLI-29: a dealing shoe that fails stops the dealing; hc2023 3:1(7); hc2011 3:1(7)"
_COUNT = f"COMAR 36.05.03.27 C: a deck with a wrong count leaves the table; {_SHOE}"
_BETS = "de-live Bac 2.1.6, BJ 2.1.3: no more bets is said before the first card; hc2023 1:1(4)"
_EXPOSED = "hc2023 3:1(6); hc2011 3:1(6): what is or may be known of a card"
_NEW = "load a whole, shuffled shoe and declare it new"
_ON = "then declare the shoe continued, with the cards that have left it, or a new one"

REASONS: tuple[Reason, ...] = (
    Reason(
        931, "shoe_short", "fault", 2,
        "The shoe is empty, or was declared, with fewer cards than its decks have.",
        f"Search table, discard tray and floor for the missing card, {_NEW}.",
        _COUNT,
    ),
    Reason(
        932, "shoe_long", "fault", 2,
        "The shoe dealt, or was declared with, more cards than its decks have.",
        f"Sort the decks and remove the extra cards, {_NEW}.",
        _COUNT,
    ),
    Reason(
        933, "duplicate_card", "fault", 3,
        "A card occurred more often than there are decks in the shoe.",
        f"Keep the decks unchanged for the examination; {_NEW}.",
        _COUNT,
    ),
    Reason(
        934, "foreign_card", "fault", 2,
        "A card left the shoe that does not belong to its decks: a joker, a different back, a "
        "piece of a card.",
        f"Take it out, complete the decks, {_NEW}.",
        _COUNT,
    ),
    Reason(
        935, "card_unread", "fault", 2,
        "A card left the shoe and the reader could not read both its corners.",
        f"Clean the reader's window, change the card if it is worn, {_ON}.",
        f"{_SHOE}; gr2003 1: a damaged card is replaced before the next shuffle",
    ),
    Reason(
        936, "reads_disagree", "fault", 3,
        "The two corners of one card were read as different cards.",
        f"Examine the card: misprinted, or two stuck together; clean the reader, {_ON}.",
        _SHOE,
    ),
    Reason(
        937, "two_cards", "fault", 2,
        "The passage was too thick for one card, or so long that it had to be thinner; or the "
        "sheet sensor did not see it: it was too quick, or the sensor is broken.",
        f"Separate them and deal no further; pull one card at a time; {_ON}.",
        f"{_EXPOSED}; gr2003 10: a wrong number of cards",
    ),
    Reason(
        938, "card_back", "fault", 2,
        "A card moved back into the shoe, or was drawn only to its mouth.",
        f"Burn the card that was visible, {_ON}. If none was, gate out is blind.",
        _EXPOSED,
    ),
    Reason(
        939, "card_outside", "fault", 2,
        "A card was pulled while no round was open.",
        f"Burn it, {_ON}.",
        _EXPOSED,
    ),
    Reason(
        940, "card_early", "void", 2,
        "A card was pulled while bets were open.",
        "Burn it and return the stakes; close the bets before the first card.",
        _BETS,
    ),
    Reason(
        941, "cut_card_reached", "fault", 1,
        "The cut card was drawn; the last round of this shoe is over. No round was voided by it.",
        f"Shuffle; {_NEW}.",
        "de-live Bac 3.2.2, BJ 3.2: shuffled again at the end once the cut card is reached",
    ),
    Reason(
        942, "shoe_lid_open", "fault", 2,
        "The lid of a loaded shoe was opened.",
        f"Close it; count what is inside; {_ON}.",
        "GLI-29: an open door stops the dealing; de-live Bac 1.2.3: the shoe keeps the game sound",
    ),
    Reason(
        943, "reader_link_lost", "fault", 3,
        "The card reader's serial line has been silent for two seconds.",
        f"Check plug and power of the reader; once it responds, {_ON.removeprefix('then ')}.",
        _SHOE,
    ),
    Reason(
        944, "reader_failed", "fault", 3,
        "The card reader reports a failure.",
        "Look the error number up in its manual; once it no longer reports the failure, "
        f"{_ON.removeprefix('then ')}.",
        _SHOE,
    ),
    Reason(
        945, "card_stuck", "fault", 2,
        "A gate has been covered for longer than a card takes: by a stuck card, or a hand.",
        f"Pull the card out, check that both gates are free, {_ON}.",
        _SHOE,
    ),
    Reason(
        946, "gate_blind", "fault", 3,
        "The outer gate detected something that the inner gate did not detect.",
        f"Clean emitter and receiver of gate in; keep hands off the mouth; {_ON}.",
        "25 CFR 547.8: no play with a fault that affects the outcome",
    ),
    Reason(
        947, "read_without_card", "fault", 3,
        "The reader read a card that did not pass the gates, or its count differs from theirs.",
        f"Count the cards on the table; clean both gates; {_ON}.",
        "25 CFR 547.8: no play with a fault that affects the outcome",
    ),
    Reason(
        948, "cards_unreported", "fault", 2,
        "Cards left the shoe faster than they could be read and recorded.",
        f"Make sure that the host acknowledges; {_NEW}.",
        "hc2023 3:1(7); hc2011 3:1(7)",
    ),
    Reason(
        949, "shoe_unknown", "fault", 2,
        "No shoe was declared since the controller started, or it contains no cards.",
        f"Fill it, {_NEW}.",
        "GLI-29; requirements 27: a deck is locked until it is verified",
    ),
    Reason(
        950, "shoe_exchanged", "void", 2,
        "Another shoe was declared while the round was open.",
        "Settle what is decided, return the other stakes, continue with the new shoe.",
        "hc2023 3:1(7); hc2011 3:1(7): replaced, the round void but for bets won or lost",
    ),
    Reason(
        951, "cut_sensor_stuck", "fault", 3,
        "The cut card's sensor stays active: right after loading, or long after the cut card.",
        f"Put the cut card where it belongs, clean the sensor, {_ON}.",
        "25 CFR 547.8: no play with a fault that affects the outcome",
    ),
    Reason(
        952, "dealing_late", "void", 2,
        "The round was not ended in time after no more bets.",
        "Find out what delays the table; return the stakes.",
        "de-live Bac 2.1.8, BJ 2.1.5; hc2023 1:1(15); hc2011 1:1(14): for the house to judge",
    ),
    Reason(
        953, "too_many_cards", "void", 2,
        "More than 60 cards were dealt in one round.",
        "Return the stakes; end each round before the next is dealt.",
        "gr2003 10: a wrong number of cards; hc2023 1:1(15); hc2011 1:1(14)",
    ),
)  # fmt: skip

KEYS: tuple[Key, ...] = (
    Key(49, "decks", "decks", 1, 8, 8, "of 52 cards in a new shoe"),
    Key(50, "round_burns", "cards", 0, 5, 0, "burned at the start of each round"),
    Key(51, "rounds_after_cut", "rounds", 0, 2, 0, "after the one in which the cut card came"),
    Key(52, "card_ratio", "percent", 150, 1_500, 440, "card over gate distance, calibrated"),
    Key(53, "ratio_slack", "percent", 5, 60, 15, "longer by more: two, or a hand that paused"),
    Key(54, "sheet_limit_raw", "", 100, 3_995, 2_500, "thickness above is more than one card"),
    Key(55, "stuck_ms", "ms", 500, 10_000, 2_500, "a gate covered for longer is a stuck card"),
    Key(56, "read_ms", "ms", 200, 5_000, 1_000, "after a card passed, its value at the latest"),
    Key(57, "dealing_ms", "ms", 30_000, 3_600_000, 600_000, "no more bets to the end, at most"),
    Key(94, "sheet_card_raw", "", 0, 3_945, 0, "thickness of one card, calibrated; 0: not known"),
)
ORDERS: tuple[Order, ...] = (
    Order("sheet_card_raw", "sheet_limit_raw", 50, "one card would be as thick as two"),
)


ROUND_CARDS = 60


def cards(meaning: str, *, unknown: int | None = None) -> Ranged:
    return number("H", "cards", 0, 999, meaning, unknown=unknown)


def check(meaning: str) -> Ranged:
    return number("H", "", 0, 65534, meaning)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x2E, "card_dealt", "table", True,
        Struct(
            "shoe_index" / number("H", "cards", 1, 999, "from the first of the shoe"),
            "round_index" / number(
                "B", "cards", 1, ROUND_CARDS, "of this card in the round", unknown=0
            ),
            "card" / choice("B", core_names.CARD, "rank and suit; unknown: not read", unknown=0),
            "use" / choice("B", CARD_USE, "what it left the shoe for"),
            "passage_ms" / number("H", "ms", 0, 60000, "it took to pass the outer gate"),
        ),
        "A card has left the shoe; sent after its passage, each card once.",
    ),
    Message(
        0x2F, "cards_ended", "table", True,
        Struct(
            "count" / number("B", "cards", 1, ROUND_CARDS, "dealt in this round, none burned"),
            "first" / number("H", "cards", 1, 999, "shoe_index of the first of them"),
            "last" / number("H", "cards", 1, 999, "shoe_index of the last of them"),
            "check_1" / check("sum of the card numbers, modulo 65535"),
            "check_2" / check("sum of those sums after each card, modulo 65535"),
            "dealing_ms" / number("I", "ms", 0, MAX_MS, "no more bets to the end"),
            "last_round" / number("B", "", 0, 1, "1: the cut card came, a new shoe is needed"),
        ),
        "The round is dealt: the count of all card_dealt of the round.",
    ),
    Message(
        0x34, "shoe_report", "table", True,
        Struct(
            "event" / choice("B", SHOE_EVENT, "what happened to the shoe"),
            "decks" / number("B", "decks", 1, 8, "it is configured for"),
            "cards" / cards("declared to be in it when it was new"),
            "drawn" / cards("drawn from it since it was new"),
            "burns" / number("B", "cards", 0, 20, "to be burned before its first round"),
        ),
        "A shoe was declared, its cut card came, or it is empty.",
    ),
    Message(
        0x56, "load_shoe", "host", False,
        Struct(
            "load" / choice("B", SHOE_LOAD, "what is in the shoe now"),
            "cards" / cards("new: cards in it; continued: cards that have left it"),
            "burns" / number("B", "cards", 0, 20, "to be burned before the first round"),
        ),
        "A person declares the contents of the shoe; voids the round named if it is open.",
    ),
    Message(
        0x57, "end_cards", "host", False, Struct(),
        "The round named is completely dealt; refused while a card is still to be reported. It "
        "ends once the reader, within a second, confirms how many cards it has counted; another "
        "card takes it back.",
    ),
)  # fmt: skip

INPUTS: Names = (
    (1, "gate_in"),
    (2, "gate_out"),
    (5, "shoe_cards"),
    (6, "cut_card"),
    (9, "lid"),
    (11, "sheet"),
    (12, "card_reader"),
)
ROLE = RoleWords(
    6,
    "card_shoe",
    MESSAGES,
    "cards_ended",
    REASONS,
    KEYS,
    ORDERS,
    enums=(
        ("CARD_USE", CARD_USE),
        ("READER_ASK", READER_ASK),
        ("READER_STATE", READER_STATE),
        ("CORNER", CORNER),
        ("SHOE_LOAD", SHOE_LOAD),
        ("SHOE_EVENT", SHOE_EVENT),
    ),
    adds=(("WHEEL", ((8, "shoe"),)),),
    inputs=INPUTS,
)
