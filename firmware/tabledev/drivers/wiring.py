"""From the data of boards/<board>/board.py to the interface the app uses.

main.py removes this module from memory after the start, so nothing made here may need it.
"""

import gc
import os
import time

from machine import Pin

from tablewire import messages
from tablewire.trace_file import TRACE_BYTES

from ..hal import Hal
from . import chip
from .array_spi import PocketArray
from .flash_files import FlashFiles
from .on_demand import on_demand
from .pins import AnalogInput, HallInput, Lamp
from .uart_link import UartLink

if -0:  # for mypy
    from collections.abc import Callable

    from tabletypes import BoardData, Watchdog

    from ..edges import EdgeRing
    from .console import Console

# Name in board.py -> input.
_INPUTS = (
    ("INPUT_1", messages.INPUT_1),
    ("INPUT_2", messages.INPUT_2),
    ("INPUT_3", messages.INPUT_3),
    ("INPUT_4", messages.INPUT_4),
    ("INPUT_5", messages.INPUT_5),
    ("INPUT_6", messages.INPUT_6),
    ("BUTTON", messages.INPUT_BUTTON),
    ("TILT", messages.INPUT_TILT),
    ("DOME", messages.INPUT_DOME),
    ("INPUT_7", messages.INPUT_7),
    ("INPUT_8", messages.INPUT_8),
)


def build(
    load_board: "Callable[[], BoardData]",
    ring: "EdgeRing",
    console: "Console",
    watchdog: "Watchdog",
) -> Hal:
    """load_board() returns the module with the data; ring: edges.EdgeRing, which the inputs fill

    once started; console: console.Console; watchdog: chip.Watchdog.
    """
    board = load_board()
    hal = Hal(board.BOARD.encode(), chip.serial(), chip.reset_cause(board.WATCHDOG))
    hal.free_bytes = gc.mem_free
    hal.largest_free_bytes = chip.largest_free_bytes
    hal.random = os.urandom
    hal.clock = time
    hal.ring = ring
    hal.trace = bytearray(TRACE_BYTES)
    hal.inputs = tuple(_input(board, ring, role, sensor) for role, sensor in _INPUTS)
    hal.array = PocketArray(board.SPI, board.ARRAY_ACTIVE)
    hal.analog = AnalogInput(board.ANALOG["ANALOG_1"])
    hal.supplies = on_demand(load_board, "supplies")
    hal.link = UartLink(board.UART)
    hal.open_machine = on_demand(load_board, "open_machine")
    frame = bytearray(console.frame_bytes)  # now, because later there is no such piece of memory
    hal.open_lights = on_demand(load_board, "open_lights")
    hal.open_camera = on_demand(load_board, "open_camera", frame)
    hal.flash = FlashFiles()
    hal.console = console
    hal.switch = _input(board, ring, "MAINTENANCE", messages.INPUT_MAINTENANCE)
    hal.watchdog = watchdog
    hal.lamp = Lamp(board.PINS["LAMP"], board.ACTIVE["LAMP"])
    return hal


def _input(board: "BoardData", ring: "EdgeRing", role: str, sensor: int) -> HallInput:
    pull = {"up": Pin.PULL_UP, "down": Pin.PULL_DOWN, None: None}[board.PULLS[role]]
    return HallInput(board.PINS[role], sensor, ring, board.ACTIVE[role], pull)
