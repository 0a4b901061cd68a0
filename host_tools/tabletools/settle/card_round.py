"""The end of a card round as its table reports it: what a shuffler's fault does to the bets.

hc2023 and hc2011 3:1(7) (rulebook C-1, READING-55): a round whose shuffler fails is invalid,
except for the bets won or lost by then. The cards dealt until then say which those are.
"""

from collections.abc import Mapping
from typing import Any

from tabletools.rules.records import NEEDS_RULING, OUTCOME_NOT_ONE
from tabletools.rules.violation import RuleViolation, shown

SHUFFLER_CODES = range(801, 900)
"""Reason codes of a shuffler and its shoe."""
ENDED, VOID = "card_round_ended", "round_void"
"""Types of the records that end a card round."""


def outcome_of(ended: Mapping[str, Any], dealt: Mapping[str, object]) -> dict[str, object]:
    """Return the outcome of a round. ended: the table's decoded record. dealt: the cards by hand.

    Raises RuleViolation if the rules do not cover such an end: a round cancelled for another
    reason than its shuffler needs a ruling of the house.
    """
    if dealt.get("void") is not None:
        raise RuleViolation(
            OUTCOME_NOT_ONE, "the table's record says whether the round is void", "outcome"
        )
    if ended.get("type") == ENDED:
        return dict(dealt)
    if ended.get("type") != VOID:
        raise RuleViolation(
            NEEDS_RULING, f"a record {shown(ended.get('type'))} ends no card round"
        )
    reason, code = ended.get("reason"), ended.get("code")
    if code not in SHUFFLER_CODES:
        what = f"void by {shown(reason)} ({shown(code)}); 3:1(7) covers shufflers only"
        raise RuleViolation(NEEDS_RULING, what, "outcome")
    return {**dealt, "void": reason}
