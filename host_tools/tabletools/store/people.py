"""Users, their logins and sessions, and the sessions of players at terminals.

Passwords are hashed elsewhere, and tokens are generated elsewhere: only their hashes come here.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, func, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from tabletools import authority
from tabletools.authority import ACTS, ROLES, SUPERVISOR
from tabletools.store import audit, user_keys, user_names
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.people import pins, sessions, subjects, users
from tabletools.store.schema.people import user_keys as user_keys_table
from tabletools.store.user_keys import SealedKey

_PROVIDER = Actor("identity provider")


class Subject(NamedTuple):
    """A user of an identity provider. number: the provider's own, which is never another's."""

    issuer: str
    number: str


class Opening(NamedTuple):
    """A session to open: of a user, or of a player's account at a terminal."""

    token_hash: bytes
    expires_ns: int
    user: int | None = None
    account: int | None = None
    table: int | None = None
    terminal: str | None = None
    password_hash: str | None = None
    """The stored one that the user's password was compared with."""
    pin_hash: str | None = None
    """The stored one that the player's PIN was compared with."""
    mac: bytes | None = None
    """By the key of the host, over what the session gives a right to."""
    sealed_key: bytes | None = None
    """The private key of the user, sealed with the token."""
    new_key: SealedKey | None = None
    """The first key of the user, added with the session."""


class PasswordChange(NamedTuple):
    """The stored hash of a user's password, before and after."""

    was: str
    now: str
    asked_by: int | None
    """Who has read the first one, and may not be the second one who sees another chosen; None: no
    second is needed."""
    key: SealedKey | None = None
    """The user's key, sealed with the new password."""
    session_key: bytes | None = None
    """The same, sealed with the token of the session."""


def create_user(
    ledger: Store,
    name: str,
    role: str,
    password_hash: str | None,
    who: Actor,
    second: Actor | None = None,
) -> int:
    """Add a user; returns the number. second: see `verify_second`. Raises LedgerRejection."""
    if role not in ROLES:
        raise LedgerRejection(
            "unknown_role", f"role {role!r} is not known", f"use {' '.join(ROLES)}"
        )
    user_names.verify(name)
    now_ns = ledger.clock.wall_ns()
    user = _NewUser(name, role, now_ns, password_hash)

    def write(db: Connection) -> int:
        verify_may(db, who, authority.USER_CHANGE)
        verify_second(db, who, second)
        return _add(db, user, who, second)

    try:
        return ledger.run(write)
    except IntegrityError as error:
        raise LedgerRejection(
            "name_taken", f"there is a user {name!r}", "choose another name"
        ) from error


class _NewUser(NamedTuple):
    """A user to add. password_hash: None of one who cannot log in."""

    name: str
    role: str
    created_ns: int
    password_hash: str | None = None


def _add(db: Connection, user: _NewUser, who: Actor, second: Actor | None = None) -> int:
    name = user.name
    for other in db.execute(select(users.c.name)).scalars():
        if user_names.looks(name) & user_names.looks(other):
            what = f"there is a user {other!r}, and {name!r} looks too similar"
            raise LedgerRejection("name_taken", what, "choose another name", "name")
    statement = insert(users).values(**user._asdict(), enabled=1).returning(users.c.id)
    number = int(db.execute(statement).scalar_one())
    detail = {"name": name, "role": user.role}
    _note(db, (who, second), "user_created", number, user.created_ns, **detail)
    return number


def change_user(
    ledger: Store,
    user: int,
    who: Actor,
    second: Actor | None = None,
    *,
    role: str | None = None,
    enabled: bool | None = None,
    password_hash: str | None = None,
) -> None:
    """Change what is not None of a user; the user's sessions end.

    second: see `verify_second`. To disable a user takes one: it must be possible at once. Raises
    LedgerRejection, also where no supervisor could log in any more, unless a program asks.
    """
    now_ns = ledger.clock.wall_ns()
    values = {
        "role": role,
        "enabled": None if enabled is None else int(enabled),
        "password_hash": password_hash,
    }
    changes = {name: value for name, value in values.items() if value is not None}

    def write(db: Connection) -> None:
        verify_may(db, who, authority.USER_CHANGE)
        if changes != {"enabled": 0}:
            verify_second(db, who, second)
        able = {} if who.user is None else _able_supervisors(db)
        _change(db, user, (who, second), now_ns, changes)
        if list(able) == [user] and not _able_supervisors(db):
            what = f"{able[user]} is the only supervisor who can log in"
            raise LedgerRejection("last_supervisor", what, "make another supervisor first", "user")
        _end_sessions(db, user, None, who, now_ns)

    ledger.run(write)


