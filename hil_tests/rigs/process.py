"""The Node process behind a board: one JSON line out, one JSON line back, within a time limit.

Knows nothing of boards. No threads: the answer is waited for with select.
"""

import json
import os
import select
import subprocess
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any

from hil_tests.rigs.node import find_node

_HERE = Path(__file__).parent
START_S = 60.0
_CHUNK = 1 << 16
_TAIL = 2000


class BoardDiedError(Exception):
    """The process of the board ended or broke; the text holds the end of its error output."""


class BoardHungError(Exception):
    """The firmware did not give control back within the wall-clock limit; the board is closed."""


class BoardProcess:
    """A running script of this folder. limit_s: longest wall-clock time of one command, seconds.

    settings: the first command, which makes the board; it may always take START_S.
    """

    def __init__(self, script: str, limit_s: float, settings: dict[str, Any]) -> None:
        self._limit_s = max(limit_s, START_S)
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [find_node(), str(_HERE / script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
        )
        self._rest = b""
        self._last_words = ""
        self.ask(settings)
        self._limit_s = limit_s

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Send a command and return its answer; raise BoardDiedError or BoardHungError."""
        self.send(command)
        answer: dict[str, Any] = json.loads(self._read_line())
        return answer

    def send(self, command: dict[str, Any]) -> None:
        """Send a command only."""
        assert self._process.stdin is not None
        line = json.dumps(command, separators=(",", ":")).encode() + b"\n"
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._died() from None

    def _read_line(self) -> bytes:
        assert self._process.stdout is not None
        fd = self._process.stdout.fileno()
        end = monotonic() + self._limit_s
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            ready, _, _ = select.select([fd], [], [], max(0.0, end - monotonic()))
            if not ready:
                self.close()
                raise BoardHungError(f"no answer within {self._limit_s:g} s: endless loop?")
            data = os.read(fd, _CHUNK)
            if not data:
                raise self._died()
            parts.append(data)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        return line

    def _died(self) -> BoardDiedError:
        self._process.wait()
        if not self._stderr.closed:
            self._stderr.seek(0)
            self._last_words = self._stderr.read().decode(errors="replace")[-_TAIL:]
        self.close()
        status = self._process.returncode
        return BoardDiedError(
            f"the board's process ended with status {status}:\n{self._last_words}"
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def close(self) -> None:
        """End the process; may be called twice."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue
