"""The stakes of a round in play, by player and chance, as the limits of a table measure them.

They stay in memory between transactions, so that a bet costs the same however many its player
has in the round. `Store.before` says whether the state of the last transaction is still current;
otherwise they are read from the database again.
"""

from typing import Any

from sqlalchemy import Connection, bindparam, exists, func, select

from tabletools.evidence.tables import Terms
from tabletools.money import games
from tabletools.money.games import Measured, StoredBet
from tabletools.store.schema.play import bets, withdrawals
from tabletools.table.settling import TableAccounts

_MOST_MEASURED = 4096
"""Size of the cache of measured slips with their stakes."""
_IN_PLAY = (
    select(bets.c.account_id, bets.c.slip, func.sum(bets.c.stake_cents))
    .where(
        bets.c.round_id == bindparam("round"),
        bets.c.state.is_(None),  # a stake with a state was measured in an earlier round
        ~exists().where(withdrawals.c.bet_id == bets.c.id),
    )
    .group_by(bets.c.account_id, bets.c.slip)
)


class KnownBets:
    """The stakes of one round of a game BY_SLIP. round: its row. cents: by player and chance.

    accounts: the accounts of the table, once they are known.
    """

    def __init__(self, round_key: int, terms: Terms) -> None:
        self.round = round_key
        self.accounts: TableAccounts | None = None
        self.cents: dict[tuple[int, Any], int] = {}
        self._terms = terms
        self._measured: dict[tuple[str, int], Measured] = {}

    @classmethod
    def read(cls, db: Connection, round_key: int, terms: Terms) -> "KnownBets":
        """Return the stakes of a round from the database."""
        found = cls(round_key, terms)
        rows = db.execute(_IN_PLAY, {"round": round_key}).all()
        chances = games.chances(terms, sorted({slip for _, slip, _ in rows}))
        for account, slip, cents in rows:
            found.add_stake(account, chances[slip], int(cents))
        return found

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
        found = self._measured.get((slip, cents))
        if found is None:
            found = games.measured(self._terms, slip, cents)
            if len(self._measured) >= _MOST_MEASURED:
                self._measured.clear()
            self._measured[slip, cents] = found
        return found

    def _chance(self, slip: str) -> Any:
        return games.chances(self._terms, [slip])[slip]
