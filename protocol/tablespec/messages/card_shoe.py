"""A shoe that reads the cards: what was dealt from it, never what is still inside."""

from construct import Struct

from tablespec import names
from tablespec.fields import Ranged, choice, number
from tablespec.messages.shapes import MAX_MS, Message

MOST_CARDS = 8 * 52
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
            "card" / choice("B", names.CARD, "rank and suit; unknown: not read", unknown=0),
            "use" / choice("B", names.CARD_USE, "what it left the shoe for"),
            "passage_ms" / number("H", "ms", 0, 60000, "it took to pass the outer gate"),
        ),
        "A card has left the shoe; told after its passage, each card once.",
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
        "The round is dealt: so many card_dealt of the round are all of its cards.",
    ),
    Message(
        0x34, "shoe_told", "table", True,
        Struct(
            "event" / choice("B", names.SHOE_EVENT, "what became of the shoe"),
            "decks" / number("B", "decks", 1, 8, "it is configured for"),
            "cards" / cards("declared to be in it when it was new"),
            "left" / cards("that have left it"),
            "burns" / number("B", "cards", 0, 20, "to be burned before its first round"),
        ),
        "A shoe was declared, its cut card came, or it is empty.",
    ),
    Message(
        0x56, "load_shoe", "host", False,
        Struct(
            "load" / choice("B", names.SHOE_LOAD, "what is in the shoe now"),
            "cards" / cards("new: cards in it; continued: cards that have left it"),
            "burns" / number("B", "cards", 0, 20, "to be burned before the first round"),
        ),
        "A person says what the shoe holds; voids the round named if it is open.",
    ),
    Message(
        0x57, "end_cards", "host", False, Struct(),
        "The round named is dealt to its end; refused while a card is still to be told.",
    ),
)  # fmt: skip
