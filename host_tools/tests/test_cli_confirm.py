"""Confirmation at a terminal: agreed, declined, or left with Control-C or Control-D."""

import os
import select
import subprocess
import sys
import time

import pytest

from tabletools.errors import UNREACHABLE, USER

PROGRAM = [sys.executable, "-c", "from tabletools.cli.main import main; main()"]
NOWHERE = "socket://127.0.0.1:1"


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        (b"y\n", UNREACHABLE, "cannot open the port"),
        (b"n\n", USER, "not confirmed, nothing was sent"),
        (b"\x03", USER, "not confirmed, nothing was sent"),
        (b"\x04", USER, "not confirmed, nothing was sent"),
    ],
    ids=["yes", "no", "Control-C", "Control-D"],
)
@pytest.mark.one_in(2)
def test_an_order_is_sent_only_when_confirmed(typed, code, said):
    """Whoever leaves the question has not confirmed it; that is no defect of the program."""
    master, slave = os.openpty()
    process = subprocess.Popen(
        [*PROGRAM, "maintenance", NOWHERE, "open"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(0), os.O_RDWR)),
    )
    os.close(slave)
    output = b""
    while b"[y/N]" not in output:
        output += os.read(master, 4096)
    output += answer(process, master, typed)
    assert (process.wait(timeout=20), said in output.decode()) == (code, True)
    assert "internal" not in output.decode()
    os.close(master)


def answer(process, master, typed):
    """Type until the program ends, and return what it writes meanwhile.

    More than once: while a terminal is being set up for a line it may drop a key.
    """
    output, end = b"", time.monotonic() + 30
    while process.poll() is None and time.monotonic() < end:
        os.write(master, typed)
        again = time.monotonic() + 2
        while process.poll() is None and time.monotonic() < again:
            if select.select([master], [], [], 0.05)[0]:
                output += rest(master)
    return output + b"".join(iter(lambda: rest(master), b""))


def rest(descriptor):
    """Read from a terminal; Linux reports the end of the other side as an error."""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""