def _able_supervisors(db: Connection) -> dict[int, str]:
    """Return the supervisors who can log in, locked: two cannot disable each other at once."""
    col = users.c
    query = select(col.id, col.name).where(col.role == SUPERVISOR, col.enabled == 1)
    query = query.where(col.password_hash.is_not(None)).order_by(col.id)
    rows = db.execute(query.with_for_update(key_share=True))
    return {int(row.id): str(row.name) for row in rows}


def change_own_password(
    ledger: Store,
    who: Actor,
    change: PasswordChange,
    second: Actor | None = None,
    *,
    keeps: int,
) -> None:
    """Change the password of a user who gave the old one. Raises LedgerRejection.

    second: the supervisor who sees the user choose it, where one is needed. keeps: the session of
    the request; the user's others end.
    """
    assert who.user is not None
    user, now_ns = who.user, ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        col = users.c
        if change.asked_by is not None:
            _verify_witness(db, who, second, change.asked_by)
        done = db.execute(
            update(users)
            .where(col.id == user, col.password_hash == change.was)
            .values(password_hash=change.now)
        )
        if not done.rowcount:
            raise _changed_meanwhile("old")
        witness = None if change.asked_by is None else second
        present = who if change.key is None else user_keys.store(db, who, change.key, now_ns)
        if change.session_key is not None:
            kept = update(sessions).where(sessions.c.id == keeps)
            db.execute(kept.values(sealed_key=change.session_key))
        _note(db, (present, witness), "user_changed", user, now_ns, password="chosen")
        _end_sessions(db, user, keeps, who, now_ns)

    ledger.run(write)


def _change(
    db: Connection,
    user: int,
    by: tuple[Actor, Actor | None],
    now_ns: int,
    changes: Mapping[str, object],
) -> None:
    db.execute(update(users).where(users.c.id == user).values(**changes))
    visible: dict[str, object] = {
        name: value for name, value in changes.items() if name != "password_hash"
    }
    if "password_hash" in changes:
        visible["password"] = "changed"
    _note(db, by, "user_changed", user, now_ns, **visible)
    if "password_hash" in changes:
        user_keys.retire(db, user, now_ns)


def _note(
    db: Connection,
    by: tuple[Actor, Actor | None],
    action: str,
    user: int,
    now_ns: int,
    **detail: object,
) -> None:
    who, second = by
    if second is None:
        audit.note(db, who, action, f"user {user}", now_ns, **detail)
    else:
        audit.note_both(db, (who, second), action, f"user {user}", now_ns, **detail)


def needs_second(db: Connection, who: int | None = None) -> bool:
    """Whether rights are given by two supervisors: once two can decide.

    Those have a password, have decided by a sign-on, or decide now (who). A disabled one counts:
    otherwise one who disables the other could then rule alone.
    """
    col = users.c
    has_key = col.id.in_(select(user_keys_table.c.user_id))
    decides = or_(col.password_hash.is_not(None), has_key, col.id == who)
    query = select(func.count()).where(col.role == SUPERVISOR, decides)
    return int(db.execute(query).scalar_one()) > 1


def verify_second(db: Connection, who: Actor, second: Actor | None) -> None:
    """Raise LedgerRejection unless a second supervisor confirms what gives a user rights.

    One who adds a user, or has a new password of another, could rule as two. A program has no
    second: the commands of the administrator ask `needs_second` themselves.
    """
    if who.user is None or (second is None and not needs_second(db, who.user)):
        return
    if not _is_supervisor(db, second, who.user):
        what = "two supervisors have to agree on a new user, a role, a new password and on"
        what += " enabling a user"
        step = "let another supervisor give name and password; if none can log in, the"
        step += " administrator of the host uses `tabletool users`"
        raise LedgerRejection("second_supervisor_needed", what, step, "second")


def _verify_witness(db: Connection, who: Actor, second: Actor | None, asked_by: int) -> None:
    """Raise LedgerRejection unless a supervisor sees a user replace a password others have read.

    The one who asked for it could otherwise log in with it first, and act as that user.
    """
    if not _is_supervisor(db, second, who.user, asked_by):
        what = "a supervisor who did not ask for the first password has to see you choose your own"
        step = "let that supervisor give name and password here"
        raise LedgerRejection("second_supervisor_needed", what, step, "second")


