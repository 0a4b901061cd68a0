"""Rounds as settled in a ledger, and the sums of their players. Plain rows, no database."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec


class SettledBet(msgspec.Struct):
    """A bet of a round with its result. Amounts in cents."""

    id: int
    player: str
    slip: dict[str, Any]
    stake_cents: int
    outcome: str | None
    rule: str | None
    """Article."""
    carried_from: int | None
    """The bet of an earlier round whose stake it is."""
    back_cents: int | None = None
    lost_cents: int | None = None
    live_cents: int | None = None
    win_cents: int | None = None


class _Settlement(msgspec.Struct):
    outcome: dict[str, Any]


class Settled(msgspec.Struct, kw_only=True):
    """A round of the ledger with its settlements; see money.play_queries.round_whole."""

    rules: str | None
    game: str | None
    variant: str | None
    all_bets: list[SettledBet] = msgspec.field(name="bets")
    settlements: list[_Settlement]
    options: dict[str, Any] = {}
    """Of the table, as `tabletool settle` reads them."""

    @property
    def bets(self) -> list[SettledBet]:
        """The bets that were settled."""
        return [bet for bet in self.all_bets if bet.outcome is not None]

    @property
    def outcome(self) -> dict[str, Any]:
        """The outcome of the round, as `tabletool settle` reads it."""
        return self.settlements[-1].outcome

    @property
    def record(self) -> dict[str, Any]:
        """The round as a record for `tabletool settle`."""
        terms = {"rules": self.rules, "game": self.game, "variant": self.variant}
        bets = [
            {"id": str(bet.id), "player": bet.player, **bet.slip, "stake": bet.stake_cents}
            for bet in self.bets
        ]
        return {
            **{name: value for name, value in terms.items() if value is not None},
            **({"table": self.options} if self.options else {}),
            "bets": bets,
            "outcome": self.outcome,
        }


class Sums(NamedTuple):
    """The money of a player, or of all, in cents. live: staked and still in play."""

    staked: int = 0
    returned: int = 0
    lost: int = 0
    live: int = 0
    won: int = 0

    @property
    def net(self) -> int:
        """The net result of the player, negative for a loss."""
        return self.won - self.lost

    @property
    def is_balanced(self) -> bool:
        """Whether every cent staked is accounted for, and none is in play."""
        return self.staked == self.returned + self.lost and self.live == 0

    def plus(self, other: "Sums") -> "Sums":
        """Return the sums of both together."""
        return Sums(*(a + b for a, b in zip(self, other, strict=True)))


def sums_of(rounds: Iterable[Settled]) -> dict[str, Sums]:
    """Return the sums of each player over consecutive rounds."""
    sums: dict[str, Sums] = {}
    for each in rounds:
        for bet in each.bets:
            # A stake that stayed in play was staked once.
            is_carried = bet.carried_from is not None
            more = Sums(
                staked=0 if is_carried else bet.stake_cents,
                returned=bet.back_cents or 0,
                lost=bet.lost_cents or 0,
                live=(bet.live_cents or 0) - (bet.stake_cents if is_carried else 0),
                won=bet.win_cents or 0,
            )
            sums[bet.player] = sums.get(bet.player, Sums()).plus(more)
    return sums
