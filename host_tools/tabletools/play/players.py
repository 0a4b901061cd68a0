"""Players of the acts: the bets they request."""

from collections.abc import Callable, Sequence
from typing import Any

Bet = dict[str, Any]


def always(bets: Sequence[Bet]) -> Callable[[int], Callable[[], list[Bet]]]:
    """Return players who request the same bets in every round, whatever the seed."""
    return lambda _seed: lambda: [dict(bet) for bet in bets]


def once(bets: Sequence[Bet]) -> Callable[[int], Callable[[], list[Bet]]]:
    """Return players who request these bets in the first round only, whatever the seed."""

    def players(_seed: int) -> Callable[[], list[Bet]]:
        left = [[dict(bet) for bet in bets]]
        return lambda: left.pop() if left else []

    return players
