"""Codes about the result of a round: pockets, throws, stops, cards."""

from tabletools.rules.violation import Code

UNKNOWN_POCKET = Code(
    "unknown_pocket",
    "The wheel of this variant has no such pocket.",
    "give the pocket as the text printed on the wheel",
)
UNKNOWN_THROW = Code(
    "unknown_throw",
    "That is not a throw of this game: the number of dice or a face is wrong.",
    "give one face from 1 to 6 for each die",
)
UNKNOWN_STOP = Code(
    "unknown_stop",
    "The wheel cannot have stopped there.",
    "give the payout number the wheel shows, with its mark if it has one",
)
STOP_INCOMPLETE = Code(
    "stop_incomplete",
    "The stop does not give what a bet needs: the mark of its number, or the jackpot drawn.",
    "name the mark in the bets and in the outcome, and the jackpot with the outcome",
)
CARDS_INVALID = Code(
    "cards_invalid",
    "That is not a hand of cards, or more cards than the decks contain.",
    "check the cards at the places named; each is rank and suit, with one space between: AH TD 7C",
)
DEAL_INCOMPLETE = Code(
    "deal_incomplete",
    "By the rules of the game a card is still to come.",
    "send the round when it has ended, or give the reason of the void with the cards dealt",
)
DEAL_NOT_BY_RULE = Code(
    "deal_not_by_rule",
    "The rules of the game deal other cards.",
    "check the cards; the house rules on a round dealt wrongly",
)
ACTION_NOT_LEGAL = Code(
    "action_not_legal",
    "The rules do not allow that action.",
    "correct the action; the floor rules on what was played nevertheless",
)

OUTCOME_CODES: tuple[Code, ...] = (
    UNKNOWN_POCKET,
    UNKNOWN_THROW,
    UNKNOWN_STOP,
    STOP_INCOMPLETE,
    CARDS_INVALID,
    DEAL_INCOMPLETE,
    DEAL_NOT_BY_RULE,
    ACTION_NOT_LEGAL,
)
