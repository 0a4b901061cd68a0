"""How a process that serves a host begins: of low priority, and gone when its host is."""

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait

_YIELDING = 5
"""Niceness: where cores are short, bets go first, yet two full cores leave it a quarter of one."""


def begin() -> None:
    """Called in the child, before its work."""
    os.nice(_YIELDING)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Control-C is for the host, which ends this
    threading.Thread(target=_end_with_host, daemon=True).start()


def _end_with_host() -> None:
    host = multiprocessing.parent_process()
    assert host is not None
    wait([host.sentinel])
    os._exit(1)
