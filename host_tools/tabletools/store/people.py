"""Users, their logins and sessions, and the sessions of players at terminals.

Passwords are hashed elsewhere, and tokens are generated elsewhere: only their hashes come here.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, insert, select, update
from sqlalchemy.exc import IntegrityError

from tabletools.store import audit, names
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.people import ROLES, sessions, users


class Opening(NamedTuple):
    """A session to open: of a user, or of a player's account at a terminal."""

    token_hash: bytes
    expires_ns: int
    user: int | None = None
    account: int | None = None
    table: int | None = None
    terminal: str | None = None


def create_user(ledger: Store, name: str, role: str, password_hash: str | None, who: Actor) -> int:
    """Add a user; returns the number. Raises LedgerRejection."""
    if role not in ROLES:
        raise LedgerRejection(
            "unknown_role", f"role {role!r} is not known", f"use {' '.join(ROLES)}"
        )
    names.verify(name)
    now_ns = ledger.clock.wall_ns()
    values = {"name": name, "role": role, "password_hash": password_hash, "created_ns": now_ns}
    try:
        return ledger.run(lambda db: _add(db, values, who))
    except IntegrityError as error:
        raise LedgerRejection(
            "name_taken", f"there is a user {name!r}", "choose another name"
        ) from error


def _add(db: Connection, values: Mapping[str, Any], who: Actor) -> int:
    name = values["name"]
    for other in db.execute(select(users.c.name)).scalars():
        if names.looks(name) & names.looks(other):
            what = f"there is a user {other!r}, and {name!r} looks too similar"
            raise LedgerRejection("name_taken", what, "choose another name", "name")
    made = insert(users).values(**values, enabled=1).returning(users.c.id)
    number = int(db.execute(made).scalar_one())
    detail = {"name": name, "role": values["role"]}
    audit.note(db, who, "user_created", f"user {number}", values["created_ns"], **detail)
    return number


def change_user(ledger: Store, user: int, who: Actor, **changes: object) -> None:
    """Change role, enabled or password_hash of a user."""
    now_ns = ledger.clock.wall_ns()
    shown = {name: value for name, value in changes.items() if name != "password_hash"}
    if "password_hash" in changes:
        shown["password"] = "changed"

    def write(db: Connection) -> None:
        db.execute(update(users).where(users.c.id == user).values(**changes))
        audit.note(db, who, "user_changed", f"user {user}", now_ns, **shown)

    ledger.run(write)


def find_user(db: Connection, name: str) -> RowMapping | None:
    """Return the row of a user by name."""
    return db.execute(select(users).where(users.c.name == name)).mappings().one_or_none()


def known_user(db: Connection, name: str, who: Actor, now_ns: int) -> Actor:
    """Return the user with this name; if there is none, one who cannot log in is added.

    Works within the transaction of what the user does. Raises LedgerRejection.
    """
    names.verify(name)
    row = find_user(db, name)
    if row is None:
        values = {"name": name, "role": "technician", "created_ns": now_ns}
        return Actor(name, _add(db, values, who))
    if not row["enabled"]:
        raise LedgerRejection(
            "user_disabled", f"user {name!r} is disabled", "name another user", "by"
        )
    return Actor(row["name"], row["id"])


def open_session(ledger: Store, opening: Opening, who: Actor) -> int:
    """Open a session.

    Returns its number. Raises LedgerRejection: a player has one terminal at a time.
    """
    now_ns = ledger.clock.wall_ns()
    values = {
        "token_hash": opening.token_hash, "user_id": opening.user, "account_id": opening.account,
        "table_id": opening.table, "terminal": opening.terminal, "opened_ns": now_ns,
        "expires_ns": opening.expires_ns,
    }  # fmt: skip

    def write(db: Connection) -> int:
        made = insert(sessions).values(**values).returning(sessions.c.id)
        number = int(db.execute(made).scalar_one())
        detail = {"terminal": opening.terminal, "table": opening.table}
        audit.note(db, who, "session_opened", f"session {number}", now_ns, **detail)
        return number

    try:
        return ledger.run(write)
    except IntegrityError as error:
        what = f"player {opening.account} has a session at another terminal"
        raise LedgerRejection(
            "player_elsewhere", what, "close it there first", "player"
        ) from error


def close_session(ledger: Store, session: int, cause: str, who: Actor) -> bool:
    """Close a session; returns whether it was open."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> bool:
        at = sessions.c
        done = db.execute(
            update(sessions)
            .where(at.id == session, at.closed_ns.is_(None))
            .values(closed_ns=now_ns, closed_by=cause)
        )
        if done.rowcount:
            audit.note(db, who, "session_closed", f"session {session}", now_ns, cause=cause)
        return bool(done.rowcount)

    return ledger.run(write)


def session_of(db: Connection, token_hash: bytes) -> RowMapping | None:
    """Return the row of an open session by the hash of its token; it may have expired."""
    at = sessions.c
    query = select(sessions).where(at.token_hash == token_hash, at.closed_ns.is_(None))
    return db.execute(query).mappings().one_or_none()


_FLOOR = ("dealer", "supervisor")
CASH_DESK = (*_FLOOR, "cashier")
"""Roles whose users release a payout together."""


def two_named(
    db: Connection, named: Sequence[int], roles: Collection[str] = _FLOOR
) -> tuple[Actor, Actor]:
    """Return two users who may decide together. Raises LedgerRejection.

    They are different, enabled, have one of the roles, and one of them is a supervisor.
    """
    step = "give the names of two users, one of them a supervisor"
    rows = {row.id: row for row in db.execute(select(users).where(users.c.id.in_(named)))}
    if len(named) != 2 or len(rows) != 2:
        raise LedgerRejection(
            "two_users_needed", "two different users have to decide", step, "users"
        )
    for row in rows.values():
        if not row.enabled or row.role not in roles:
            what = f"user {row.name} ({row.role}) may not decide this"
            raise LedgerRejection("user_not_allowed", what, step, "users")
    if all(row.role != "supervisor" for row in rows.values()):
        raise LedgerRejection(
            "supervisor_needed", "neither of the two is a supervisor", step, "users"
        )
    first, second = (Actor(rows[number].name, number) for number in named)
    return first, second


def two_deciding(db: Connection, named: Sequence[int], reason: str) -> tuple[Actor, Actor]:
    """Return two users who may decide together and state why. Raises LedgerRejection."""
    if not reason.strip():
        raise LedgerRejection("reason_needed", "a ruling needs a reason", "say why", "reason")
    return two_named(db, named)
