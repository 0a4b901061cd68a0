"""The maintenance log, append-only: daily checks, repairs, parts changed, with who did it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from tabletools.store import audit, people
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.people import maintenance, users
from tabletools.store.schema.play import tables

Row = dict[str, Any]
DAILY = "daily check"
ITEMS = ("level", "magnet", "ball", "parts")
"""What is checked before opening; each is ok or bad."""


def worker(ledger: Store, name: str) -> Actor:
    """Return the user of that name, who works at the command line. Raises LedgerRejection."""
    with ledger.read() as db:
        user = people.find_user(db, name)
    if user is None or not user["enabled"]:
        raise LedgerRejection(
            "unknown_user", f"no user {name!r} works here", "see `tabletool users list`"
        )
    return Actor(user["name"], user["id"])


def keep_daily(ledger: Store, who: Actor, device: int, found: Mapping[str, str], note: str) -> Row:
    """Store the check of a device before opening; returns it.

    who: a user; found: of every item.
    """
    now_ns, text = ledger.clock.wall_ns(), json.dumps({**found, "note": note})

    def write(db: Connection) -> None:
        table = db.execute(select(tables.c.id).where(tables.c.device == device)).scalar()
        values = {
            "at_ns": now_ns, "table_id": table, "device": device, "user_id": who.user,
            "kind": DAILY, "text": text,
        }  # fmt: skip
        db.execute(insert(maintenance).values(**values))
        detail = {"kind": DAILY, "text": text}
        audit.note(db, who, "maintenance_kept", f"device {device}", now_ns, **detail)

    ledger.run(write)
    return _row(now_ns, device, who.name, text)


def daily_checks(db: Connection, device: int | None, most: int) -> list[Row]:
    """The newest daily checks, of a device or of all, newest first."""
    at = maintenance.c
    query = select(at.at_ns, at.device, users.c.name, at.text).join(users).where(at.kind == DAILY)
    if device is not None:
        query = query.where(at.device == device)
    return [_row(*row) for row in db.execute(query.order_by(at.id.desc()).limit(most))]


def _row(at_ns: int, device: int, by: str, text: str) -> Row:
    at = datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="seconds")
    return {"at": at, "device": device, "by": by, **json.loads(text)}