def _is_supervisor(db: Connection, second: Actor | None, *others: int | None) -> bool:
    """Whether a second user is an enabled supervisor, and none of the others."""
    if second is None or second.user in others:
        return False
    row = db.execute(select(users).where(users.c.id == second.user)).one_or_none()
    is_one = any(_are_one_person(db, second.user, other) for other in others)
    return row is not None and bool(row.enabled) and row.role == SUPERVISOR and not is_one


def _are_one_person(db: Connection, user: int | None, other: int | None) -> bool:
    """Whether an identity provider knows two users by one number: one was renamed there."""
    mine, theirs = subjects.alias("mine"), subjects.alias("theirs")
    query = select(mine.c.id).where(
        mine.c.user_id == user,
        theirs.c.user_id == other,
        mine.c.issuer == theirs.c.issuer,
        mine.c.subject == theirs.c.subject,
    )
    return db.execute(query.limit(1)).first() is not None


class NamedUser(NamedTuple):
    """A user as a name finds one."""

    id: int
    name: str
    role: str
    password_hash: str | None
    enabled: int

    @property
    def is_enabled(self) -> bool:
        """Whether the user may do anything."""
        return bool(self.enabled)


def find_user(db: Connection, name: str) -> NamedUser | None:
    """Return a user by name."""
    col = users.c
    query = select(col.id, col.name, col.role, col.password_hash, col.enabled).where(
        col.name == name
    )
    row = db.execute(query).one_or_none()
    return None if row is None else NamedUser(*row)


def known_user(db: Connection, name: str, who: Actor, now_ns: int) -> Actor:
    """Return the user with this name; if there is none, one who cannot log in is added.

    Works within the transaction of what the user does. Raises LedgerRejection.
    """
    user_names.verify(name)
    row = find_user(db, name)
    if row is None:
        return Actor(name, _add(db, _NewUser(name, "technician", now_ns), who))
    if not row.is_enabled:
        raise LedgerRejection(
            "user_disabled", f"user {name!r} is disabled", "name another user", "by"
        )
    return Actor(row.name, row.id)


def sign_on(ledger: Store, name: str, role: str, subject: Subject) -> NamedUser:
    """Return the user whom an identity provider knows by a name, with the role it gives.

    One who does not exist is added. Raises LedgerRejection for a disabled user, for one with
    a password here, as a provider speaks for no user who can sign without it, and for a name that
    was another person's, or a person who has another name here.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> NamedUser:
        row = find_user(db, name)
        _verify_subject(db, name, row, subject)
        if row is None:
            user_names.verify(name)
            number = _add(db, _NewUser(name, role, now_ns), _PROVIDER)
            _bind(db, number, subject, now_ns)
            return NamedUser(number, name, role, None, 1)
        lock(db, row.id)
        if not row.is_enabled:
            raise LedgerRejection(
                "user_disabled", f"user {name!r} is disabled", "ask a supervisor", "user"
            )
        if row.password_hash is not None:
            what = f"user {name!r} has a password here"
            raise LedgerRejection("password_needed", what, "log in with it", "user")
        if row.role != role:
            _change(db, row.id, (_PROVIDER, None), now_ns, {"role": role})
            _end_sessions(db, row.id, None, _PROVIDER, now_ns)
        _bind(db, row.id, subject, now_ns)
        return row._replace(role=role)

    try:
        return ledger.run(write)
    except IntegrityError as error:
        what = f"user {name!r} was added at the same moment"
        raise LedgerRejection("name_taken", what, "log in again", "user") from error


def _verify_subject(db: Connection, name: str, row: NamedUser | None, subject: Subject) -> None:
    """Raise LedgerRejection unless a name and a number of a provider are of one person."""
    col = subjects.c
    of_number = (col.issuer == subject.issuer, col.subject == subject.number)
    others = select(users.c.name).join(subjects, col.user_id == users.c.id)
    others = others.where(*of_number, users.c.enabled == 1, users.c.name != name)
    other = db.execute(others.limit(1)).scalar_one_or_none()
    if other is not None:
        what = f"the identity provider knew {name!r} as {other!r}, who is still enabled"
        step = f"have a supervisor disable {other!r} at Users, then sign on again"
        raise LedgerRejection("subject_renamed", what, step, "user")
    if row is None:
        return
    bound = select(col.subject).where(col.user_id == row.id, col.issuer == subject.issuer)
    numbers = set(db.execute(bound).scalars())
    if numbers and subject.number not in numbers:
        what = f"the name {name!r} was another person's at the identity provider"
        step = "use another name at the provider: what was decided under this one stays theirs"
        raise LedgerRejection("subject_changed", what, step, "user")


def _bind(db: Connection, user: int, subject: Subject, now_ns: int) -> None:
    """Note by which number a provider knows a user, unless it is noted."""
    col = subjects.c
    values = {"issuer": subject.issuer, "subject": subject.number, "user_id": user}
    query = select(col.id).where(*(col[name] == value for name, value in values.items()))
    if db.execute(query).first() is None:
        db.execute(insert(subjects).values(**values, at_ns=now_ns))


def open_session(ledger: Store, opening: Opening, who: Actor) -> int:
    """Open a session.

    Returns its number. Raises LedgerRejection: a player has one terminal at a time, and a password
    or PIN may have been changed while it was checked. who: of a player's, the user who offers the
    seat.
    """
    now_ns = ledger.clock.wall_ns()
    values = {
        "token_hash": opening.token_hash,
        "user_id": opening.user,
        "account_id": opening.account,
        "table_id": opening.table,
        "terminal": opening.terminal,
        "opened_ns": now_ns,
        "expires_ns": opening.expires_ns,
        "mac": opening.mac,
        "sealed_key": opening.sealed_key,
    }

    def write(db: Connection) -> int:
        if opening.user is not None:
            _verify_present_password(db, opening.user, opening.password_hash)
            if opening.new_key is not None:
                user_keys.store(db, who, opening.new_key, now_ns)
        else:
            verify_may(db, who, authority.SEAT)
            _verify_present_pin(db, opening)
        statement = insert(sessions).values(**values).returning(sessions.c.id)
        number = int(db.execute(statement).scalar_one())
        detail = {"terminal": opening.terminal, "table": opening.table}
        audit.note(db, who, "session_opened", f"session {number}", now_ns, **detail)
        return number

    try:
        return ledger.run(write)
    except IntegrityError as error:
        raise elsewhere(opening.account) from error


def elsewhere(account: int | None) -> LedgerRejection:
    """Return the rejection of a second seat of a player."""
    what = f"player {account} has a session at another terminal"
    return LedgerRejection("player_elsewhere", what, "close it there first", "player")


def add_key(ledger: Store, who: Actor, key: SealedKey, password_hash: str) -> Actor:
    """Store the first key of a user who has not logged in since keys exist.

    Returns the user with it. password_hash: see Opening. Raises LedgerRejection.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> Actor:
        _verify_present_password(db, who.user, password_hash)
        return user_keys.store(db, who, key, now_ns)

    return ledger.run(write)


