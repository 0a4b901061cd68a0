"""Players of the acts: the bets they request."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

Slip = Mapping[str, Any]
"""A bet and its place as `tabletool settle` reads it."""


class Bet(NamedTuple):
    """A bet that a player requests."""

    player: str
    stake_cents: int
    slip: Slip


class _Place(msgspec.Struct):
    bet: str
    index: int | None = None
    numbers: list[str] = []
    on: list[int | str] = []


def bet(player: str, kind: str, stake_cents: int, **place: object) -> Bet:
    """Return a bet. place: numbers, index or on, as its kind has it."""
    return Bet(player, stake_cents, {"bet": kind, **place})


def name_of(slip: Slip) -> str:
    """Return a bet as a croupier would name it: "split 17-20", "dozen 2", "red"."""
    place = msgspec.convert(slip, _Place)
    kind = place.bet.replace("_", " ")
    if place.index is not None:
        return f"{kind} {place.index}"
    numbers = place.numbers or [str(each) for each in place.on]
    if len(numbers) > 4:
        return f"{kind} {numbers[0]}-{numbers[-1]}"
    return f"{kind} {'-'.join(numbers)}" if numbers else kind


def always(bets: Sequence[Bet]) -> Callable[[int], Callable[[], list[Bet]]]:
    """Return players who request the same bets in every round, whatever the seed."""
    return lambda _seed: lambda: list(bets)


def once(bets: Sequence[Bet]) -> Callable[[int], Callable[[], list[Bet]]]:
    """Return players who request these bets in the first round only, whatever the seed."""

    def players(_seed: int) -> Callable[[], list[Bet]]:
        rounds = [list(bets)]
        return lambda: rounds.pop() if rounds else []

    return players
