"""The codes of rule violations, grouped by what is wrong: the stake, the bet or the outcome."""

from tabletools.rules.codes.bets import BET_CODES
from tabletools.rules.codes.outcomes import OUTCOME_CODES
from tabletools.rules.codes.stakes import STAKE_CODES
from tabletools.rules.violation import Code

RULE_CODES: tuple[Code, ...] = (*STAKE_CODES, *BET_CODES, *OUTCOME_CODES)
