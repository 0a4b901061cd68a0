"""A card shuffler and its shoe.

A card shuffler, its shoe, and the rounds of a card table: counts and times, never a card.
Reasons 800 to 899: a card shuffler and its shoe.

How each is cleared: by a complete, verified shuffle once its cause is gone by measurement; the
five that make the deck itself suspect (801 to 803, 813, 815) only by a declared replacement, which
for all but a manual shoe requires the verified shuffle as well.
"""

from construct import Struct

from tablespec.core.controller_keys import Key, Order
from tablespec.core.core_reasons import Reason
from tablespec.core.field_shapes import MAX_MS, Message, concerned, reason
from tablespec.core.words import RoleWords
from tablespec.field_types import Names, Ranged, choice, number

SHOE: Names = ((1, "locked"), (2, "unlocked"), (3, "replaced"))
REPLACEMENT: Names = ((1, "shuffler"), (2, "manual_shoe"), (3, "deck"))
VERDICT: Names = ((1, "verified"), (2, "refused"))
SHUFFLER_STATE: Names = ((1, "ready"), (2, "shuffling"), (3, "error"))

_C1 = "hc2023 3:1(7); hc2011 3:1(7): replaced, the round void but for bets won or lost"
_COUNT = f"{_C1}; COMAR 36.05.03.27 C: a deck with a wrong count leaves the table"
_MACHINE = f"{_C1}; GLI-29: a jam, a stall or an open door stops the dealing"
_DECLARE = "then declare the replacement of deck, shuffler or shoe"
_SHUFFLE = "it clears with the next complete, verified shuffle"

REASONS: tuple[Reason, ...] = (
    Reason(
        801, "count_short", "fault", 2,
        "A pass counted fewer cards than the deck has.",
        f"Search machine, tray and floor for the missing card; exchange the deck, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        802, "count_long", "fault", 2,
        "A pass counted more cards than the deck has.",
        f"Sort the deck and remove the extra cards, or exchange it, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        803, "gates_disagree", "fault", 2,
        "The gates counted different numbers of cards in one pass.",
        f"Look for a card inside the machine; check both gates; count the deck, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        804, "double_feed", "fault", 2,
        "A gate was covered much longer than by one card: two at once, or one that slipped.",
        f"Shuffle again; {_SHUFFLE}. If it repeats, change worn cards, then the feed rollers.",
        _MACHINE,
    ),
    Reason(
        805, "jam_in", "fault", 2,
        "A card is stuck in gate in.",
        f"Take the card out, count the deck, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        806, "jam_inside", "fault", 2,
        "A card went in, and none moved for too long: it is stuck between the gates.",
        f"Open the machine, take all cards out, count, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        807, "jam_out", "fault", 2,
        "A card is stuck in gate out.",
        f"Take the card out, count the deck, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        808, "motor_stalled", "fault", 3,
        "The motor drew more current than allowed: it is blocked or its bearing is dry.",
        f"Free the rollers, then shuffle again; {_SHUFFLE}. Else replace the shuffler.",
        _MACHINE,
    ),
    Reason(
        809, "lid_open", "fault", 2,
        "The service lid of the shuffler was opened.",
        f"Count the deck, close the lid, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        810, "gate_dirty", "fault", 3,
        "A card gate flickers: too few of its edges are clean. gate_worn warned of it.",
        f"Clean emitter and receiver of the gate, shuffle again; {_SHUFFLE}.",
        "25 CFR 547.8: no play with a fault that affects the outcome",
    ),
    Reason(
        811, "unfinished", "fault", 2,
        "A shuffle began and the machine did not become ready again.",
        f"Look for cards left in the tray and at its power, shuffle again; {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        812, "shuffler_link_lost", "fault", 3,
        "The shuffler's serial line has been silent for two seconds.",
        f"Check plug and power of the shuffler; once it responds, {_SHUFFLE}.",
        _MACHINE,
    ),
    Reason(
        813, "passes_disagree", "fault", 2,
        "The second pass counted a different number of cards from the first.",
        f"Count the deck by hand; clean the gates, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        814, "shuffler_failed", "fault", 3,
        "The shuffler reports a failure, by its fault line or its serial line.",
        f"Follow its display; once it no longer reports the failure, {_SHUFFLE}. Else replace it.",
        _C1,
    ),
    Reason(
        815, "foreign_passage", "fault", 2,
        "What passed a gate was too short for a card, or too close behind one.",
        f"Look for a torn card or a foreign object; exchange the deck, {_DECLARE}.",
        _COUNT,
    ),
    Reason(
        816, "not_verified", "fault", 2,
        "There was no complete, verified shuffle since the controller started or was given "
        "another shuffler.",
        f"Shuffle; {_SHUFFLE}. Or declare a manual shoe.",
        "GLI-29; requirements 27: a deck is locked until it is verified",
    ),
    Reason(
        817, "shuffler_replaced", "void", 2,
        "A replacement was declared while the round was open.",
        "Settle what is decided, return the other stakes, continue with the replacement.",
        _C1,
    ),
)  # fmt: skip

