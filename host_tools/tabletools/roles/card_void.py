"""The void of a round of cards: some of its bets may be won or lost already."""

from collections.abc import Sequence

from tabletools.games import INTERRUPTED
from tabletools.roles import shoe_round, shuffler
from tabletools.roles.dealt import so_far
from tabletools.roles.role import ByHand, Played, Record, RoundEnd, kind_of
from tabletools.rules.dealing import Outcome
from tabletools.rules.decks import SHOE
from tabletools.rules.records import NEEDS_RULING
from tabletools.rules.violation import RuleViolation

_LIVE = "de-live"


def outcome_of(
    played: Played, game: str, ended: Record, records: Sequence[Record], by_hand: ByHand
) -> Outcome:
    """Return the outcome of a void. game: the card game that was played. Raises RuleViolation."""
    end = RoundEnd.of_record(ended)
    reason = end.reason or str(end.code)
    if played.rules == _LIVE:
        return {"void": f"{reason} ({INTERRUPTED[game]})"}
    if not set(map(kind_of, records)) & {"bets_closed", shoe_round.CARD}:
        return {"void": reason}  # bets were still open: no card was dealt, nothing is decided
    if by_hand.dealt is not None:
        return shuffler.outcome_of(ended, by_hand.dealt)
    if end.code in shoe_round.SHOE_CODES and played.options.get(SHOE) is True:
        hands = so_far(game, shoe_round.cards_so_far(records))
        outcome = shoe_round.void_by_shoe(ended, hands)
        return shoe_round.with_burns(outcome, shoe_round.burned_in(records))
    what = f"void by {reason} ({end.code}) after no more bets: bets may be won or lost by "
    what += "then, and the rules do not say what such a void does, or no record has the hands"
    raise RuleViolation(NEEDS_RULING, what, "outcome")
