"""The cards of a round of a shoe, put together from its records and held against their sum."""

import json
import sqlite3

from tablespec import names
from tablewire.card_shoe import CARD_DEALT, CARD_USE_ROUND

_CARDS = dict(names.CARD)
_MODULUS = 65535
Row = dict[str, int]


def problem(db: sqlite3.Connection, device: int, number: int, end: Row) -> str:
    """What speaks against the cards of a round, "" if nothing does. end: of its cards_ended."""
    dealt = _rows(db, device, number)
    if len(dealt) != end["count"]:
        return f"{len(dealt)} of its {end['count']} cards are here"
    for place, row in enumerate(dealt):
        due = (end["first"] + place, place + 1)
        if (row["shoe_index"], row["round_index"]) != due or not row["card"]:
            return f"card {place + 1} is not the one that belongs there"
    if dealt[-1]["shoe_index"] != end["last"]:
        return "its last card is not the last one told"
    if sums([row["card"] for row in dealt]) != (end["check_1"], end["check_2"]):
        return "its cards do not add up to the sum told at the end"
    return ""


def of_round(db: sqlite3.Connection, device: int, number: int) -> str:
    """The cards of a round in the order dealt, as text."""
    return " ".join(_CARDS[row["card"]] for row in _rows(db, device, number))


def sums(cards: list[int]) -> tuple[int, int]:
    """check_1 and check_2 of cards_ended (PROTOCOL.md)."""
    one = two = 0
    for card in cards:
        one = (one + card) % _MODULUS
        two = (two + one) % _MODULUS
    return one, two


def _rows(db: sqlite3.Connection, device: int, number: int) -> list[Row]:
    rows = db.execute(
        "SELECT payload FROM records WHERE device = ? AND round = ? AND type = ?"
        " ORDER BY boot, counter",
        (device, number, CARD_DEALT),
    )
    found = [json.loads(payload) for (payload,) in rows]
    return [row for row in found if row["use"] == CARD_USE_ROUND]
