"""The process behind a board: resets, watchdog, hanging and dying, and that none is left over."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pytest

from hil_tests.rig_firmware import RUN, SECOND, edges, started
from tableemulator.board.process import BoardDiedError, BoardHungError
from tableemulator.board.wasm import VmError, WasmBoard

WATCHED = """
import asyncio, machine, os
wdt = machine.WDT(timeout=2000)
print("cause", machine.reset_cause())
async def main():
    for _ in range(5):
        await asyncio.sleep_ms(500)
        wdt.feed()
    await asyncio.sleep_ms(500)
    while True:
        await asyncio.sleep_ms(60_000)
"""


def status_of(field: str, pid: int) -> str:
    """Return what the system says of a process: its stat or rss (KiB); "" if there is none.

    From /proc where there is one: a small Linux has no ps.
    """
    proc = Path("/proc") / str(pid) / "status"
    if not Path("/proc/self/status").exists():
        command = ["ps", "-o", f"{field}=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    try:
        lines = dict(line.split(":", 1) for line in proc.read_text().splitlines())
    except (FileNotFoundError, ProcessLookupError):
        return ""
    return lines["State" if field == "stat" else "VmRSS"].split()[0]


def test_watchdog_resets():
    """Fed last at 2.5 s, the watchdog of 2 s resets at 4.5 s; the program starts again."""
    with started(WATCHED + RUN) as board:
        output = board.play([], 8 * SECOND)
        assert output.resets == [(4_500_000, "watchdog")]
        assert output.printed == "cause 3\n"


def test_watchdog_ends_a_blocking_sleep():
    """A task that sleeps without feeding is cut off in the middle."""
    main = "import machine, time\nmachine.WDT(timeout=100)\ntime.sleep(1)\nprint('never')\n"
    board = WasmBoard({"/main.py": main.encode()})
    with board, pytest.raises(BoardDiedError, match="did not stay up"):
        board.boot()


def test_reset_from_the_program():
    """machine.reset() stops at once, starts again, and time goes on.

    Its cause is the watchdog's, as on an RP2 (measured on the chip); a register knows better.
    """
    main = """
import asyncio, machine
print(machine.reset_cause(), machine.mem32[0x400D8008])
async def main():
    await asyncio.sleep_ms(10)
    if machine.reset_cause() == machine.PWRON_RESET:
        machine.reset()
        print("never")
"""
    with started(main + RUN) as board:
        output = board.play([], SECOND)
        assert (output.resets, output.printed) == ([(10_000, "hard")], "3 2\n")


def test_reset_clears_the_chip():
    """Outputs fall, interrupts and timers are gone; input levels stay."""
    main = """
from machine import Pin, Timer, reset_cause, PWRON_RESET
level = Pin(5, Pin.IN).value()
if reset_cause() == PWRON_RESET:
    Pin(11, Pin.OUT, value=1)
    Pin(5).irq(lambda pin: print("edge"))
    Timer(period=10, callback=lambda timer: print("tick"))
"""
    with started(main) as board:
        first = board.play(edges(5, [100]), 15_000)
        assert first.printed == "edge\ntick\n"
        output = board.reset("hard")
        assert output.pins == [(15_000, 11, 0)]
        assert board.play(edges(5, [20_000, 21_000]), SECOND).printed == ""
        assert board.exec("print(level)") == "1\n"


def test_endless_loop_is_found():
    """Firmware that never gives control back is ended after the limit, with a clear error."""
    with started("", limit_s=0.5) as board, pytest.raises(BoardHungError, match="endless loop"):
        board.exec("while True: pass")


STARVER = """
import os, signal, sys, time
board = int(sys.argv[1])
def used():
    words = open(f"/proc/{board}/stat").read().rpartition(")")[2].split()
    return int(words[11]) + int(words[12])
while True:
    before = used()
    os.kill(board, signal.SIGCONT)
    while used() == before:
        time.sleep(0.002)
    os.kill(board, signal.SIGSTOP)
    time.sleep(0.3)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_process_that_gets_little_of_the_processor_is_waited_for():
    """Stopped after each 10 ms of work, as a busy machine does it, a command of 0.1 s takes longer
    than its limit by the clock on the wall: no board is lost by that.
    """
    with started("", limit_s=1.0) as board:
        words = [sys.executable, "-c", STARVER, str(board.pid)]
        with subprocess.Popen(words) as starver:
            try:
                assert board.exec("for n in range(1_500_000): pass\nprint(n)") == "1499999\n"
            finally:
                starver.terminate()
        os.kill(board.pid, signal.SIGCONT)


