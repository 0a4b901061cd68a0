"""What is requested of an external wallet: each movement is a row before it is requested.

The balance here of a player whose money is in the wallet is what the wallet has not been sent yet.
So a settlement, void, correction or adjustment queues the player's money in its own transaction,
and knows no wallet: `sweep` turns balances into requests, whatever moved them. A kill at any point
leaves a balance, or a row whose request is repeated under its key.
"""

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, func, select, text, update

from tabletools import authority
from tabletools.evidence import alarms
from tabletools.evidence.alarms import AlarmCause
from tabletools.store import audit, books, people
from tabletools.store.audit import Actor
from tabletools.store.books import Entry, Lines
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.rows import insert_new, insert_with_numbers
from tabletools.store.schema.books import accounts, wallet_accounts, wallet_transfers

STAKE, PAYMENT, COLLECTION = "stake", "payment", "collection"
REQUESTED, QUEUED, REVERSING, HELD = "requested", "queued", "reversing", "held"
"""States that are open: a stake whose answer is awaited; a payment or collection, or the reversal
of a stake, that the wallet has not confirmed; one that the wallet refused, for a user."""
DONE, REFUSED, REVERSED = "done", "refused", "reversed"
OPEN_STATES = (REQUESTED, QUEUED, REVERSING, HELD)
UNANSWERED = 20
"""Requests without a good answer, of a wallet that works otherwise, after which it is an alarm."""
_AT_ONCE = 200
"""Most accounts that one transaction sweeps."""
_POSTING = "wallet"
_BY_HAND = "closed by hand: "
_COLUMNS = (
    "request_key",
    "kind",
    "account_id",
    "amount_cents",
    "day",
    "table_id",
    "round_id",
    "posting_id",
    "state",
    "at_ns",
    "attempts",
)


_BOOKED_OTHERWISE = """
SELECT t.id, t.kind, t.amount_cents, coalesce(l.amount_cents, 0) FROM wallet_transfers t
LEFT JOIN ledger_lines l ON l.posting_id = t.posting_id AND l.account_id = t.account_id
WHERE t.posting_id IS NOT NULL AND coalesce(l.amount_cents, 0)
    <> CASE t.kind WHEN 'payment' THEN -t.amount_cents ELSE t.amount_cents END
ORDER BY t.id
"""
_UNREQUESTED = """
SELECT p.id FROM postings p LEFT JOIN wallet_transfers t ON t.posting_id = p.id
WHERE p.kind = 'wallet' AND t.id IS NULL ORDER BY p.id
"""


class Transfer(NamedTuple):
    """One movement. account: of the ledger; player_number: under which the wallet knows it."""

    id: int
    key: str
    kind: str
    account: int
    player_number: str
    currency: str
    cents: int
    day: str
    table: int | None
    round: int | None
    state: str
    at_ns: int
    attempts: int
    error: str | None

    @property
    def is_debit(self) -> bool:
        """Whether the wallet pays."""
        return self.kind != PAYMENT

    @property
    def is_by_hand(self) -> bool:
        """Whether a user closed it: its money was moved at the wallet in another way."""
        return self.error is not None and self.error.startswith(_BY_HAND)


class NewStake(NamedTuple):
    """Money to be debited for the bets of a request."""

    account: int
    cents: int
    table: int
    round: int


_COL = wallet_transfers.c
_TRANSFERS = select(
    _COL.id,
    _COL.request_key,
    _COL.kind,
    _COL.account_id,
    accounts.c.player_number,
    accounts.c.currency,
    _COL.amount_cents,
    _COL.day,
    _COL.table_id,
    _COL.round_id,
    _COL.state,
    _COL.at_ns,
    _COL.attempts,
    _COL.error,
).join(accounts, accounts.c.id == _COL.account_id)
# Players of the wallet who have a balance here.
_WITH_MONEY = (
    select(accounts.c.id, accounts.c.currency)
    .join(wallet_accounts, wallet_accounts.c.account_id == accounts.c.id)
    .where(accounts.c.balance_cents != 0)
)


# --- players -------------------------------------------------------------------------------------


