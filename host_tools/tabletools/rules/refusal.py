"""How the rules say no: a code to match on, what is wrong, where, and what to do next."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Code(NamedTuple):
    """One kind of refusal. `name` never changes; texts may. `remedy` says what to do next."""

    name: str
    meaning: str
    remedy: str


class Refusal(ValueError):
    """A round, bet or stake that cannot be accepted or settled.

    what: what is wrong, with the value and the limit. where: path of the field, as in
    `bets[0].stake`, empty when the whole is meant. message: `what` followed by the remedy.
    """

    def __init__(self, code: Code, what: str, where: str = "") -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.where = where

    @property
    def message(self) -> str:
        """What is wrong, then what to do next."""
        return f"{self.what}. Next: {self.code.remedy}"

    def under(self, outer: str) -> "Refusal":
        """Return the same refusal seen from one level further out."""
        if not self.where:
            where = outer
        elif self.where.startswith("["):
            where = outer + self.where
        else:
            where = f"{outer}.{self.where}"
        return Refusal(self.code, self.what, where)


@contextmanager
def within(outer: str) -> Iterator[None]:
    """Let a Refusal raised inside name its place under `outer`."""
    try:
        yield
    except Refusal as refusal:
        raise refusal.under(outer) from None


def shown(value: object) -> str:
    """Return a value as a message may show it: short, printable, never walked into.

    Lists and objects are named, not printed: they may be nested deeper than the stack.
    """
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and value.bit_length() > 128:
        return "a number of more than 38 digits"
    text = ascii(value[:40] if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:37] + "..."


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
UNKNOWN_RULES = Code(
    "unknown_rules",
    "The edition of the rules is not known.",
    "use one of the editions named",
)
UNKNOWN_VARIANT = Code(
    "unknown_variant",
    "The variant of the game is not known.",
    "use one of the variants named",
)
VARIANT_NOT_IN_RULES = Code(
    "variant_not_in_rules",
    "The edition has no such variant.",
    "use an edition that has the variant",
)
UNKNOWN_POCKET = Code(
    "unknown_pocket",
    "The wheel of this variant has no such pocket.",
    "give the pocket as the text printed on the wheel",
)
UNKNOWN_BET = Code(
    "unknown_bet",
    "There is no bet of that name.",
    "use one of the names in the schema, or a French name",
)
BET_NOT_OFFERED = Code(
    "bet_not_offered",
    "This variant, or this table, does not offer the bet.",
    "refuse the bet and return the stake",
)
NUMBERS_MISSING = Code(
    "numbers_missing",
    "The bet needs its numbers (a dozen or column: its numbers or its index).",
    "give the numbers the chips lie on",
)
WRONG_COUNT = Code(
    "wrong_count",
    "The bet does not cover that many numbers.",
    "give exactly the numbers the chips lie on",
)
UNKNOWN_NUMBER = Code(
    "unknown_number",
    "A number is not on the cloth of this variant.",
    'give numbers as the text on the cloth; "0" and "00" differ',
)
DUPLICATE_NUMBER = Code(
    "duplicate_number",
    "A number is named twice in one bet.",
    "name each number once",
)
NOT_ON_LAYOUT = Code(
    "not_on_layout",
    "The numbers do not form that bet on the cloth.",
    "check the numbers against the cloth",
)
NUMBERS_MISMATCH = Code(
    "numbers_mismatch",
    "The numbers given are not the numbers of the bet named.",
    "leave the numbers out, or give exactly those of the bet",
)
UNEXPECTED_INDEX = Code(
    "unexpected_index",
    "Only a dozen or a column has an index.",
    "leave the index out and give the numbers",
)
INDEX_OUT_OF_RANGE = Code(
    "index_out_of_range",
    "The index of a dozen or column is not 1, 2 or 3.",
    "give index 1, 2 or 3",
)
UNKNOWN_CHOICE = Code(
    "unknown_choice",
    "The player's choice is not one the rules know.",
    "give one of the choices named, or null",
)
UNKNOWN_STATE = Code(
    "unknown_state",
    "The state of the stake is not one the rules know.",
    "give back the state of the last settlement, or null for a new bet",
)
STATE_NOT_POSSIBLE = Code(
    "state_not_possible",
    "A bet of this kind, at this table, cannot be in that state.",
    "give the state of the last settlement of this bet, null for a new one",
)
GAME_NOT_IN_RULES = Code(
    "game_not_in_rules",
    "The edition has no such game.",
    "use an edition that has the game",
)
SELECTION_MISSING = Code(
    "selection_missing",
    "The bet needs its selection.",
    "say in `on` what the chips lie on",
)
SELECTION_UNEXPECTED = Code(
    "selection_unexpected",
    "The bet has no selection: its name says all.",
    "leave `on` out",
)
SELECTION_INVALID = Code(
    "selection_invalid",
    "The selection is none of those of the bet, or not in its one order, from low to high.",
    "give `on` as the schema has it",
)
CHOICE_UNEXPECTED = Code(
    "choice_unexpected",
    "There is nothing to choose with this bet at this table.",
    "leave `choice` out",
)
UNKNOWN_THROW = Code(
    "unknown_throw",
    "That is no throw of this game: the number of dice or a face is wrong.",
    "give one face from 1 to 6 for each die",
)
UNKNOWN_STOP = Code(
    "unknown_stop",
    "The wheel cannot have stopped there.",
    "give the payout number the wheel shows, with its mark if it has one",
)
STOP_INCOMPLETE = Code(
    "stop_incomplete",
    "The stop does not say what a bet needs: the mark of its number, or the jackpot drawn.",
    "name the mark in the bets and in the outcome, and the jackpot with the outcome",
)
CARDS_INVALID = Code(
    "cards_invalid",
    "That is no hand of cards.",
    "write cards as rank and suit, with one space between: AH TD 7C",
)
DEAL_INCOMPLETE = Code(
    "deal_incomplete",
    "By the rules of the game a card is still to come.",
    "send the round when it has ended, or give the reason of the void with the cards dealt",
)
DEAL_NOT_BY_RULE = Code(
    "deal_not_by_rule",
    "The rules of the game deal other cards.",
    "check the cards; a round dealt wrongly is for the house to rule on",
)
BET_NOT_IN_ROUND = Code(
    "bet_not_in_round",
    "There is no such bet in this round.",
    "check the bets of the round; take back what could not be laid",
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

RULE_CODES: tuple[Code, ...] = (
    STAKE_OUT_OF_RANGE,
    NOT_WHOLE_CENTS,
    STAKE_NOT_DIVISIBLE,
    UNKNOWN_RULES,
    UNKNOWN_VARIANT,
    VARIANT_NOT_IN_RULES,
    UNKNOWN_POCKET,
    UNKNOWN_BET,
    BET_NOT_OFFERED,
    NUMBERS_MISSING,
    WRONG_COUNT,
    UNKNOWN_NUMBER,
    DUPLICATE_NUMBER,
    NOT_ON_LAYOUT,
    NUMBERS_MISMATCH,
    UNEXPECTED_INDEX,
    INDEX_OUT_OF_RANGE,
    UNKNOWN_CHOICE,
    UNKNOWN_STATE,
    STATE_NOT_POSSIBLE,
    GAME_NOT_IN_RULES,
    SELECTION_MISSING,
    SELECTION_UNEXPECTED,
    SELECTION_INVALID,
    CHOICE_UNEXPECTED,
    UNKNOWN_THROW,
    UNKNOWN_STOP,
    STOP_INCOMPLETE,
    CARDS_INVALID,
    DEAL_INCOMPLETE,
    DEAL_NOT_BY_RULE,
    BET_NOT_IN_ROUND,
    BELOW_MINIMUM,
    NOT_A_MULTIPLE,
    ABOVE_MAXIMUM,
    LIMITS_INVALID,
)
