"""A card table with a shuffler: the round opened with cards; they are not known to the table.

Whether the shuffle before it was whole is a fault of the table while it was not: no round opens.
"""

from collections.abc import Iterator, Sequence

from tabletools.roles.demand import Demand, Played, Record, Role, layout_objection

CARD_GAMES = frozenset(
    (
        "punto_banco", "baccarat", "high_low", "red_dog", "casino_war", "blackjack", "caribbean",
        "three_card", "four_card", "casino_holdem", "ultimate", "multi_poker", "jackpot",
    )
)  # fmt: skip


def demands(_played: Played) -> list[Demand]:
    """None: no rule counts the decks or passes of a shuffler."""
    return []


def objections(
    _played: Played, opened: Record | None, _ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """A round that did not open at a shuffler."""
    yield from layout_objection(opened, "cards", "a shuffler")


# The cards of a poker room belong to its players: no shoe reads them.
ROLE = Role("card_round_ended", CARD_GAMES | {"poker_room"}, demands, objections)
