"""A card shuffler, its shoe, and the rounds of a card table: counts and times, never a card."""

from construct import Struct

from tablespec import names
from tablespec.fields import Ranged, choice, number
from tablespec.messages.shapes import MAX_MS, Message, sensor

_CARDS = 0xFFFF


def cards(meaning: str) -> Ranged:
    return number("H", "cards", 0, _CARDS, meaning)


def margin(meaning: str) -> Ranged:
    return number("B", "percent", 0, 100, meaning, unknown=255)


def reason(meaning: str) -> Ranged:
    return choice("H", names.REASON, meaning, unknown=0)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x0C, "shuffler_report", "table", False,
        Struct(
            "machine" / choice("B", names.SHUFFLER_STATE, "what the machine says it does"),
            "count_in" / cards("taken in, in this pass"),
            "count_out" / cards("given out, in this pass"),
            "error" / number("H", "", 0, 0xFFFF, "the machine's own error number, 0: none"),
        ),
        "What a shuffler with a serial line of its own said.",
    ),
    Message(
        0x28, "shuffle_done", "table", True,
        Struct(
            "count_in" / cards("through gate in, in the last pass"),
            "count_out" / cards("through gate out, in the last pass"),
            "expected" / cards("that each pass had to count"),
            "passes" / number("B", "passes", 0, 2, "that counted right"),
            "duration_ms" / number("I", "ms", 0, MAX_MS, "first motion to the end"),
            "verdict" / choice("B", names.VERDICT, "what the shuffle is worth"),
            "reason" / reason("the first that spoiled it; unknown: nothing did"),
            "margin_in" / margin("clean edges of gate in"),
            "margin_out" / margin("clean edges of gate out"),
        ),
        "A shuffle ended. Only a verified one is dealt from.",
    ),
    Message(
        0x29, "shoe_changed", "table", True,
        Struct(
            "shoe" / choice("B", names.SHOE, "from now on"),
            "reason" / reason("what locked it; unknown: it is not locked"),
            "replacement" / choice("B", names.REPLACEMENT, "declared by the host", unknown=0),
        ),
        "The shoe was locked, unlocked, or replaced by a manual one.",
    ),
    Message(
        0x2A, "gate_worn", "table", True,
        Struct(
            "sensor" / sensor(),
            "margin" / margin("clean edges of the gate"),
            "lock_below" / margin("gate_dirty stands below this"),
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
        Struct("replacement" / choice("B", names.REPLACEMENT, "what took the place of what")),
        "Another shuffler, a manual shoe, or a deck checked and completed by hand; voids the "
        "round named if it is open.",
    ),
    Message(
        0x51, "end_round", "host", False, Struct(),
        "The round named is settled; refused while bets are open.",
    ),
)  # fmt: skip
