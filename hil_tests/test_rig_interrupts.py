"""Interrupts of the rig: hard ones must not allocate, soft ones go through the scheduler."""

import pytest

from hil_tests.rig_firmware import edges, started

FIRMWARE = """
from machine import Pin, Timer
import micropython
micropython.alloc_emergency_exception_buf(100)
calls = 0
kept = []
def handler(pin):
    global calls
    calls += 1
    BODY
listener = Pin(5, Pin.IN)
irq = listener.irq(handler, TRIGGER, hard=HARD)
"""
BOTH = "Pin.IRQ_RISING | Pin.IRQ_FALLING"

ALLOCATING = [
    "kept.append(bytearray(8))",
    "kept = [calls, calls]",
    "x = 1.5 * calls",
    "1 << 40 + calls",
]


def firmware(body: str = "pass", trigger: str = BOTH, hard: bool = True) -> str:
    text = FIRMWARE.replace("BODY", body).replace("TRIGGER", trigger)
    return text.replace("HARD", str(hard))


@pytest.mark.parametrize("body", ALLOCATING)
def test_hard_handler_that_allocates_fails(body):
    """MemoryError, reported once: the handler is disabled as on the board."""
    with started(firmware(body)) as board:
        output = board.play(edges(5, [100, 200, 300]), 1000)
        assert "MemoryError" in output.errors
        assert "Uncaught exception in IRQ callback handler" in output.errors
        assert board.exec("print(calls, irq.trigger())") == "1 0\n"


def test_soft_handler_may_allocate():
    """A soft handler runs without the lock, once for each edge."""
    with started(firmware(ALLOCATING[0], hard=False)) as board:
        assert board.play(edges(5, [100, 200, 300]), 1000).errors == ""
        assert board.exec("print(calls, len(kept))") == "3 3\n"


@pytest.mark.parametrize(
    ("trigger", "calls"), [("Pin.IRQ_RISING", 2), ("Pin.IRQ_FALLING", 1), (BOTH, 3)]
)
def test_only_the_edges_asked_for(trigger, calls):
    """Rising, falling or both; a level that does not change is no edge."""
    same = [[150, "pin", 5, 1]]
    with started(firmware(trigger=trigger)) as board:
        board.play(edges(5, [100, 200, 300]) + same, 1000)
        assert board.exec("print(calls)") == f"{calls}\n"


def test_handler_sees_the_levels():
    """The level of its own pin and of its neighbour, and which edge it was."""
    body = "seen[calls] = pin.value() | other.value() << 1 | (irq.flags() << 2)"
    setup = "seen = bytearray(4)\nfrom machine import Pin\nother = Pin(6, Pin.IN)\n"
    with started(setup + firmware(body)) as board:
        board.play([[50, "pin", 6, 1], *edges(5, [100, 200])], 1000)
        assert board.exec("print(list(seen))") == "[0, 35, 18, 0]\n"


def test_schedule_runs_after_the_interrupt():
    """micropython.schedule from a hard handler: the function may allocate."""
    body = "micropython.schedule(later, calls)"
    setup = "def later(n):\n    kept.append([n])\n"
    with started(setup + firmware(body)) as board:
        assert board.play(edges(5, [100, 200]), 1000).errors == ""
        assert board.exec("print(kept)") == "[[1], [2]]\n"


def test_full_scheduler_refuses():
    """The queue has eight places."""
    code = (
        "n = 0\n"
        "try:\n"
        "    while True:\n"
        "        micropython.schedule(print, n)\n"
        "        n += 1\n"
        "except RuntimeError:\n"
        "    print('full', n)\n"
    )
    with started("import micropython") as board:
        assert board.exec(code) == "full 8\n"


def test_hard_timer_must_not_allocate():
    """A timer with hard=True runs under the same lock."""
    main = "from machine import Timer\nkept = []\n"
    main += "Timer(period=5, hard=True, callback=lambda t: kept.append([1]))\n"
    with started(main) as board:
        assert "MemoryError" in board.play([], 6000).errors


def test_failing_task_is_reported_and_others_go_on():
    """An exception in a task is an error of the output; the loop lives."""
    main = """
import asyncio
ticks = 0
async def bad():
    raise ValueError("spoilt")
async def main():
    global ticks
    asyncio.create_task(bad())
    while True:
        ticks += 1
        await asyncio.sleep_ms(10)
asyncio.run(main())
"""
    with started("pass", files={"/app.py": main.encode()}) as board:
        board.exec("from app import *\nimport app")
        output = board.play([], 100_000)
        assert "ValueError: spoilt" in output.errors
        assert "Task exception wasn't retrieved" in output.errors
        assert board.exec("print(app.ticks)") == "11\n"
