"""asyncio of the rig: what firmware may use behaves as on the board."""

import pytest

from hil_tests.rig_firmware import SECOND, edges, started

# Body of main() -> what it prints within a second.
CASES = {
    "gather": (
        "async def f(n):\n    await asyncio.sleep_ms(n)\n    return n\n",
        "print(await asyncio.gather(f(30), f(10)), time.ticks_ms())",
        "[30, 10] 30",
    ),
    "wait_for": (
        "",
        "try:\n        await asyncio.wait_for_ms(asyncio.Event().wait(), 50)\n"
        "    except asyncio.TimeoutError:\n        print('late', time.ticks_ms())",
        "late 50",
    ),
    "cancel": (
        "async def f():\n    try:\n        await asyncio.sleep(9)\n"
        "    finally:\n        print('cancelled', time.ticks_ms())\n",
        "t = asyncio.create_task(f())\n    await asyncio.sleep_ms(20)\n    t.cancel()\n"
        "    await asyncio.sleep_ms(1)\n    print(t.done())",
        "cancelled 20\nTrue",
    ),
    "lock": (
        "lock = asyncio.Lock()\n"
        "async def f(n):\n    async with lock:\n        await asyncio.sleep_ms(10)\n"
        "        print(n, time.ticks_ms())\n",
        "await asyncio.gather(f(1), f(2))",
        "1 10\n2 20",
    ),
    "event": (
        "event = asyncio.Event()\n"
        "async def f():\n    await event.wait()\n    print('set', time.ticks_ms())\n",
        "asyncio.create_task(f())\n    await asyncio.sleep_ms(5)\n    event.set()\n"
        "    await asyncio.sleep_ms(5)",
        "set 5",
    ),
    "await a failing task": (
        "async def f():\n    raise OSError(5)\n",
        "await asyncio.sleep_ms(1)\n    t = asyncio.create_task(f())\n    try:\n        await t\n"
        "    except OSError as error:\n        print(error.errno)",
        "5",
    ),
    "current task": (
        "",
        "await asyncio.sleep_ms(1)\n    print(asyncio.current_task() is asyncio.core.cur_task)",
        "True",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_asyncio(name):
    """The case prints what MicroPython's own asyncio would on a board."""
    setup, body, printed = CASES[name]
    main = f"import asyncio, time\n{setup}async def main():\n    {body}\nasyncio.run(main())\n"
    with started(main) as board:
        output = board.play([], SECOND)
        assert output.errors == ""
        assert output.printed == printed + "\n"


def test_flag_wakes_the_task_at_the_edge():
    """ThreadSafeFlag from a hard interrupt: the task runs at that very microsecond."""
    main = """
import asyncio, time
from machine import Pin
flag = asyncio.ThreadSafeFlag()
def edge(pin):
    flag.set()
Pin(5, Pin.IN).irq(edge, Pin.IRQ_RISING, hard=True)
async def main():
    while True:
        await flag.wait()
        print(time.ticks_us())
asyncio.run(main())
"""
    with started(main) as board:
        assert board.play(edges(5, [123, 200, 4567]), SECOND).printed == "123\n4567\n"


def test_stream_reader_waits_for_bytes():
    """A StreamReader on the UART reads lines as they are complete."""
    main = """
import asyncio, time
from machine import UART
async def main():
    reader = asyncio.StreamReader(UART(0))
    while True:
        print(await reader.readline(), time.ticks_ms())
asyncio.run(main())
"""
    events = [[1000, "rx", 0, b"ab".hex()], [20_000, "rx", 0, b"c\nd".hex()]]
    with started(main) as board:
        assert board.play(events, SECOND).printed == "b'abc\\n' 20\n"


def test_end_of_main_ends_the_program():
    """When the task given to asyncio.run ends, no other task runs any more."""
    main = """
import asyncio
async def other():
    while True:
        await asyncio.sleep_ms(10)
        print("other")
async def main():
    asyncio.create_task(other())
    await asyncio.sleep_ms(25)
    raise RuntimeError("over")
asyncio.run(main())
"""
    with started(main) as board:
        output = board.play([], SECOND)
        assert output.printed == "other\nother\n"
        assert "RuntimeError: over" in output.errors
        assert "wasn't retrieved" not in output.errors


def test_a_sleep_allocates_nothing():
    """A task that only sleeps leaves the heap as it is, as on the board."""
    main = """
import asyncio, gc
async def main():
    await asyncio.sleep_ms(10)
    before = gc.mem_alloc()
    for _ in range(10):
        await asyncio.sleep_ms(10)
    print(gc.mem_alloc() - before)
asyncio.run(main())
"""
    with started(main) as board:
        assert board.play([], SECOND).printed == "0\n"