def link(ledger: Store, account: int, who: Actor) -> bool:
    """Have a player's money be in the wallet; returns whether it was not before.

    What the player has here goes there. Raises LedgerRejection.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> bool:
        books.currency_of_player(db, account)
        return link_new(db, account, who, now_ns)

    return ledger.run(write)


def link_new(db: Connection, account: int, who: Actor, now_ns: int) -> bool:
    """The same for an account that exists, in its transaction."""
    is_new = insert_new(db, wallet_accounts, {"account_id": account, "at_ns": now_ns})
    if is_new:
        audit.note(db, who, "wallet_linked", f"account {account}", now_ns)
    return is_new


def is_linked(db: Connection, account: int) -> bool:
    """Whether a player's money is in the wallet."""
    query = select(wallet_accounts.c.account_id).where(wallet_accounts.c.account_id == account)
    return db.execute(query).first() is not None


# --- stakes --------------------------------------------------------------------------------------


def request_stakes(
    db: Connection, stakes: Sequence[NewStake], day: str, now_ns: int
) -> list[Transfer]:
    """Write stakes that are about to be debited, in order."""
    if not stakes:
        return []
    rows = [
        _row(STAKE, (one.account, one.cents), day, (one.table, one.round), None, now_ns)
        for one in stakes
    ]
    return of_ids(db, insert_with_numbers(db, wallet_transfers, _COLUMNS, rows))


def lock_requested(db: Connection, numbers: Collection[int]) -> set[int]:
    """Return those stakes that are not decided yet, locked: their bets may still be accepted."""
    query = select(_COL.id).where(_COL.id.in_(numbers), _COL.state == REQUESTED).order_by(_COL.id)
    return set(db.execute(query.with_for_update()).scalars())


def lines_of_stake(db: Connection, stake: Transfer, now_ns: int) -> tuple[Entry, Lines]:
    """Return the posting by which a debited stake comes to its player."""
    name = f"table {stake.table}"  # one a table, so that tables do not wait for one another
    wallet = books.account(
        db, books.WALLET, name, stake.currency, now_ns=now_ns, table=stake.table
    )
    entry = Entry(_POSTING, stake.currency, stake.table)
    return entry, {stake.account: stake.cents, wallet: -stake.cents}


def book_stakes(db: Connection, postings: Mapping[int, int], now_ns: int) -> None:
    """Note that the bets of stakes were accepted. postings: by stake."""
    for number, posting in postings.items():
        values = {"state": DONE, "posting_id": posting, "done_ns": now_ns}
        db.execute(update(wallet_transfers).where(_COL.id == number).values(**values))


def undo_stakes(db: Connection, numbers: Collection[int], why: str) -> int:
    """Have stakes that no bet used be reversed at the wallet; returns how many were undecided."""
    statement = update(wallet_transfers).where(_COL.id.in_(numbers), _COL.state == REQUESTED)
    return int(db.execute(statement.values(state=REVERSING, error=why[:500])).rowcount)


def refuse_stake(db: Connection, number: int, why: str, now_ns: int) -> None:
    """Note that the wallet did not debit a stake, and never will."""
    statement = update(wallet_transfers).where(_COL.id == number, _COL.state == REQUESTED)
    db.execute(statement.values(state=REFUSED, error=why[:500], done_ns=now_ns))


# --- payments and collections --------------------------------------------------------------------


def sweep(db: Connection, day: str, now_ns: int) -> int:
    """Queue the balances of players whose money is in the wallet; returns how many there were."""
    first = _WITH_MONEY.order_by(accounts.c.id).limit(_AT_ONCE)
    currencies = {int(row.id): row.currency for row in db.execute(first)}
    if not currencies:
        return 0
    moves: list[tuple[Entry, Lines]] = []
    moved: list[tuple[int, int]] = []
    for account, (_, cents) in books.balances(db, currencies, lock=True).items():
        if not cents:  # another host was faster
            continue
        currency = currencies[account]
        wallet = books.account(db, books.WALLET, "wallet", currency, now_ns=now_ns)
        moves.append((Entry(_POSTING, currency), {account: -cents, wallet: cents}))
        moved.append((account, cents))
    postings = books.post_all(db, moves, now_ns)
    rows = []
    for (account, cents), posting in zip(moved, postings, strict=True):
        kind = PAYMENT if cents > 0 else COLLECTION
        rows.append(_row(kind, (account, abs(cents)), day, (None, None), posting, now_ns))
    if rows:
        insert_with_numbers(db, wallet_transfers, _COLUMNS, rows)
    return len(rows)


