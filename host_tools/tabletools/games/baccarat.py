"""Baccarat of de-live (rulebook 9.9)."""

from collections.abc import Mapping
from typing import ClassVar

from tabletools.rules.cards import Results
from tabletools.rules.decks import EIGHT, decks_at
from tabletools.rules.game import Game, PrintedTable
from tabletools.rules.hands import AnyHand
from tabletools.rules.misdeal import LIVE, LiveTable, MaybeMisdealt, live_at, of_live
from tabletools.rules.points import Terms, deal_of, results_of, side_kinds
from tabletools.rules.table_game import Cancelled, TableGame
from tabletools.rules.violation import within

INTERRUPTED = "de-live Bac 2.1.8"


def _game_live() -> Game:
    pays, pushes, void = (f"de-live Bac {article}" for article in ("2.2", "2.1.5", "2.1.8"))
    kinds = side_kinds(Terms("player", "banker", "tie", pays, pushes, void, straight=False))
    printed = PrintedTable("Bac 2.1.7")
    article = "de-live Bac 2.1.1"
    return Game("baccarat", LIVE, kinds, tuple(kinds), article, printed, one_each=article)


GAMES: Mapping[tuple[str, str | None], Game] = {(LIVE, None): _game_live()}
"""By edition and variant."""


class BaccaratHands(MaybeMisdealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("player", "banker")
    DECKS: ClassVar = EIGHT
    player: AnyHand | None = None
    banker: AnyHand | None = None


def _results(game: Game, outcome: BaccaratHands, table: LiveTable | None) -> Results | Cancelled:
    """Return the results still possible; raise RuleViolation at cards no rule deals.

    de-live Bac 2.1.8: after an interruption all payments and games are invalid, also those that a
    shuffler's fault would leave decided (READING-20).
    """
    decks = decks_at(game.name, outcome.DECKS, table)
    with within("outcome"):
        player, banker = outcome.hands(decks)
        cancelled = of_live(game, outcome, table, INTERRUPTED)
        if cancelled is not None:
            return cancelled
        results = results_of(player, banker, voided=outcome.void is not None)
        return results if outcome.void is None else frozenset()


GAME = TableGame(
    name="baccarat",
    measured="player",
    interrupted=INTERRUPTED,
    dealing=deal_of("player", "banker"),
    games=GAMES,
    outcome=BaccaratHands,
    table=LiveTable,
    read_outcome=_results,
    example=(
        [{"id": "1", "bet": "tie", "stake": 500}],
        {"player": "AH 7C", "banker": "8D KS"},
    ),
    at_table=live_at,
)
