"""Calibrates a table through its configuration, and checks the result.

A module has the wire name of its role and exports CALIBRATIONS; a role without one has nothing to
calibrate.
"""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from tabletools.cli.diag import asking
from tabletools.cli.diag.calibrations.calibration import Calibrations, Request
from tabletools.cli.table_client import TableClient
from tabletools.diag.check import Check
from tabletools.errors import ToolError
from tablewire.messages import ROLES


def _calibrations(role: str) -> Calibrations:
    if find_spec(f"{__name__}.{role}") is None:
        return Calibrations({})
    loaded: Calibrations = import_module(f"{__name__}.{role}").CALIBRATIONS
    return loaded


WHATS = [what for role in ROLES for what in _calibrations(role).by_name]
"""What can be calibrated, of every role."""


def prepared(what: str, port: str, keys: Path | None, traces: str) -> object:
    """Return what a calibration needs besides the table, None for nothing. Raises ToolError."""
    named = (own[what] for role in ROLES if what in (own := _calibrations(role).by_name))
    calibration = next(named, None)
    return None if calibration is None else calibration.prepare(port, keys, traces)


def calibrated(request: Request) -> list[Check]:
    """Calibrate one value; returns its checks. Raises ToolError."""
    role = asking.role(request.client)
    own = _calibrations(role).by_name
    if request.what not in own:
        raise ToolError(
            f"a {role} has no calibration {request.what!r}",
            where="--calibrate",
            limit=", ".join(own) or "nothing of it has one",
            step="name one of them",
        )
    calibration = own[request.what]
    if not calibration.needs_maintenance:
        return calibration.measure(request)
    with asking.in_maintenance(request.client):
        return calibration.measure(request)


def present(client: TableClient) -> list[Check]:
    """Return the checks of what a table was calibrated to."""
    return _calibrations(asking.role(client)).present(client)
