"""The shipped program through the resets of an RP2040, under MicroPython: what it says of each.

Four seconds of the emulated chip take ten of a processor, so `make soak` plays these.
"""

import pytest
from mpremote.transport_serial import SerialTransport

from hil_tests.chip import micropython_build
from hil_tests.rigs.rig_states import RigState
from hil_tests.rigs.rp2040_board import Rp2040Board
from hil_tests.rigs.rp2040_ports import PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import Rp2040Rig
from hil_tests.rigs.uf2 import FLASH_BYTES
from hil_tests.thinned import soak_only
from tableemulator.machines import emulator
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

BUILT = micropython_build.cache()
pytestmark = [
    pytest.mark.skipif(not BUILT.is_whole, reason="no image for the chip: make chip"),
    soak_only,
]

START_US = 4_000_000
CONTROL_C = "03"
READ_S = 60  # of the chip's time


@pytest.fixture(scope="module")
def rig():
    """The program of a Pico in its flash."""
    return Rp2040Rig(RigState(None), BUILT.uf2, BUILT.rom)


@pytest.fixture
def board(rig):
    """A roulette table that runs, with an open console."""
    with rig.board(emulator("roulette").setup(), changed={"production": 0}) as fresh_board:
        yield fresh_board


def causes(output):
    """The causes that the identities in this output report, in their order."""
    frames = Receiver().feed(b"".join(data for _, data in output.tx))
    return [
        frame.values[7]
        for frame in frames
        if isinstance(frame, Frame) and frame.type == m.IDENTITY
    ]


def stopped(board):
    """Stop the program."""
    board.play([[board.now_us, "usb", 0, CONTROL_C]], board.now_us + 500_000)


def type_line(board, line):
    """Let the interpreter do a line of which no answer is wanted."""
    board.play([[board.now_us, "usb", 0, (line + "\r").encode().hex()]], board.now_us + 100_000)


def printed(board, code):
    """What a piece of code prints at the prompt, which is left as it is: no reset."""
    with BoardPorts(board):
        transport = SerialTransport(PROMPT, timeout=2.0)
        try:
            transport.enter_raw_repl(soft_reset=False)
            printed, errors = transport.exec_raw(code, timeout=READ_S)
        finally:
            transport.exit_raw_repl()
            transport.close()
    assert not errors, errors
    return printed.decode().strip()


def test_each_reset_is_reported_as_what_it_was(board):
    """Power, a program's own, the prompt's, the watchdog's: the last alone is a board's fault."""
    assert causes(board.play([], START_US))[:1] == [m.RESET_CAUSE_POWER]
    stopped(board)
    type_line(board, "import machine; machine.reset()")
    assert causes(board.play([], board.now_us + START_US))[:1] == [m.RESET_CAUSE_RESET]
    stopped(board)
    assert causes(board.play([[board.now_us, "usb", 0, "04"]], board.now_us + START_US))[:1] == [
        m.RESET_CAUSE_RESET
    ]
    stopped(board)
    # Shorter than the pause between two feeds.
    board.play([[board.now_us, "usb", 0, b"machine.WDT(timeout=100)\r".hex()]], board.now_us)
    output = board.play([], board.now_us + START_US)
    assert [cause for _, cause in output.resets] == ["watchdog"]
    assert causes(output)[:1] == [m.RESET_CAUSE_WATCHDOG]


def test_a_collector_that_a_session_left_off_is_on_after_a_soft_reset(board):
    """On the chip no soft reset turns it on: the program does."""
    board.play([], START_US)
    stopped(board)
    type_line(board, "import gc; gc.disable()")
    assert printed(board, "print(gc.isenabled())") == "False"
    board.play([[board.now_us, "usb", 0, "04"]], board.now_us + START_US)
    stopped(board)
    assert printed(board, "import gc\nprint(gc.isenabled())") == "True"


def test_a_program_stopped_while_it_starts_again_stays_at_the_prompt(board):
    """The watchdog runs on through a soft reset, and the timer that fed it is gone: whatever the

    start had come to, a session at the prompt is not cut off.
    """
    board.play([], START_US)
    stopped(board)
    for after_us in range(100_000, 1_600_000, 300_000):
        board.play([[board.now_us, "usb", 0, "04"]], board.now_us + after_us)
        stopped(board)
        assert board.play([], board.now_us + 6_000_000).resets == [], after_us


# What a dice table writes after a round: its trace of 8 KiB at most, a frame of 160 x 120 and its
# head, in the pieces of the shipped driver or, before, in one. Milliseconds of each step.
WRITING = """
import time
trace, frame = memoryview(bytearray(8192)), memoryview(bytearray(160 * 120 + 4))
def steps(pieces):
    took = []
    while True:
        began = time.ticks_us()
        is_over = next(pieces, steps) is steps
        took.append(time.ticks_diff(time.ticks_us(), began) // 1000)
        if is_over:
            return took
print(max(max(steps(hal.flash.pieces("trace.%d" % n, (trace, frame)))) for n in range(3)))
"""
# Deadline of the control step: the watchdog is not fed while a task is later than its own.
LONGEST_STEP_MS = 500


def test_no_step_of_writing_a_trace_is_as_long_as_the_watchdog_waits(board):
    """Flash at its slowest (400 ms a sector, 3 ms a page): one write would take 3.1 s."""
    content, rom = board.flash(FLASH_BYTES), BUILT.rom.read_bytes()
    with Rp2040Board(content, rom, flash_times="worst") as slow:
        slow.play([], 3 * START_US)
        stopped(slow)
        longest_ms = int(printed(slow, WRITING))
    assert 400 <= longest_ms < LONGEST_STEP_MS
