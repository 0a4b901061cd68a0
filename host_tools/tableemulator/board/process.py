"""The Node process behind a board: one JSON line out, one JSON line back, within a time limit.

Knows nothing of boards but that they are made anew: a process whose board was given back in good
order makes the next one, for starting a machine costs more than most tests. No threads: the answer
is waited for with select.
"""

import atexit
import json
import os
import select
import subprocess
import tempfile
from pathlib import Path
from time import monotonic
from typing import Any, Self

from tableemulator.board.node import find_node

START_S = 60.0
_CHUNK = 1 << 16
_LATE_S = 0.05
_TAIL = 2000
_MOST_IDLE = 2
_to_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class BoardDiedError(Exception):
    """The process of the board ended or broke; the text holds the end of its error output."""


class BoardHungError(Exception):
    """The firmware did not give control back within the time limit; the board is closed."""


class _Node:
    """A running script."""

    def __init__(self, script: Path) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [find_node(), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            # Control-C at a terminal is for this program, which ends the board in good order.
            start_new_session=True,
        )
        self._rest = b""
        self._last_words = ""
        self._owes = False

    @property
    def is_sound(self) -> bool:
        """Whether the process runs and has answered everything."""
        return self.process.poll() is None and not self._owes

    def forget(self) -> None:
        """Drop what the board before wrote to standard error."""
        self._stderr.seek(0)
        self._stderr.truncate()

    def send(self, command: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self._owes = True
        line = _to_json(command).encode() + b"\n"
        try:
            self.process.stdin.write(line)
            self.process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._report_death() from None

    def read_line(self, limit_s: float) -> bytes:
        assert self.process.stdout is not None
        fd = self.process.stdout.fileno()
        end = monotonic() + limit_s
        used_s: float | None = None  # read only where the answer is late: it costs 20 us
        most_s = 0.0
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            wait_s = max(0.0, end - monotonic())
            if used_s is None:
                wait_s = min(wait_s, _LATE_S)
            ready, _, _ = select.select([fd], [], [], wait_s)
            if not ready and used_s is None:
                used_s = self._cpu_s()
                most_s = used_s + limit_s
                continue
            if not ready:
                before_s, used_s = used_s or 0.0, self._cpu_s()
                if before_s < used_s < most_s:  # it runs, and the machine has little time for it
                    end = monotonic() + limit_s
                    continue
                self.end()
                raise BoardHungError(f"no answer within {limit_s:g} s: endless loop?")
            data = os.read(fd, _CHUNK)
            if not data:
                raise self._report_death()
            parts.append(data)
        line, _, self._rest = b"".join(parts).partition(b"\n")
        self._owes = False
        return line

    def _cpu_s(self) -> float:
        """Return what the process used of a processor, 0 where the system does not say."""
        try:
            words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def _report_death(self) -> BoardDiedError:
        self.process.wait()
        if not self._stderr.closed:
            self._stderr.seek(0)
            self._last_words = self._stderr.read().decode(errors="replace")[-_TAIL:]
        self.end()
        status = self.process.returncode
        return BoardDiedError(
            f"the board's process ended with status {status}:\n{self._last_words}"
        )

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self._stderr):
            if stream is not None and not stream.closed:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue


# By Python process and script: a forked one has copies of these pipes and must leave them alone.
_idle: dict[tuple[int, Path], list[_Node]] = {}


@atexit.register
def end_idle() -> None:
    """End the processes that are kept for the next board."""
    for (pid, _), nodes in _idle.items():
        while pid == os.getpid() and nodes:
            nodes.pop().end()


class BoardProcess:
    """The process of one board.

    limit_s: longest time of one command, seconds of the processor: on a busy machine it waits on
    as long as the process gets some. One that gets or wants none for as long is ended.
    settings: the first command, which makes the board; it may always take START_S.
    """

    def __init__(self, script: Path, limit_s: float, settings: dict[str, Any]) -> None:
        self._idle = _idle.setdefault((os.getpid(), script), [])
        self._node = self._idle.pop() if self._idle else _Node(script)
        self._node.forget()
        self._closed = False
        self._limit_s = max(limit_s, START_S)
        self.ask({"op": "new", "settings": settings})
        self._limit_s = limit_s

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Send a command and return its answer; raise BoardDiedError or BoardHungError."""
        self.send(command)
        answer: dict[str, Any] = json.loads(self._node.read_line(self._limit_s))
        return answer

    def send(self, command: dict[str, Any]) -> None:
        """Send a command only."""
        if self._closed:
            raise BoardDiedError("the board was closed")
        self._node.send(command)

    @property
    def pid(self) -> int:
        return self._node.process.pid

    @property
    def is_sound(self) -> bool:
        """Whether it can be asked: it runs and has answered everything."""
        return not self._closed and self._node.is_sound

    def close(self) -> None:
        """Give the process to the next board, or end it; may be called twice."""
        if self._closed:
            return
        self._closed = True
        if self._node.is_sound and len(self._idle) < _MOST_IDLE:
            self._idle.append(self._node)
        else:
            self._node.end()


class EmulatedBoard:
    """A board in a process of its own, made by it. start_us: virtual time at power-on."""

    def __init__(self, process: BoardProcess, start_us: int = 0) -> None:
        self._process = process
        self._now = start_us

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    @property
    def now_us(self) -> int:
        """Virtual time, microseconds since power-on."""
        return self._now

    @property
    def pid(self) -> int:
        """Process that runs the board."""
        return self._process.pid

    @property
    def is_sound(self) -> bool:
        """Whether it can go on."""
        return self._process.is_sound

    def close(self) -> None:
        """End the board; may be called twice."""
        self._process.close()