def has_swept_all(db: Connection) -> bool:
    """Whether no player of the wallet has a balance here."""
    return db.execute(_WITH_MONEY.limit(1)).first() is None


def finish(db: Connection, transfer: Transfer, now_ns: int) -> None:
    """Note that the wallet confirmed a payment, a collection or a reversal."""
    state = REVERSED if transfer.state == REVERSING else DONE
    _change(db, transfer, state=state, attempts=transfer.attempts + 1, done_ns=now_ns, error=None)
    _end_alarms(db, now_ns)


def fail(db: Connection, transfer: Transfer, why: str, now_ns: int) -> None:
    """Note a request that the wallet did not answer, or not as it should; it is repeated."""
    attempts = transfer.attempts + 1
    if _change(db, transfer, attempts=attempts, error=why[:500]) and attempts == UNANSWERED:
        _raise(db, transfer, f"has no good answer after {attempts} requests: {why}", now_ns)


def hold(db: Connection, transfer: Transfer, why: str, now_ns: int) -> None:
    """Note that the wallet refused a payment, a collection or a reversal: a user has to decide."""
    if _change(db, transfer, state=HELD, attempts=transfer.attempts + 1, error=why[:500]):
        _raise(db, transfer, f"was refused by the wallet: {why}", now_ns)


def _raise(db: Connection, transfer: Transfer, what: str, now_ns: int) -> None:
    kind = "reversal of a stake" if transfer.kind == STAKE else transfer.kind
    said = f"transfer {transfer.id}, the {kind} of {transfer.cents} cents {transfer.currency}"
    said += f" of player {transfer.player_number}, {what}"
    alarms.raise_alarm(db, AlarmCause(alarms.WALLET_REFUSED, said[:500], None), now_ns)


def _change(db: Connection, transfer: Transfer, **values: object) -> bool:
    """Change a transfer, unless it was changed meanwhile, also if it is in its state again.

    Returns whether it was changed.
    """
    statement = update(wallet_transfers).where(
        _COL.id == transfer.id,
        _COL.state == transfer.state,
        _COL.request_key == transfer.key,
        _COL.attempts == transfer.attempts,
    )
    return bool(db.execute(statement.values(**values)).rowcount)


# --- by users ------------------------------------------------------------------------------------


def retry(ledger: Store, number: int, who: Actor, reason: str) -> Transfer:
    """Request a held transfer again, a payment or collection under a new key; returns it.

    Raises LedgerRejection.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> Transfer:
        people.verify_may(db, who, authority.WALLET_RETRY)
        _verify_reason(reason)
        held = _held(db, number)
        values: dict[str, object] = {"state": REVERSING}
        if held.kind != STAKE:  # the wallet answers the old key as before
            values = {"state": QUEUED, "request_key": _new_key()}
        _change(db, held, **values, error=None)
        [new] = of_ids(db, [number])
        subject = f"wallet transfer {number}"
        keys = {"key": held.key, "new_key": new.key}
        audit.note(db, who, "wallet_retried", subject, now_ns, **keys, reason=reason)
        _end_alarms(db, now_ns)
        return new

    return ledger.run(write)


def close(ledger: Store, number: int, users: Sequence[Actor], reason: str) -> Transfer:
    """Close a held transfer whose money was moved at the wallet by hand; returns it as it was.

    users: the two who decide, or one program, which raises an alarm. Raises LedgerRejection.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> Transfer:
        is_program = len(users) == 1 and users[0].user is None
        _verify_reason(reason)
        if not is_program:
            both = people.two_deciding(db, users, reason, authority.WALLET_CLOSE)
        held = _held(db, number)
        state = REVERSED if held.kind == STAKE else DONE
        _change(db, held, state=state, error=f"{_BY_HAND}{reason}"[:500], done_ns=now_ns)
        subject = f"wallet transfer {number}"
        facts = {"key": held.key, "reason": reason}
        if is_program:
            audit.note(db, users[0], "wallet_closed", subject, now_ns, **facts)
            said = f"{subject}, {held.kind} of {held.cents} cents {held.currency} of player"
            said += f" {held.player_number}, was closed by the {users[0].name} as moved by hand"
            cause = AlarmCause(alarms.RIGHTS, f"{said}: {reason}"[:500], None)
            alarms.raise_alarm(db, cause, now_ns)
        else:
            audit.note_both(db, both, "wallet_closed", subject, now_ns, **facts)
        _end_alarms(db, now_ns)
        return held

    return ledger.run(write)


