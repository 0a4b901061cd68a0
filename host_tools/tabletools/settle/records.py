"""What the records of all games have in common: a round is bets and an outcome."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from tabletools.rules.bets import Placed
from tabletools.rules.refusal import Code, Refusal, shown, within
from tabletools.settle.strict_json import Fields

ROUND_FIELDS = ("rules", "game", "variant", "bets", "outcome", "table")

DUPLICATE_ID = Code(
    "duplicate_id",
    "Two bets of one round have the same id.",
    "give every bet of a round its own id",
)
OUTCOME_NOT_ONE = Code(
    "outcome_not_one",
    "The outcome is neither a result nor a void, or both.",
    "give either the result or the reason of the void",
)
NEEDS_RULING = Code(
    "needs_ruling",
    "The rules do not say what becomes of the round.",
    "have the house rule on it, and send the outcome it ruled",
)
NO_RESULT = Code(
    "no_result",
    "No table told a result of the round that may be settled.",
    "look at the round with `tabletool evidence DB`; have the house rule on it",
)
RECORD_CODES: tuple[Code, ...] = (DUPLICATE_ID, OUTCOME_NOT_ONE, NEEDS_RULING, NO_RESULT)


class Round(NamedTuple):
    """A round ready to settle. outcome: key into the verdicts of its bets. more: what the answer
    says beside the settlements, by name."""

    bets: list[Placed]
    outcome: Any
    more: Mapping[str, object] = MappingProxyType({})


def read_outcome(
    fields: Fields, results: Sequence[str], key_of: Callable[[Fields], Any], *, void: Any
) -> Any:
    """Return the outcome: `key_of` the fields named in results, or `void` if a void is given.

    results: names of the fields of a result; without the first there is none.
    """
    record = fields.need("outcome")
    with within("outcome"):
        outcome = Fields(record, (*results, "void"))
        reason = outcome.optional_text("void")
        given = [name for name in results if outcome.get(name) is not None]
        if (results[0] in given) == (reason is not None) or (reason is not None and given):
            told = "both are" if given else "neither is"
            raise Refusal(OUTCOME_NOT_ONE, f"one of {results[0]} and void is needed, {told} given")
        return void if reason is not None else key_of(outcome)


def read_bets(fields: Fields, read_bet: Callable[[object], Placed]) -> list[Placed]:
    """Return the bets of a round, in order; ids are unique."""
    bets: list[Placed] = []
    places: dict[str, int] = {}
    for place, record in enumerate(fields.objects("bets")):
        try:
            bet = read_bet(record)
        except Refusal as refusal:
            raise refusal.under(f"bets[{place}]") from None
        first = places.setdefault(bet.id, place)
        if first != place:
            what = f"id {shown(bet.id)} is that of bets[{first}] too"
            raise Refusal(DUPLICATE_ID, what, f"bets[{place}].id")
        bets.append(bet)
    return bets
