"""Pictures are read in processes of their own, which end with their host and are started again."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import BrokenExecutor

import pytest

from host_tools.tests.pit import DEVICE
from host_tools.tests.served import until
from host_tools.tests.throws import SIC_BO, Tray, faces, picture, row, trace
from tabletools.pit import reader_pool
from tabletools.pit.reader_pool import ReaderPool
from tabletools.pit.second_reader import SecondReader

DICE, FRAME = picture(0)
BET = "small" if sum(DICE) <= 10 else "big"
HOST = """
import os, sys, threading
from tabletools.pit.reader_pool import ReaderPool
if __name__ == "__main__":
    print(ReaderPool().submit(os.getpid).result(), flush=True)
    threading.Event().wait()
"""


@pytest.fixture
def pool():
    process = ReaderPool()
    yield process
    process.shutdown(cancel_futures=True)


def is_alive(pid):
    """Whether a process runs; one that ended and was not waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_it_is_another_process_with_a_lower_priority(pool):
    assert pool.submit(os.getpid).result() != os.getpid()
    assert pool.submit(os.nice, 0).result() == min(os.nice(0) + 5, 19)


def test_a_job_waits_for_no_other_while_there_are_few(pool):
    """A throw of one table is read beside those of others: one process for each, to a limit."""
    assert 2 <= reader_pool.PROCESSES <= 8
    waiting = pool.submit(signal.pause)
    assert pool.submit(os.getpid).result(timeout=60) != os.getpid()
    assert not waiting.done()
    for pid in list(pool._pool._processes):
        os.kill(pid, signal.SIGKILL)


def test_after_it_died_another_one_works(pool):
    """What it did then has failed."""
    pid = pool.submit(os.getpid).result()
    lost = pool.submit(signal.pause)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(BrokenExecutor):
        lost.result(timeout=60)
    assert pool.submit(os.getpid).result(timeout=60) != pid


def test_it_ends_with_its_host(tmp_path):
    """Also when that was killed."""
    file = tmp_path / "host.py"
    file.write_text(HOST)
    host = subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE, text=True)
    pid = int(host.stdout.readline())
    assert is_alive(pid)
    host.kill()
    host.wait()
    host.stdout.close()
    until(lambda: not is_alive(pid))


@pytest.fixture
def tray(tmp_path, pool):
    new_tray = Tray(str(tmp_path / "ledger"), terms=SIC_BO)
    new_tray.reader = SecondReader(new_tray.ledger, new_tray.intake, DEVICE, pool)
    new_tray.throw(1, faces(*DICE, frame=FRAME), (new_tray.ada, BET, 1000))
    new_tray.bring(1, trace(1, FRAME))
    yield new_tray
    new_tray.ledger.close()


def look(tray):
    """Look until the result is settled; the tables' clock stands still meanwhile."""
    wait = threading.Event()
    for _ in range(3000):
        tray.reader.step()
        if row(tray)["settled"]:
            return
        wait.wait(0.02)


def test_a_throw_is_read_there_and_paid(tray):
    look(tray)
    assert tray.balance(tray.ada) == 101_000


def test_a_throw_whose_reader_died_is_read_again(tray, pool):
    """The host holds nothing for it."""
    pid = pool.submit(os.getpid).result()
    pool.submit(signal.pause)
    tray.reader.step()
    os.kill(pid, signal.SIGKILL)
    look(tray)
    assert tray.balance(tray.ada) == 101_000
