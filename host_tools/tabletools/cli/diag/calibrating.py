"""Calibrates a table through its configuration, and checks the result."""

import typer

from tabletools.cli import trace
from tabletools.cli.diag import asking, free_turns, tray
from tabletools.cli.diag.changing import change
from tabletools.cli.table_client import TableClient
from tabletools.decode import Record
from tabletools.diag import calibrate
from tabletools.diag.ball_gate import Passage, passages
from tabletools.diag.check import SKIP, Check
from tabletools.diag.mounting import Wheel
from tabletools.diag.walk import walk
from tabletools.errors import ToolError
from tabletools.replay.events import Edge
from tabletools.replay.trace import contents
from tablewire import card_shoe, money_wheel, roulette, shuffler
from tablewire.roulette import POCKET_SENSOR_ARRAY

# What can be calibrated: the role it belongs to, as in the identity.
WHATS = {
    "pockets": "roulette",
    "index_offset": "roulette",
    "reader_offset": "roulette",
    "rim": "roulette",
    "pin_offset": "money_wheel",
    "flapper": "money_wheel",
    "wheel_law": "money_wheel",
    "ball": "draw_machine",
    "card_time": "shuffler",
    "cards": "card_shoe",
    **dict.fromkeys(tray.WHATS, "dice_tray"),
}
_OFFSETS = {"index_offset": roulette.INDEX_OFFSET, "pin_offset": money_wheel.PIN_OFFSET}
_PLACES = {
    "index_offset": (roulette.WHEEL, (37, 38)),
    "pin_offset": (money_wheel.SEGMENTS, (52, 54)),
}
_TURN_MS = 15_000
_HEAD_MS = 30_000  # after a change the rotor is tracked again: three turns and more
_REST_MS = 1_000
_DECK_MS = 60_000
_READER_SLACK = 8  # an eighth of a pocket; the table accepts up to two fifths


def calibrated(
    client: TableClient,
    what: str,
    reported: int | None,
    true: int | None,
    seconds: float | None,
    ledger: str = "",
) -> list[Check]:
    """Calibrate one value; returns its checks. ledger: with rounds of it. Raises ToolError."""
    role = asking.identity(client)["role"]
    if WHATS.get(what) != role:
        own = [name for name, owner in WHATS.items() if owner == role]
        raise ToolError(
            f"a {role} has no calibration {what!r}",
            where="--calibrate", limit=", ".join(own) or "nothing of it has one",
            step="name one of them",
        )  # fmt: skip
    if what == "wheel_law":
        return free_turns.calibrated(client, ledger)
    if what == "ball":
        return _ball(client)
    with asking.in_maintenance(client):
        if role == "dice_tray":
            return tray.calibrated(client, what)
        if what == "pockets":
            return walk(WalkedTable(client), _wheel(client))
        if what == "card_time":
            return _card_time(client, _watched_ms(seconds, _DECK_MS))
        if what == "cards":
            return _cards(client, _watched_ms(seconds, _DECK_MS))
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
    checks = asking.sensors(client, again)
    return [check for check in checks if check.name.startswith("flapper")]


def _card_time(client: TableClient, watch_ms: int) -> list[Check]:
    typer.echo(
        f"Have it shuffle a whole, counted deck of good cards within {watch_ms / 1000:g} s."
    )
    new = calibrate.card_times(_gates(asking.self_test(client, watch_ms)))
    change(client, {key: client.value(key) for key in new}, new)
    typer.echo("Shuffle it again: the check.")
    gates = _gates(asking.self_test(client, watch_ms))
    most = calibrate.CARD_SIGMAS * new[shuffler.CARD_SPREAD]
    return [
        calibrate.checked(f"gate {name}, card farthest from the median, permille", far, 0, most)
        for name, far in zip(("in", "out"), (gate.farthest for gate in gates), strict=True)
    ]


def _gates(found: asking.SelfTest) -> list[calibrate.Passed]:
    """What passed gate in and gate out."""
    quantities = ("pulses", "card_us", "card_spread", "card_off")
    return [
        calibrate.Passed(*(_value(found, gate, each) for each in quantities))
        for gate in ("gate_in", "gate_out")
    ]


def _cards(client: TableClient, watch_ms: int) -> list[Check]:
    typer.echo(f"Pull twenty cards, one by one and each in one go, within {watch_ms / 1000:g} s.")
    single = _pulled(asking.self_test(client, watch_ms))
    typer.echo("Now ten times two cards, one on the other, edge to edge.")
    double = _pulled(asking.self_test(client, watch_ms))
    new = calibrate.pulls(single, double)
    if new[card_shoe.SHEET_LIMIT_RAW] < client.value(card_shoe.SHEET_LIMIT_RAW):
        new = dict(reversed(new.items()))  # one card stays below the limit at each step
    change(client, {key: client.value(key) for key in new}, new)
    typer.echo("Pull twenty single cards again: the check.")
    again = _pulled(asking.self_test(client, watch_ms))
    ratio, card = new[card_shoe.CARD_RATIO], new[card_shoe.SHEET_CARD_RAW]
    slack = (new[card_shoe.SHEET_LIMIT_RAW] - card) // 2
    return [
        calibrate.checked("length of a card, %", again.ratio, ratio, ratio // 20),
        calibrate.checked("thinnest card, of 4095", again.thin, card, slack),
        calibrate.checked("thickest card, of 4095", again.thick, card, slack),
    ]


def _pulled(found: asking.SelfTest) -> calibrate.Pulled:
    return calibrate.Pulled(
        _value(found, "gate_in", "card_ratio"),
        _value(found, "gate_in", "card_spread"),
        _value(found, "sheet", "raw_least"),
        _value(found, "sheet", "raw"),
    )


def _ball(client: TableClient) -> list[Check]:
    """Time and length of a ball in the exit gate, by the traces of the last draws."""
    balls: list[Passage] = []
    for number in trace.stored(trace.last_round(client)):
        if data := trace.fetched(client, number):
            edges = (event for event in contents(data).events if isinstance(event, Edge))
            balls += passages((edge.t_us, edge.sensor + 1, edge.level) for edge in edges)
    new = calibrate.ball(balls)
    with asking.in_maintenance(client):
        change(client, {key: client.value(key) for key in new}, new)
    return calibrate.ball_checks(balls)


def _raw(found: asking.SelfTest, quantity: str) -> int:
    return _value(found, "flapper", quantity)


def _value(found: asking.SelfTest, sensor: str, quantity: str) -> int:
    for sample in found.samples:
        if sample["sensor"] == sensor and sample["quantity"] == quantity:
            value: int = sample["value"]
            return value
    raise ToolError(
        f"the table reported no {quantity} of {sensor}",
        cause="nothing passed it while it was watched", step="is the table in maintenance?",
    )  # fmt: skip
