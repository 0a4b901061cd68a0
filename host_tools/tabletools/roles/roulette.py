"""Roulette: seven circuits against the rotor, and a pocket at its place on the wheel."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from tablelogic.roulette import wheels
from tablespec.names import KEY_NAMES
from tabletools.games.roulette.layout import RED_NUMBERS
from tabletools.roles.role import (
    Audited,
    BallRun,
    Demand,
    Opened,
    Played,
    Printed,
    Record,
    Role,
    SelfTest,
    Wear,
    count_of,
    layout_objection,
    least_of,
    requirement_objection,
)
from tablewire.roulette import (
    PHASE_BALL_IN_RIM,
    POCKET_SENSOR_ARRAY,
    POCKET_SENSOR_BOTH,
    POCKET_SENSOR_HEAD,
    RIM_ANGLES,
    WHEEL_DOUBLE,
    WHEEL_SINGLE,
)

# hc2023 2:1(2), hc2011 2:1(2): fewer than seven void the spin; this applies to every roulette
# here.
CIRCUITS = 7
_LAYOUTS = {"single": 1, "double": 2}


def _number_text(number: int) -> str:
    return "00" if number == wheels.DOUBLE_ZERO else str(number)


_PRINTED = {
    layout: tuple(map(_number_text, wheels.order(wheel))) for layout, wheel in _LAYOUTS.items()
}
"""The labels of each wheel, clockwise from the zero."""
# 5 wrong of 120 while the ball rattles or rests on the fret, 50 of 60 moved by a hand after rest.
_FOR_DISPLAYS = "a reader head alone is for displays, not for money: HARDWARE.md, Roulette wheel"


def _colour(number: str) -> str:
    if number in ("0", "00"):
        return "green"
    return "red" if int(number) in RED_NUMBERS else "black"


def _layout(variant: str | None) -> str:
    return "double" if variant == "american00" else "single"


def demands(played: Played) -> list[Demand]:
    """The wheel of the variant, seven circuits at least, and an array under the pockets."""
    wheel = _LAYOUTS[_layout(played.variant)]
    array, both = POCKET_SENSOR_ARRAY, POCKET_SENSOR_BOTH
    return [
        Demand("wheel", wheel, wheel, f"roulette {played.variant}"),
        Demand("min_circuits", CIRCUITS, 20, f"{played.rules} 2:1(2)"),
        Demand("pocket_sensor", array, both, _FOR_DISPLAYS, never=POCKET_SENSOR_HEAD),
    ]


class WheelResult(BallRun, frozen=True, kw_only=True):
    """wheel_result: a pocket by its number, "00" too, and by its place on the wheel."""

    pocket: str
    pocket_index: int
    sensor: str | None = None
    agreements: int = 0

    def text(self) -> str:
        """Number, run and readings."""
        agreed = count_of(self.agreements, "reading")
        return f"{self.pocket:>2}  {self.run()}, {self.sensor}: {agreed}"


def objections(
    played: Played, opened: Opened | None, ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """Circuits, directions, and a pocket that an array read and that belongs to its place."""
    result, least = WheelResult.of_record(ended), least_of(played, opened, CIRCUITS)
    if played.game is None:
        layout = opened.layout if opened else None
    else:
        layout = _layout(played.variant)
        yield from layout_objection(opened, layout, f"roulette {played.variant}")
        yield from requirement_objection(opened, least, f"{played.rules} 2:1(2)")
        if result.sensor == "head":
            yield f"a reader head alone read the pocket; {_FOR_DISPLAYS}"
    circuits = result.circuits_centi
    if circuits is None or circuits < least * 100:
        counted = "unknown" if circuits is None else f"{circuits / 100:.2f}"
        yield f"circuits of the ball: {counted}, at least {least} are required"
    if result.ball_direction is None or result.rotor_direction is None:
        yield "the direction of ball or rotor is unknown"
    elif result.ball_direction == result.rotor_direction:
        yield "the ball ran in the direction of the rotor"
    if layout in _LAYOUTS:
        pocket, index, printed = result.pocket, result.pocket_index, _PRINTED[layout]
        # The order is read clockwise or the other way, as the wheel is configured.
        if not 0 <= index < len(printed) or pocket not in (printed[index], printed[-index]):
            yield f"pocket {pocket} is not at place {index} of a {layout}-zero wheel"


def outcome(_played: Played, ended: Record, _records: Sequence[Record]) -> dict[str, object]:
    """The number."""
    return {"pocket": WheelResult.of_record(ended).pocket}


_MACHINES: Mapping[int | None, str] = {WHEEL_SINGLE: "single", WHEEL_DOUBLE: "double"}


class _Pocket(msgspec.Struct):
    pocket: int


def _fallen(result: Mapping[str, Any]) -> bytes:
    return bytes([msgspec.convert(result, _Pocket).pocket])


def _settled_pocket(variant: str, outcome: Mapping[str, Any]) -> tuple[str, Sequence[str]]:
    pocket = outcome.get("pocket")
    return _layout(variant), () if pocket is None else (pocket,)


class _Run(msgspec.Struct):
    track_ms: int
    result_ms: int


def _run_ms(payload: str) -> int:
    run = msgspec.json.decode(payload, type=_Run)
    return run.track_ms + run.result_ms


class Drop(msgspec.Struct):
    """Where a ball left the rim, as numbers of a stored wheel_result."""

    drop_rim: int
    ball_direction: int


def drop_of(result: Mapping[str, Any]) -> Drop:
    """Return where the ball of a stored wheel_result left the rim."""
    return msgspec.convert(result, Drop)


def _end(values: Sequence[int]) -> str:
    return f"number {_number_text(values[0])}"


# The keys that say how wheel, sensors and numbers are placed.
WALKED = (
    "wheel",
    "reading_direction",
    "index_offset",
    "pocket_sensor",
    "head_angle_mdeg",
    "rim_sensors",
    *(KEY_NAMES[number - 1] for number in RIM_ANGLES),
)
ROLE = Role(
    result="wheel_result",
    games=frozenset(("roulette",)),
    demands=demands,
    objections=objections,
    outcome=outcome,
    end=_end,
    listed=("pocket",),
    displayed=lambda record: WheelResult.of_record(record).pocket,
    printed=Printed(_colour, _PRINTED),
    listed_as="{pocket:>2}".format_map,
    wear=(
        Wear("last_lap_ms", "ms", "last lap of the ball: falls with a tilt or a worn rim"),
        Wear(
            "friction_ddegss",
            "0.1 degrees/s2",
            "slowing of the ball in its last lap: rises with dirt; at 20 % more clean the track",
        ),
        Wear(
            "head_off_centi",
            "0.01 pocket",
            "the head's reading beside its pocket, clockwise: beyond 15 either way measure"
            " head_angle_mdeg again, beyond 31 every round is void (bracket_moved)",
            is_offset=True,
        ),
        Wear("track_ms", "ms", "first ball evidence to the drop"),
        Wear("result_ms", "ms", "drop to the number"),
        Wear("rotor_drpm", "0.1 rpm", "speed of the rotor"),
    ),
    run_ms=_run_ms,
    audited=Audited(
        "pocket", _PRINTED, _MACHINES.get, _fallen, _number_text, settled=_settled_pocket
    ),
    messages={"wheel_result": WheelResult},
    layouts={"single": ("single zero, {}", "circuit"), "double": ("double zero, {}", "circuit")},
    counts="circuit",
    running_phase=PHASE_BALL_IN_RIM,
    is_count_required=True,
    self_test=SelfTest(
        "Turn the rotor at its usual speed, roll the ball at least four times round the rim and "
        "let it drop. Touch neither button nor rim.",
        30_000,
    ),
    walked=WALKED,
)
