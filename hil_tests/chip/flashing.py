"""`tabletool flash` at the prompt of the chip: empty, again, after a kill. Time is the chip's.

The image is older than the mpy-cross of the tools, whose bytecode it runs; that check alone is
left out.
"""

import contextlib
import io
import time
from collections.abc import Callable
from unittest import mock

from mpremote.transport_serial import SerialTransport

from hil_tests.chip.micropython_build import Built
from hil_tests.chip.time_limit import TooLongError, limited
from hil_tests.rigs.rp2040_board import BoardHalted, Rp2040Board
from hil_tests.rigs.rp2040_ports import LINK, PROMPT, BoardPorts
from hil_tests.rigs.rp2040js import BOARD
from hil_tests.rigs.uf2 import flash_of
from tableemulator.board.process import BoardDiedError, BoardHungError
from tabletools.cli.main import run

_START_US = 2_000_000
# By the wall clock, on a machine with other work.
_FLASH_S = 1800.0
# Of the image.
VERSION = (1, 26)
# What a killed session had begun to write over.
_VICTIM = "/tabledev/app/version.mpy"


def flash_all(built: Built, role: str, flash_times: str, say: Callable[[str], None]) -> list[str]:
    """Flash an empty board with a role, the running table, and one whose session was killed; the
    problems."""
    content = flash_of(built.uf2.read_bytes())
    with Rp2040Board(content, built.rom.read_bytes(), flash_times=flash_times) as board:
        board.play([], _START_US)
        with (
            BoardPorts(board),
            mock.patch("tabletools.flash.fitness.compiled_for", return_value=VERSION),
        ):
            problems = []
            for what, prepare, wanted in (
                ("an empty board", None, " files copied"),
                ("the running table", None, "nothing to copy"),
                ("after a killed session", break_off, "2 files copied, 1 removed"),
                ("once more", None, "nothing to copy"),
            ):
                try:
                    with limited(_FLASH_S):
                        if prepare is not None:
                            prepare(PROMPT)
                        problems += flash_once(role, what, wanted, say)
                except (BoardHalted, BoardDiedError, BoardHungError, TooLongError) as error:
                    return [*problems, f"flash {role}, {what}: {error}"]
            return problems


def flash_once(role: str, what: str, wanted: str, say: Callable[[str], None]) -> list[str]:
    words = [
        "flash",
        "--board",
        BOARD,
        "--role",
        role,
        "--port",
        PROMPT,
        "--link",
        LINK,
        "--no-key",
    ]
    output, errors = io.StringIO(), io.StringIO()
    began = time.monotonic()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = run(words)
    text = output.getvalue()
    say(f"flash {role}, {what}: {time.monotonic() - began:.0f} s")
    problems = []
    if code:
        problems.append(f"exit code {code}: {errors.getvalue().strip()}")
    elif wanted not in text:
        copied = [line for line in text.splitlines() if "copied" in line or "to copy" in line]
        problems.append(f"not {wanted!r} but {copied or text[:300]!r}")
    elif "files match" not in text:
        problems.append(f"no attestation: {text[-300:]!r}")
    return [f"flash {role}, {what}: {problem}" for problem in problems]


def break_off(port: str) -> None:
    """A session that has begun to write a file and is gone: its file is open, in f."""
    session = SerialTransport(port)
    session.enter_raw_repl(soft_reset=False)
    session.exec(f"f=open({_VICTIM!r},'wb')\nw=f.write\nw(b'half')")
    session.close()
