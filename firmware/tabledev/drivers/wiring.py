"""From the data of boards/<board>/board.py to the interface the app uses."""

import gc
import os
import time

from machine import Pin

from tablewire import messages
from tablewire.trace_file import TRACE_BYTES

from ..hal import Hal
from . import chip
from .analog import AnalogInput
from .array_spi import PocketArray
from .flash_files import FlashFiles
from .hall import HallInput
from .lamp import Lamp
from .uart_link import UartLink

# Role in board.py -> sensor.
_INPUTS = (
    ("ROTOR_A", messages.SENSOR_ROTOR_A),
    ("ROTOR_B", messages.SENSOR_ROTOR_B),
    ("INDEX", messages.SENSOR_INDEX),
    ("RIM_1", messages.SENSOR_RIM_1),
    ("RIM_2", messages.SENSOR_RIM_2),
    ("HEAD", messages.SENSOR_HEAD),
    ("BUTTON", messages.SENSOR_BUTTON),
    ("TILT", messages.SENSOR_TILT),
    ("DOME", messages.SENSOR_DOME),
)


def build(board: object, ring: object, console: object) -> Hal:
    """board: module with the data; ring: edges.EdgeRing, which the inputs fill once started;

    console: console.Console.
    """
    hal = Hal(board.BOARD.encode(), chip.serial(), chip.reset_cause())
    hal.free_bytes = gc.mem_free
    hal.random = os.urandom
    hal.clock = time
    hal.ring = ring
    hal.trace = bytearray(TRACE_BYTES)
    hal.inputs = tuple(_input(board, ring, role, sensor) for role, sensor in _INPUTS)
    hal.array = PocketArray(board.SPI, board.ARRAY_ACTIVE)
    hal.analog = AnalogInput(board.ANALOG["FLAPPER"])
    hal.link = UartLink(board.UART)
    hal.open_shuffler = lambda: _shuffler(board)
    hal.flash = FlashFiles()
    hal.console = console
    hal.switch = _input(board, ring, "MAINTENANCE", messages.SENSOR_MAINTENANCE)
    hal.watchdog = chip.Watchdog()
    hal.lamp = Lamp(board.PINS["LAMP"], board.ACTIVE["LAMP"])
    return hal


def _shuffler(board: object) -> object:
    from .shuffler_line import ShufflerLine  # few tables have one

    return ShufflerLine(board.SHUFFLER_UART, board.PINS["INDEX"], board.PINS["RIM_1"])


def _input(board: object, ring: object, role: str, sensor: int) -> HallInput:
    pull = {"up": Pin.PULL_UP, "down": Pin.PULL_DOWN, None: None}[board.PULLS[role]]
    return HallInput(board.PINS[role], sensor, ring, board.ACTIVE[role], pull)
