"""Queries about people: players, users, sessions, alarms, audit log. Reads only."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, select

from tabletools.evidence.alarms import is_open, state_of
from tabletools.store.people import SESSION_COLUMNS, Session
from tabletools.store.rows import fields_of
from tabletools.store.schema.books import accounts
from tabletools.store.schema.evidence import alarms, devices
from tabletools.store.schema.people import audit_log, sessions, subjects, user_keys, users
from tabletools.store.schema.play import tables

Row = dict[str, Any]
NOT_ATTESTED = "not_attested"
MOST = 500
"""Most rows of one answer."""


def _limit(most: int) -> int:
    return min(max(most, 1), MOST)


# --- players -------------------------------------------------------------------------------------


class Player(NamedTuple):
    """The account of a player."""

    id: int
    player_number: str
    name: str
    currency: str
    balance_cents: int
    created_ns: int


_PLAYER = tuple(accounts.c[name] for name in Player._fields)


def player_rows(
    db: Connection, number: str = "", part: str = "", after: int = 0, most: int = 100
) -> list[Player]:
    """Return players, in order of their accounts. number: of one player; part: of the name."""
    col = accounts.c
    query = select(*_PLAYER).where(col.kind == "player", col.id > after)
    if number:
        query = query.where(col.player_number == number)
    if part:
        query = query.where(func.lower(col.name).contains(part.lower(), autoescape=True))
    return [Player(*row) for row in db.execute(query.order_by(col.id).limit(_limit(most)))]


def player(db: Connection, account: int) -> Player | None:
    """Return the account of a player, None if there is none."""
    col, query = accounts.c, select(*_PLAYER)
    row = db.execute(query.where(col.id == account, col.kind == "player")).one_or_none()
    return None if row is None else Player(*row)


# --- users and sessions --------------------------------------------------------------------------


class User(NamedTuple):
    """A user, without the password hash."""

    id: int
    name: str
    role: str
    enabled: bool
    created_ns: int
    has_password: bool
    signs_on: bool
    """Whether an identity provider knows the user."""


def user_rows(db: Connection) -> list[User]:
    """Return every user."""
    signing_on = set(db.execute(select(subjects.c.user_id)).scalars())
    return [
        User(
            row.id,
            row.name,
            row.role,
            bool(row.enabled),
            row.created_ns,
            row.password_hash is not None,
            row.id in signing_on,
        )
        for row in db.execute(select(users).order_by(users.c.id))
    ]


def has_users(db: Connection) -> bool:
    """Whether any user exists who may log in."""
    query = select(users.c.id).where(users.c.password_hash.is_not(None)).limit(1)
    return db.execute(query).first() is not None


class Login(NamedTuple):
    """An open session of a user, with the user's present data. id: of the session."""

    id: int
    user_id: int
    expires_ns: int
    name: str
    role: str
    is_enabled: bool
    password_hash: str
    mac: bytes | None
    sealed_key: bytes | None
    """The private key of the user, sealed with the token."""
    key: int | None
    """The present key of the user."""
    public_key: bytes | None


def signed_in(db: Connection, token_hash: bytes) -> Login | None:
    """Return an open session with its user's present data; it may have expired."""
    col, who = sessions.c, users.c
    query = (
        select(
            col.id,
            col.user_id,
            col.expires_ns,
            who.name,
            who.role,
            who.enabled,
            who.password_hash,
            col.mac,
            col.sealed_key,
            user_keys.c.id,
            user_keys.c.public_key,
        )
        .join(users, who.id == col.user_id)
        .outerjoin(
            user_keys, and_(user_keys.c.user_id == who.id, user_keys.c.retired_ns.is_(None))
        )
        .where(col.token_hash == token_hash, col.closed_ns.is_(None))
    )
    row = db.execute(query).one_or_none()
    return None if row is None else Login(*row)


def sessions_of(
    db: Connection,
    *,
    account: int | None = None,
    table: int | None = None,
) -> list[Session]:
    """Return the open sessions of a player, or of the players at a table."""
    col = sessions.c
    query = select(*SESSION_COLUMNS).where(col.closed_ns.is_(None))
    for column, value in ((col.account_id, account), (col.table_id, table)):
        if value is not None:
            query = query.where(column == value)
    return [Session(*row) for row in db.execute(query.order_by(col.id))]


