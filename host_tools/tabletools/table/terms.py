"""The terms of a casino table: what is played at it, under which limits, and how they change."""

import json

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from tablespec.names import KEY_NAMES
from tabletools import roles
from tabletools.evidence import alarms, configuration, round_records, voids
from tabletools.evidence.alarms import AlarmCause
from tabletools.evidence.tables import (
    State,
    Terms,
    newest_terms,
    set_state,
    table_of,
    terms_of,
)
from tabletools.money import games, meters
from tabletools.store import audit
from tabletools.store.audit import Actor
from tabletools.store.books import Entry
from tabletools.store.database import Lease, Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.play import tables, terms
from tabletools.table import shell
from tabletools.table.shell import Turn


def create_table(
    ledger: Store,
    name: str,
    wanted: Terms,
    who: Actor,
    *,
    device: int | None = None,
    currency: str = "EUR",
) -> int:
    """Add a casino table; returns its number. Raises LedgerRejection.

    A table whose evidence was collected without terms becomes this one. Its machine has to be one
    for stakes, by the configuration it last reported.
    """
    games.verify_terms(wanted)
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> int:
        _verify_machine(db, device, wanted)
        values = {"name": name, "device": device, "currency": currency}
        number = _without_terms(db, device)
        if number is None:
            statement = insert(tables).values(**values, enabled=1, created_ns=now_ns)
            number = int(db.execute(statement.returning(tables.c.id)).scalar_one())
            set_state(db, State(number, None, False, "no_round", now_ns))
        else:
            db.execute(update(tables).where(tables.c.id == number).values(**values))
        _add_terms(db, number, wanted, who, now_ns)
        detail = {**values, **_as_options(wanted)}
        audit.note(db, who, "table_created", f"table {number}", now_ns, **detail)
        return number

    try:
        return ledger.run(write)
    except IntegrityError as error:
        what = f"a table {name!r}, or one with device {device}, already exists"
        raise LedgerRejection("table_taken", what, "choose another name or device") from error


def _without_terms(db: Connection, device: int | None) -> int | None:
    row = None if device is None else table_of(db, device)
    if row is None or newest_terms(db, row.id) is not None:
        return None
    return row.id


def change_terms(ledger: Store, lease: Lease, wanted: Terms, who: Actor) -> None:
    """Change what is played from the next round on. Raises LedgerRejection, LostLease."""
    games.verify_terms(wanted)

    def write(turn: Turn) -> None:
        _report_automatic_voids(turn, wanted)
        turn.terms_at(_add_terms(turn.db, turn.table, wanted, who, turn.now_ns))
        subject = f"table {turn.table}"
        audit.note(turn.db, who, "terms_changed", subject, turn.now_ns, **_as_options(wanted))

    shell.run(ledger, lease, write)


def _report_automatic_voids(turn: Turn, wanted: Terms) -> None:
    """Raise an alarm for codes whose voids the terms in force hold, and these return at once."""
    before = newest_terms(turn.db, turn.table)
    added = voids.automatic_codes(wanted.options)
    if before is not None:
        added -= voids.automatic_codes(turn.terms_at(before).options)
    if not added:
        return
    text = f"one person now undoes rounds of table {turn.shared.name} by these voids:"
    text += f" {voids.AUTOMATIC} {', '.join(map(str, sorted(added)))}"
    alarm = AlarmCause(alarms.RIGHTS, text, turn.shared.device, turn.table)
    alarms.raise_alarm(turn.db, alarm, turn.now_ns)


def change_table(ledger: Store, lease: Lease, who: Actor, **changes: object) -> None:
    """Change device or enabled of a table; bets close. Raises LedgerRejection, LostLease."""

    def write(turn: Turn) -> None:
        db, table = turn.db, turn.table
        if "device" in changes:
            _verify_machine(db, changes["device"], terms_of(db, table)[1])
        turn.close_bets("table_changed")
        db.execute(update(tables).where(tables.c.id == table).values(**changes))
        if "device" in changes:
            turn.change_device()
        audit.note(db, who, "table_changed", f"table {table}", turn.now_ns, **changes)

    shell.run(ledger, lease, write)


def _verify_machine(db: Connection, device: object, wanted: Terms) -> None:
    """Raise LedgerRejection for a machine that is configured for no stakes, as last known.

    Where nothing is known, no bets open before its host has read it.
    """
    if not isinstance(device, int):
        return
    known = configuration.newest(db, device)
    named = {KEY_NAMES[number - 1]: value for number, value in known.items()}
    if payless := roles.payless(round_records.played_by(wanted), named):
        what = f"device {device}: {'; '.join(payless)}"
        step = "correct it with `tabletool config set` while `tabletool collect` runs, which"
        step += " notes the change; or leave the table without terms: it then takes no stakes"
        raise LedgerRejection("configuration", what, step)


def _add_terms(db: Connection, table: int, wanted: Terms, who: Actor, now_ns: int) -> int:
    """Store terms; returns their row."""
    wanted = as_stored(wanted)
    row = wanted._replace(limits=json.dumps(wanted.limits), options=json.dumps(wanted.options))  # type: ignore[arg-type]
    values = row._asdict() | {"table_id": table, "at_ns": now_ns, "author": who.user}
    number = int(db.execute(insert(terms).values(**values).returning(terms.c.id)).scalar_one())
    currency = db.execute(select(tables.c.currency).where(tables.c.id == table)).scalar_one()
    meters.seed(db, table, wanted, Entry("seed", currency, table, user=who.user), now_ns)
    return number


def as_stored(wanted: Terms) -> Terms:
    """Return terms with the option that says which voids are not held, even if none is listed."""
    return wanted._replace(options={voids.AUTOMATIC: [], **wanted.options})


def _as_options(wanted: Terms) -> dict[str, object]:
    return {name: value for name, value in wanted._asdict().items() if value}
