"""How long the dice reader of a table takes for a frame, on the chip.

A dice table needs more RAM than an RP2040 has, so the image is linked for that of an RP2350. The
core is an RP2040's, a Cortex-M0+ at 125 MHz; the Cortex-M33 of an RP2350, at 150 MHz, takes fewer
cycles for the same bytecode, so these times are an upper bound for it.
"""

import json
from collections.abc import Callable
from dataclasses import replace

from mpremote.transport_serial import SerialTransport

from hil_tests.chip.micropython_build import LARGE_RAM_BYTES, Built
from hil_tests.rigs.rp2040_board import Rp2040Board
from hil_tests.rigs.rp2040_ports import PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import BOARD, write
from hil_tests.rigs.uf2 import flash_of
from tableemulator.machines.dice_tray.rendering import render
from tableemulator.machines.dice_tray.scene_families import scene
from tabletools import flash

_START_US = 2_000_000
# By the wall clock, without a byte: of a frame that takes the chip ten seconds.
_READ_S = 600
_SIZES = ((160, 120), (320, 240))
_SEED = 5  # three dice on a plain cloth
_FRAME = "/frame"
# As the table reads: a collection every fourth step, see tabledev.app.sight.
_READ = """
import gc, json, time
from tablelogic.dice.picture_reader import reader_of
reader = reader_of({width}, {height})
grey = open({frame!r}, 'rb').read()
gc.collect()
left, steps, longest, count = gc.mem_free(), reader.steps(grey), 0, 0
begun = time.ticks_us()
found = None
while found is None:
    at = time.ticks_us()
    try:
        next(steps)
    except StopIteration as end:
        found = end.value
    count += 1
    longest = max(longest, time.ticks_diff(time.ticks_us(), at))
    if not count % 4:
        gc.collect()
took = time.ticks_diff(time.ticks_us(), begun)
print(json.dumps([took, longest, count, left, found]))
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
            return [problem for size in _SIZES for problem in _read(size, say)]


def _read(size: tuple[int, int], say: Callable[[str], None]) -> list[str]:
    """One frame: what the chip took for it, and whether it read the dice that lie there."""
    width, height = size
    small = replace(scene("clean", _SEED), width=width, height=height)
    transport = SerialTransport(PROMPT)
    try:
        transport.enter_raw_repl(soft_reset=True)  # without what the frame before left
        transport.fs_writefile(_FRAME, render(small, _SEED))
        code = _READ.format(width=width, height=height, frame=_FRAME)
        printed, errors = transport.exec_raw(code, timeout=_READ_S)
    finally:
        transport.close()
    if errors:
        return [f"dice, {width} x {height}: {errors.decode().strip()}"]
    took_us, longest_us, steps, free, (reason, values) = json.loads(printed)
    say(
        f"dice, {width} x {height}, {values or reason}: {took_us / 1000:.0f} ms in {steps} steps,"
        f" the longest {longest_us / 1000:.0f} ms; {free:,} bytes free before"
    )
    dice = sorted(die.value for die in small.dice)
    if values and values != dice:
        return [f"dice, {width} x {height}: {values} read, {dice} lie there"]
    return []
