"""Queries about people: players, users, sessions, alarms, audit log. Reads only."""

import json
from typing import Any

from sqlalchemy import Connection, func, select

from tabletools.store.schema.books import accounts
from tabletools.store.schema.evidence import alarms, devices
from tabletools.store.schema.people import audit_log, sessions, users
from tabletools.store.schema.play import tables

Row = dict[str, Any]
NOT_ATTESTED = "not_attested"
MOST = 500
"""Most rows of one answer."""


def _limit(most: int) -> int:
    return min(max(most, 1), MOST)


# --- players -------------------------------------------------------------------------------------


_PLAYER = tuple(
    accounts.c[name]
    for name in ("id", "player_number", "name", "currency", "balance_cents", "created_ns")
)


def player_rows(
    db: Connection, number: str = "", part: str = "", after: int = 0, most: int = 100
) -> list[Row]:
    """Return players, in order of their accounts. number: of one player; part: of the name."""
    col = accounts.c
    query = select(*_PLAYER).where(col.kind == "player", col.id > after)
    if number:
        query = query.where(col.player_number == number)
    if part:
        query = query.where(func.lower(col.name).contains(part.lower(), autoescape=True))
    return [dict(row) for row in db.execute(query.order_by(col.id).limit(_limit(most))).mappings()]


def player(db: Connection, account: int) -> Row | None:
    """Return the account of a player, None if there is none."""
    col, query = accounts.c, select(*_PLAYER)
    row = db.execute(query.where(col.id == account, col.kind == "player")).mappings().one_or_none()
    return None if row is None else dict(row)


# --- users and sessions --------------------------------------------------------------------------


def user_rows(db: Connection) -> list[Row]:
    """Return every user, without the password hash."""
    return [
        {name: value for name, value in row._mapping.items() if name != "password_hash"}
        | {"has_password": row.password_hash is not None, "enabled": bool(row.enabled)}
        for row in db.execute(select(users).order_by(users.c.id))
    ]


def has_users(db: Connection) -> bool:
    """Whether any user exists who may log in."""
    query = select(users.c.id).where(users.c.password_hash.is_not(None)).limit(1)
    return db.execute(query).first() is not None


def signed_in(db: Connection, token_hash: bytes) -> Row | None:
    """Return an open session with its user's present data; it may have expired."""
    col, who = sessions.c, users.c
    query = (
        select(
            col.id,
            col.user_id,
            col.opened_ns,
            col.expires_ns,
            who.name,
            who.role,
            who.enabled,
            who.password_hash,
        )
        .join(users, who.id == col.user_id)
        .where(col.token_hash == token_hash, col.closed_ns.is_(None))
    )
    row = db.execute(query).mappings().one_or_none()
    return None if row is None else dict(row)


def sessions_of(
    db: Connection,
    *,
    account: int | None = None,
    table: int | None = None,
) -> list[Row]:
    """Return the open sessions of a player, or of the players at a table."""
    col = sessions.c
    query = select(
        col.id,
        col.user_id,
        col.account_id,
        col.table_id,
        col.terminal,
        col.opened_ns,
        col.expires_ns,
    ).where(col.closed_ns.is_(None))
    for column, value in ((col.account_id, account), (col.table_id, table)):
        if value is not None:
            query = query.where(column == value)
    return [dict(row) for row in db.execute(query.order_by(col.id)).mappings()]


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


def alarm_rows(
    db: Connection,
    *,
    standing: bool,
    table: int | None = None,
    before: int | None = None,
    most: int = 100,
) -> list[Row]:
    """Return alarms, newest first. standing: only those not acknowledged."""
    col = alarms.c
    query = select(alarms, users.c.name.label("acknowledged_name"))
    query = query.outerjoin(users, users.c.id == col.acknowledged_by)
    if standing:
        query = query.where(col.acknowledged_ns.is_(None))
    if table is not None:
        query = query.where(col.table_id == table)
    if before is not None:
        query = query.where(col.id < before)
    return [
        {name: value for name, value in row._mapping.items() if name != "body"}
        | {"raw": None if row.raw is None else bytes(row.raw).hex()}
        for row in db.execute(query.order_by(col.id.desc()).limit(_limit(most)))
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
        {**row._mapping, "detail": json.loads(row.detail)}
        for row in db.execute(query.order_by(col.seq.desc()).limit(_limit(most)))
    ]
