"""Roulette: seven circuits against the rotor, and a pocket at its place on the wheel."""

from collections.abc import Iterator, Sequence

from tablelogic.roulette import wheels
from tablespec.names import KEY_NAMES
from tabletools.roles.demand import (
    Demand,
    Played,
    Record,
    Role,
    layout_objection,
    requirement_objection,
)
from tablewire.roulette import (
    POCKET_SENSOR_ARRAY,
    POCKET_SENSOR_BOTH,
    POCKET_SENSOR_HEAD,
    RIM_ANGLES,
)

# hc2023 2:1(2), hc2011 2:1(2): fewer than seven void the spin; this applies to every roulette
# here.
CIRCUITS = 7
_LAYOUTS = {"single": 1, "double": 2}
# 5 wrong of 120 while the ball rattles or rests on the fret, 50 of 60 moved by a hand after rest.
_FOR_DISPLAYS = "a reader head alone is for displays, not for money: HARDWARE.md, Roulette wheel"


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


def objections(
    played: Played, opened: Record | None, ended: Record, _records: Sequence[Record]
) -> Iterator[str]:
    """Circuits, directions, and a pocket that an array read and that belongs to its place."""
    least = CIRCUITS
    if played.game is None:
        least = (opened or {}).get("requirement") or 0
        layout = (opened or {}).get("layout")
    else:
        layout = _layout(played.variant)
        yield from layout_objection(opened, layout, f"roulette {played.variant}")
        yield from requirement_objection(opened, least, f"{played.rules} 2:1(2)")
        if ended.get("sensor") == "head":
            yield f"a reader head alone read the pocket; {_FOR_DISPLAYS}"
    circuits = ended["circuits_centi"]
    if circuits is None or circuits < least * 100:
        counted = "unknown" if circuits is None else f"{circuits / 100:.2f}"
        yield f"circuits of the ball: {counted}, at least {least} are required"
    ball, rotor = ended["ball_direction"], ended["rotor_direction"]
    if ball is None or rotor is None:
        yield "the direction of ball or rotor is unknown"
    elif ball == rotor:
        yield "the ball ran in the direction of the rotor"
    if layout in _LAYOUTS:
        yield from _place(layout, ended)


def _place(layout: str, ended: Record) -> Iterator[str]:
    pocket, index = ended["pocket"], ended["pocket_index"]
    wheel = _LAYOUTS[layout]
    printed = [
        "00" if number == wheels.DOUBLE_ZERO else str(number) for number in wheels.order(wheel)
    ]
    # The order is read clockwise or the other way, as the wheel is configured.
    if not 0 <= index < len(printed) or pocket not in (printed[index], printed[-index]):
        yield f"pocket {pocket} is not at place {index} of a {layout}-zero wheel"


# The keys that say how wheel, sensors and numbers are placed.
WALKED = (
    "wheel", "reading_direction", "index_offset", "pocket_sensor", "head_angle_mdeg",
    "rim_sensors", *(KEY_NAMES[number - 1] for number in RIM_ANGLES),
)  # fmt: skip
ROLE = Role("wheel_result", frozenset(("roulette",)), demands, objections, WALKED)
