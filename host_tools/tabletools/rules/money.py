"""Money: whole cents as int, odds as exact pairs. No float, no rounding.

No document gives a rounding rule for ordinary bets (READING-2), so an amount that is not a
whole cent is refused, never rounded.
"""

from tabletools.rules.codes.stakes import STAKE_OUT_OF_RANGE
from tabletools.rules.violation import RuleViolation, shown

Odds = tuple[int, int]
"""Winnings per stake, on top of the stake: (35, 1) pays 35 for 1, (3, 2) pays 3 for 2."""

MAX_STAKE = 10**12
"""Largest stake, cents."""
MAX_ODDS = 1000
"""Most winnings per stake. With MAX_STAKE within the 2^53 that JSON readers keep exact."""


def verify_stake(stake: object) -> None:
    """Raise RuleViolation unless the stake is an int (no bool, no float) of 1..MAX_STAKE cents."""
    if type(stake) is not int or not 1 <= stake <= MAX_STAKE:
        what = f"stake is {shown(stake)}; allowed: whole cents from 1 to {MAX_STAKE}"
        raise RuleViolation(STAKE_OUT_OF_RANGE, what, "stake")


def euros(cents: int) -> str:
    """Return cents as text: 123450 is `EUR 1234.50`."""
    return f"EUR {cents // 100}.{cents % 100:02d}"