def _verify_present_password(db: Connection, user: int | None, password_hash: str | None) -> None:
    """Raise LedgerRejection if the user was changed since the password was checked."""
    # The row is locked: a change that ends the user's sessions comes before this one or after it.
    query = select(users).where(users.c.id == user).with_for_update(key_share=True)
    row = db.execute(query).one()
    if not row.enabled or row.password_hash != password_hash:
        raise _changed_meanwhile("password")


def _verify_present_pin(db: Connection, opening: Opening) -> None:
    """Raise LedgerRejection unless the player proved to be there, by the PIN of now."""
    query = select(pins.c.pin_hash).where(pins.c.account_id == opening.account)
    present = db.execute(query.with_for_update(key_share=True)).scalar_one_or_none()
    if ACTS[authority.SEAT].needs_player and present is None:
        raise no_pin(opening.account)
    if present != opening.pin_hash:
        raise pin_changed()


def no_pin(account: int | None) -> LedgerRejection:
    """Return the rejection of a seat for a player who has no PIN."""
    what = f"account {account} has no PIN: nobody can be seated with it"
    step = "have the player set one at the cash desk, with two users, one of them a supervisor"
    return LedgerRejection("no_pin", what, step, "account")


def pin_changed() -> LedgerRejection:
    """Return the rejection of a PIN that was checked before it was changed."""
    what = "the PIN was not given, or was changed in the meantime"
    return LedgerRejection("pin_changed", what, "give the present PIN", "pin")


def _changed_meanwhile(field: str) -> LedgerRejection:
    """Return the rejection of a password that was checked before it was changed."""
    what = "the password was changed in the meantime"
    return LedgerRejection("password_changed", what, "log in with the new one", field)


def close_session(ledger: Store, session: int, cause: str, who: Actor) -> bool:
    """Close a session; returns whether it was open."""
    now_ns = ledger.clock.wall_ns()
    return ledger.run(lambda db: _close(db, session, cause, who, now_ns))


def _close(db: Connection, session: int, cause: str, who: Actor, now_ns: int) -> bool:
    col = sessions.c
    done = db.execute(
        update(sessions)
        .where(col.id == session, col.closed_ns.is_(None))
        .values(closed_ns=now_ns, closed_by=cause, sealed_key=None)
    )
    if done.rowcount:
        audit.note(db, who, "session_closed", f"session {session}", now_ns, cause=cause)
    return bool(done.rowcount)


