"""The trays that the host's own cameras see, and the floor of each, corrected by hand."""

from typing import Any

from fastapi import APIRouter, Response

from tabletools.api import answers_machines as answers
from tabletools.api.answers import responds
from tabletools.api.app_state import AppState, InApp, RowNumber, SignedIn, action, as_json
from tabletools.api.shapes import CorrectedFloor
from tabletools.evidence import tray_versions
from tabletools.evidence.tray_versions import TrayVersion
from tabletools.pit import tray_in_force
from tabletools.pit.tray_in_force import FloorRequest
from tabletools.store import LedgerRejection

router = APIRouter(prefix="/v1", tags=["devices"])
Row = dict[str, Any]
PNG = "image/png"
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {PNG: {}}, "description": "The file, a picture."}
}


def _calibrated(app: AppState, table: int) -> Any:
    """Return the camera of a table as its settings name it. Raises LedgerRejection,
    TableUnavailable."""
    seat = app.pit.seat(table)
    if seat.place.aids.camera is None:
        what = f"no camera of this host is above table {seat.place.name}"
        step = "set dice_camera and dice_reference of the table: see SERVE.md"
        raise LedgerRejection("no_tray", what, step, "table")
    return seat.place.aids.camera


@router.get("/tables/{table}/tray", **action("devices.see"), **responds(answers.Tray))
def tray(table: RowNumber, app: InApp) -> Row:
    """The tray of a table as it is read now, and who set its floor."""
    calibrated = _calibrated(app, table)
    with app.ledger.read() as db:
        camera = tray_in_force.camera_in_force(db, table, calibrated)
        version = tray_versions.newest(db, table, calibrated.digest)
    width, height = camera.tray.size
    return {
        "table": table,
        "version": 1 if version is None else version.version,
        "digest": camera.digest,
        "calibrated": calibrated.digest,
        "width": width,
        "height": height,
        "floor": [[*corner] for corner in camera.tray.floor],
        "side_px": camera.tray.side_px,
        "corrected": None if version is None else _correction(version),
    }


def _correction(version: TrayVersion) -> Row:
    return as_json({"by": version.user, "reason": version.reason, "at_ns": version.at_ns})


@router.get(
    "/tables/{table}/tray.png",
    responses=_FILE,
    response_class=Response,
    **action("devices.see"),
)
def tray_file(table: RowNumber, app: InApp) -> Response:
    """The file of the tray in force, as `tabletool dice calibrate` writes it: the empty tray."""
    calibrated = _calibrated(app, table)
    with app.ledger.read() as db:
        camera = tray_in_force.camera_in_force(db, table, calibrated)
    return Response(camera.file, media_type=PNG)


@router.post(
    "/tables/{table}/tray/floor", **action("trays.correct"), **responds(answers.Tray, 201)
)
def correct_floor(table: RowNumber, body: CorrectedFloor, who: SignedIn, app: InApp) -> Row:
    """Set the floor of the tray by hand, between two rounds; it holds from the next throw on.

    Refused like a floor that calibration refuses, and where another one was stored meanwhile.
    """
    calibrated = _calibrated(app, table)
    floor = tuple((x, y) for x, y in body.floor)
    request = FloorRequest(floor, body.digest, body.reason)
    lease = app.pit.lease(table)
    tray_in_force.correct(app.ledger, lease, calibrated, request, who.actor)
    return tray(table, app)
