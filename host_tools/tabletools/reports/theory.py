"""What a bank wins on average of a bet: exact, by settling the bet at every outcome.

Known of the games that list equally likely outcomes. Of others nothing is estimated.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache

from tabletools.evidence.tables import Terms
from tabletools.games import GAMES
from tabletools.store.errors import LedgerRejection
from tabletools.table import game_rounds
from tabletools.table.slips import StoredBet

_MOST_BETS = 8192
"""Size of the cache: bets of one slip and stake under the same terms."""


@cache
def outcomes(game: str, rules: str, variant: str | None) -> Sequence[Mapping[str, object]]:
    """Return the equally likely outcomes of a game, none if they are not known."""
    likely = GAMES[game].equally_likely
    return [] if likely is None else likely(rules, variant)


def win_cents(terms: Terms, slip: str, stake: int) -> Fraction | None:
    """Return what the bank wins on average of a stake, cents; None if it is not known.

    slip: as it is stored. A stake that stays in play is settled until it is decided.
    """
    if not outcomes(terms.game, terms.rules, terms.variant):
        return None
    try:
        return _win_cents(_Key(terms), slip, stake)
    except LedgerRejection:  # a part of the stake that the rules cannot split further
        return None


class _Key:
    """Terms as a key of a cache: equal where a bet is settled alike."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._facts = (
            terms.game,
            terms.rules,
            terms.variant,
            repr(terms.options),
            terms.void_policy,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._facts == other._facts

    def __hash__(self) -> int:
        return hash(self._facts)


@lru_cache(_MOST_BETS)
def _win_cents(key: _Key, slip: str, stake: int) -> Fraction:
    """Solve: the average of a state is what is decided at once, and that of the states after."""
    averages: dict[str | None, tuple[Fraction, dict[str | None, Fraction]]] = {}
    waiting: list[str | None] = [None]
    while waiting:
        state = waiting.pop()
        if state in averages:
            continue
        averages[state] = _decide(key.terms, slip, stake, state)
        waiting += averages[state][1]
    return _solve(averages)


def _decide(
    terms: Terms, slip: str, stake: int, state: str | None
) -> tuple[Fraction, dict[str | None, Fraction]]:
    """Return what the bank wins at once of a stake in a state, and how likely states follow."""
    known = outcomes(terms.game, terms.rules, terms.variant)
    won, after = Fraction(0), dict[str | None, Fraction]()
    bet = StoredBet(1, 1, slip, stake, state, is_carried=state is not None)
    for outcome in known:
        [line] = game_rounds.settled(terms, [bet], outcome, is_void=False).lines
        won += Fraction(line.lost - line.win, len(known))
        if line.live:
            share = Fraction(line.live, stake * len(known))
            after[line.state] = after.get(line.state, Fraction(0)) + share
    return won, after


def _solve(
    averages: Mapping[str | None, tuple[Fraction, dict[str | None, Fraction]]],
) -> Fraction:
    """Return the average of the state None, by elimination of the others."""
    left = {state: (won, dict(after)) for state, (won, after) in averages.items()}
    for state in [each for each in left if each is not None] + [None]:
        won, after = left.pop(state)
        stays = 1 - after.pop(state, Fraction(0))
        won, after = won / stays, {each: share / stays for each, share in after.items()}
        if state is None:
            return won
        for each, (other_won, other_after) in left.items():
            share = other_after.pop(state, Fraction(0))
            for next_state, weight in after.items():
                other_after[next_state] = other_after.get(next_state, Fraction(0)) + share * weight
            left[each] = (other_won + share * won, other_after)
    raise AssertionError("the state of a new bet is always among them")
