"""How long the dice reader of a table takes for a frame, on the chip.

A dice table needs more RAM than an RP2040 has, so the image is linked for that of an RP2350. The
core is an RP2040's, a Cortex-M0+ at 125 MHz; the Cortex-M33 of an RP2350, at 150 MHz, takes fewer
cycles for the same bytecode, so these times are an upper bound for it.
"""

import json
from collections.abc import Callable
from random import Random

from mpremote.transport_serial import SerialTransport

from hil_tests.chip.micropython_build import LARGE_RAM_BYTES, Built
from hil_tests.rigs.rp2040_board import Rp2040Board
from hil_tests.rigs.rp2040_ports import PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import BOARD, write
from hil_tests.rigs.uf2 import flash_of
from tableemulator.machines.dice_tray.physical_tray import TrayCamera
from tableemulator.machines.dice_tray.stickman import draw_dice
from tabletools import flash

_START_US = 2_000_000
# By the wall clock, without a byte: of a frame that takes the chip ten seconds.
_READ_S = 600
_DICE, _SEED = 3, 4
_FRAME, _TRAY = "/frame", "/tray"
# As the table reads: a collection every fourth step, see tabledev.app.sight.
_READ = """
import gc, json, time
from tablelogic.tray_reader.reader import Reader
from tablelogic.tray_reader.rig import Rig
reader = Reader(Rig(open({tray!r}, 'rb').read()))
grey = open({frame!r}, 'rb').read()
gc.collect()
left, steps, longest, count = gc.mem_free(), reader.steps(grey, {dice}), 0, 0
begun = time.ticks_us()
reason = None
while reason is None:
    at = time.ticks_us()
    try:
        next(steps)
    except StopIteration as end:
        reason = end.value
    count += 1
    longest = max(longest, time.ticks_diff(time.ticks_us(), at))
    if not count % 4:
        gc.collect()
took = time.ticks_diff(time.ticks_us(), begun)
print(json.dumps([took, longest, count, left, reason, reader.values]))
"""


def read_all(built: Built, say: Callable[[str], None]) -> list[str]:
    """Read a frame of each size, a minute or more each; returns the problems, a line each."""
    program = {
        path: data
        for path, data in flash.build(flash.kind_of(BOARD))[0].items()
        if path.startswith(("/tablelogic/", "/tablewire/"))
    }
    content = flash_of(built.large.read_bytes())
    with Rp2040Board(content, built.rom.read_bytes(), ram_bytes=LARGE_RAM_BYTES) as board:
        board.play([], _START_US)
        with BoardPorts(board):
            with flash.opened(PROMPT) as prompt:
                write(prompt, program)
            return [problem for large in (False, True) for problem in _read(large, say)]


def _read(is_large: bool, say: Callable[[str], None]) -> list[str]:
    """One frame: what the chip took for it, and whether it read the dice that lie there."""
    camera = TrayCamera(_SEED, large=is_large)
    dice = draw_dice(Random(_SEED), camera, _DICE)
    exposure = camera.expose(dice, 0)
    assert exposure is not None
    name = f"dice, {camera.width} x {camera.height}"
    transport = SerialTransport(PROMPT)
    try:
        transport.enter_raw_repl(soft_reset=True)  # without what the frame before left
        transport.fs_writefile(_TRAY, camera.commissioned())
        transport.fs_writefile(_FRAME, exposure.greys())
        code = _READ.format(tray=_TRAY, frame=_FRAME, dice=_DICE)
        printed, errors = transport.exec_raw(code, timeout=_READ_S)
    finally:
        transport.close()
    if errors:
        return [f"{name}: {errors.decode().strip()}"]
    took_us, longest_us, steps, free, reason, values = json.loads(printed)
    say(
        f"{name}, {values or reason}: {took_us / 1000:.0f} ms in {steps} steps,"
        f" the longest {longest_us / 1000:.0f} ms; {free:,} bytes free before"
    )
    actual = sorted(die.value for die in dice)
    return [] if values == actual else [f"{name}: {values or reason} read, {actual} lie there"]
