"""Puts board, drivers and app together and plays. Nothing may follow the last line.

The board's data is the file board.py next to this one, from boards/<board>/.
"""

import micropython

micropython.kbd_intr(-1)  # the interpreter has just given Control-C back: drivers/console.py
import gc  # noqa: E402
import sys  # noqa: E402

# Neither the chip's soft reset nor the interpreter's start does it: drivers/chip.py turns it off.
gc.enable()
# Garbage of the imports would split the heap: on RP2040 with 192 KiB no 1.3 KB in one piece was
# left to open a file for a self-test or an attestation, with 57 KB free. tasks.main resets it.
gc.threshold(16 * 1024)

from tabledev.drivers.console import Console  # noqa: E402
from tabledev.drivers.flash_files import FlashFiles  # noqa: E402

if -0:  # for mypy
    from tabletypes import BoardData


def load_board() -> "BoardData":
    """The data of the board, read again where it left the memory."""
    import board

    return board


console = Console(FlashFiles())
watchdog = None
try:
    from tabledev import drivers
    from tabledev.drivers.chip import Watchdog

    watchdog = Watchdog(load_board().WATCHDOG)  # it may run since before a soft reset
    from tabledev.drivers import wiring
    from tabledev.edges import EdgeRing

    # The large buffers come before the app, which leaves no free memory in one piece.
    hal = wiring.build(load_board, EdgeRing(), console, watchdog)
    # Only the start needs them, and with the program in files they would stay in the heap.
    del wiring, drivers.wiring
    del sys.modules["board"], sys.modules["tabledev.drivers.wiring"]
    import asyncio

    from tabledev.app.tasks import main

    asyncio.new_event_loop()  # tasks of a program stopped by hand must not run on
    # From here, not from a function: whatever is called last finds so much less of the stack.
    asyncio.run(main(hal))
except BaseException:
    micropython.kbd_intr(-1)  # a second Control-C would end this before the watchdog is fed
    console.ended()
    # Control-C with an open console: somebody is at the prompt, and the watchdog runs on.
    if watchdog is not None:
        watchdog.release()
    raise
