"""Physical facts of a roulette wheel: printed numbers, sensor places, and how it is wired.

Angles are turns of the stator, clockwise, seen from above. A pocket coordinate P is the place on
the rotor that stands at stator angle 0: P = k when the centre of pocket k is there. A rotor
turning clockwise (+1) makes P fall. Knows nothing of firmware or drivers.
"""

from __future__ import annotations

from dataclasses import dataclass

from tablewire import roulette

CLOCKWISE = 1
COUNTER_CLOCKWISE = -1

# The customary orders, read clockwise from the pocket of 0 (rulebook 3.1).
SINGLE_ZERO = (
    "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12"
    " 35 3 26"
)
DOUBLE_ZERO = (
    "0 2 14 35 23 4 16 33 21 6 18 31 19 8 12 29 25 10 27 00 1 13 36 24 3 15 34 22 5 17 32 20 7 11"
    " 30 26 9 28"
)
ORDERS = {"single": tuple(SINGLE_ZERO.split()), "double": tuple(DOUBLE_ZERO.split())}
WHEELS = {"single": roulette.WHEEL_SINGLE, "double": roulette.WHEEL_DOUBLE}
POCKET_SENSORS = {
    "array": roulette.POCKET_SENSOR_ARRAY,
    "head": roulette.POCKET_SENSOR_HEAD,
    "both": roulette.POCKET_SENSOR_BOTH,
}

# Half widths in pockets of what a ring, index or head sensor sees around its magnet or ball.
RING_HALF_WIDTH = 0.25
INDEX_HALF_WIDTH = 0.125
HEAD_HALF_WIDTH = 0.2
# Arc of the rim, in turns, over which a ball of 20 mm covers a rim sensor: about 3 degrees.
BALL_ARC = 3 / 360

# Pins of the emulated board (boards/emulated/WIRING.md).
ROTOR_A, ROTOR_B, INDEX, RIM_1, RIM_2, HEAD = 2, 3, 4, 5, 6, 7
BUTTON, TILT, DOME, MAINTENANCE = 8, 9, 10, 21
SENSOR_PINS = (ROTOR_A, ROTOR_B, INDEX, RIM_1, RIM_2, HEAD)
INPUT_PINS = (BUTTON, TILT, DOME, MAINTENANCE)
ARRAY_SPI = 1
ARRAY_BYTES = 5


@dataclass(frozen=True, slots=True)
class Geometry:
    """One wheel as it was built; angles in degrees clockwise from the reference angle.

    index_offset: the pocket that follows the index magnet clockwise. clockwise: the sense in
    which the printed order is laid on the rotor.
    """

    wheel: str = "single"
    pocket_sensor: str = "array"
    head_deg: float = 180.0
    rim_2_deg: float = 90.0
    index_offset: int = 0
    clockwise: bool = True

    def __post_init__(self) -> None:
        if self.wheel not in ORDERS:
            raise ValueError(f"wheel {self.wheel!r}: one of {', '.join(ORDERS)}")
        if self.pocket_sensor not in POCKET_SENSORS:
            raise ValueError(f"sensor {self.pocket_sensor!r}: one of {', '.join(POCKET_SENSORS)}")

    @property
    def order(self) -> tuple[str, ...]:
        """Return the numbers on the rotor, clockwise from the pocket of 0."""
        order = ORDERS[self.wheel]
        return order if self.clockwise else (order[0], *reversed(order[1:]))

    @property
    def pockets(self) -> int:
        """Return the number of pockets: 37 or 38."""
        return len(self.order)

    @property
    def has_array(self) -> bool:
        """Tell whether a switch lies under each pocket."""
        return self.pocket_sensor != "head"

    @property
    def has_head(self) -> bool:
        """Tell whether a reader head stands beside the rotor."""
        return self.pocket_sensor != "array"

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {
            "wheel": WHEELS[self.wheel],
            "pocket_sensor": POCKET_SENSORS[self.pocket_sensor],
            "head_angle_mdeg": round(self.head_deg * 1000),
            "rim_angle_mdeg": round(self.rim_2_deg * 1000),
            "index_offset": self.index_offset,
            "reading_direction": 0 if self.clockwise else 1,
        }

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture says of it."""
        return {"table": "roulette", "wheel": self.wheel, "sensor": self.pocket_sensor}
