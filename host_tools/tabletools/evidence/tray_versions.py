"""Trays of the host's own cameras whose floor was corrected by hand: whole files, none replaced.

A file as `tabletool dice calibrate` wrote it has a name, its SHA-256; corrections belong to it, so
a tray that was calibrated again starts without any. Works on an open transaction.
"""

from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, insert, select

from tabletools.store.schema.evidence import tray_versions
from tabletools.store.schema.people import users


class TrayVersion(NamedTuple):
    """A version of a tray. version: 1 is the calibrated one. digest: SHA-256 of its file."""

    version: int
    digest: str
    user: str | None
    """Who corrected it, None of version 1."""
    reason: str | None
    at_ns: int


def newest(db: Connection, table: int, reference: str) -> TrayVersion | None:
    """Return the version of a tray in force, None where it is as calibrated.

    reference: SHA-256 of the file as it was calibrated.
    """
    col = tray_versions.c
    query = select(col.version, col.digest, users.c.name, col.reason, col.at_ns)
    query = query.outerjoin(users, users.c.id == col.user_id)
    row = db.execute(_of(query, table, reference)).one_or_none()
    return None if row is None else TrayVersion(*row)


def newest_digest(db: Connection, table: int, reference: str) -> str:
    """Return the SHA-256 of the version of a tray in force."""
    query = _of(select(tray_versions.c.digest), table, reference)
    digest: str | None = db.execute(query).scalar_one_or_none()
    return digest or reference


def newest_file(db: Connection, table: int, reference: str) -> bytes | None:
    """Return the file of the version of a tray in force, None where it is as calibrated."""
    query = _of(select(tray_versions.c.file), table, reference)
    file: bytes | None = db.execute(query).scalar_one_or_none()
    return None if file is None else bytes(file)


class Corrected(NamedTuple):
    """A corrected tray. reference, replaces, digest: SHA-256 of the file as calibrated, of the
    one before and of this one."""

    reference: str
    replaces: str
    digest: str
    file: bytes
    user: int
    reason: str


def keep(db: Connection, table: int, calibrated: bytes, one: Corrected, now_ns: int) -> int:
    """Store a corrected tray; returns its version. calibrated: the file before any correction.

    Raises IntegrityError where another transaction stored that version first.
    """
    before = newest(db, table, one.reference)
    common = {"table_id": table, "reference": one.reference, "at_ns": now_ns}
    if before is None:
        first = {"version": 1, "digest": one.reference, "file": calibrated}
        db.execute(insert(tray_versions).values(**common, **first))
    version = 2 if before is None else before.version + 1
    values = {"version": version, "replaces": one.replaces, "digest": one.digest}
    values |= {"file": one.file, "user_id": one.user, "reason": one.reason}
    db.execute(insert(tray_versions).values(**common, **values))
    return version


def _of(query: Select[Any], table: int, reference: str) -> Select[Any]:
    col = tray_versions.c
    query = query.where(col.table_id == table, col.reference == reference)
    return query.order_by(col.version.desc()).limit(1)
