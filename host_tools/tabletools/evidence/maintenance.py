"""The maintenance log, append-only: daily checks and walks round a machine, with who did them."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, insert, select

from tablespec.config_keys import KEYS
from tabletools import roles
from tabletools.evidence import configuration
from tabletools.store import audit, people
from tabletools.store.audit import Actor
from tabletools.store.database import Store
from tabletools.store.errors import LedgerRejection
from tabletools.store.schema.evidence import devices
from tabletools.store.schema.people import maintenance, users
from tabletools.store.schema.play import tables
from tablewire.messages import ROLES

DAILY = "daily check"
ITEMS = ("level", "magnet", "ball", "parts")
"""What is checked before opening; each is ok or bad."""
WALK = "walk"
EMULATED = "emulated"
"""The board that reports this name has no machine, so there is nothing to walk round."""
WALK_COMMAND = "`tabletool diag PORT --calibrate pockets --ledger DB --by NAME`"


class DailyCheck(NamedTuple):
    """A check of a machine before opening. at: RFC 3339, UTC; by: the name of a user."""

    at: str
    device: int
    by: str
    level: str
    magnet: str
    ball: str
    parts: str
    note: str


class _Walk(msgspec.Struct):
    """The end of a walk. values: of its keys during it, by number as text."""

    passed: bool
    values: dict[str, int]


def walked_keys(role: str) -> list[int]:
    """Return the keys that a walk proves: with another value it counts no more."""
    walked = roles.role(role).walked
    return [key.number for key in KEYS if key.name in walked]


def worker(ledger: Store, name: str) -> Actor:
    """Return the user of that name, who works at the command line. Raises LedgerRejection."""
    with ledger.read() as db:
        user = people.find_user(db, name)
    if user is None or not user.is_enabled:
        raise LedgerRejection(
            "unknown_user", f"there is no enabled user {name!r}", "see `tabletool users list`"
        )
    return Actor(user.name, user.id)


def keep_daily(
    ledger: Store, who: Actor, device: int, outcomes: Mapping[str, str], note: str
) -> DailyCheck:
    """Store the check of a device before opening; returns it.

    who: a user; outcomes: of every item.
    """
    text = json.dumps({**outcomes, "note": note})
    return _row(_keep(ledger, who, device, DAILY, text), device, who.name, text)


def keep_walk(
    ledger: Store, who: Actor, device: int, values: Mapping[int, int], *, passed: bool
) -> None:
    """Store the end of a walk round a machine. values: of its walked_keys, during it."""
    text = json.dumps({"passed": passed, "values": {str(k): v for k, v in values.items()}})
    _keep(ledger, who, device, WALK, text)


def missing_walk(db: Connection, device: int, values: Mapping[int, int] | None = None) -> str:
    """Return why the newest walk does not prove how a machine is mounted, "" if it does.

    values: of its configuration now; None: as the ledger has them, where a key whose value is
    unknown counts as unchanged. A key that is newer than the walk had its factory value then. Also
    "" for a device of a role without a walk, and for an emulated board.
    """
    device_col = devices.c
    known = db.execute(
        select(device_col.role, device_col.board).where(device_col.device == device)
    ).one_or_none()
    if known is None or known.board == EMULATED or known.role not in ROLES:
        return ""
    if not roles.role(known.role).walked:
        return ""
    maintenance_col = maintenance.c
    query = select(maintenance_col.text).where(
        maintenance_col.kind == WALK, maintenance_col.device == device
    )
    newest = db.execute(query.order_by(maintenance_col.id.desc()).limit(1)).scalar()
    if newest is None:
        return "no walk round this wheel is recorded"
    walked = msgspec.json.decode(newest, type=_Walk)
    if not walked.passed:
        return "the last walk round this wheel failed"
    now = configuration.newest(db, device) if values is None else values
    for number in walked_keys(known.role):
        key = KEYS[number - 1]
        value = walked.values.get(str(number), key.default)
        if now.get(number) not in (None, value):
            return f"{key.name} is {now[number]} and was {value} in the last walk"
    return ""


def _keep(ledger: Store, who: Actor, device: int, kind: str, text: str) -> int:
    # When it was stored.
    now_ns = ledger.clock.wall_ns()

    def write(db: Connection) -> None:
        table = db.execute(select(tables.c.id).where(tables.c.device == device)).scalar()
        values = {
            "at_ns": now_ns,
            "table_id": table,
            "device": device,
            "user_id": who.user,
            "kind": kind,
            "text": text,
        }
        db.execute(insert(maintenance).values(**values))
        detail = {"kind": kind, "text": text}
        audit.note(db, who, "maintenance_kept", f"device {device}", now_ns, **detail)

    ledger.run(write)
    return now_ns


def daily_checks(db: Connection, device: int | None, most: int) -> list[DailyCheck]:
    """The newest daily checks, of a device or of all, newest first."""
    col = maintenance.c
    query = (
        select(col.at_ns, col.device, users.c.name, col.text).join(users).where(col.kind == DAILY)
    )
    if device is not None:
        query = query.where(col.device == device)
    return [_row(*row) for row in db.execute(query.order_by(col.id.desc()).limit(most))]


def _row(at_ns: int, device: int, by: str, text: str) -> DailyCheck:
    when = datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat(timespec="seconds")
    return DailyCheck(when, device, by, **json.loads(text))
