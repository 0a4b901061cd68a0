"""High Low: a communal card against the bank's. hc2011 3:3(7) (rulebook 9.10).

At equal cards every bet stays: High and Low are lost unless they win with the next two cards, and
then the stake is returned without winnings (READING-46). No new bet is accepted until then.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from tabletools.rules.bets import CompiledBet
from tabletools.rules.cards import Hand, Results, card_kind, higher_of
from tabletools.rules.citation import paying
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.rules.dealing import Outcome, SharedDeal, verify_count
from tabletools.rules.decks import ShoeTable
from tabletools.rules.game import Choice, Game, Kind, PrintedTable, State
from tabletools.rules.hands import Dealt, OneCard, reader_by_hands
from tabletools.rules.selection import On
from tabletools.rules.table_game import TableGame, without_variants
from tabletools.rules.verdict import PRISON, WIN, Verdict, lose, push, verdict, win
from tabletools.rules.violation import RuleViolation

RULE, VOID_ARTICLE = "hc2011 3:3(7)", "hc2011 3:1(7)"
LOCKED = "locked"
"""State of a stake after equal cards."""
_LOST, _PAID, _BACK = lose(RULE), win((1, 1), RULE), push(RULE)
_LOCKED = verdict(PRISON, RULE, live=1, state=LOCKED)
_TIE_PAID = verdict(WIN, paying(RULE, (10, 1)), win=10, live=1, state=LOCKED)


def _side(sign: int) -> Kind:
    """Return High (1) or Low (-1): 1:1, edge 23/622 with 6 decks."""

    def decide(_on: On, state: State, _choice: Choice, result: object) -> Verdict:
        if result == 0:
            return _LOCKED
        if result != sign:
            return _LOST
        return _BACK if state == LOCKED else _PAID

    return card_kind(decide, VOID_ARTICLE, states=(None, LOCKED))


def _tie(_on: On, _state: State, _choice: Choice, result: object) -> Verdict:
    """Égalité: 10:1 at every equal pair, the stake stays until High or Low wins; edge 58/288."""
    return _TIE_PAID if result == 0 else _LOST


def verify_round(bets: Sequence[CompiledBet], _outcome: Results) -> None:
    """Raise RuleViolation if a new bet is placed while one waits: none may be added (3:3(7))."""
    states = {bet.state for bet in bets}
    if len(states) > 1:
        place = next(place for place, bet in enumerate(bets) if bet.state is None)
        what = "after equal cards no bet may be added until High or Low wins"
        raise RuleViolation(BET_NOT_IN_ROUND, what, f"bets[{place}]")


_KINDS = {
    "high": _side(1),
    "low": _side(-1),
    "egalite": card_kind(_tie, VOID_ARTICLE, states=(None, LOCKED)),
}
GAMES: Mapping[str, Game] = {
    "hc2011": Game(
        "high_low",
        "hc2011",
        _KINDS,
        tuple(_KINDS),
        RULE,
        PrintedTable("3:3(6)"),
        verify=verify_round,
    )
}
"""By edition."""


class CommunalAndBank(Dealt, frozen=True, kw_only=True):
    HANDS: ClassVar = ("communal", "bank")
    communal: OneCard | None = None
    bank: OneCard | None = None


_ONE_EACH = ("communal", "bank")


def _dealt(dealt: Hand) -> Outcome:
    verify_count(dealt, 2, "the communal one and the bank's (hc2011 3:3(7))")
    return dict(zip(_ONE_EACH, dealt, strict=True))


def _so_far(dealt: Hand) -> Outcome | None:
    return None if len(dealt) > len(_ONE_EACH) else dict(zip(_ONE_EACH, dealt, strict=False))


GAME = TableGame(
    name="high_low",
    dealing=SharedDeal(_dealt, _so_far),
    games=without_variants(GAMES),
    outcome=CommunalAndBank,
    table=ShoeTable,
    read_outcome=reader_by_hands(higher_of),
    example=([{"id": "1", "bet": "high", "stake": 500}], {"communal": "AH", "bank": "7C"}),
)
