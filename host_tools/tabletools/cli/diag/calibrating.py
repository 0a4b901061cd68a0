"""Calibrates a table through its configuration, and checks the result."""

import typer

from tabletools import decode
from tabletools.cli.diag import asking, tray
from tabletools.cli.diag.changing import change
from tabletools.cli.table_client import TableClient
from tabletools.decode import Record
from tabletools.diag import calibrate
from tabletools.diag.check import SKIP, Check
from tabletools.diag.mounting import Wheel
from tabletools.diag.walk import walk
from tabletools.errors import ToolError
from tablewire import money_wheel, roulette
from tablewire.codec import Frame
from tablewire.messages import FLAG_RETRANSMITTED
from tablewire.roulette import POCKET_SENSOR_ARRAY

# What can be calibrated: the role it belongs to, as in the identity.
WHATS = {
    "pockets": "roulette",
    "index_offset": "roulette",
    "reader_offset": "roulette",
    "rim": "roulette",
    "pin_offset": "money_wheel",
    "flapper": "money_wheel",
    "friction": "money_wheel",
    **dict.fromkeys(tray.WHATS, "dice_tray"),
}
_OFFSETS = {"index_offset": roulette.INDEX_OFFSET, "pin_offset": money_wheel.PIN_OFFSET}
_PLACES = {
    "index_offset": (roulette.WHEEL, (37, 38)),
    "pin_offset": (money_wheel.SEGMENTS, (52, 54)),
}
_RUN_WITHIN_S = 300.0
_TURN_MS = 15_000
_HEAD_MS = 30_000  # after a change the rotor is tracked again: three turns and more
_REST_MS = 1_000
_READER_SLACK = 8  # an eighth of a pocket; the table accepts up to two fifths


def calibrated(
    client: TableClient, what: str, reported: int | None, true: int | None, seconds: float | None
) -> list[Check]:
    """Calibrate one value; returns its checks. Raises ToolError."""
    role = asking.identity(client)["role"]
    if WHATS.get(what) != role:
        own = [name for name, owner in WHATS.items() if owner == role]
        raise ToolError(
            f"a {role} has no calibration {what!r}",
            where="--calibrate", limit=", ".join(own) or "nothing of it has one",
            step="name one of them",
        )  # fmt: skip
    if what == "friction":
        return _friction(client)
    with asking.in_maintenance(client):
        if role == "dice_tray":
            return tray.calibrated(client, what)
        if what == "pockets":
            return walk(WalkedTable(client), _wheel(client))
        if what == "flapper":
            return _flapper(client, _watched_ms(seconds, _TURN_MS))
        if what == "reader_offset":
            return _reader(client, _watched_ms(seconds, _HEAD_MS))
        if reported is None or true is None:
            raise ToolError(
                "what did the table report, and what was true?", where="--reported and --true",
                step="spin once; give both places, counted from the index on",
            )  # fmt: skip
        return _offset(client, what, reported, true)


class WalkedTable:
    """A table and the person at it; see diag.walk.Table."""

    def __init__(self, client: TableClient) -> None:
        self._client = client

    def look(self, watch_ms: int) -> list[Record]:
        """See diag.walk.Table."""
        return asking.self_test(self._client, watch_ms).samples

    def direction(self) -> str | None:
        """See diag.walk.Table."""
        return self._client.view.rotor_direction

    def now_s(self) -> float:
        """See diag.walk.Table."""
        return self._client.now_s()

    def say(self, text: str) -> None:
        """See diag.walk.Table."""
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


def _watched_ms(seconds: float | None, usual_ms: int) -> int:
    return usual_ms if seconds is None else int(seconds * 1000)


def _offset(client: TableClient, what: str, reported: int, true: int) -> list[Check]:
    if what == "index_offset":
        _verify_head(client, what)
    key, places = _PLACES[what]
    most = places[client.value(key) - 1]
    old = client.value(_OFFSETS[what])
    new = calibrate.offset(old, reported, true, most)
    change(client, {_OFFSETS[what]: old}, {_OFFSETS[what]: new})
    stored = client.value(_OFFSETS[what])
    if new == old:
        return [calibrate.checked(what, reported, true)]
    note = f"was {old}; spin, and give both places again: the check"
    return [
        calibrate.checked(f"{what} stored", stored, new),
        Check(f"calibration: {what}", SKIP, new, note=note),
    ]


