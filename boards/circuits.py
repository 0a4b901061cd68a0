"""What is between the field and each pin, by role: the circuits of WIRING.md as data.

A board's pins come from its board.py; which signal a role wires, and how, is said here once. The
drawing (schematic.py) and the test that computes currents and levels read the same values.
"""

from dataclasses import dataclass, field
from typing import Literal

SUPPLY_V = 3.3
FIELD_V = 24

Field = Literal[
    "open drain",  # an output at 3.3 V that pulls low
    "barrier",  # 24 V, LED of a coupler, NPN output to the 24 V ground
    "loop",  # 24 V, a contact that is closed while all is well, LED of a coupler
    "level",  # two PNP outputs, each with the LED of a coupler; the transistors are in series
    "contact",  # closes to ground
    "lid",  # closed from 3.3 V while the lid is shut
    "line",  # a wire to another part
    "lamp",  # LED of a photo-MOS relay, whose output switches 24 V: the lamp, or a tray's light
]


@dataclass(frozen=True)
class Circuit:
    """What is between the field and a pin; 0: not fitted.

    Attributes:
        field: what is connected.
        led_ohm: before the LED of each coupler, on its 24 V side.
        pull_up_ohm: from the terminal to 3.3 V.
        pull_down_ohm: from the terminal to ground.
        series_ohm: from the terminal to the pin.
        capacitor_nf: from the pin to ground.
        drives: the pin drives the terminal.
    """

    field: Field = "line"
    led_ohm: int = 0
    pull_up_ohm: int = 0
    pull_down_ohm: int = 0
    series_ohm: int = 0
    capacitor_nf: int = 0
    drives: bool = False

    @property
    def couplers(self) -> int:
        """Optocouplers of it."""
        return {"barrier": 1, "loop": 1, "level": 2}.get(self.field, 0)


HALL = Circuit("open drain", pull_up_ohm=4700, series_ohm=1000, capacitor_nf=10)
BARRIER = Circuit("barrier", led_ohm=2200, pull_up_ohm=4700, capacitor_nf=1)
LOOP = Circuit("loop", led_ohm=2200, pull_up_ohm=4700)
LEVEL = Circuit("level", led_ohm=2200, pull_up_ohm=4700)
CONTACT = Circuit("contact", pull_up_ohm=4700, series_ohm=1000, capacitor_nf=100)
LID = Circuit("lid", pull_down_ohm=330)
LAMP = Circuit("lamp", series_ohm=330, drives=True)
SENT = Circuit(series_ohm=100, drives=True)
RECEIVED = Circuit(pull_up_ohm=10_000)
READ = Circuit()
VOLTAGE = Circuit(series_ohm=1000, capacitor_nf=100)

_EVERY_ROLE = {
    "UART_tx": SENT,
    "UART_rx": RECEIVED,
    "BUTTON": CONTACT,
    "MAINTENANCE": CONTACT,
    "LAMP": LAMP,
}


def _inputs(circuit: Circuit, *numbers: int) -> dict[str, Circuit]:
    return {f"INPUT_{number}": circuit for number in numbers}


@dataclass(frozen=True)
class RoleWiring:
    """What a role wires.

    Attributes:
        number: of the role in the configuration.
        circuits: by signal of board.py; a line of a bus as UART_tx, SPI_sck.
        camera: whether the lines of CAMERA are wired too.
    """

    number: int
    circuits: dict[str, Circuit] = field(default_factory=dict)
    camera: bool = False


ROLES = {
    "roulette": RoleWiring(
        1,
        _EVERY_ROLE
        | _inputs(HALL, 1, 2, 3)
        | _inputs(BARRIER, 4, 5, 6, 7, 8)
        | {"SPI_sck": SENT, "SPI_latch": SENT, "SPI_miso": READ, "TILT": LEVEL, "DOME": LOOP},
    ),
    "money_wheel": RoleWiring(
        2,
        _EVERY_ROLE | _inputs(HALL, 1, 2, 3) | {"ANALOG_1": VOLTAGE, "TILT": LEVEL, "DOME": LOOP},
    ),
    "shuffler": RoleWiring(
        4,
        _EVERY_ROLE | _inputs(BARRIER, 1, 2, 5, 6) | {"INPUT_4": LID, "ANALOG_1": VOLTAGE},
    ),
    "card_shoe": RoleWiring(
        6,
        _EVERY_ROLE
        | _inputs(BARRIER, 1, 2)
        | _inputs(CONTACT, 5, 6)
        | {"INPUT_3": SENT, "INPUT_4": RECEIVED, "DOME": LOOP, "ANALOG_1": VOLTAGE},
    ),
    "dice_tray": RoleWiring(
        3,
        _EVERY_ROLE
        | _inputs(BARRIER, 1, 2, 6)
        | _inputs(HALL, 3, 4, 5)
        | _inputs(LAMP, 7, 8)
        | {"TILT": LEVEL, "DOME": LOOP},
        camera=True,
    ),
    "draw_machine": RoleWiring(
        5,
        _EVERY_ROLE
        | _inputs(BARRIER, 1, 2, 5, 6)
        | {"INPUT_4": RECEIVED, "DOME": LOOP, "ANALOG_1": VOLTAGE},
    ),
}
