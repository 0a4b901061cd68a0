"""A card table with a shuffler: the round opened with cards; the table does not know them.

An incomplete shuffle before it is a fault of the table, during which no round opens.
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


# The cards of a poker room are the players': no shoe reads them.
ROLE = Role("card_round_ended", CARD_GAMES | {"poker_room"}, demands, objections)