KEYS: tuple[Key, ...] = (
    Key(38, "cards", "cards", 20, 832, 52, "that each pass of a shuffle must count"),
    Key(39, "passes", "passes", 1, 2, 1, "2: a second pass must count the same"),
    Key(40, "card_ms", "ms", 20, 500, 80, "one card at a gate, calibrated"),
    Key(41, "jam_ms", "ms", 500, 10_000, 1_500, "a gate covered for longer is a jam"),
    Key(42, "transport_ms", "ms", 1_000, 60_000, 8_000, "a card inside and none moving: a jam"),
    Key(43, "unfinished_ms", "ms", 5_000, 300_000, 30_000, "no card and not ready: unfinished"),
    Key(44, "motor_limit_raw", "", 100, 3_995, 3_000, "motor current above is a stall"),
    Key(45, "stall_ms", "ms", 200, 5_000, 800, "for this long"),
    Key(46, "margin_warn", "percent", 50, 95, 80, "clean edges of a gate: warning below"),
    Key(47, "margin_min", "percent", 10, 90, 50, "below locks the shoe"),
    Key(48, "serial_shuffler", "", 0, 1, 0, "0: gates are wired; 1: the machine counts"),
    Key(93, "card_spread", "permille", 5, 80, 80, "of the times of cards at a gate, calibrated"),
)
ORDERS: tuple[Order, ...] = (
    Order("margin_min", "margin_warn", 5, "the lock would come before its warning"),
)


_CARDS = 0xFFFF


def cards(meaning: str) -> Ranged:
    return number("H", "cards", 0, _CARDS, meaning)


def margin(meaning: str) -> Ranged:
    return number("B", "percent", 0, 100, meaning, unknown=255)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x0C, "shuffler_report", "table", False,
        Struct(
            "machine" / choice("B", SHUFFLER_STATE, "state reported by the machine"),
            "count_in" / cards("taken in, in this pass"),
            "count_out" / cards("given out, in this pass"),
            "error" / number("H", "", 0, 0xFFFF, "the machine's own error number, 0: none"),
        ),
        "Report of a shuffler with a serial line.",
    ),
    Message(
        0x28, "shuffle_done", "table", True,
        Struct(
            "count_in" / cards("through gate in, in the last pass"),
            "count_out" / cards("through gate out, in the last pass"),
            "expected" / cards("that each pass had to count"),
            "passes" / number("B", "passes", 0, 2, "that counted right"),
            "duration_ms" / number("I", "ms", 0, MAX_MS, "first motion to the end"),
            "verdict" / choice("B", VERDICT, "verdict on the shuffle"),
            "reason" / reason("the first that spoiled it; unknown: nothing did", unknown=0),
            "margin_in" / margin("clean edges of gate in"),
            "margin_out" / margin("clean edges of gate out"),
        ),
        "A shuffle ended. Only a verified one is dealt from.",
    ),
    Message(
        0x29, "shoe_changed", "table", True,
        Struct(
            "shoe" / choice("B", SHOE, "from now on"),
            "reason" / reason("what locked it; unknown: it is not locked", unknown=0),
            "replacement" / choice("B", REPLACEMENT, "declared by the host", unknown=0),
        ),
        "The shoe was locked, unlocked, or replaced by a manual one.",
    ),
    Message(
        0x2A, "gate_worn", "table", True,
        Struct(
            "input" / concerned(),
            "margin" / margin("clean edges of the gate"),
            "lock_below" / margin("gate_dirty is raised below this"),
        ),
        "A warning: a card gate is to be cleaned before it fails.",
    ),
    Message(
        0x2B, "card_round_ended", "table", True,
        Struct("dealing_ms" / number("I", "ms", 0, MAX_MS, "no more bets to the settlement")),
        "The host settled the round; it ended without a fault.",
    ),
    Message(
        0x50, "declare_replacement", "host", False,
        Struct("replacement" / choice("B", REPLACEMENT, "what took the place of what")),
        "Another shuffler, a manual shoe, or a deck checked and completed by hand; voids the "
        "round named if it is open.",
    ),
    Message(
        0x51, "end_round", "host", False, Struct(),
        "The round named is settled; refused while bets are open.",
    ),
)  # fmt: skip

INPUTS: Names = (
    (1, "gate_in"),
    (2, "gate_out"),
    (4, "lid"),
    (5, "ready"),
    (6, "shuffler_fault"),
    (11, "motor"),
)
ROLE = RoleWords(
    4,
    "shuffler",
    MESSAGES,
    "card_round_ended",
    REASONS,
    KEYS,
    ORDERS,
    enums=(
        ("SHOE", SHOE),
        ("REPLACEMENT", REPLACEMENT),
        ("VERDICT", VERDICT),
        ("SHUFFLER_STATE", SHUFFLER_STATE),
    ),
    adds=(("WHEEL", ((6, "cards"),)),),
    inputs=INPUTS,
)
