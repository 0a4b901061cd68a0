"""The tray that throws of a table are read with: as calibrated, or with a floor set by hand.

Every host of a ledger finds it there, by the file that its settings name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import Connection

from tabletools.errors import ToolError
from tabletools.evidence import tray_versions
from tabletools.evidence.tray_versions import Corrected
from tabletools.store import Actor, Lease, LedgerRejection, Store
from tabletools.table import tray_floor

if TYPE_CHECKING:
    from tabletools.dice.overhead.host_camera import HostCamera

Floor = tuple[tuple[int, int], ...]


def camera_in_force(
    db: Connection, table: int, calibrated: HostCamera, known: HostCamera | None = None
) -> HostCamera:
    """Return the camera of a table with the tray that is in force.

    calibrated: as the settings name it. known: as it was before, returned if that is still so.
    Raises LedgerRejection for a tray that this release cannot read.
    """
    before = known or calibrated
    if tray_versions.newest_digest(db, table, calibrated.digest) == before.digest:
        return before
    file = tray_versions.newest_file(db, table, calibrated.digest)
    try:
        return calibrated if file is None else calibrated.with_file(file)
    except ToolError as error:
        what = f"the tray of this table in the ledger cannot be read: {error.what}"
        step = "start the release that stored it, or calibrate the tray again"
        raise LedgerRejection("tray_unreadable", what, step, "table") from error


class FloorRequest(NamedTuple):
    """A floor that a user sets. replaces: SHA-256 of the tray that the user saw."""

    floor: Floor
    replaces: str
    reason: str


def correct(
    ledger: Store, lease: Lease, calibrated: HostCamera, request: FloorRequest, who: Actor
) -> None:
    """Store a floor set by hand if calibration would accept it. Raises LedgerRejection,
    LostLease, StoreError."""
    from tabletools.dice.overhead.floor_checks import corrected
    from tabletools.dice.overhead.host_tray import file_of
    from tabletools.dice.overhead.picture_facts import digest

    try:
        file = file_of(corrected(calibrated.tray, request.floor))
    except ToolError as error:
        what = f"{error.what} (limit: {error.limit})" if error.limit else error.what
        raise LedgerRejection("floor_refused", what, error.step, error.where) from error
    assert who.user is not None
    one = Corrected(
        calibrated.digest, request.replaces, digest(file), file, who.user, request.reason
    )
    corners = [*request.floor]
    tray_floor.correct(ledger, lease, calibrated.file, one, corners, who)
