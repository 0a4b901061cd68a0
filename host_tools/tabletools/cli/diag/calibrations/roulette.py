"""Calibrates a roulette wheel: the walk round its pockets, its offsets, its rim."""

import typer

from tabletools.cli.diag import asking
from tabletools.cli.diag.calibrations.calibration import (
    Calibration,
    Calibrations,
    Places,
    Request,
    offset,
    store,
)
from tabletools.cli.diag.calibrations.roulette_rim import Rounds, calibrated_rim
from tabletools.cli.table_client import TableClient
from tabletools.decode.sensor_samples import SensorSample
from tabletools.diag import calibrate
from tabletools.diag.check import Check
from tabletools.diag.roulette.mounting_checks import Wheel
from tabletools.diag.roulette.walk import walk
from tabletools.errors import ToolError
from tablewire import roulette

_POCKETS = Places(roulette.INDEX_OFFSET, roulette.WHEEL, (37, 38))
_HEAD_MS = 30_000  # after a change the rotor is tracked again: three turns and more
_READER_SLACK = 8  # an eighth of a pocket; the table accepts up to two fifths


class WalkedTable:
    """A table and the person at it; see diag.roulette.walk.Table."""

    def __init__(self, client: TableClient) -> None:
        self._client = client

    def look(self, watch_ms: int) -> list[SensorSample]:
        """See diag.roulette.walk.Table."""
        return asking.self_test(self._client, watch_ms).samples

    def direction(self) -> str | None:
        """See diag.roulette.walk.Table."""
        return self._client.view.machine_direction

    def now_s(self) -> float:
        """See diag.roulette.walk.Table."""
        return self._client.now_s()

    def say(self, text: str) -> None:
        """See diag.roulette.walk.Table."""
        typer.echo(text)


def _wheel(client: TableClient) -> Wheel:
    rims = client.value(roulette.RIM_SENSORS)
    return Wheel(
        client.value(roulette.WHEEL),
        client.value(roulette.READING_DIRECTION),
        client.value(roulette.POCKET_SENSOR),
        client.value(roulette.INDEX_OFFSET),
        tuple(client.value(key) for key in roulette.RIM_ANGLES[: rims - 1]),
    )


def _pockets(request: Request) -> list[Check]:
    return walk(WalkedTable(request.client), _wheel(request.client))


def _rim(request: Request) -> list[Check]:
    assert isinstance(request.prepared, Rounds), "the command verifies it"
    return calibrated_rim(request.client, request.prepared, yes=request.yes)


def _index_offset(request: Request) -> list[Check]:
    _verify_head(request.client, request.what)
    return offset(request, _POCKETS)


def _verify_head(client: TableClient, what: str) -> None:
    if client.value(roulette.POCKET_SENSOR) == roulette.POCKET_SENSOR_ARRAY:
        raise ToolError(
            f"{what} is the reader head's, and this wheel has a switch array alone",
            where="pocket_sensor = 1",
            limit="pocket_sensor = 2 or 3",
            step="check the order in which the array is wired (HARDWARE.md)",
        )


def _reader_offset(request: Request) -> list[Check]:
    """The angle of the reader head, by a ball that passes it; whole pockets are index_offset."""
    client, watch_ms = request.client, request.watch_ms(_HEAD_MS)
    _verify_head(client, request.what)
    key = roulette.HEAD_ANGLE_MDEG
    typer.echo(
        f"Put the ball into any pocket and turn the rotor at its usual speed for"
        f" {watch_ms / 1000:g} s."
    )
    store(client, {key: calibrate.head_angle(client.value(key), _aside(client, watch_ms))})
    typer.echo("Let it turn on: the check.")
    pitch_mdeg = 360_000 // _POCKETS.count(client)
    name, slack = "reader head off its place, mdeg", pitch_mdeg // _READER_SLACK
    return [calibrate.checked(name, _aside(client, watch_ms), 0, slack)]


def _aside(client: TableClient, watch_ms: int) -> int:
    """How far the head is from its configured angle, clockwise, mdeg."""
    value = asking.self_test(client, watch_ms).value("head", "place")
    if value is None:
        raise ToolError(
            "the reader head saw no ball while the rotor was followed",
            cause="no ball was in a pocket, there were fewer than three turns, or a ring sensor"
            " fails",
            step="`tabletool diag PORT --self-test` first: ring, index and head have to pass",
        )
    return value


CALIBRATIONS = Calibrations(
    {
        "pockets": Calibration(_pockets),
        "index_offset": Calibration(_index_offset),
        "reader_offset": Calibration(_reader_offset),
        "rim": Calibration(_rim, needs_maintenance=False, prepare=Rounds.read),
    }
)
