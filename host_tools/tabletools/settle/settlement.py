"""Settlement: placed bets and an outcome become lines of what happens to each stake.

Knows no game: a placed bet carries its own verdicts (`rules.bets.Placed`), an outcome is the key
to them. Knows no frame, file or database.
"""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from tabletools.rules.bets import Placed
from tabletools.rules.codes.stakes import NOT_WHOLE_CENTS
from tabletools.rules.refusal import Refusal, shown


class Settlement(NamedTuple):
    """What one bet came to; all amounts in cents, stake == back + live + lost.

    outcome: one of rules.verdict.OUTCOMES. stake: what was in play. win: winnings on top of the
    stake. back: stake returned. live: stake staying in play with `state`. lost: stake to the
    bank. rule: edition and article.
    """

    id: str
    outcome: str
    stake: int
    win: int
    back: int
    live: int
    lost: int
    state: str | None
    rule: str


class Totals(NamedTuple):
    """Sums over the lines of a round, cents."""

    stake: int
    win: int
    back: int
    live: int
    lost: int


class Unbalanced(Exception):
    """The lines of a round do not balance: a fault of this program, nothing may be paid."""


def verify_round(bets: Sequence[Placed], outcome: Any) -> None:
    """Raise Refusal if this outcome would pay or take a part of a cent (READING-2)."""
    for place, bet in enumerate(bets):
        verdict = bet.verdicts[outcome]
        if bet.stake % verdict.den:
            what = (
                f"stake {bet.stake} of bet {shown(bet.id)} does not divide by {verdict.den}, and "
                f"the outcome is {verdict.outcome} ({verdict.rule})"
            )
            raise Refusal(NOT_WHOLE_CENTS, what, f"bets[{place}].stake")


def can_settle(bets: Sequence[Placed], outcome: Any) -> bool:
    """Say whether `settle_round` would settle these bets."""
    try:
        verify_round(bets, outcome)
    except Refusal:
        return False
    return True


def settle_round(bets: Sequence[Placed], outcome: Any) -> list[Settlement]:
    """Settle all bets of a round, in order: all of them or, with a Refusal, none.

    outcome: key into the verdicts of these bets; of roulette, `roulette.outcome_of(...)` or
    `roulette.VOID`. Raises Refusal as `verify_round` does. This is the one way a bet is settled,
    for one bet and for bulk.
    """
    new = tuple.__new__  # 0.15 us a line; Settlement(...) takes 0.27 (CPython 3.11)
    lines = [
        new(
            Settlement,
            (name, what, stake, unit * win, unit * back, unit * live, unit * lost, state, rule),
        )
        for name, stake, verdicts, _chance, _player, _state in bets
        for what, den, win, back, live, lost, state, rule in (verdicts[outcome],)
        for unit in (stake // den,)
    ]
    try:
        # A stake that den does not divide leaves its line, and so the sum, short.
        verify_balance(bets, lines)
    except Unbalanced:
        verify_round(bets, outcome)
        raise
    return lines


def totals(lines: Sequence[Settlement]) -> Totals:
    """Add up the lines of a round."""
    return Totals(*(sum(map(itemgetter(column), lines)) for column in range(2, 7)))


def verify_balance(bets: Sequence[Placed], lines: Sequence[Settlement]) -> None:
    """Raise Unbalanced unless what was staked is what came back, stays live or is lost."""
    staked = sum(map(itemgetter(1), bets))
    back, live, lost = (sum(map(itemgetter(column), lines)) for column in (4, 5, 6))
    if len(bets) != len(lines) or staked != back + live + lost:
        raise Unbalanced(f"staked {staked}, back {back}, live {live}, lost {lost}")
