"""Players' accounts: opened, paid into and out of, each request once."""

from collections.abc import Sequence

from sqlalchemy import Connection

from tabletools.ledger import audit, books, people, requests
from tabletools.ledger.audit import Actor
from tabletools.ledger.base import Ledger
from tabletools.ledger.books import Entry
from tabletools.ledger.errors import Refused
from tabletools.rules.money import MAX_STAKE

_CASH = "cash"
HELD_CENTS = 10_000_000
"""A payout of so much is held until two named users release it: hc2023 1:1(14), hc2011 1:1(15)."""


def open_account(ledger: Ledger, name: str, *, currency: str = "EUR") -> int:
    """Return the account of a player, made if it is not there."""
    if not 1 <= len(name) <= 100 or not name.isprintable():
        what = "the name of a player has 1 to 100 printable characters"
        raise Refused("name_invalid", what, "choose another name", "player")
    now_ns = ledger.clock.wall_ns()
    return ledger.run(lambda db: books.account(db, books.PLAYER, name, currency, now_ns=now_ns))


def deposit(ledger: Ledger, account: int, cents: int, key: str, who: Actor) -> int:
    """Pay money in; returns the balance. Raises Refused."""
    return _move(ledger, "deposit", account, cents, (key, who))


def pay_out(
    ledger: Ledger,
    account: int,
    cents: int,
    key: str,
    who: Actor,
    *,
    released_by: Sequence[int] = (),
) -> int:
    """Pay money out; returns the balance. Raises Refused if there is not so much.

    released_by: two users, one of them a supervisor, needed from HELD_CENTS on.
    """
    return _move(ledger, "payout", account, -cents, (key, who), released_by)


def _move(
    ledger: Ledger,
    kind: str,
    account: int,
    cents: int,
    by: tuple[str, Actor],
    released_by: Sequence[int] = (),
) -> int:
    """by: key of the request, and who asks."""
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
        release = _released(db, -cents, released_by)
        cash = books.account(db, books.CASH, _CASH, currency, now_ns=now_ns)
        entry = Entry(kind, currency, user=who.user, note=who.name)
        books.post(db, entry, {account: cents, cash: -cents}, now_ns)
        requests.keep(db, scope, [(key, digest, before + cents)], now_ns)
        audit.note(db, who, kind, f"account {account}", now_ns, cents=cents, **release)
        return before + cents

    return ledger.run(write)


def _released(db: Connection, paid: int, by: Sequence[int]) -> dict[str, object]:
    """Return who releases a payout, for the audit log; nobody has to below HELD_CENTS."""
    if paid < HELD_CENTS:
        return {}
    if not by:
        what = f"a payout of {paid} cents is held, as any of {HELD_CENTS} or more (1:1(14))"
        raise Refused("release_needed", what, "have two named users release it", "second")
    return {"released_by": [user.name for user in people.two_named(db, by)]}
