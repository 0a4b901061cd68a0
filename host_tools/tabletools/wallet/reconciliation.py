"""A gaming day of the ledger beside the wallet's statement of it: what differs, by name."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from tabletools.money import wallet_transfers
from tabletools.money.wallet_transfers import DONE, OPEN_STATES, REVERSED, Transfer
from tabletools.store import Store
from tabletools.wallet.messages import CREDIT, DEBIT, Entry

MISSING, EXTRA, AMOUNT, OTHER, TWICE, NOT_REVERSED, ONLY_REVERSED = (
    "missing",
    "extra",
    "amount",
    "other",
    "twice",
    "not_reversed",
    "only_reversed",
)
"""The wallet has not what the ledger has; it has what the ledger has not; another amount; another
account, currency or kind; one key more than once; a debit that was to be reversed and is not; one
that was reversed there and has a bet here."""


class Difference(NamedTuple):
    """One movement on which ledger and wallet differ. cents: of the ledger, else of the wallet."""

    kind: str
    key: str
    account: str
    currency: str
    cents: int
    text: str


class Reconciliation(NamedTuple):
    """What came of comparing a day. open: of the ledger, not final yet; by_hand: closed by a user,
    not compared; agreed: number of movements on which both agree.

    debited_cents, credited_cents: by currency, as both have them.
    """

    day: str
    differences: list[Difference]
    open: list[Transfer]
    by_hand: list[Transfer]
    agreed: int
    debited_cents: dict[str, int]
    credited_cents: dict[str, int]


def reconciled(
    ledger: Store, statement: Callable[[str], Iterable[Entry]], day: str
) -> Reconciliation:
    """Compare the transfers of a day with the statement of the wallet; the pit may play.

    statement: yields the entries of a day. Raises StoreError, and what it raises.
    """
    with ledger.read() as db:
        transfers = wallet_transfers.of_day(db, day)
    entries = list(statement(day))
    with ledger.read() as db:
        newer = {one.key for one in wallet_transfers.of_day(db, day)}
    return compare(day, transfers, entries, newer)


def compare(
    day: str,
    transfers: Sequence[Transfer],
    entries: Sequence[Entry],
    newer: Collection[str] = (),
) -> Reconciliation:
    """Compare the transfers of a day with the statement of the wallet, which was requested after
    they were read. newer: keys of transfers that were written meanwhile."""
    statement = {entry.key: entry for entry in entries}
    counts = Counter(entry.key for entry in entries)
    differences = [
        _of_entry(TWICE, statement[key], f"{count} entries have this key")
        for key, count in counts.items()
        if count > 1
    ]
    done = Reconciliation(day, differences, [], [], 0, {}, {})
    agreed = 0
    for one in transfers:
        entry = statement.pop(one.key, None)
        if one.is_by_hand:
            done.by_hand.append(one)
            continue
        if one.state in OPEN_STATES:
            done.open.append(one)
        difference = _difference(one, entry)
        if difference is not None:
            differences.append(difference)
        elif one.state == DONE:
            agreed += 1
            sums = done.debited_cents if one.is_debit else done.credited_cents
            sums[one.currency] = sums.get(one.currency, 0) + one.cents
    differences += [
        _of_entry(EXTRA, entry, "the ledger has no such movement")
        for entry in statement.values()
        if entry.key not in newer
    ]
    return done._replace(agreed=agreed)


def _difference(ours: Transfer, entry: Entry | None) -> Difference | None:
    """Return on what a movement and its entry differ, None if they agree or it is still open."""
    if entry is None:
        if ours.state == DONE:
            return _of_transfer(MISSING, ours, "the wallet has no such movement")
        return None
    kind = DEBIT if ours.is_debit else CREDIT
    if entry.cents != ours.cents:
        return _of_transfer(AMOUNT, ours, f"the wallet has {entry.cents} cents")
    if (entry.kind, entry.account, entry.currency) != (kind, ours.player_number, ours.currency):
        theirs = f"{entry.kind} {entry.account} {entry.currency}"
        return _of_transfer(OTHER, ours, f"the wallet has: {theirs}")
    if ours.state == DONE and entry.is_reversed:
        return _of_transfer(ONLY_REVERSED, ours, "the wallet reversed it, the ledger did not")
    if ours.state not in (DONE, *OPEN_STATES) and not entry.is_reversed:
        what = "reversed" if ours.state == REVERSED else "refused"
        return _of_transfer(NOT_REVERSED, ours, f"the ledger has it as {what}, the wallet debited")
    return None


def _of_transfer(kind: str, ours: Transfer, text: str) -> Difference:
    return Difference(kind, ours.key, ours.player_number, ours.currency, ours.cents, text)


def _of_entry(kind: str, entry: Entry, text: str) -> Difference:
    return Difference(kind, entry.key, entry.account, entry.currency, entry.cents, text)
