"""Black Jack, hc2011 and hc2023 3:2 with their variants, and de-live (rulebook 9.11)."""

from tabletools.games.blackjack import box_dealing
from tabletools.games.blackjack.blackjack_editions import GAMES
from tabletools.games.blackjack.blackjack_record import (
    HAND_NUMBER,
    INTERRUPTED,
    BlackjackHands,
    BlackjackTable,
    deal_of,
    game_at,
)
from tabletools.rules.dealing import BoxDeal
from tabletools.rules.table_game import TableGame

GAME = TableGame(
    name="blackjack",
    measured="player",  # at placement no box is known: those of each are measured with the layout
    interrupted=INTERRUPTED,
    dealing=BoxDeal(box_dealing.outcomes, lambda _cards: 1, box_dealing.bank_begins),
    games=GAMES,
    outcome=BlackjackHands,
    table=BlackjackTable,
    read_outcome=deal_of,
    example=(
        [{"id": "1", "bet": "bet", "stake": 500}, {"id": "2", "bet": "double", "stake": 500}],
        {"player": "5H 6C TD", "bank": "KD 7S"},
    ),
    on_schemas=dict.fromkeys(("bet", "split", "double", "insurance"), HAND_NUMBER),
    at_table=game_at,
)
