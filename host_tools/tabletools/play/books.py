"""The books of a session: what was staked, what became of it, and whether that adds up."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tabletools.settle import Settlement


@dataclass
class Account:
    """One player's money, cents. staked: chips laid. returned: stakes given back. kept: stakes
    lost to the house. live: stakes in play. won: winnings paid on top."""

    staked: int = 0
    returned: int = 0
    kept: int = 0
    live: int = 0
    won: int = 0

    @property
    def balances(self) -> bool:
        """Whether every cent staked is somewhere."""
        return self.staked == self.returned + self.kept + self.live

    @property
    def net(self) -> int:
        """What the player is up, negative when down."""
        return self.won - self.kept

    def add(self, other: "Account") -> None:
        """Take another account's sums in."""
        self.staked += other.staked
        self.returned += other.returned
        self.kept += other.kept
        self.live += other.live
        self.won += other.won


@dataclass
class Books:
    """The accounts of all players, and the bank's own count of the same money.

    bank: what the bank took in less what it paid out, counted apart from the accounts.
    """

    accounts: dict[str, Account] = field(default_factory=dict)
    bank: int = 0
    bets: int = 0

    def lay(self, player: str, stake: int) -> None:
        """A bet was taken: the stake moves from the player to the cloth."""
        account = self.accounts.setdefault(player, Account())
        account.staked += stake
        account.live += stake
        self.bank += stake
        self.bets += 1

    def settle(self, lines: Iterable[Settlement], owners: dict[str, str]) -> None:
        """Book a round. owners: player of each bet id."""
        for line in lines:
            account = self.accounts[owners[line.id]]
            account.live -= line.stake - line.live
            account.returned += line.back
            account.kept += line.lost
            account.won += line.win
            self.bank -= line.back + line.win

    def total(self) -> Account:
        """All accounts together."""
        total = Account()
        for account in self.accounts.values():
            total.add(account)
        return total

    @property
    def balances(self) -> bool:
        """Every account adds up, nothing is left in play, and the bank's count agrees."""
        total = self.total()
        accounts = all(account.balances for account in self.accounts.values())
        return accounts and total.live == 0 and self.bank == -total.net