def _end_sessions(db: Connection, user: int, keeps: int | None, who: Actor, now_ns: int) -> None:
    """End the sessions of a user whose row this transaction has changed. keeps: one of them."""
    _end(db, sessions.c.user_id == user, keeps, who, now_ns)


def end_seats(db: Connection, account: int, keeps: int | None, who: Actor, now_ns: int) -> None:
    """End the sessions of a player whose PIN this transaction has changed. keeps: one of them."""
    _end(db, sessions.c.account_id == account, keeps, who, now_ns)


def _end(
    db: Connection, of_whom: ColumnElement[bool], keeps: int | None, who: Actor, now_ns: int
) -> None:
    col = sessions.c
    query = select(col.id).where(of_whom, col.closed_ns.is_(None), col.id != (keeps or 0))
    for session in db.execute(query.order_by(col.id)).scalars().all():
        _close(db, session, "ended", who, now_ns)


class Session(NamedTuple):
    """An open session: of a user, or of a player's account at a terminal of a table."""

    id: int
    user_id: int | None
    account_id: int | None
    table_id: int | None
    terminal: str | None
    opened_ns: int
    expires_ns: int


class TerminalSession(NamedTuple):
    """An open session as its host authenticates it. mac: see `api.sealing.session_mac`."""

    id: int
    account_id: int | None
    table_id: int | None
    terminal: str | None
    expires_ns: int
    mac: bytes | None


SESSION_COLUMNS = tuple(sessions.c[name] for name in Session._fields)


def session_of(db: Connection, token_hash: bytes) -> TerminalSession | None:
    """Return an open session by the hash of its token; it may have expired."""
    col = sessions.c
    columns = [col[name] for name in TerminalSession._fields]
    query = select(*columns).where(col.token_hash == token_hash, col.closed_ns.is_(None))
    row = db.execute(query).one_or_none()
    return None if row is None else TerminalSession(*row)


def verify_may(db: Connection, who: Actor, act: str) -> str | None:
    """Raise LedgerRejection unless a user may do something, alone or with another one.

    act: of `authority.ACTS`. Returns the role, None for a program, which is the administrator's.
    """
    if who.user is None:
        return None
    roles = ACTS[act].roles
    row = db.execute(select(users.c.enabled, users.c.role).where(users.c.id == who.user)).one()
    if not row.enabled or row.role not in roles:
        what = f"user {who.name} ({row.role}) may not do this ({act.replace('_', ' ')})"
        step = f"ask one of: {', '.join(sorted(roles))}"
        raise LedgerRejection("user_not_allowed", what, step, "user")
    return str(row.role)


def lock(db: Connection, user: int) -> None:
    """Lock a user until the end of the transaction: what one does at once takes turns."""
    query = select(users.c.id).where(users.c.id == user).with_for_update(key_share=True)
    db.execute(query).one()


def two_users(db: Connection, named: Sequence[Actor], act: str) -> tuple[Actor, Actor]:
    """Return two users who may do something together. Raises LedgerRejection.

    They are different, enabled, have one of the roles of the act, and one is a supervisor.
    """
    roles = ACTS[act].second
    step = "give the names of two users, one of them a supervisor"
    numbers = [who.user for who in named]
    rows = {row.id: row for row in db.execute(select(users).where(users.c.id.in_(numbers)))}
    if len(named) != 2 or len(rows) != 2:
        raise LedgerRejection(
            "two_users_needed", "two different users have to decide", step, "users"
        )
    if _are_one_person(db, *numbers):
        what = "both users are one person: the identity provider knows them by one number"
        raise LedgerRejection("two_users_needed", what, step, "users")
    for row in rows.values():
        if not row.enabled or row.role not in roles:
            what = f"user {row.name} ({row.role}) may not decide this"
            raise LedgerRejection("user_not_allowed", what, step, "users")
    if all(row.role != SUPERVISOR for row in rows.values()):
        raise LedgerRejection(
            "supervisor_needed", "neither of the two is a supervisor", step, "users"
        )
    first, second = (who._replace(name=rows[who.user].name) for who in named)
    return first, second


def two_deciding(
    db: Connection, named: Sequence[Actor], reason: str, act: str
) -> tuple[Actor, Actor]:
    """Return two users who may decide together and state why. Raises LedgerRejection."""
    if not reason.strip():
        raise LedgerRejection("reason_needed", "a ruling needs a reason", "say why", "reason")
    return two_users(db, named, act)
