"""Multi Poker: stud with jackpots of its own; 3:6 "correspondingly applies" (hc2011 3:9(1))."""

from collections.abc import Mapping
from typing import ClassVar

from tabletools.rules.ante import POKER_2011
from tabletools.rules.decks import ONE
from tabletools.rules.game import Game
from tabletools.rules.hands import Dealt, FiveCards, reader_by_hands
from tabletools.rules.stud import ARTICLES_2011, results_of, stud
from tabletools.rules.table_game import Table, TableGame, without_variants

_APPLIES = "3:9(1)"
*_ARTICLES, _VOID = ARTICLES_2011.split()
GAMES: Mapping[str, Game] = {
    "hc2011": stud(
        "multi_poker",
        "hc2011",
        " ".join([*(f"{each}+{_APPLIES}" for each in _ARTICLES), _VOID]),
        POKER_2011,
    )
}
"""By edition."""


class FiveCardsEach(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "bank")
    DECKS: ClassVar = ONE
    player: FiveCards | None = None
    bank: FiveCards | None = None


GAME = TableGame(
    name="multi_poker",
    games=without_variants(GAMES),
    outcome=FiveCardsEach,
    table=Table,
    read_outcome=reader_by_hands(results_of),
    example=(
        [{"id": "1", "bet": "ante", "stake": 500}, {"id": "2", "bet": "bet", "stake": 1000}],
        {"player": "9H 9C 5D 3S 2D", "bank": "AS KH 4D 3C 2H"},
    ),
)
