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


def _limited(most: int) -> int:
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
    at = accounts.c
    query = select(*_PLAYER).where(at.kind == "player", at.id > after)
    if number:
        query = query.where(at.player_number == number)
    if part:
        query = query.where(func.lower(at.name).contains(part.lower(), autoescape=True))
    return [
        dict(row) for row in db.execute(query.order_by(at.id).limit(_limited(most))).mappings()
    ]


def player(db: Connection, account: int) -> Row | None:
    """Return the account of a player, None if there is none."""
    at, query = accounts.c, select(*_PLAYER)
    row = db.execute(query.where(at.id == account, at.kind == "player")).mappings().one_or_none()
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
    at, who = sessions.c, users.c
    query = (
        select(
            at.id, at.user_id, at.opened_ns, at.expires_ns, who.name, who.role, who.enabled,
            who.password_hash,
        )
        .join(users, who.id == at.user_id)
        .where(at.token_hash == token_hash, at.closed_ns.is_(None))
    )  # fmt: skip
    row = db.execute(query).mappings().one_or_none()
    return None if row is None else dict(row)


def sessions_of(
    db: Connection,
    *,
    account: int | None = None,
    table: int | None = None,
) -> list[Row]:
    """Return the open sessions of a player, or of the players at a table."""
    at = sessions.c
    query = select(
        at.id, at.user_id, at.account_id, at.table_id, at.terminal, at.opened_ns, at.expires_ns
    ).where(at.closed_ns.is_(None))
    for column, value in ((at.account_id, account), (at.table_id, table)):
        if value is not None:
            query = query.where(column == value)
    return [dict(row) for row in db.execute(query.order_by(at.id)).mappings()]


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
    at = sessions.c
    query = (
        select(
            at.id, at.account_id, accounts.c.player_number, accounts.c.name.label("player"),
            at.table_id, tables.c.name.label("table_name"), at.terminal, at.opened_ns,
            at.expires_ns,
        )
        .join(accounts, accounts.c.id == at.account_id)
        .outerjoin(tables, tables.c.id == at.table_id)
        .where(at.closed_ns.is_(None), at.id > after)
        .order_by(at.id)
        .limit(_limited(most))
    )  # fmt: skip
    if table is not None:
        query = query.where(at.table_id == table)
    if account is not None:
        query = query.where(at.account_id == account)
    return [dict(row) for row in db.execute(query).mappings()]


# --- devices, alarms, audit log ------------------------------------------------------------------


def device_rows(db: Connection) -> list[Row]:
    """Return every known controller. attestation: not_attested where none was requested."""
    rows = db.execute(select(devices).order_by(devices.c.device))
    return [{**row._mapping, "attestation": row.attestation or NOT_ATTESTED} for row in rows]


def alarm_rows(
    db: Connection, *, standing: bool, table: int | None = None, before: int | None = None,
    most: int = 100,
) -> list[Row]:  # fmt: skip
    """Return alarms, newest first. standing: only those not acknowledged."""
    at = alarms.c
    query = select(alarms, users.c.name.label("acknowledged_name"))
    query = query.outerjoin(users, users.c.id == at.acknowledged_by)
    if standing:
        query = query.where(at.acknowledged_ns.is_(None))
    if table is not None:
        query = query.where(at.table_id == table)
    if before is not None:
        query = query.where(at.id < before)
    return [
        {name: value for name, value in row._mapping.items() if name != "body"}
        | {"raw": None if row.raw is None else bytes(row.raw).hex()}
        for row in db.execute(query.order_by(at.id.desc()).limit(_limited(most)))
    ]


def audit_rows(
    db: Connection, *, before: int | None = None, action: str = "", most: int = 100
) -> list[Row]:
    """Return the audit log, newest first."""
    at = audit_log.c
    query = select(at.seq, at.at_ns, at.user_id, at.who, at.action, at.subject, at.detail)
    if before is not None:
        query = query.where(at.seq < before)
    if action:
        query = query.where(at.action == action)
    return [
        {**row._mapping, "detail": json.loads(row.detail)}
        for row in db.execute(query.order_by(at.seq.desc()).limit(_limited(most)))
    ]
