"""Floor decisions of the poker room as records: the button, exposed cards, a chip race."""

from collections.abc import Callable, Mapping

from tabletools.games.poker_room import floor
from tabletools.games.poker_room.poker_record import PokerOutcome, PokerTable
from tabletools.rules.amounts import KEY
from tabletools.rules.cards import hand_of
from tabletools.rules.codes.outcomes import CARDS_INVALID, DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.codes.stakes import LIMITS_INVALID
from tabletools.rules.decks import ONE, verify_cards
from tabletools.rules.declared import needed, verify_names
from tabletools.rules.records import Round
from tabletools.rules.violation import RuleViolation, within


def _button(outcome: PokerOutcome, _table: PokerTable) -> Round:
    """Where button and blinds go next (2.8)."""
    with within("outcome"):
        names = floor.Positions._fields
        outcome.only(*names, "seats")
        last = floor.Positions(*(needed(getattr(outcome, name), name) for name in names))
        seats = needed(outcome.seats, "seats")
        if len(set(seats)) < 2:
            raise RuleViolation(DEAL_INCOMPLETE, "a hand has two players or more", "seats")
    return Round([], KEY, {"positions": floor.next_positions(last, seats)._asdict()})


def _exposure(outcome: PokerOutcome, _table: PokerTable) -> Round:
    """What happens to cards exposed during the deal (2.19, 2.20)."""
    with within("outcome"):
        outcome.only("flashed", "boxed", "decisive", "acted")
        flashed, boxed = outcome.flashed or 0, outcome.boxed or 0
        decisive = outcome.decisive or False
        if min(flashed, boxed) < 0 or flashed + boxed < 1 or (decisive and not flashed):
            raise RuleViolation(
                DEAL_INCOMPLETE, "one card at least was flashed or boxed", "flashed"
            )
        ruling = floor.exposed(flashed, boxed, decisive=decisive)
        acted = outcome.acted or 0
        if ruling.misdeal and acted >= floor.ACTED:
            what = f"{acted} players have acted: there is no misdeal any more, the floor rules"
            raise RuleViolation(DEAL_NOT_BY_RULE, what, "acted")
    return Round([], KEY, {"exposed": ruling._asdict()})


def _one_card(text: str) -> str:
    cards = hand_of(text)
    if len(cards) != 1:
        raise RuleViolation(CARDS_INVALID, "each player gets one card")
    return cards[0]


def _chip_race(outcome: PokerOutcome, table: PokerTable) -> Round:
    """What the odd chips are exchanged for (2.2)."""
    with within("table"):
        big = needed(table.chip, "chip")
    with within("outcome"):
        outcome.only("odd", "cards", "whole")
        odd = needed(outcome.odd, "odd")
        if big < 1 or not all(0 <= cents < big for cents in odd.values()):
            what = f"odd chips are worth less than the bigger one, {big}: exchange the others"
            raise RuleViolation(LIMITS_INVALID, what, "odd")
        drawn, whole = needed(outcome.cards, "cards"), outcome.whole or ()
        with within("cards"):
            verify_names(drawn, odd)
        with within("whole"):
            verify_names(whole, odd)
        cards = {}
        for player in odd:
            if odd[player] and player not in whole:
                with within("cards"):
                    card = needed(drawn.get(player), player)
                    with within(player):
                        cards[player] = _one_card(card)
        dealt = [(f"cards.{player}", (card,)) for player, card in cards.items()]
        verify_cards(dealt, ONE, 1)
    return Round([], KEY, {"chips": floor.chip_race(odd, cards, big, whole)})


FLOOR: Mapping[str, Callable[[PokerOutcome, PokerTable], Round]] = {
    "button": _button,
    "chip_race": _chip_race,
    "exposed": _exposure,
}
"""By variant."""
