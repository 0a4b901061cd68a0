"""Codes about how much a bet may be: money and the limits of a table."""

from tabletools.rules.violation import Code

STAKE_OUT_OF_RANGE = Code(
    "stake_out_of_range",
    "The stake is not an integer number of cents from 1 to 10^12.",
    "give the stake in whole cents, as an integer",
)
NOT_WHOLE_CENTS = Code(
    "not_whole_cents",
    "This outcome would divide the stake into parts that are not whole cents.",
    "have the house rule on this bet, or choose the other option if the rules give one",
)
STAKE_NOT_DIVISIBLE = Code(
    "stake_not_divisible",
    "At placement: a later outcome could divide the stake into parts that are not whole cents.",
    "stake a multiple of the amount named",
)
BELOW_MINIMUM = Code(
    "below_minimum",
    "The stake is below the minimum of the table.",
    "stake at least the minimum",
)
NOT_A_MULTIPLE = Code(
    "not_a_multiple",
    "The stake is not a multiple of the minimum of the table.",
    "stake a multiple of the minimum",
)
ABOVE_MAXIMUM = Code(
    "above_maximum",
    "The stakes of one player on one chance exceed the maximum.",
    "reduce the player's stakes on that chance",
)
LIMITS_INVALID = Code(
    "limits_invalid",
    "The limits of the table contradict the rules or each other.",
    "correct the limits of the table",
)

STAKE_CODES: tuple[Code, ...] = (
    STAKE_OUT_OF_RANGE,
    NOT_WHOLE_CENTS,
    STAKE_NOT_DIVISIBLE,
    BELOW_MINIMUM,
    NOT_A_MULTIPLE,
    ABOVE_MAXIMUM,
    LIMITS_INVALID,
)
