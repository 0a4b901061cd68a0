"""Virtual time of the rig: ticks, sleeps, timers and edges happen when they are due."""

import pytest

from hil_tests.rig_firmware import RUN, SECOND, edges, started

WRAP_US = 2**30

STAMPS = """
import time
from machine import Pin
from array import array
stamps = array("i", [-1] * 128)
count = 0
def edge(pin):
    global count
    stamps[count] = time.ticks_us()
    count += 1
Pin(5, Pin.IN).irq(edge, hard=True)
"""

TIMERS = """
import time
from machine import Timer
seen = []
def note(timer):
    seen.append(time.ticks_ms())
every = Timer(period=30, mode=Timer.PERIODIC, callback=note)
once = Timer(period=45, mode=Timer.ONE_SHOT, callback=note)
"""

LOOP = """
import asyncio, time
from machine import Pin
woke = []
async def main():
    while True:
        woke.append(time.ticks_ms())
        await asyncio.sleep_ms(40)
"""

NESTED = (
    STAMPS
    + """
import asyncio
trail = []
async def main():
    await asyncio.sleep_ms(10)
    trail.append(time.ticks_us())
    time.sleep_ms(5)
    trail.append((time.ticks_us(), count))
"""
)


TALK = (
    STAMPS
    + """
import asyncio, os
from machine import UART
line = UART(0)
async def main():
    while True:
        await asyncio.sleep_ms(7)
        line.write(os.urandom(3) + bytes([count]))
"""
)


def test_edge_has_its_own_time():
    """ticks_us in the interrupt is the microsecond of the edge, whatever the tasks do."""
    with started(STAMPS) as board:
        board.play(edges(5, [17, 18, 999_999]), SECOND)
        assert board.exec("print(list(stamps[:4]), count)") == "[17, 18, 999999, -1] 3\n"


def test_ticks_wrap():
    """Edges around the 30-bit wrap have small differences, and times in outputs go on."""
    start = WRAP_US - 100
    with started(STAMPS, start_us=start) as board:
        board.play(edges(5, [start + 50, start + 99, start + 100, start + 101]), start + 200)
        assert board.now_us == WRAP_US + 100
        expected = f"[{WRAP_US - 50}, {WRAP_US - 1}, 0, 1]\n"
        assert board.exec("print(list(stamps[:4]))") == expected
        assert board.exec("print(time.ticks_diff(stamps[3], stamps[0]))") == "51\n"


def test_milliseconds_go_past_the_microsecond_wrap():
    """ticks_ms is not a thousandth of the wrapped ticks_us: it has a wrap of its own."""
    with started("import time", start_us=WRAP_US + 5000) as board:
        assert board.exec("print(time.ticks_ms(), time.ticks_us())") == "1073746 5000\n"


def test_timers_fire_when_due():
    """A periodic timer every 30 ms, a one-shot after 45 ms, and none after deinit."""
    with started(TIMERS) as board:
        board.play([], 100_000)
        assert board.exec("print(seen)") == "[30, 45, 60, 90]\n"
        board.exec("every.deinit()")
        board.play([], 200_000)
        assert board.exec("print(len(seen))") == "4\n"


def test_tasks_wake_when_due():
    """asyncio.sleep_ms wakes at whole milliseconds of virtual time, without drift of its own."""
    with started(LOOP + RUN) as board:
        board.play([], 200_500)
        assert board.exec("print(woke)") == "[0, 40, 80, 120, 160, 200]\n"


def test_sleep_serves_interrupts():
    """A blocking sleep moves time and delivers the edges that fall into it."""
    with started(NESTED + RUN) as board:
        board.play(edges(5, [12_000, 13_000]), 20_000)
        assert board.exec("print(trail, list(stamps[:2]))") == (
            "[10000, (15000, 2)] [12000, 13000]\n"
        )


def test_events_need_not_be_sorted_or_in_the_window():
    """Events come in order of time; those after the window wait for the next call."""
    with started(STAMPS) as board:
        late, early = edges(5, [300, 700])
        board.play([early, late], 500)
        assert board.exec("print(count)") == "1\n"
        board.play([], 800)
        assert board.exec("print(list(stamps[:2]))") == "[300, 700]\n"


def test_held_back_interrupts_come_once():
    """While interrupts are disabled, edges of one pin are latched as one."""
    code = "import machine\nstate = machine.disable_irq()\ntime.sleep_us(100)\nprint(count)\n"
    with started(STAMPS) as board:
        board.play(edges(5, [1010, 1020, 1030]), 1000)
        assert board.exec(code) == "0\n"
        assert board.exec("machine.enable_irq(state)\nprint(count, stamps[0])") == "1 1100\n"


def test_same_input_same_output():
    """Two boards with the same events and seed send the same bytes at the same times."""

    def run(seed: int) -> list[tuple[int, bytes]]:
        with started(TALK + RUN, seed=seed) as board:
            return board.play(edges(5, list(range(100, 90_000, 777))), SECOND).tx

    assert run(7) == run(7)
    assert run(7) != run(8)


@pytest.mark.parametrize(("events", "until"), [([], 999), ([[5, "pin", 5, 1]], 2000)])
def test_time_does_not_go_back(events, until):
    """An event or an end in the past is refused, naming the present."""
    with started("") as board:
        board.play([], 1000)
        with pytest.raises(ValueError, match="1000 us"):
            board.play(events, until)
