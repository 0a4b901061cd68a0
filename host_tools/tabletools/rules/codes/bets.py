"""Codes about what is bet on: games, names, selections, choices, states."""

from tabletools.rules.violation import Code

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
GAME_NOT_IN_RULES = Code(
    "game_not_in_rules",
    "The edition has no such game.",
    "use an edition that has the game",
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
BET_NOT_IN_ROUND = Code(
    "bet_not_in_round",
    "There is no such bet in this round.",
    "check the bets of the round; remove the bet that could not be placed",
)
SECOND_BET = Code(
    "second_bet",
    "The player has a bet on this chance, and the rules allow one.",
    "change the bet that is in play instead",
)
SELECTION_MISSING = Code(
    "selection_missing",
    "The bet needs its selection.",
    "give in `on` what the chips cover",
)
SELECTION_UNEXPECTED = Code(
    "selection_unexpected",
    "The bet has no selection: its name is enough.",
    "leave `on` out",
)
SELECTION_INVALID = Code(
    "selection_invalid",
    "The selection is not one of those of the bet, or not in order from low to high.",
    "give `on` as the schema has it",
)
UNKNOWN_CHOICE = Code(
    "unknown_choice",
    "The player's choice is not one the rules know.",
    "give one of the choices named, or null",
)
CHOICE_UNEXPECTED = Code(
    "choice_unexpected",
    "There is nothing to choose with this bet at this table.",
    "leave `choice` out",
)
UNKNOWN_STATE = Code(
    "unknown_state",
    "The state of the stake is not one the rules know.",
    "return the state of the last settlement, or null for a new bet",
)
STATE_NOT_POSSIBLE = Code(
    "state_not_possible",
    "A bet of this kind, at this table, cannot be in that state.",
    "give the state of the last settlement of this bet, null for a new one",
)
NUMBERS_MISSING = Code(
    "numbers_missing",
    "The bet needs its numbers (a dozen or column: its numbers or its index).",
    "give the numbers the chips cover",
)
WRONG_COUNT = Code(
    "wrong_count",
    "The bet does not cover that many numbers.",
    "give exactly the numbers the chips cover",
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

BET_CODES: tuple[Code, ...] = (
    UNKNOWN_RULES,
    UNKNOWN_VARIANT,
    VARIANT_NOT_IN_RULES,
    GAME_NOT_IN_RULES,
    UNKNOWN_BET,
    BET_NOT_OFFERED,
    BET_NOT_IN_ROUND,
    SECOND_BET,
    SELECTION_MISSING,
    SELECTION_UNEXPECTED,
    SELECTION_INVALID,
    UNKNOWN_CHOICE,
    CHOICE_UNEXPECTED,
    UNKNOWN_STATE,
    STATE_NOT_POSSIBLE,
    NUMBERS_MISSING,
    WRONG_COUNT,
    UNKNOWN_NUMBER,
    DUPLICATE_NUMBER,
    NOT_ON_LAYOUT,
    NUMBERS_MISMATCH,
    UNEXPECTED_INDEX,
    INDEX_OUT_OF_RANGE,
)
