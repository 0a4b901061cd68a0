"""From the records of a round to the outcome its game settles by: shared by every host.

Takes decoded records. Knows no file, port or money. Whether a record is valid is decided before:
see table.judging.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from tabletools import roles
from tabletools.games import INTERRUPTED, SHARED
from tabletools.roles import (
    IncompleteError,
    Played,
    Record,
    RoundEnd,
    UndecidedError,
    is_card_game,
    kind_of,
)
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.dealing import Decision, Outcome, ShoeCards
from tabletools.rules.decks import SHOE
from tabletools.rules.hands import BURNED
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation, shown
from tabletools.settle import card_round, shoe_round
from tabletools.settle.dealt import outcomes, round_of, so_far

_LIVE = "de-live"
SHOE_ENDED = "cards_ended"


class ByHand(NamedTuple):
    """Facts that no record contains.

    box, boxes: which of how many hands of Casino War or Black Jack. decisions: of all boxes of
    Black Jack. dealt: the hands, where no shoe reads them.
    """

    box: int = 1
    boxes: int = 1
    decisions: Sequence[Decision] | None = None
    dealt: Mapping[str, object] | None = None


NOT_BY_HAND = ByHand()


def outcome_of(
    played: Played, ended: Record, records: Sequence[Record], by_hand: ByHand = NOT_BY_HAND
) -> Outcome:
    """Return the outcome of a round as `tabletool settle` reads it.

    ended: the record that ended it. records: all of the round, in the order of the table. Raises
    RuleViolation where they do not determine it: then users rule, and its text says why.
    """
    kind = ended["type"]
    if kind == shoe_round.VOID:
        return _void(played, ended, records, by_hand)
    if kind in _DEALT:
        return _DEALT[kind](played, ended, records, by_hand)
    name = roles.of_result(kind)
    outcome = name and roles.role(name).outcome
    if not outcome:
        raise RuleViolation(NEEDS_RULING, f"a record {shown(kind)} does not end a round")
    try:
        return outcome(played, ended, records)
    except IncompleteError as error:
        raise RuleViolation(DEAL_INCOMPLETE, str(error)) from None
    except UndecidedError as error:
        raise RuleViolation(NEEDS_RULING, str(error)) from None


def shoe_cards(ended: Record, records: Sequence[Record]) -> ShoeCards | None:
    """Return the cards that the shoe of a round read, None where no shoe reported any.

    Raises RuleViolation unless all cards that were dealt are there.
    """
    if kind_of(ended) != SHOE_ENDED:
        return None
    return ShoeCards(shoe_round.cards_of(ended, records), shoe_round.burned_in(records))


def card_round_from_shoe(
    played: Played, cards: ShoeCards, boxes: int | None, decisions: Sequence[Decision] | None
) -> Outcome:
    """Return the record of a card round as far as its shoe reported it: without the bets.

    boxes, decisions: see `dealt.round_of`. Raises RuleViolation where the cards do not determine
    it.
    """
    hole_card = played.rules == _LIVE
    dealt = round_of(played.game or "", cards.dealt, boxes, decisions, hole_card=hole_card)
    return _add_burns(dealt, cards.burned)


def _add_burns(outcome: Outcome, burned: Sequence[str]) -> Outcome:
    return {**outcome, BURNED: " ".join(burned)} if burned else outcome


def _cards(played: Played, ended: Record, records: Sequence[Record], by: ByHand) -> Outcome:
    cards = shoe_round.cards_of(ended, records)
    game = played.game
    if by.dealt is not None:
        raise RuleViolation(
            NEEDS_RULING, "hands are given for a round whose shoe reported its cards"
        )
    if game is None:
        raise RuleViolation(NEEDS_RULING, "the game of the cards is not given")
    if game not in SHARED and by is NOT_BY_HAND:
        what = f"the shoe reports its cards, but not which box of {game} each came to"
        raise RuleViolation(NEEDS_RULING, what)
    hole_card = played.rules == _LIVE
    try:
        hands = outcomes(game, cards, by.boxes, by.decisions, hole_card=hole_card)
    except RuleViolation as refusal:
        wrong = refusal.code in (DEAL_NOT_BY_RULE, DEAL_INCOMPLETE)
        if wrong and game in INTERRUPTED and played.options.get("misdeal_voids") is True:
            return {"misdeal": refusal.what}
        raise
    if not 1 <= by.box <= by.boxes:
        raise RuleViolation(NEEDS_RULING, f"there is no box {by.box}, only 1 to {by.boxes}")
    return _add_burns(hands[min(by.box, len(hands)) - 1], shoe_round.burned_in(records))


def _by_croupier(
    _played: Played, ended: Record, _records: Sequence[Record], by: ByHand
) -> Outcome:
    if by.dealt is None:
        raise RuleViolation(
            NEEDS_RULING, "a table with a shuffler reports no cards: they are unknown"
        )
    return card_round.outcome_of(ended, by.dealt)


_DEALT: Mapping[str, Callable[[Played, Record, Sequence[Record], ByHand], Outcome]] = {
    SHOE_ENDED: _cards,
    card_round.ENDED: _by_croupier,
}
"""Ends of rounds whose outcome is dealt out of their cards."""


def _void(played: Played, ended: Record, records: Sequence[Record], by: ByHand) -> Outcome:
    """A void decides nothing, except in card games, where some bets may be decided already."""
    end = RoundEnd.of_record(ended)
    reason = end.reason or str(end.code)
    if played.game is None or not is_card_game(played.game):
        return {"void": reason}
    if played.rules == _LIVE:
        return {"void": f"{reason} ({INTERRUPTED[played.game]})"}
    kinds = set(map(kind_of, records))
    if not kinds & {"bets_closed", shoe_round.CARD}:
        return {"void": reason}  # bets were still open: no card was dealt, nothing is decided
    if by.dealt is not None:
        return card_round.outcome_of(ended, by.dealt)
    if end.code in shoe_round.SHOE_CODES and played.options.get(SHOE) is True:
        dealt = so_far(played.game, shoe_round.cards_so_far(records))
        return _add_burns(shoe_round.void_by_shoe(ended, dealt), shoe_round.burned_in(records))
    what = f"void by {reason} ({end.code}) after no more bets: bets may be won or lost by "
    what += "then, and the rules do not say what such a void does, or no record has the hands"
    raise RuleViolation(NEEDS_RULING, what, "outcome")