def _verify_reason(reason: str) -> None:
    if not reason.strip():
        raise LedgerRejection("reason_needed", "the decision has no reason", "say why", "reason")


def _end_alarms(db: Connection, now_ns: int) -> None:
    """Note that no transfer waits for a user any more, if none does."""
    is_unanswered = _COL.state.in_((QUEUED, REVERSING)) & (_COL.attempts >= UNANSWERED)
    waiting = select(_COL.id).where((_COL.state == HELD) | is_unanswered)
    if db.execute(waiting.limit(1)).first() is None:
        alarms.clear(db, now_ns, [alarms.WALLET_REFUSED])


def _held(db: Connection, number: int) -> Transfer:
    # What one sends again, another does not close at the same time: the money would move twice.
    db.execute(select(_COL.id).where(_COL.id == number).with_for_update())
    for one in of_ids(db, [number]):
        if one.state == HELD:
            return one
    what = f"wallet transfer {number} does not wait for a user"
    raise LedgerRejection("no_such_transfer", what, "see `tabletool wallet open`", "transfer")


# --- queries -------------------------------------------------------------------------------------


def of_ids(db: Connection, numbers: Collection[int]) -> list[Transfer]:
    """Return transfers by number, in order."""
    query = _TRANSFERS.where(_COL.id.in_(numbers)).order_by(_COL.id)
    return [_transfer(row) for row in db.execute(query)]


def in_states(db: Connection, *states: str, most: int = 1000) -> list[Transfer]:
    """Return transfers in open states, those requested least often first, then the oldest.

    So one that is never answered holds no other up, however many there are.
    """
    query = _TRANSFERS.where(_COL.state.in_(states)).order_by(_COL.attempts, _COL.id)
    query = query.limit(most)
    return [_transfer(row) for row in db.execute(query)]


def of_day(db: Connection, day: str) -> list[Transfer]:
    """Return the transfers of a gaming day, in order."""
    return [
        _transfer(row) for row in db.execute(_TRANSFERS.where(_COL.day == day).order_by(_COL.id))
    ]


def count_of_day(db: Connection, day: str) -> int:
    """Return how many transfers a gaming day has."""
    query = select(func.count()).select_from(wallet_transfers).where(_COL.day == day)
    return int(db.execute(query).scalar_one())


def counts(db: Connection) -> dict[str, int]:
    """Return how many transfers are in each open state."""
    query = (
        select(_COL.state, func.count()).where(_COL.state.in_(OPEN_STATES)).group_by(_COL.state)
    )
    known = {state: int(count) for state, count in db.execute(query)}
    return {state: known.get(state, 0) for state in OPEN_STATES}


def problems(db: Connection) -> Iterator[str]:
    """Yield what of the transfers differs from their postings, as text."""
    for number, kind, cents, booked in db.execute(text(_BOOKED_OTHERWISE)):
        yield f"wallet transfer {number}: {kind} of {cents} cents, its posting moves {booked}"
    for posting in db.execute(text(_UNREQUESTED)).scalars():
        yield f"posting {posting} moves money of the wallet, and no transfer names it"


def _transfer(row: Row[Any]) -> Transfer:
    return Transfer._make(row)


def _new_key() -> str:
    """Return a key that no ledger uses twice, also not after it is restored from a backup."""
    return secrets.token_hex(16)


def _row(
    kind: str,
    money: tuple[int, int],
    day: str,
    place: tuple[int | None, int | None],
    posting: int | None,
    now_ns: int,
) -> tuple[Any, ...]:
    """Return the row of a new transfer. money: account, cents; place: table, round."""
    state = REQUESTED if kind == STAKE else QUEUED
    return (_new_key(), kind, *money, day, *place, posting, state, now_ns, 0)
