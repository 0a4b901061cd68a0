"""Casino tables: their terms, the lease of the host that plays them, whether bets are open."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection, RowMapping, insert, select, update
from sqlalchemy.exc import IntegrityError

from tabletools.ledger import audit, games
from tabletools.ledger.audit import Actor
from tabletools.ledger.base import Lease, Ledger
from tabletools.ledger.clock import MS, NS
from tabletools.ledger.errors import Refused
from tabletools.ledger.rows import put
from tabletools.ledger.schema.play import leases, table_states, tables, terms

LEASE_S = 10.0


class Terms(NamedTuple):
    """What is played. options, limits: together the `table` of a round (docs/SETTLE.md)."""

    game: str
    rules: str
    variant: str | None = None
    limits: Mapping[str, object] = {}
    options: Mapping[str, object] = {}
    void_policy: str = "refund"


class State(NamedTuple):
    """Whether bets are open. round: the row of the newest round, None before any."""

    table: int
    round: int | None
    bets_open: bool
    cause: str
    since_ns: int


def create_table(
    ledger: Ledger,
    name: str,
    found: Terms,
    who: Actor,
    *,
    device: int | None = None,
    currency: str = "EUR",
) -> int:
    """Add a casino table; returns its number. Raises Refused."""
    games.verify_terms(found)
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        values = {"name": name, "device": device, "currency": currency}
        made = insert(tables).values(**values, enabled=1, created_ns=now_ns)
        number = int(db.execute(made.returning(tables.c.id)).scalar_one())
        _add_terms(db, number, found, who, now_ns)
        set_state(db, State(number, None, False, "no_round", now_ns))
        detail = {**values, **_shown(found)}
        audit.note(db, who, "table_created", f"table {number}", now_ns, **detail)
        return number

    try:
        return ledger.run(write)
    except IntegrityError as error:
        what = f"a table {name!r}, or one with device {device}, is there already"
        raise Refused("table_taken", what, "choose another name or device") from error


def change_terms(ledger: Ledger, lease: Lease, found: Terms, who: Actor) -> None:
    """Change what is played from the next round on. Raises Refused, LostLease."""
    games.verify_terms(found)
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        _add_terms(db, lease.table, found, who, now_ns)
        audit.note(db, who, "terms_changed", f"table {lease.table}", now_ns, **_shown(found))

    ledger.run(write, lease)


def change_table(ledger: Ledger, lease: Lease, who: Actor, **changes: object) -> None:
    """Change device or enabled of a table; bets close. Raises LostLease."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        db.execute(update(tables).where(tables.c.id == lease.table).values(**changes))
        close_bets(db, lease.table, "table_changed", now_ns)
        audit.note(db, who, "table_changed", f"table {lease.table}", now_ns, **changes)

    ledger.run(write, lease)


def terms_of(db: Connection, table: int) -> tuple[int, Terms]:
    """Return the terms that hold now, with the number of their row."""
    query = select(terms.c.id).where(terms.c.table_id == table).order_by(terms.c.id.desc())
    number = int(db.execute(query.limit(1)).scalar_one())
    return number, terms_at(db, number)


def terms_at(db: Connection, number: int) -> Terms:
    """Return the terms of a row."""
    row = db.execute(select(terms).where(terms.c.id == number)).one()
    limits, options = json.loads(row.limits), json.loads(row.options)
    return Terms(row.game, row.rules, row.variant, limits, options, row.void_policy)


def table_of(db: Connection, device: int) -> RowMapping | None:
    """Return the casino table a device plays."""
    query = select(tables).where(tables.c.device == device)
    return db.execute(query).mappings().one_or_none()


def device_of(db: Connection, table: int) -> int | None:
    """Return the device that plays a casino table."""
    query = select(tables.c.device).where(tables.c.id == table)
    found: int | None = db.execute(query).scalar_one()
    return found


# --- leases --------------------------------------------------------------------------------------


def claim(ledger: Ledger, table: int, holder: str, *, seconds: float = LEASE_S) -> Lease:
    """Become the one host of a table; its bets close. Raises Refused while another holds it."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        query = select(leases).where(leases.c.table_id == table).with_for_update()
        row = db.execute(query).one_or_none()
        if row is not None and row.holder != holder and row.expires_ns > now_ns:
            left = (row.expires_ns - now_ns) // MS
            what = f"table {table} is held by {row.holder} for another {left} ms"
            raise Refused("table_held", what, "stop that host, or wait until its lease ends")
        token = 1 if row is None else int(row.token) + 1
        expires = now_ns + int(seconds * NS)
        values = {"table_id": table, "holder": holder, "token": token, "expires_ns": expires}
        if row is None:
            db.execute(insert(leases).values(**values))
        else:
            db.execute(update(leases).where(leases.c.table_id == table).values(**values))
        close_bets(db, table, "host_changed", now_ns)
        audit.note(db, Actor(holder), "table_claimed", f"table {table}", now_ns, token=token)
        return token

    begun = ledger.clock.mono_ns()
    try:
        token = ledger.run(write)
    except IntegrityError as error:  # two hosts met at the first claim
        raise Refused("table_held", f"table {table} was just claimed", "wait") from error
    return Lease(table, holder, token, begun + int(seconds * NS))


def renew(ledger: Ledger, lease: Lease, *, seconds: float = LEASE_S) -> Lease:
    """Hold a table for longer; call at a third of the time. Raises LostLease."""
    begun = ledger.clock.mono_ns()
    expires = ledger.clock.wall_ns() + int(seconds * NS)
    statement = update(leases).where(leases.c.table_id == lease.table)
    ledger.run(lambda db: db.execute(statement.values(expires_ns=expires)), lease)
    return lease._replace(until_mono_ns=begun + int(seconds * NS))


def let_go(ledger: Ledger, lease: Lease) -> None:
    """Give a table up: its bets close and another host may claim it at once."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        close_bets(db, lease.table, "host_ended", now_ns)
        statement = update(leases).where(leases.c.table_id == lease.table)
        db.execute(statement.values(expires_ns=0))

    ledger.run(write, lease)


# --- whether bets are open -----------------------------------------------------------------------


def state_of(db: Connection, table: int) -> State:
    """Return whether bets are open at a table."""
    row = db.execute(select(table_states).where(table_states.c.table_id == table)).one()
    return State(table, row.round_id, bool(row.bets_open), row.cause, row.since_ns)


def set_state(db: Connection, state: State) -> None:
    """Open or close the bets of a table."""
    values = {
        "table_id": state.table, "round_id": state.round, "bets_open": int(state.bets_open),
        "cause": state.cause, "since_ns": state.since_ns,
    }  # fmt: skip
    put(db, table_states, ("table_id",), values)


def close_bets(db: Connection, table: int, cause: str, now_ns: int) -> bool:
    """Close the bets of a table if they are open; returns whether they were."""
    at = table_states.c
    done = db.execute(
        update(table_states)
        .where(at.table_id == table, at.bets_open == 1)
        .values(bets_open=0, cause=cause, since_ns=now_ns)
    )
    return bool(done.rowcount)


def _add_terms(db: Connection, table: int, found: Terms, who: Actor, now_ns: int) -> None:
    made = found._replace(limits=json.dumps(found.limits), options=json.dumps(found.options))  # type: ignore[arg-type]
    values = made._asdict() | {"table_id": table, "at_ns": now_ns, "author": who.user}
    db.execute(insert(terms).values(**values))


def _shown(found: Terms) -> dict[str, object]:
    return {name: value for name, value in found._asdict().items() if value}
