"""Cards, hands, and rounds in which not every card was dealt.

A card is its rank and suit: AH TD 7C. A round's outcome is the set of results still possible: one
when all cards are dealt, more if a fault ended the round earlier. So "the round is invalid, except
for the bets already won or lost" (hc2023 and hc2011 3:1(7), READING-55) is implemented once for
every game: a bet is decided when all results still possible have the same verdict.
"""

from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache, partial

from tabletools.rules.bets import CompiledBet
from tabletools.rules.codes.bets import BET_NOT_IN_ROUND
from tabletools.rules.codes.outcomes import CARDS_INVALID, DEAL_INCOMPLETE, DEAL_NOT_BY_RULE
from tabletools.rules.game import MOST_COMPILED, Choice, Kind, State
from tabletools.rules.selection import NOTHING, On, Selections
from tabletools.rules.verdict import Verdict, void
from tabletools.rules.violation import RuleViolation, player_shown, shown

RANKS = "23456789TJQKA"
SUITS = "CDHS"
CARDS = frozenset(rank + suit for rank in RANKS for suit in SUITS)
LEVELS = {rank: place for place, rank in enumerate(RANKS, start=2)}
Hand = tuple[str, ...]

Results = frozenset[Hashable]
"""The results still possible; empty when nothing is decided."""
Decide = Callable[[On, State, Choice, Hashable], Verdict]


def hand_of(text: str) -> Hand:
    """Return the cards of a hand written as text; raise RuleViolation if it is not a hand."""
    cards = tuple(text.split(" ")) if text else ()
    for card in cards:
        if card not in CARDS:
            what = f"{shown(card)} is not a card: a rank of {RANKS}, then a suit of {SUITS}"
            raise RuleViolation(CARDS_INVALID, what)
    return cards


def level(card: str) -> int:
    """Return the height of a card or a rank, 2 to 14: the ace is the highest."""
    return LEVELS[card[0]]


def higher_of(own: Hand, bank: Hand, *, voided: bool) -> Results:
    """Return the signs still possible of one card each: 1 own is higher, 0 equal, -1 the bank's.

    voided: a fault ended the round; else both cards are required.
    """
    if len(own) > 1 or len(bank) > 1:
        raise RuleViolation(DEAL_NOT_BY_RULE, "one card each is dealt, the next two are a round")
    if not (own and bank) and not voided:
        raise RuleViolation(DEAL_INCOMPLETE, "one card each is dealt, and one is missing")
    return frozenset(
        (level(mine) > level(other)) - (level(mine) < level(other))
        for mine in own or RANKS
        for other in bank or RANKS
    )


class CardVerdicts(dict[Results, Verdict]):
    """Verdicts of one bet by the results still possible, computed on first use."""

    def __init__(
        self, decide: Callable[[Hashable], Verdict], undecided: Verdict, choice: Choice
    ) -> None:
        """decide: the verdict of one result. undecided: the verdict if a fault left the bet open.

        choice: what the player chose.
        """
        super().__init__()
        self.choice = choice
        self._decide = decide
        self._undecided = undecided

    def __missing__(self, results: Results) -> Verdict:
        if len(self) >= MOST_COMPILED:
            self.clear()  # a box of Black Jack can end in millions of ways
        verdicts = {self._decide(result) for result in results}
        self[results] = verdicts.pop() if len(verdicts) == 1 else self._undecided
        return self[results]


def verify_choices(bets: Sequence[CompiledBet]) -> None:
    """Raise RuleViolation unless all bets of a player that carry a choice carry the same one."""
    chosen: dict[str | None, Choice] = {}
    for place, bet in enumerate(bets):
        assert isinstance(bet.verdicts, CardVerdicts)
        choice = bet.verdicts.choice
        if choice is not None and chosen.setdefault(bet.player, choice) != choice:
            what = f"{player_shown(bet.player)} chose {chosen[bet.player]}, and now {choice}"
            raise RuleViolation(BET_NOT_IN_ROUND, what, f"bets[{place}].choice")


def card_kind(
    decide: Decide,
    void_article: str,
    selections: Selections = NOTHING,
    *,
    states: tuple[State, ...] = (None,),
    choices: tuple[str, ...] = (),
    unit: int = 1,
    default: On = (),
    follows: bool = False,
) -> Kind:
    """Return a kind decided by the result of a card round. unit, default, follows: see Kind."""
    undecided = void(void_article)

    @lru_cache(MOST_COMPILED)
    def verdicts(on: On, state: State, choice: Choice) -> CardVerdicts:
        return CardVerdicts(partial(decide, on, state, choice), undecided, choice)

    return Kind(selections, verdicts, None, states, choices, unit, default, follows)