def seat_rows(
    db: Connection,
    table: int | None = None,
    account: int | None = None,
    after: int = 0,
    most: int = 200,
) -> list[Row]:
    """Return the open sessions of players with the names of player and table, in order.

    table, account: filters. after: sessions with a higher key, for the next page.
    """
    col = sessions.c
    query = (
        select(
            col.id,
            col.account_id,
            accounts.c.player_number,
            accounts.c.name.label("player"),
            col.table_id,
            tables.c.name.label("table_name"),
            col.terminal,
            col.opened_ns,
            col.expires_ns,
        )
        .join(accounts, accounts.c.id == col.account_id)
        .outerjoin(tables, tables.c.id == col.table_id)
        .where(col.closed_ns.is_(None), col.id > after)
        .order_by(col.id)
        .limit(_limit(most))
    )
    if table is not None:
        query = query.where(col.table_id == table)
    if account is not None:
        query = query.where(col.account_id == account)
    return [dict(row) for row in db.execute(query).mappings()]


# --- devices, alarms, audit log ------------------------------------------------------------------


def device_rows(db: Connection) -> list[Row]:
    """Return every known controller. attestation: not_attested where none was requested."""
    rows = db.execute(select(devices).order_by(devices.c.device))
    return [{**row._mapping, "attestation": row.attestation or NOT_ATTESTED} for row in rows]


_ACKNOWLEDGER, _CLEARER, _SHELVER = (users.alias(name) for name in ("acks", "ends", "shelves"))
_ALARMS = (
    select(
        *(column for column in alarms.c if column.name != "body"),
        _ACKNOWLEDGER.c.name.label("acknowledged_name"),
        _CLEARER.c.name.label("cleared_name"),
        _SHELVER.c.name.label("shelved_name"),
    )
    .outerjoin(_ACKNOWLEDGER, _ACKNOWLEDGER.c.id == alarms.c.acknowledged_by)
    .outerjoin(_CLEARER, _CLEARER.c.id == alarms.c.cleared_by)
    .outerjoin(_SHELVER, _SHELVER.c.id == alarms.c.shelved_by)
)


class AlarmSearch(NamedTuple):
    """Which alarms are listed. None: any."""

    standing: bool = True
    """Only those that are not back to normal."""
    is_shelved: bool | None = None
    table: int | None = None
    kind: str | None = None
    priority: int | None = None
    """This, or more urgent."""
    before: int | None = None
    """Only lower numbers."""
    most: int = 100


OPEN_ALARMS = AlarmSearch()


def alarm_rows(db: Connection, now_ns: int, wanted: AlarmSearch = OPEN_ALARMS) -> list[Row]:
    """Return alarms with their states, newest first."""
    col, query = alarms.c, _ALARMS
    if wanted.standing:
        query = query.where(is_open())
    if wanted.is_shelved is not None:
        shelved = func.coalesce(col.shelved_until_ns, 0) > now_ns
        query = query.where(shelved if wanted.is_shelved else ~shelved)
    for column, value in ((col.table_id, wanted.table), (col.kind, wanted.kind)):
        query = query if value is None else query.where(column == value)
    if wanted.priority is not None:
        query = query.where(func.coalesce(col.priority, 1) <= wanted.priority)
    if wanted.before is not None:
        query = query.where(col.id < wanted.before)
    return [
        {
            **fields_of(row),
            "raw": None if row.raw is None else bytes(row.raw).hex(),
            "state": state_of(row, now_ns),
        }
        for row in db.execute(query.order_by(col.id.desc()).limit(_limit(wanted.most)))
    ]


def audit_rows(
    db: Connection, *, before: int | None = None, action: str = "", most: int = 100
) -> list[Row]:
    """Return the audit log, newest first."""
    col = audit_log.c
    query = select(col.seq, col.at_ns, col.user_id, col.who, col.action, col.subject, col.detail)
    if before is not None:
        query = query.where(col.seq < before)
    if action:
        query = query.where(col.action == action)
    return [
        {**row._mapping, "detail": _without_token(json.loads(row.detail))}
        for row in db.execute(query.order_by(col.seq.desc()).limit(_limit(most)))
    ]


def _without_token(detail: dict[str, Any]) -> dict[str, Any]:
    """Return the detail of a row, of a sign-on only who signed on where: its token is evidence."""
    proof = detail.get("sign_on")
    if proof is None:
        return detail
    return detail | {"sign_on": f"{proof['subject']} at {proof['issuer']}"}
