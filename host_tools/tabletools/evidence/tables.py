"""Casino tables: their terms, the lease of the host that plays them, whether bets are open.

A table without terms has a device and no game: its evidence is stored, and no bets are placed.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from tabletools.evidence.voids import AUTOMATIC
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.clock import MS, NS
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.rows import put
from tabletools.store.schema.play import leases, table_states, tables, terms

LEASE_S = 10.0
MOST_LEASE_S = 60
"""The longest lease a host may be set to (`lease_s`); it is renewed at a third of it."""
_MOST_TERMS = 1024
"""Size of the cache of decoded terms."""
# ISO 4217 for transactions in which no currency is involved.
NO_CURRENCY = "XXX"


# Options of a table that configure its host, not the game.
LINKED = "linked"
"""Option of a jackpot: tables with the same name share their meters."""
DEALER_LIMIT = "dealer_limit"
"""Option of games with boxes: cents that the players of a round win at most where one dealer
entered its hands; 0: two users rule on every hand. Left out: as `authority` says."""
_HOST_OPTIONS = frozenset(("trust_status_line", LINKED, AUTOMATIC, DEALER_LIMIT))


class Terms(NamedTuple):
    """What is played. options, limits: together the `table` of a round (docs/SETTLE.md).

    dice_reading: who reads dice, see second_readings; None: its default.
    """

    game: str
    rules: str
    variant: str | None = None
    limits: Mapping[str, object] = {}
    options: Mapping[str, object] = {}
    void_policy: str = "refund"
    dice_reading: str | None = None

    @property
    def game_options(self) -> dict[str, object]:
        """The options that configure the game, not its host."""
        return {name: v for name, v in self.options.items() if name not in _HOST_OPTIONS}


class State(NamedTuple):
    """Whether bets are open. round: the row of the newest round, None before any."""

    table: int
    round: int | None
    bets_open: bool
    cause: str
    since_ns: int


def newest_terms(db: Connection, table: int) -> int | None:
    """Return the row of the terms in force, None for a table without terms."""
    query = select(terms.c.id).where(terms.c.table_id == table).order_by(terms.c.id.desc())
    number: int | None = db.execute(query.limit(1)).scalar_one_or_none()
    return number


def terms_of(db: Connection, table: int) -> tuple[int, Terms]:
    """Return the terms in force, with the number of their row."""
    number = newest_terms(db, table)
    assert number is not None
    return number, terms_at(db, number)


_TERMS = select(*(terms.c[name] for name in Terms._fields)).where(
    terms.c.id == bindparam("number")
)


def terms_at(db: Connection, number: int) -> Terms:
    """Return the terms of a row."""
    return _terms(*db.execute(_TERMS, {"number": number}).one())


@lru_cache(_MOST_TERMS)
def _terms(
    game: str, rules: str, variant: str | None, limits: str, options: str, *rest: str
) -> Terms:
    """Return terms as they are stored; shared, so nothing of them may be changed."""
    return Terms(game, rules, variant, json.loads(limits), json.loads(options), *rest)


class TableName(NamedTuple):
    """A casino table: its row and its name."""

    id: int
    name: str


def table_of(db: Connection, device: int) -> TableName | None:
    """Return the casino table of a device."""
    query = select(tables.c.id, tables.c.name).where(tables.c.device == device)
    row = db.execute(query).one_or_none()
    return None if row is None else TableName(*row)


def device_of(db: Connection, table: int) -> int | None:
    """Return the device of a casino table."""
    query = select(tables.c.device).where(tables.c.id == table)
    device: int | None = db.execute(query).scalar_one()
    return device


def device_table(ledger: Store, device: int) -> int:
    """Return the table of a device without terms, created if there is none.

    Raises LedgerRejection for a device at a table with terms: its pit host stores what it
    sends.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        row = table_of(db, device)
        if row is None:
            values = {"name": f"device {device}", "device": device, "currency": NO_CURRENCY}
            statement = insert(tables).values(**values, enabled=1, created_ns=now_ns)
            number = int(db.execute(statement.returning(tables.c.id)).scalar_one())
            set_state(db, State(number, None, False, "no_round", now_ns))
            return number
        if newest_terms(db, row.id) is not None:
            what = f"device {device} plays table {row.name} of a pit"
            raise LedgerRejection("table_of_a_pit", what, "`tabletool serve` keeps what it sends")
        return row.id

    return ledger.run(write)


# --- leases --------------------------------------------------------------------------------------


def claim(ledger: Store, table: int, holder: str, *, seconds: float = LEASE_S) -> Lease:
    """Become the only host of a table; its bets close. Raises LedgerRejection: another owns it.

    A lease ends at its time, or once it was seen unchanged for as long as any lasts: otherwise a
    wall clock that was set back would block the table of a dead host.
    """
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        query = select(leases).where(leases.c.table_id == table).with_for_update()
        row = db.execute(query).one_or_none()
        if (
            row is not None
            and row.holder != holder
            and row.expires_ns > now_ns
            and (ledger.lease_seen_for_ns(table, (row.token, row.expires_ns)) < MOST_LEASE_S * NS)
        ):
            left = (row.expires_ns - now_ns) // MS
            what = f"table {table} is owned by {row.holder} for another {left} ms"
            raise LedgerRejection(
                "table_held", what, "stop that host, or wait until its lease ends"
            )
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
    except IntegrityError as error:  # two hosts collided at the first claim
        raise LedgerRejection("table_held", f"table {table} was just claimed", "wait") from error
    return Lease(table, holder, token, begun + int(seconds * NS))


def renew(ledger: Store, lease: Lease, *, seconds: float = LEASE_S) -> Lease:
    """Extend the lease of a table; call at a third of its time. Raises LostLease."""
    begun = ledger.clock.mono_ns()
    expires = ledger.clock.wall_ns() + int(seconds * NS)
    statement = update(leases).where(leases.c.table_id == lease.table)
    changed = statement.values(expires_ns=expires)
    ledger.run(lambda db: db.execute(changed), lease, is_counted=False)
    return lease._replace(until_mono_ns=begun + int(seconds * NS))


def let_go(ledger: Store, lease: Lease) -> None:
    """Release a table: its bets close and another host may claim it at once."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        close_bets(db, lease.table, "host_ended", now_ns)
        statement = update(leases).where(leases.c.table_id == lease.table)
        db.execute(statement.values(expires_ns=0))

    ledger.run(write, lease)


# --- whether bets are open -----------------------------------------------------------------------


_STATE_OF = select(table_states).where(table_states.c.table_id == bindparam("table"))
"""Built once: it runs at every heartbeat, and building it costs more than executing it."""


def state_of(db: Connection, table: int) -> State:
    """Return whether bets are open at a table."""
    row = db.execute(_STATE_OF, {"table": table}).one()
    return State(table, row.round_id, bool(row.bets_open), row.cause, row.since_ns)


def set_state(db: Connection, state: State) -> None:
    """Open or close the bets of a table."""
    values = {
        "table_id": state.table,
        "round_id": state.round,
        "bets_open": int(state.bets_open),
        "cause": state.cause,
        "since_ns": state.since_ns,
    }
    put(db, table_states, ("table_id",), values)


def close_bets(db: Connection, table: int, cause: str, now_ns: int) -> bool:
    """Close the bets of a table if they are open; returns whether they were."""
    col = table_states.c
    done = db.execute(
        update(table_states)
        .where(col.table_id == table, col.bets_open == 1)
        .values(bets_open=0, cause=cause, since_ns=now_ns)
    )
    return bool(done.rowcount)
