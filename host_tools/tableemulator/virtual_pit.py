"""A pit host and an emulated table in virtual time: the shipped host and firmware, no sleep.

The table moves in slices; after each the clock of the host stands where the table's does, and the
host reads, keeps, answers and lets time act, as its thread would.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tableemulator import play_session
from tableemulator.chips import program_of
from tableemulator.machines import Setup
from tableemulator.machines.core.harness import FROM_TABLE
from tableemulator.shipped_controller import WasmController
from tabletools.pit.host import TableHost
from tablewire.messages import OPEN_BETS

# A host looks at its port every 20 ms; at 50 its beacons are 250 ms apart, the most allowed.
SLICE_US = 50_000
# 2026-11-24T12:00:00Z
START_NS = 1_795_521_600_000_000_000
_NS = 1_000


class VirtualClock:
    """The clocks of a host, microseconds since the evening began; a test moves them.

    step_ns: by which the wall clock was put forward since.
    """

    def __init__(self) -> None:
        self.now_us = 0
        self.step_ns = 0

    def mono_ns(self) -> int:
        """Return nanoseconds that only rise."""
        return self.now_us * _NS

    def wall_ns(self) -> int:
        """Return UTC in nanoseconds since 1970."""
        return START_NS + self.step_ns + self.now_us * _NS


class Never(threading.Event):
    """What a host waits on where nothing has to be waited for: time comes from the table."""

    def wait(self, timeout: float | None = None) -> bool:
        """Return at once."""
        return self.is_set()


class Line:
    """The far end of a host's port, in memory."""

    def __init__(self) -> None:
        self._to_host = bytearray()
        self._to_table = bytearray()

    def read(self, size: int) -> bytes:
        """Return what the table sent."""
        data = bytes(self._to_host[:size])
        del self._to_host[:size]
        return data

    def write(self, data: bytes) -> int:
        """Take what the host sends."""
        self._to_table += data
        return len(data)

    def close(self) -> None:
        """Lose what is under way."""
        self._to_host.clear()
        self._to_table.clear()

    def put(self, data: bytes) -> None:
        """Send to the host."""
        self._to_host += data

    def take(self) -> bytes:
        """Return what the host sent."""
        data = bytes(self._to_table)
        self._to_table.clear()
        return data

    @property
    def has_more(self) -> bool:
        """Whether the host has not read everything."""
        return bool(self._to_host)


class HostedTable:
    """One table on one host. table: of the emulators; it acknowledges nothing by itself."""

    def __init__(self, host: TableHost, line: Line, clock: VirtualClock) -> None:
        self.table: Any = None
        self._host = host
        self._line = line
        self._clock = clock
        self._began_us = clock.now_us

    def hear(self, _when_us: int, direction: str, data: bytes) -> None:
        """Listen to the UART of the table."""
        if direction == FROM_TABLE:
            self._line.put(data)

    def pace(self, table: Any) -> None:
        """Let the host act after a slice of the table."""
        self._clock.now_us = self._began_us + table.now_us
        self._host.step()
        while self._line.has_more:
            self._host.step()
        if data := self._line.take():
            table.send(data)

    def command(self, ident: int, values: tuple[int, ...] = ()) -> bytes:
        """Order something of the table through its host; nothing is left to send."""
        link, newest = self._host.link, self._host.live.facts["number"] or 0
        assert link is not None
        link.session.command(ident, values, 0 if ident == OPEN_BETS else newest)
        return b""


@contextmanager
def hosted(
    setup: Setup,
    seed: int | str,
    host: TableHost,
    line: Line,
    clock: VirtualClock,
    *,
    chip: int,
    key: tuple[int, bytes],
    changed: dict[str, int] | None = None,
) -> Iterator[HostedTable]:
    """Switch on a table with a key, heard by a host that reads that line.

    chip: see chips. changed: configuration keys other than the setup's.
    """
    table = HostedTable(host, line, clock)
    controller = WasmController(setup, files=program_of(chip), turn_us=0, changed=changed)
    controller.give_key(*key)
    try:
        table.table = play_session.table_of(setup)(
            controller,
            setup,
            seed,
            listen=table.hear,
            pace=table.pace,
            slice_us=SLICE_US,
            acknowledge=False,
            command=table.command,
        )
        yield table
    finally:
        controller.close()