def _verify_head(client: TableClient, what: str) -> None:
    if client.value(roulette.POCKET_SENSOR) == POCKET_SENSOR_ARRAY:
        raise ToolError(
            f"{what} is the reader head's, and this wheel has a switch array alone",
            where="pocket_sensor = 1", limit="pocket_sensor = 2 or 3",
            step="check the order in which the array is wired (HARDWARE.md)",
        )  # fmt: skip


def _reader(client: TableClient, watch_ms: int) -> list[Check]:
    """The angle of the reader head, by a ball that passes it; whole pockets are index_offset."""
    _verify_head(client, "reader_offset")
    key = roulette.HEAD_ANGLE_MDEG
    typer.echo(
        f"Put the ball into any pocket and turn the rotor at its usual speed for"
        f" {watch_ms / 1000:g} s."
    )
    old = client.value(key)
    new = calibrate.head_angle(old, _aside(client, watch_ms))
    change(client, {key: old}, {key: new})
    typer.echo("Let it turn on: the check.")
    pitch_mdeg = 360_000 // _PLACES["index_offset"][1][client.value(roulette.WHEEL) - 1]
    name, slack = "reader head off its place, mdeg", pitch_mdeg // _READER_SLACK
    return [calibrate.checked(name, _aside(client, watch_ms), 0, slack)]


def _aside(client: TableClient, watch_ms: int) -> int:
    """How far the head is from its configured angle, clockwise, mdeg."""
    for sample in asking.self_test(client, watch_ms).samples:
        if sample["sensor"] == "head" and sample["quantity"] == "place":
            value: int = sample["value"]
            return value
    raise ToolError(
        "the reader head saw no ball while the rotor was followed",
        cause="no ball was in a pocket, there were fewer than three turns, or a ring sensor fails",
        step="`tabletool diag PORT --self-test` first: ring, index and head have to pass",
    )


def _flapper(client: TableClient, watch_ms: int) -> list[Check]:
    before = asking.self_test(client, _REST_MS)
    rest = calibrate.still(_raw(before, "raw_least"), _raw(before, "raw"))
    typer.echo(f"Turn the wheel slowly over five pins or more, within {watch_ms / 1000:g} s.")
    turned = asking.self_test(client, watch_ms)
    new = calibrate.flapper(rest, _raw(turned, "raw_least"), _raw(turned, "raw"))
    change(client, {key: client.value(key) for key in new}, new)
    typer.echo(f"Now the check: repeat it within {watch_ms / 1000:g} s.")
    again = asking.self_test(client, watch_ms)
    found = asking.sensors(client, again)
    return [check for check in found if check.name.startswith("flapper")]


def _friction(client: TableClient) -> list[Check]:
    typer.echo("Play a round: the wheel spun and pushed as ever, left to run out.")
    measured = _run(client)
    new = calibrate.friction(measured)
    with asking.in_maintenance(client):
        change(client, {key: client.value(key) for key in new}, new)
    typer.echo("Another one: the check.")
    slack = measured // calibrate.FRICTION_SLACK
    return [calibrate.checked("friction, 0.1 degrees/s2", _run(client), measured, slack)]


def _run(client: TableClient) -> int:
    def is_new(frame: Frame) -> bool:
        repeated = frame.flags & FLAG_RETRANSMITTED
        return frame.type == money_wheel.MONEY_WHEEL_RESULT and not repeated

    frame = client.wait_for(is_new, _RUN_WITHIN_S)
    if frame is None:
        raise ToolError(
            f"no result within {_RUN_WITHIN_S:.0f} s", step="see why: `tabletool monitor PORT`"
        )
    found: int = decode.record(frame)["friction_ddegss"]
    return found


def _raw(found: asking.SelfTest, quantity: str) -> int:
    for sample in found.samples:
        if sample["sensor"] == "flapper" and sample["quantity"] == quantity:
            value: int = sample["value"]
            return value
    raise ToolError("the table reported nothing about its flapper", step="is it in maintenance?")
