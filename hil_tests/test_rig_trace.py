"""The tracing build of the machine: lines that ran, and interrupts between lines."""

from hil_tests.rig_firmware import RUN, edges, started
from tableemulator.board.wasm import Output

PART = b"""def used(n):
    if n > 1:
        return n
    return 0


def unused():
    return 1
"""

# The task reads, works and writes back; an edge in between is lost.
RACY = """
import asyncio
from machine import Pin, disable_irq, enable_irq
count = 0
def edge(pin):
    global count
    count += 1
Pin(5, Pin.IN).irq(edge, hard=True)
async def main():
    global count
    while True:
        await asyncio.sleep_ms(5)
        BEFORE
        seen = count
        more = seen
        more += 100_000
        count = more
        AFTER
"""
EDGES = edges(5, [3_000 + 10_007 * index for index in range(100)])


def racy(before: str = "pass", after: str = "seen = 0") -> str:
    return RACY.replace("BEFORE", before).replace("AFTER", after) + RUN


def counted(main: str, *, race: bool, seed: int = 1) -> tuple[int, Output]:
    """Return how many of the hundred edges the firmware still knows."""
    with started(main, race=race, seed=seed) as board:
        output = board.play(EDGES, 1_010_000)
        assert output.errors == ""
        return int(board.exec("print(count % 100_000)")), output


def test_lines_that_ran():
    """Exactly the lines that ran, by device path; over a reset they add up."""
    main = "import part\nprint(part.used(2))\n"
    with started(main, settrace=True, files={"/part.py": PART}) as board:
        assert board.coverage() == {"/main.py": {1, 2}, "/part.py": {1, 2, 3, 7}}
        board.reset("hard")
        board.exec("part.used(1)")
        assert board.coverage()["/part.py"] == {1, 2, 3, 4, 7}


def test_lines_of_interrupts_and_tasks():
    """Handlers of hard interrupts count as well."""
    with started(racy(), settrace=True) as board:
        board.play(EDGES, 1_010_000)
        # Neither `global` nor `while True` nor `pass` has code of its own.
        expected = {2, 3, 4, 5, 7, 8, 9, 12, 14, 15, 16, 17, 18, 20}
        assert board.coverage() == {"/main.py": expected}


def test_race_is_found():
    """Between the lines of the racy task edges get lost; without a race run none is."""
    assert counted(racy(), race=False)[0] == 100
    count, _ = counted(racy(), race=True)
    assert count < 90


def test_guarded_code_loses_nothing():
    """With interrupts disabled over the four lines every edge counts, also in a race run."""
    count, _ = counted(racy("irq = disable_irq()", "enable_irq(irq)"), race=True)
    assert count == 100


def test_race_run_is_repeatable():
    """The same seed gives the same losses, another seed others."""
    counts = [counted(racy(), race=True, seed=seed)[0] for seed in (5, 5, 6, 7)]
    assert counts[0] == counts[1]
    assert len(set(counts)) > 1


def test_edges_keep_their_time_in_a_race_run():
    """An edge that falls among lines is still stamped with its own microsecond."""
    main = """
import asyncio, time
from array import array
from machine import Pin
stamps = array("i", [0] * 100)
count = 0
def edge(pin):
    global count
    stamps[count] = time.ticks_us()
    count += 1
Pin(5, Pin.IN).irq(edge, hard=True)
async def main():
    n = 0
    while True:
        await asyncio.sleep_ms(5)
        n += 1
        n += 1
        n += 1
"""
    with started(main + RUN, race=True) as board:
        board.play(EDGES, 1_010_000)
        assert board.exec("print(list(stamps))") == f"{[event[0] for event in EDGES]}\n"
