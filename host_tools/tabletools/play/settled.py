"""Rounds as settled in a ledger, and the sums of their players. Plain rows, no database."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

Row = Mapping[str, Any]


class Settled(NamedTuple):
    """A round of the ledger with its last settlement.

    row: see money.play_queries.round_whole. options: of the table, as `tabletool settle` reads
    them.
    """

    row: Row
    options: Mapping[str, Any] = {}

    @property
    def bets(self) -> list[Row]:
        """The bets that were settled."""
        return [bet for bet in self.row["bets"] if bet["outcome"] is not None]

    @property
    def outcome(self) -> dict[str, Any]:
        """The outcome of the round, as `tabletool settle` reads it."""
        found: dict[str, Any] = self.row["settlements"][-1]["outcome"]
        return found

    @property
    def record(self) -> dict[str, Any]:
        """The round as a record for `tabletool settle`."""
        names = ("rules", "game", "variant")
        found = {name: self.row[name] for name in names if self.row[name] is not None}
        if self.options:
            found["table"] = dict(self.options)
        bets = [
            {"id": str(bet["id"]), "player": bet["player"], **bet["slip"]}
            | {"stake": bet["stake_cents"]}
            for bet in self.bets
        ]
        return {**found, "bets": bets, "outcome": self.outcome}


class Sums(NamedTuple):
    """The money of a player, or of all, in cents. live: staked and still in play."""

    staked: int = 0
    returned: int = 0
    kept: int = 0
    live: int = 0
    won: int = 0

    @property
    def net(self) -> int:
        """The net result of the player, negative for a loss."""
        return self.won - self.kept

    @property
    def is_balanced(self) -> bool:
        """Whether every cent staked is accounted for, and none is in play."""
        return self.staked == self.returned + self.kept and self.live == 0

    def plus(self, other: "Sums") -> "Sums":
        """Return the sums of both together."""
        return Sums(*(a + b for a, b in zip(self, other, strict=True)))


def sums_of(rounds: Iterable[Settled]) -> dict[str, Sums]:
    """Return the sums of each player over consecutive rounds."""
    found: dict[str, Sums] = {}
    for each in rounds:
        for bet in each.bets:
            cents = {name: bet[f"{name}_cents"] for name in ("back", "lost", "live", "win")}
            # A stake that stayed in play was staked once.
            is_carried = bet["carried_from"] is not None
            staked, taken_up = bet["stake_cents"], bet["stake_cents"] if is_carried else 0
            more = Sums(
                0 if is_carried else staked,
                cents["back"],
                cents["lost"],
                cents["live"] - taken_up,
                cents["win"],
            )
            found[bet["player"]] = found.get(bet["player"], Sums()).plus(more)
    return found
