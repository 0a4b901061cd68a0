"""A table reduced to its journal: durable records, each sent again until it is acknowledged.

For tests of what collects records; it plays no game. Time is handed in, `serve` excepted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from tableemulator.machines.roulette.physical_wheel import ORDERS
from tablewire import messages, roulette
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.sender import Sender

from .core.uart import UartPort

# Type, values, round.
Entry = tuple[int, tuple[int, ...], int]

OPENED = (roulette.WHEEL_DOUBLE, 7, 60_000)
CLOSED = (roulette.CLOSE_CAUSE_BALL_DETECTED, 8_000)
REPEAT_S = 0.03
# No repeats but those a host gets that has just come.
NEVER_S = 3600.0
HEARTBEAT_S = 0.05
PIECE_BYTES = 192


def result(pocket: int, wheel: str = "double") -> tuple[int, ...]:
    """Return the values of a wheel_result of a valid spin. pocket: 37 is the double zero."""
    index = ORDERS[wheel].index("00" if pocket == 37 else str(pocket))
    array = roulette.POCKET_SENSOR_ARRAY
    return (pocket, index, array, 1, 1500, -1, 1, 142, 1400, 15_000, 3_000, 1, 250, -128)


def played(first: int, count: int) -> list[Entry]:
    """Return the records of whole rounds, each with its result."""
    return [
        entry
        for number in range(first, first + count)
        for entry in (
            (messages.ROUND_OPENED, OPENED, number),
            (messages.BETS_CLOSED, CLOSED, number),
            (roulette.WHEEL_RESULT, result(number % 37), number),
        )
    ]


class Repeater:
    """A journal of records with an end of a link.

    one_by_one: a record goes out only when the one before is acknowledged. repeat_s: pause between
    repeats. acknowledged: counters in the order they were acknowledged first. traces: by round.
    """

    def __init__(
        self,
        device: int,
        boot: int,
        entries: Sequence[Entry],
        *,
        one_by_one: bool = False,
        repeat_s: float = REPEAT_S,
        traces: dict[int, bytes] | None = None,
    ) -> None:
        self._traces = traces or {}
        self.acknowledged: list[int] = []
        self._sender = Sender(device, boot)
        self._receiver = Receiver()
        self._one_by_one = one_by_one
        self._repeat_s = repeat_s
        self._waiting: list[tuple[int, Entry]] = []
        for entry in entries:
            self._sender.counter += 1
            self._waiting.append((self._sender.counter, entry))
        self._sent: set[int] = set()
        self._newest = self._sender.counter

    def receive(self, data: bytes) -> list[Frame]:
        """Take what the host sent; returns its frames."""
        frames = [item for item in self._receiver.feed(data) if isinstance(item, Frame)]
        for frame in frames:
            if frame.type == messages.ACKNOWLEDGE and frame.values[0] == self._sender.boot:
                self._forget(frame.values[1])
        return frames

    def _forget(self, counter: int) -> None:
        if any(counter == waiting for waiting, _ in self._waiting):
            self.acknowledged.append(counter)
        self._waiting = [pair for pair in self._waiting if pair[0] != counter]

    def due(self) -> bytes:
        """Return every record that waits, as it is sent now."""
        waiting = self._waiting[:1] if self._one_by_one else self._waiting
        return b"".join(self._build(counter, entry) for counter, entry in waiting)

    def _build(self, counter: int, entry: Entry) -> bytes:
        ident, values, self._sender.round = entry
        flags = messages.FLAG_DURABLE
        if counter in self._sent:
            flags |= messages.FLAG_RETRANSMITTED
        self._sent.add(counter)
        self._sender.counter = counter - 1
        return self._sender.build(ident, values, flags)

    def heartbeat(self) -> bytes:
        """Return a heartbeat that tells how many records wait."""
        values = (messages.PHASE_CLOSED, 0, 255, 1, 142, len(self._waiting), 0, 0, 180_000, 96_000)
        return self._ephemeral(messages.HEARTBEAT, values)

    def identity(self, nonce: bytes) -> bytes:
        """Return the answer to a host that asks."""
        role, reset = messages.ROLE_ROULETTE, messages.RESET_CAUSE_POWER
        values = (
            nonce,
            messages.FINGERPRINTS[role],
            0,
            1,
            0,
            role,
            0,
            reset,
            b"repeater",
            bytes(8),
            0,
        )
        return self._ephemeral(messages.IDENTITY, values)

    def piece(self, number: int, offset: int) -> bytes:
        """Return a piece of the trace of a round."""
        data = self._traces.get(number, b"")
        values = (number, offset, len(data), data[offset : offset + PIECE_BYTES])
        return self._ephemeral(messages.TRACE_CHUNK, values)

    def _ephemeral(self, ident: int, values: tuple[int | bytes, ...]) -> bytes:
        self._sender.counter = self._newest
        self._newest += 1
        return self._sender.build(ident, values)

    def serve(self, port: UartPort, stop: Callable[[], bool]) -> None:
        """Speak on a port by the wall clock until it is stopped."""
        repeat_at = beat_at = 0.0
        while not stop():
            now = time.monotonic()
            if now >= repeat_at:
                port.send(self.due())
                repeat_at = now + self._repeat_s
            if now >= beat_at:
                port.send(self.heartbeat())
                beat_at = now + HEARTBEAT_S
            before = len(self.acknowledged)
            for frame in self.receive(port.receive(min(repeat_at, beat_at) - now)):
                if frame.type == messages.IDENTIFY:
                    port.send(self.identity(frame.values[0]))
                    repeat_at = 0.0
                elif frame.type == messages.FETCH_TRACE:
                    port.send(self.piece(frame.values[0], frame.values[1]))
            if self._one_by_one and len(self.acknowledged) > before:
                repeat_at = 0.0


class Serving(Protocol):
    """A table that speaks on a port until it is stopped."""

    def serve(self, port: UartPort, stop: Callable[[], bool]) -> None: ...


_Table = TypeVar("_Table", bound=Serving)


class Served(Generic[_Table]):
    """A repeater, or another such table, on a TCP port of this machine, as a context."""

    def __init__(self, table: _Table) -> None:
        self.table = table
        self._port = UartPort("127.0.0.1")
        self._over = False
        self._thread = threading.Thread(target=table.serve, args=(self._port, lambda: self._over))

    @property
    def url(self) -> str:
        """Return where the table is reached."""
        return f"socket://127.0.0.1:{self._port.port}"

    def __enter__(self) -> Served[_Table]:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._thread.join()
        self._port.close()
