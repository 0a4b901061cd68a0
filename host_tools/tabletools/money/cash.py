"""Players' accounts: opened, paid into and out of, each request once."""

import re
from collections.abc import Sequence

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import IntegrityError

from tabletools.money import books
from tabletools.money.books import Entry
from tabletools.rules.money import MAX_STAKE
from tabletools.store import audit, names, people, requests
from tabletools.store.audit import Actor
from tabletools.store.clock import NS
from tabletools.store.database import Store
from tabletools.store.errors import Refused
from tabletools.store.schema.books import accounts, ledger_lines, postings

_CASH, _PAYOUT = "cash", "payout"
_NUMBER = re.compile(r"[0-9A-Z-]{1,40}")
WITHIN_NS = 24 * 3600 * NS
"""What a player is paid in it is held as a whole: so parts of a sum are held as the sum is."""


def open_account(ledger: Store, number: str, name: str, *, currency: str = "EUR") -> int:
    """Open the account of a player; returns it. The name is a label, the number is the player's.

    Raises Refused, also for a number that has an account.
    """
    if not _NUMBER.fullmatch(number):
        what = "a player number has 1 to 40 digits, capital letters A to Z and hyphens"
        raise Refused("number_invalid", what, "give the number of the player's card", "number")
    if not 1 <= len(name) <= 100 or not name.isprintable() or name != names.plain(name):
        what = "the name of a player has 1 to 100 printable characters and no space around them"
        raise Refused("name_invalid", what, "choose another name", "player")
    values = {
        "kind": books.PLAYER, "player_number": number, "name": name, "currency": currency,
        "balance_cents": 0, "created_ns": ledger.clock.wall_ns(),
    }  # fmt: skip
    statement = insert(accounts).values(**values).returning(accounts.c.id)
    try:
        return ledger.run(lambda db: int(db.execute(statement).scalar_one()))
    except IntegrityError as error:
        what = f"player number {number} has an account in {currency}"
        raise Refused("number_taken", what, "find it by its number", "number") from error


def deposit(ledger: Store, account: int, cents: int, key: str, who: Actor) -> int:
    """Pay money in; returns the balance. Raises Refused."""
    return _move(ledger, "deposit", account, cents, (key, who))


def pay_out(
    ledger: Store,
    account: int,
    cents: int,
    key: str,
    who: Actor,
    *,
    held_cents: int,
    released_by: Sequence[int] = (),
) -> int:
    """Pay money out; returns the balance. Raises Refused if there is not so much.

    released_by: two users, one of them a supervisor, needed once the player is paid held_cents
    in 24 hours.
    """
    return _move(ledger, _PAYOUT, account, -cents, (key, who), (released_by, held_cents))


def _move(
    ledger: Store,
    kind: str,
    account: int,
    cents: int,
    by: tuple[str, Actor],
    held: tuple[Sequence[int], int] = ((), 0),
) -> int:
    """by: key of the request, and who asks. held: who releases a payout, from how much on."""
    key, who = by
    requests.verify_key(key)
    if type(cents) is not int or not 1 <= abs(cents) <= MAX_STAKE:
        what = f"the amount is no whole number of cents from 1 to {MAX_STAKE}"
        raise Refused("amount_invalid", what, "give the amount in cents", "cents")
    digest = requests.digest_of({"kind": kind, "cents": cents})
    scope, now_ns = f"cash {account}", ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        currency = books.currency_of_player(db, account)
        before = books.balance(db, account, lock=True)
        answer = requests.answered(db, scope, key, digest)
        if answer is not None:
            return int(answer)
        if before + cents < 0:
            what = f"{-cents} cents asked for, balance {before}"
            raise Refused("not_enough_money", what, "ask for less", "cents")
        release = {} if cents > 0 else _released(db, (account, now_ns), -cents, held)
        cash = books.account(db, books.CASH, _CASH, currency, now_ns=now_ns)
        entry = Entry(kind, currency, user=who.user, note=who.name)
        books.post(db, entry, {account: cents, cash: -cents}, now_ns)
        requests.keep(db, scope, [(key, digest, before + cents)], now_ns)
        audit.note(db, who, kind, f"account {account}", now_ns, cents=cents, **release)
        return before + cents

    return ledger.run(write)


def _released(
    db: Connection, whose: tuple[int, int], cents: int, held: tuple[Sequence[int], int]
) -> dict[str, object]:
    """Return who releases a payout, for the audit log; nobody has to while little was paid.

    whose: account, and the time. held: who releases it, from how much on.
    """
    (account, now_ns), (by, held_cents) = whose, held
    at = ledger_lines.c
    before = (
        select(func.coalesce(func.sum(-at.amount_cents), 0))
        .join(postings, postings.c.id == at.posting_id)
        .where(at.account_id == account, postings.c.kind == _PAYOUT)
        .where(postings.c.at_ns > now_ns - WITHIN_NS)
    )
    paid = cents + int(db.execute(before).scalar_one())
    if paid < held_cents:
        return {}
    if not by:
        what = f"a payout of {cents} cents is held: {paid} in 24 hours, {held_cents} or more"
        raise Refused("release_needed", what, "have two named users release it", "second")
    return {"released_by": [user.name for user in people.two_named(db, by)]}
