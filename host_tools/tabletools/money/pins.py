"""PINs of players: what one may be, who sets it, and how many wrong ones a day allows.

Only hashes are stored. A wrong PIN is a row of the audit log, so the limits count for every host
of a pit and after a restart; those rows are few, because a PIN can only be tried for a seat that a
user of the floor offers, or from an open seat.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import Connection, func, insert, select, update

from tabletools import authority
from tabletools.evidence.alarms import PIN_GUESSED, AlarmCause, raise_alarm
from tabletools.money.day import newest_before
from tabletools.store import audit, books, people
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.people import audit_log, pins

SHORTEST, LONGEST = 6, 12
MOST_WRONG = 10
"""Wrong PINs of an account in 24 hours, above which none is checked: of 1,000,000 PINs of 6 digits
10 are tried in a day."""
MOST_WRONG_OF_USER = 30
"""Wrong PINs in 24 hours at seats that one user offers; then that user offers none. A dishonest
one tries 30 PINs a day over all accounts, and locks three players at most."""
_WRONG = "pin_wrong"


class Pin(NamedTuple):
    """The stored PIN of an account. at_ns: when it was set."""

    pin_hash: str
    at_ns: int


def verify(pin: str, player_number: str) -> None:
    """Raise LedgerRejection unless a new PIN has 6 to 12 digits and is not easily guessed."""
    if not (SHORTEST <= len(pin) <= LONGEST and pin.isascii() and pin.isdigit()):
        what = f"a PIN has {SHORTEST} to {LONGEST} digits"
        raise LedgerRejection("pin_poor", what, "let the player choose such a PIN", "pin")
    if _is_pattern(pin) or _is_number(pin, player_number):
        what = "the PIN is easily guessed: a row, a repetition, few digits or the player number"
        raise LedgerRejection("pin_poor", what, "let the player choose another one", "pin")


def _is_pattern(pin: str) -> bool:
    """Whether digits repeat, follow each other at one distance, come in pairs, or are below 3."""
    steps = {(int(after) - int(before)) % 10 for before, after in pairwise(pin)}
    repeats = any(
        pin == (pin[:part] * len(pin))[: len(pin)] for part in range(1, len(pin) // 2 + 1)
    )
    in_pairs = len(pin) % 2 == 0 and pin[::2] == pin[1::2]
    return len(steps) == 1 or repeats or in_pairs or pin == pin[::-1] or len(set(pin)) < 3


def _is_number(pin: str, player_number: str) -> bool:
    """Whether the PIN is the player number, a part of it, or the number with zeros."""
    digits = "".join(letter for letter in player_number if letter in "0123456789")
    return pin in digits or pin.lstrip("0") == digits.lstrip("0") != ""


def find(db: Connection, account: int) -> Pin | None:
    """Return the PIN of an account, None if it has none."""
    query = select(pins.c.pin_hash, pins.c.at_ns).where(pins.c.account_id == account)
    row = db.execute(query).one_or_none()
    return None if row is None else Pin(*row)


def set_first(db: Connection, account: int, pin_hash: str, who: Actor, now_ns: int) -> None:
    """Store the PIN that a player types when the account is opened: it holds no money yet."""
    db.execute(insert(pins).values(account_id=account, pin_hash=pin_hash, at_ns=now_ns))
    audit.note(db, who, "pin_set", f"account {account}", now_ns, by="opening")


def reset(ledger: Store, account: int, pin_hash: str, who: Actor, two: Sequence[Actor]) -> None:
    """Store a PIN that the player types at the cash desk; the seats of the player end.

    two: the users who see it, one of them a supervisor: one alone could play with the player's
    money. Raises LedgerRejection.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        people.verify_may(db, who, authority.PIN)
        both = people.two_users(db, two, authority.PIN)
        books.currency_of_player(db, account)
        books.balance(db, account, lock=True)
        values = {"pin_hash": pin_hash, "at_ns": now_ns}
        if find(db, account) is None:
            db.execute(insert(pins).values(account_id=account, **values))
        else:
            db.execute(update(pins).where(pins.c.account_id == account).values(**values))
        audit.note_both(db, both, "pin_set", f"account {account}", now_ns, by="desk")
        people.end_seats(db, account, None, who, now_ns)

    ledger.run(write)


def change(ledger: Store, account: int, session: int, was: str, pin_hash: str, who: Actor) -> None:
    """Store another PIN of a player who gave the old one at an open seat. Raises LedgerRejection.

    session: of that seat. was: the hash that the old one was compared with.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        col = pins.c
        done = db.execute(
            update(pins)
            .where(col.account_id == account, col.pin_hash == was)
            .values(pin_hash=pin_hash, at_ns=now_ns)
        )
        if not done.rowcount:
            raise people.pin_changed()
        audit.note(db, who, "pin_set", f"account {account}", now_ns, by="player")
        people.end_seats(db, account, session, who, now_ns)

    ledger.run(write)


def note_wrong(ledger: Store, account: int, who: Actor) -> int:
    """Note a wrong PIN; return how many more of the account are checked today.

    who: the user who offers the seat, or the terminal of an open one. The last ones allowed raise
    an alarm.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        audit.note(db, who, _WRONG, f"account {account}", now_ns)
        of_account, of_user = _counts(db, account, who, now_ns)
        if of_account == MOST_WRONG:
            _alarm(db, f"{of_account} wrong PINs of account {account} in 24 hours", now_ns)
        if of_user == MOST_WRONG_OF_USER:
            what = f"{of_user} wrong PINs in 24 hours at seats that {who.name} offers"
            _alarm(db, what, now_ns)
        return max(MOST_WRONG - of_account, 0)

    return ledger.run(write)


def _alarm(db: Connection, what: str, now_ns: int) -> None:
    raise_alarm(db, AlarmCause(PIN_GUESSED, what, None), now_ns)


def verify_unlocked(db: Connection, account: int, who: Actor, now_ns: int) -> None:
    """Raise LedgerRejection if too many wrong PINs were tried in 24 hours.

    Of the account since its PIN was set, or at seats that this user offers.
    """
    of_account, of_user = _counts(db, account, who, now_ns)
    if of_account >= MOST_WRONG:
        what = f"{of_account} wrong PINs of account {account} in 24 hours"
        step = "wait 24 hours, or set another PIN at the cash desk, with a second user"
        raise LedgerRejection("pin_locked", what, step, "account")
    if of_user >= MOST_WRONG_OF_USER:
        what = f"{of_user} wrong PINs in 24 hours at seats that {who.name} offers"
        raise LedgerRejection("pin_locked", what, "have another user offer the seat", "user")


def _counts(db: Connection, account: int, who: Actor, now_ns: int) -> tuple[int, int]:
    """Return how many wrong PINs there were: of the account, and at seats of the user."""
    col = audit_log.c
    wrong = select(func.count()).where(col.seq > newest_before(db, now_ns), col.action == _WRONG)
    pin = find(db, account)
    of_account = wrong.where(col.subject == f"account {account}")
    of_account = of_account.where(col.at_ns >= (0 if pin is None else pin.at_ns))
    of_user = 0
    if who.user is not None:
        of_user = int(db.execute(wrong.where(col.user_id == who.user)).scalar_one())
    return int(db.execute(of_account).scalar_one()), of_user
