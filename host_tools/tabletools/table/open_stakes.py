"""The stakes of a round in play, by player and chance, as the limits of a table measure them.

They stay in memory between transactions, so that a bet costs the same however many its player
has in the round.
"""

from collections.abc import Iterable
from typing import Any

from tabletools.evidence.tables import Terms
from tabletools.money import games
from tabletools.money.games import Measured, StoredBet

_MOST_MEASURED = 4096
"""Size of the cache of measured slips with their stakes."""


class OpenStakes:
    """The stakes of one round of a game BY_SLIP."""

    def __init__(self, round_id: int, terms: Terms) -> None:
        self.round_id = round_id
        self.cents: dict[tuple[int, Any], int] = {}
        """By player and chance."""
        self._terms = terms
        self._measured: dict[tuple[str, int], Measured] = {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpenStakes):
            return NotImplemented
        return (self.round_id, self.cents) == (other.round_id, other.cents)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(cls, round_id: int, terms: Terms, bets: Iterable[StoredBet]) -> "OpenStakes":
        """Return the stakes of the bets of a round."""
        stakes = cls(round_id, terms)
        new = [bet for bet in bets if bet.state is None]  # else measured in an earlier round
        chances = games.chances(terms, sorted({bet.slip for bet in new}))
        for bet in new:
            stakes.add_stake(bet.account, chances[bet.slip], bet.stake)
        return stakes

    def add_stake(self, account: int, chance: Any, cents: int) -> None:
        """Add a stake of a player; negative cents remove one."""
        key = account, chance
        left = self.cents.get(key, 0) + cents
        if left:
            self.cents[key] = left
        else:
            self.cents.pop(key, None)

    def add_bet(self, new: StoredBet, old: StoredBet | None) -> None:
        """Add a new bet; an old one of the same player is replaced, if given.

        Raises LedgerRejection.
        """
        chance, most = self._measure(new.slip, new.stake)
        freed = None if old is None else self._chance(old.slip)
        beside = self.cents.get((new.account, chance), 0)
        if old is not None and freed == chance:
            beside -= old.stake
        if most is not None and beside + new.stake > most:
            before = [new._replace(id=0, stake=beside)] if beside else []
            games.verify_bets(self._terms, [*before, new])
        if old is not None:
            self.add_stake(old.account, freed, -old.stake)
        self.add_stake(new.account, chance, new.stake)

    def remove_bet(self, old: StoredBet) -> None:
        """Remove a bet that was placed in this round."""
        self.add_stake(old.account, self._chance(old.slip), -old.stake)

    def _measure(self, slip: str, cents: int) -> Measured:
        """Return how a new bet is measured. Raises LedgerRejection unless it is valid alone."""
        measured = self._measured.get((slip, cents))
        if measured is None:
            measured = games.measure(self._terms, slip, cents)
            if len(self._measured) >= _MOST_MEASURED:
                self._measured.clear()
            self._measured[slip, cents] = measured
        return measured

    def _chance(self, slip: str) -> Any:
        return games.chances(self._terms, [slip])[slip]
