"""The maintenance log: daily checks, repairs, parts changed, with who did it. It only grows."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, insert, select

from tabletools.ledger import audit, people
from tabletools.ledger.audit import Actor
from tabletools.ledger.base import Ledger
from tabletools.ledger.errors import Refused
from tabletools.ledger.schema.people import maintenance, users
from tabletools.ledger.schema.play import tables

Row = dict[str, Any]
DAILY = "daily check"


def keep(ledger: Ledger, by: str, device: int, kind: str, text: str) -> Row:
    """Keep an entry of a device; returns it. by: name of a user who may work. Raises Refused."""
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> Row:
        user = people.find_user(db, by)
        if user is None or not user["enabled"]:
            raise Refused(
                "unknown_user", f"no user {by!r} works here", "see `tabletool users list`"
            )
        table = db.execute(select(tables.c.id).where(tables.c.device == device)).scalar()
        values = {
            "at_ns": now_ns, "table_id": table, "device": device, "user_id": user["id"],
            "kind": kind, "text": text,
        }  # fmt: skip
        db.execute(insert(maintenance).values(**values))
        who = Actor("command line", user["id"])
        audit.note(db, who, "maintenance_kept", f"device {device}", now_ns, kind=kind, text=text)
        return _row(now_ns, device, user["name"], kind, text)

    return ledger.run(write)


def listed(db: Connection, device: int, kind: str, most: int) -> list[Row]:
    """The newest entries of a kind for a device, newest first."""
    at = maintenance.c
    query = select(at.at_ns, at.device, users.c.name, at.kind, at.text).join(users)
    query = query.where(at.device == device, at.kind == kind).order_by(at.id.desc()).limit(most)
    return [_row(*row) for row in db.execute(query)]


def _row(at_ns: int, device: int, by: str, kind: str, text: str) -> Row:
    at = datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="seconds")
    return {"at": at, "device": device, "by": by, "kind": kind, "text": text}