def test_death_of_the_process_is_reported():
    """A process that is gone gives an error with its status, on this and every later call."""
    with started("") as board:
        os.kill(board.pid, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(BoardDiedError, match="status -9"):
                board.exec("pass")


def test_error_in_exec_has_its_traceback():
    """Code of a test that raises is an error of the test, not of the firmware."""
    with started("") as board:
        with pytest.raises(VmError, match="ZeroDivisionError"):
            board.exec("def f():\n    1 / 0\nf()")
        assert board.play([], 1000).errors == ""


def test_uncaught_exception_of_main():
    """The traceback of main.py names the file and line."""
    with WasmBoard({"/main.py": b"import sys\nprint('so far')\nraise OSError(5)\n"}) as board:
        output = board.boot()
        assert output.printed == "so far\n"
        assert 'File "/main.py", line 3' in output.errors
        assert "OSError: [Errno 5] EIO" in output.errors


def test_unknown_event_is_refused():
    """An event of an unknown kind is a mistake of the test, not silence."""
    with started("") as board, pytest.raises(BoardDiedError, match="unknown event"):
        board.play([[10, "pim", 5, 1]], 100)


def test_memory_stays_flat_over_resets():
    """Two hundred resets leave the process as large as it was."""
    with started("kept = bytearray(50000)") as board:
        for _ in range(50):
            board.reset("hard")
        before = int(status_of("rss", board.pid))
        for _ in range(200):
            board.reset("hard")
        assert int(status_of("rss", board.pid)) < before + 10_000  # KiB


LEFT = "import sys\nfrom machine import Pin\nsys.path.append('/x')\nPin(11, Pin.OUT, value=1)"
DRAWN = "import os; print(os.urandom(8))"


@pytest.mark.parametrize("before", [LEFT, ""], ids=["another program", "the same program"])
def test_the_next_board_has_its_process_and_nothing_else(before):
    """Time, flash, levels, names, words, memory and random numbers of a closed board are not those
    of the next, which takes the machine too if it has the same program.
    """
    with started(before) as board:
        pid, memory, drawn = board.pid, board.mem(), board.exec(DRAWN)
        board.put_flash("/flash/kept", b"1")
        board.play(edges(5, [100]), SECOND)
        board.exec(LEFT)
        board.exec("import sys; sys.modules['left'] = x = 1; print('words', end='')")
        board.exec("big = [bytearray(1000) for _ in range(1000)]")
        board.reset("soft")
    with started("") as board:
        assert (board.pid, board.now_us, board.flash, board.starts) == (pid, 0, {}, 1)
        assert before or board.mem() == memory
        assert board.exec(DRAWN) == drawn
        facts = "print('left' in sys.modules, 'x' in globals(), '/x' in sys.path)"
        assert board.exec(f"import sys; {facts}") == "False False False\n"
        levels = "from machine import Pin; print(Pin(11).value(), Pin(5).value())"
        assert board.exec(levels) == "0 0\n"
        assert board.play([], SECOND).resets == []
    with pytest.raises(BoardDiedError, match="was closed"):
        board.exec("pass")


def test_a_process_that_owes_an_answer_is_not_used_again():
    """Closed in the middle of a command, a board takes its process with it."""
    with started("") as board:
        pid = board.pid
        board._process.send({"op": "exec", "code": "pass"})
    with started("") as board:
        assert board.pid != pid


ORPHAN = """
from hil_tests.rig_firmware import started
import os
with started("") as board:
    print(board.pid, flush=True)
    CODE
    os._exit(0)
"""


def has_ended(pid: int) -> bool:
    """Wait up to ten seconds for a process that is not ours to end."""
    end = monotonic() + 10
    while status_of("stat", pid)[:1] not in ("", "Z"):
        if monotonic() > end:
            return False
    return True


@pytest.mark.parametrize(
    "code", ["pass", "board._process.send({'op': 'exec', 'code': 'while True: pass'})"]
)
def test_no_process_outlives_python(code):
    """When Python is gone the board's process ends, even in the middle of an endless loop."""
    script = ORPHAN.replace("CODE", code)
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    assert has_ended(int(done.stdout))
