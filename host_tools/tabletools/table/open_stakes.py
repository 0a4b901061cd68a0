"""The stakes of a round in play, by player and chance, as the limits of a table measure them.

They stay in memory between transactions, so that a bet costs the same however many its player
has in the round.
"""

from collections.abc import Iterable
from typing import Any

from tabletools.table import game_rounds
from tabletools.table.game_rounds import SlipGame
from tabletools.table.slips import StoredBet


class OpenStakes:
    """The stakes of one round of a game BY_SLIP."""

    def __init__(self, round_id: int, game: SlipGame) -> None:
        self.round_id = round_id
        self.cents: dict[tuple[int, Any], int] = {}
        """By player and chance."""
        self._game = game

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OpenStakes):
            return NotImplemented
        return (self.round_id, self.cents) == (other.round_id, other.cents)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(cls, round_id: int, game: SlipGame, bets: Iterable[StoredBet]) -> "OpenStakes":
        """Return the stakes of the bets of a round."""
        stakes = cls(round_id, game)
        for bet in bets:
            if bet.state is None:  # else measured in an earlier round
                stakes.add_stake(bet.account, game.chance(bet.slip), bet.stake)
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
        chance, most = self._game.measure(new.slip, new.stake)
        freed = None if old is None else self._game.chance(old.slip)
        beside = self.cents.get((new.account, chance), 0)
        if old is not None and freed == chance:
            beside -= old.stake
        if most is not None and beside + new.stake > most:
            before = [new._replace(id=0, stake=beside)] if beside else []
            game_rounds.verify_bets(self._game.terms, [*before, new])
        if old is not None:
            self.add_stake(old.account, freed, -old.stake)
        self.add_stake(new.account, chance, new.stake)

    def remove_bet(self, old: StoredBet) -> None:
        """Remove a bet that was placed in this round."""
        self.add_stake(old.account, self._game.chance(old.slip), -old.stake)
