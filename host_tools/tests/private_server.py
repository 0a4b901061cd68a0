"""Starts a server of a test's own."""

import random
import socket
import subprocess
import time
from contextlib import suppress

START_S = 20.0
_DRAW = random.SystemRandom()
_PORTS = 20_000, 32_000


def free_port():
    """A port below those that the system gives to connections: none takes it before its server."""
    while True:
        port = _DRAW.randrange(*_PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def started(command, log, port):
    """Start a server that listens at a port of this machine; returns its process when it does.

    log: the file to which its output is added.
    """
    with log.open("ab") as log_file:
        process = subprocess.Popen(command, stdout=log_file, stderr=log_file)
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return process
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.02)
            break
    process.kill()
    process.wait(30)
    raise RuntimeError(f"{command[0]}: {log.read_text()}")
