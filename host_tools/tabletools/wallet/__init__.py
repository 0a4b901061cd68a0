"""Where the money of players is: in the ledger, or in an external wallet.

`Wallet` is what the pit knows of it. `LedgerWallet` is the default: the ledger has the money, and
no bet waits. `external.ExternalWallet` debits a wallet over HTTP before a bet is placed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, Protocol

from tabletools.money.wallet_transfers import Transfer
from tabletools.wallet.messages import Answer, Entry

__all__ = ["LEDGER_WALLET", "Answer", "LedgerWallet", "Standing", "Transfer", "Wallet"]


class Standing(NamedTuple):
    """State of an external wallet. requests: by kind and outcome, of this run of the host; open:
    transfers that are not final, by state."""

    is_up: bool
    requests: Mapping[tuple[str, str], int]
    open: Mapping[str, int]


class Wallet(Protocol):
    """Where the money of players is."""

    @property
    def is_external(self) -> bool:
        """Whether a player whose account is opened has the money in it, and not in the ledger."""

    def has(self, account: int) -> bool:
        """Whether the money of a player has to be debited before a bet is placed.

        Raises StoreError.
        """

    def trouble(self) -> str:
        """Return why nothing can be debited now, empty if it can."""

    def day(self, now_ns: int) -> str:
        """Return the gaming day that a movement is reconciled in, as a date."""

    def debit(self, stake: Transfer, then: Callable[[Answer], None]) -> None:
        """Debit a stake that was written; `then` is called once it is decided, on any thread.

        What was not debited for certain is reversed.
        """

    def balance_cents(self, account: int) -> int | None:
        """Return what a player has, as the wallet last said; None if the ledger knows it."""

    def statement(self, day: str) -> Iterator[Entry]:
        """Yield the movements that it carried out in a gaming day. Raises ToolError."""

    def start(self) -> None:
        """Start to deliver what it has to be sent."""

    def stop(self) -> None:
        """End."""

    def standing(self) -> Standing | None:
        """Return its state for the metrics; None for the ledger. Raises StoreError."""


class LedgerWallet:
    """The money is in the ledger: a bet moves it in its own transaction."""

    is_external = False

    def has(self, account: int) -> bool:
        """It has none that is not in the ledger."""
        return False

    def trouble(self) -> str:
        """It works wherever the ledger does."""
        return ""

    def day(self, now_ns: int) -> str:
        """Nothing is debited."""
        raise NotImplementedError

    def debit(self, stake: Transfer, then: Callable[[Answer], None]) -> None:
        """Nothing is debited."""
        raise NotImplementedError

    def balance_cents(self, account: int) -> int | None:
        """The ledger knows it."""
        return None

    def statement(self, day: str) -> Iterator[Entry]:
        """It has none."""
        return iter(())

    def start(self) -> None:
        """Nothing has to be sent."""

    def stop(self) -> None:
        """Nothing runs."""

    def standing(self) -> Standing | None:
        """It has none of its own."""
        return None


LEDGER_WALLET = LedgerWallet()
