"""MicroPython's prompt: controls whether the program can be stopped and changed.

The interpreter enables Control-C again at the start of every file it runs
(shared/runtime/pyexec.c), so boot.py and main.py both disable it first; then `set` decides.
"""

import os

import machine
import micropython

from tablewire.compat import const
from tablewire.config import PRODUCTION, ROLE
from tablewire.messages import ROLE_DICE_TRAY
from tablewire.slots import CONFIGURATION, newest

if -0:  # for mypy
    from tabletypes import Flash

_CONTROL_C = const(3)


class Console:
    """flash: see hal. is_open: Control-C stops the program and leaves a prompt.

    frame_bytes: of the picture of a dice tray, 0 at another table.
    production: by the configuration on flash, before anything else of the program runs. A damaged
    one opens nothing; a board that never had one is on a bench.
    """

    def __init__(self, flash: "Flash") -> None:
        copies = [flash.read("config.0"), flash.read("config.1")]
        slot = newest(CONFIGURATION, copies)
        self.frame_bytes = 0
        if slot is None:
            self.production = copies != [None, None]
        else:
            self.frame_bytes = _frame_bytes(slot[1])
            self.production = len(slot[1]) >= PRODUCTION and slot[1][PRODUCTION - 1] == 1
        self.set(not self.production)

    def set(self, is_open: bool) -> None:
        """Open or close it."""
        self.is_open = is_open
        micropython.kbd_intr(_CONTROL_C if is_open else -1)
        if not is_open and hasattr(os, "dupterm"):
            os.dupterm(None)

    def ended(self) -> None:
        """The program has ended: with the console closed the board restarts, without a prompt."""
        if not self.is_open:
            machine.reset()


def _frame_bytes(values: "list[int]") -> int:
    if values[ROLE - 1] != ROLE_DICE_TRAY:
        return 0
    from tablewire.dice_tray import FRAME_SIZE

    large = len(values) >= FRAME_SIZE and values[FRAME_SIZE - 1] == 2
    return (320 * 240 if large else 160 * 120) + 4
