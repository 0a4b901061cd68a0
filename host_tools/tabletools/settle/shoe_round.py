"""The cards of a round, as reported by the shoe that read them.

A round is settled from its cards only when count, places and check sums of all of them agree. hc
mentions only shufflers (3:1(7)), so a house decides whether its shoe counts as one.
"""

from collections.abc import Mapping, Sequence

from tabletools.roles import IncompleteError, Record, RoundEnd, card_shoe
from tabletools.rules.codes.outcomes import DEAL_INCOMPLETE
from tabletools.rules.dealing import Outcome
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation, shown

VOID = "round_void"
SHOE_CODES = range(931, 960)
"""Reason codes of a shoe."""
CARD, burned_in = card_shoe.CARD, card_shoe.burned_in


def cards_of(ended: Record, records: Sequence[Record]) -> list[str]:
    """Return the cards of a round in the order dealt; raise RuleViolation unless all are there.

    ended: its decoded cards_ended. records: decoded records of the same round.
    """
    try:
        return card_shoe.cards_of(ended, records)
    except IncompleteError as error:
        raise RuleViolation(DEAL_INCOMPLETE, str(error)) from None


def cards_so_far(records: Sequence[Record]) -> list[str]:
    """Return the cards dealt before a round broke off; raise RuleViolation unless each was read.

    records: all decoded records of the round.
    """
    dealt = card_shoe.dealt(records)
    cards = [each.card for each in dealt if each.card is not None]
    places = [each.round_index for each in dealt]
    if places != list(range(1, len(dealt) + 1)) or len(cards) != len(dealt):
        what = f"the {len(dealt)} reported cards are not all of the round, or one was not read"
        raise RuleViolation(DEAL_INCOMPLETE, what)
    return cards


def void_by_shoe(ended: Record, dealt: Mapping[str, object]) -> Outcome:
    """Return the outcome where the house treats its shoe as a shuffler (hc 3:1(7)).

    dealt: the hands as far as they were dealt; they decide the bets they can decide.
    """
    end = RoundEnd.of_record(ended)
    if end.type != VOID or end.code not in SHOE_CODES:
        what = f"void by {shown(end.reason)}: no fault of a shoe"
        raise RuleViolation(NEEDS_RULING, what, "outcome")
    return {**dealt, "void": end.reason}
