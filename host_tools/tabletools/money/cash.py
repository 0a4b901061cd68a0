"""Players' accounts: opening, deposits and payouts, each request carried out once."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, literal_column, select
from sqlalchemy.exc import IntegrityError

from tabletools import authority
from tabletools.money import pins, wallet_transfers
from tabletools.money.day import began_ns, newest_before
from tabletools.rules.money import MAX_STAKE
from tabletools.store import audit, books, people, requests, user_names
from tabletools.store.audit import Actor
from tabletools.store.books import Entry
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.books import accounts, ledger_lines, postings
from tabletools.store.schema.people import audit_log

_CASH, _DEPOSIT, _PAYOUT = "cash", "deposit", "payout"
_CONFIRMED_BY = "confirmed_by"
"""Detail of a deposit in the audit log: the names of the two users."""
_PROGRAM = Actor("command line")
_NUMBER = re.compile(r"[0-9A-Z-]{1,40}")


class Movement(NamedTuple):
    """Cash that a player pays in (cents above 0) or is paid (below 0).

    seen_cents: the balance that the cashier saw, None if no balance was shown.
    """

    account: int
    cents: int
    seen_cents: int | None = None

    @property
    def kind(self) -> str:
        """Kind of its posting."""
        return _DEPOSIT if self.cents > 0 else _PAYOUT


def open_account(
    ledger: Store,
    number: str,
    name: str,
    *,
    currency: str = "EUR",
    pin_hash: str | None = None,
    who: Actor = _PROGRAM,
    is_in_wallet: bool = False,
) -> int:
    """Open the account of a player; returns it.

    The name is a label, the number identifies the player. pin_hash: of the PIN that the player
    chose, None for a player who will sit at no terminal yet. is_in_wallet: the money of the player
    is in the external wallet. Raises LedgerRejection, also for a number that already has an
    account.
    """
    if not _NUMBER.fullmatch(number):
        what = "a player number has 1 to 40 digits, capital letters A to Z and hyphens"
        raise LedgerRejection(
            "number_invalid", what, "give the number of the player's card", "number"
        )
    if not 1 <= len(name) <= 100 or not name.isprintable() or name != user_names.plain(name):
        what = "the name of a player has 1 to 100 printable characters and no space around them"
        raise LedgerRejection("name_invalid", what, "choose another name", "player")
    values = {
        "kind": books.PLAYER,
        "player_number": number,
        "name": name,
        "currency": currency,
        "balance_cents": 0,
        "created_ns": ledger.clock.wall_ns(),
    }
    statement = insert(accounts).values(**values).returning(accounts.c.id)

    def write(db: Connection) -> int:
        account = int(db.execute(statement).scalar_one())
        if pin_hash is not None:
            pins.set_first(db, account, pin_hash, who, ledger.clock.wall_ns())
        if is_in_wallet:
            wallet_transfers.link_new(db, account, who, ledger.clock.wall_ns())
        return account

    try:
        return ledger.run(write)
    except IntegrityError as error:
        what = f"player number {number} has an account in {currency}"
        raise LedgerRejection("number_taken", what, "find it by its number", "number") from error


def deposit(
    ledger: Store,
    account: int,
    cents: int,
    key: str,
    who: Actor,
    *,
    confirmed_by: Sequence[Actor] = (),
    seen_cents: int | None = None,
) -> int:
    """Pay money in; returns the balance. Raises LedgerRejection.

    confirmed_by: two users, one of them a supervisor, required above what a user of that role may
    pay in alone in 24 hours (`authority.ACTS`). seen_cents: see Movement.
    """
    verify_amount(cents)
    return _move(ledger, Movement(account, cents, seen_cents), key, who, (confirmed_by, 0))


def pay_out(
    ledger: Store,
    account: int,
    cents: int,
    key: str,
    who: Actor,
    *,
    held_cents: int,
    released_by: Sequence[Actor] = (),
    seen_cents: int | None = None,
) -> int:
    """Pay money out; returns the balance. Raises LedgerRejection if the balance is too small.

    released_by: two users, one of them a supervisor, required once the player is paid held_cents
    in 24 hours. seen_cents: see Movement.
    """
    verify_amount(cents)
    return _move(
        ledger, Movement(account, -cents, seen_cents), key, who, (released_by, held_cents)
    )


def verify_amount(cents: object) -> None:
    """Raise LedgerRejection unless an amount of cash is valid."""
    if type(cents) is not int or not 1 <= cents <= MAX_STAKE:
        what = f"the amount is not a whole number of cents from 1 to {MAX_STAKE}"
        raise LedgerRejection("amount_invalid", what, "give the amount in cents", "cents")


def _move(
    ledger: Store,
    wanted: Movement,
    key: str,
    who: Actor,
    held: tuple[Sequence[Actor], int] = ((), 0),
) -> int:
    """held: two users who confirm it, and from which amount on a payout needs a release."""
    requests.verify_key(key)
    digest = requests.digest_of({"kind": wanted.kind, "cents": wanted.cents})
    scope, now_ns = f"cash {wanted.account}", ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        before = lock(db, wanted.account)
        answer = requests.answered(db, scope, key, digest)
        if answer is not None:
            return int(answer)
        verify(wanted, before)
        if wanted.cents > 0:
            both = _confirming(db, wanted, who, now_ns, held[0])
            detail = {_CONFIRMED_BY: [user.name for user in both]} if both else {}
        else:
            people.verify_may(db, who, authority.PAYOUT)
            both = _releasing(db, wanted, now_ns, held)
            detail = {"released_by": [user.name for user in both]} if both else {}
        book(db, wanted, (who, both), now_ns, detail)
        after = before + wanted.cents
        requests.keep(db, scope, [(key, digest, after)], now_ns)
        return after

    return ledger.run(write)


def lock(db: Connection, account: int) -> int:
    """Return the balance of a player, locked until the end of the transaction.

    Raises LedgerRejection.
    """
    books.currency_of_player(db, account)
    return books.balance(db, account, lock=True)


def verify(wanted: Movement, balance_cents: int) -> None:
    """Raise LedgerRejection if the balance is not the one seen, or too small."""
    if wanted.seen_cents is not None and wanted.seen_cents != balance_cents:
        what = f"the balance is now {balance_cents} cents, not {wanted.seen_cents}"
        step = "look at the account again, then confirm with the new balance"
        raise LedgerRejection("balance_changed", what, step, "seen_cents")
    if balance_cents + wanted.cents < 0:
        what = f"{-wanted.cents} cents requested, balance {balance_cents}"
        raise LedgerRejection("not_enough_money", what, "request less", "cents")


def book(
    db: Connection,
    wanted: Movement,
    by: tuple[Actor, Sequence[Actor]],
    now_ns: int,
    detail: Mapping[str, object],
) -> int:
    """Post a verified movement; returns the posting.

    by: the user who moves it, and who confirms it. detail: for the audit log.
    """
    (who, both), account, cents = by, wanted.account, wanted.cents
    currency = books.currency_of_player(db, account)
    cash = books.account(db, books.CASH, _CASH, currency, now_ns=now_ns)
    entry = Entry(wanted.kind, currency, user=who.user, note=who.name)
    number = books.post(db, entry, {account: cents, cash: -cents}, now_ns)
    subject, more = f"account {account}", {"cents": cents, "posting": number}
    audit.note(db, who, wanted.kind, subject, now_ns, **more, **detail)
    for other in both:
        if other.user != who.user:
            audit.note(db, other, "payment_confirmed", subject, now_ns, **more, by=who.name)
    return number


def paid_cents(db: Connection, account: int, now_ns: int) -> int:
    """Return the cents paid to a player in the last 24 hours."""
    col, since_ns = ledger_lines.c, began_ns(db, now_ns)
    # A literal, and the payouts first: so the index of what was paid is used.
    is_payout = postings.c.kind == literal_column(f"'{_PAYOUT}'")
    recent = select(postings.c.id).where(is_payout, postings.c.at_ns > since_ns)
    query = select(func.coalesce(func.sum(-col.amount_cents), 0)).where(
        col.account_id == account, col.posting_id.in_(recent)
    )
    return int(db.execute(query).scalar_one())


def _paid_in_cents(db: Connection, user: int, now_ns: int) -> int:
    """Return the cents that a user paid in alone, for all players, in the last 24 hours.

    What a second user confirmed is not among them: it was not done alone.
    """
    col = audit_log.c
    query = select(col.detail).where(
        col.seq > newest_before(db, now_ns), col.action == _DEPOSIT, col.user_id == user
    )
    details = [json.loads(detail) for detail in db.execute(query).scalars()]
    return sum(each["cents"] for each in details if _CONFIRMED_BY not in each)


def _confirming(
    db: Connection, wanted: Movement, who: Actor, now_ns: int, two: Sequence[Actor]
) -> Sequence[Actor]:
    """Return the two who confirm a deposit; below the limit none is needed.

    A user may pay in so much alone in 24 hours, for whichever players: by role, see `authority`.
    """
    role = people.verify_may(db, who, authority.DEPOSIT)
    if role is None or who.user is None:
        return ()
    most = authority.ACTS[authority.DEPOSIT].alone_cents[role]
    people.lock(db, who.user)  # what one pays in at once, for several players, is summed
    sum_cents = _paid_in_cents(db, who.user, now_ns) + wanted.cents
    if sum_cents <= most:
        return ()
    if not two:
        what = f"a deposit of {wanted.cents} cents: {who.name} would pay in {sum_cents} cents in"
        what += f" 24 hours, a {role} alone {most} at most"
        step = "have a second user confirm it with name and password"
        raise LedgerRejection("two_users_needed", what, step, "second")
    return people.two_users(db, two, authority.DEPOSIT)


def _releasing(
    db: Connection, wanted: Movement, now_ns: int, held: tuple[Sequence[Actor], int]
) -> Sequence[Actor]:
    """Return the two who release a payout; below the limit no release is needed.

    held: who releases it, and from which amount on.
    """
    by, held_cents = held
    paid = paid_cents(db, wanted.account, now_ns) - wanted.cents
    if paid < held_cents:
        return ()
    if not by:
        what = (
            f"a payout of {-wanted.cents} cents is held: {paid} in 24 hours, {held_cents} or more"
        )
        step = "request its release, or have two named users release it"
        raise LedgerRejection("release_needed", what, step, "second")
    return people.two_users(db, by, authority.PAYOUT)
