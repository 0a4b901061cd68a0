"""A role whose input and decisions are recorded as a controller records them: a trace to replay.

Stands in a round of a physical model where the role alone would: the model gives it edges, bits,
readings and ticks, the engine passes them on in a control step and writes them down.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from tablelogic.core.engine import Engine
from tablewire import codes, messages
from tablewire.config import ROLE
from tablewire.trace_file import TRACE_BYTES, seal

DEVICE, BOOT = 4711, 1
_FIRMWARE = tuple(int(part) for part in version("tablewire").split("."))


class _Waiting:
    """What the sensors show until the next control step; ring, array and analog of it."""

    def __init__(self) -> None:
        self.ring = self.array = self.analog = self
        self.edges: list[tuple[int, int, int]] = []
        self.bits = bytes(5)
        self.raw = 0

    def drain(self, edge: Callable[[int, int, int], None], _t_us: int) -> None:
        for each in self.edges:
            edge(*each)
        self.edges.clear()

    def read(self, bits: bytearray | None = None) -> int:
        """The array into bits, or the converter."""
        if bits is not None:
            bits[:] = self.bits
        return self.raw


class Recorded:
    """make_role(config, sink) makes the role; sink: of the model. The rest is as of the role."""

    def __init__(self, make_role: Callable[[list[int], Any], Any], config: list[int], sink: Any):
        self._sink = sink
        self._config = config
        self._sensors = _Waiting()
        self._tick_us = 0
        own: Any = self  # with what __getattr__ finds
        self._engine: Any = Engine(bytearray(TRACE_BYTES), own)
        self._engine.begin(make_role, config)
        self._engine.sense(0, self._sensors)  # the model reads the array in even steps

    def __getattr__(self, name: str) -> Any:
        """What the role has, and what the model's sink takes."""
        role = self.__dict__["_engine"].role if "_engine" in self.__dict__ else None
        return getattr(role if hasattr(role, name) else self._sink, name)

    def trace(self) -> bytes | None:
        """The trace of the round, None if none opened; one that is still open is voided here."""
        if not self._engine.done:
            self._engine.role.void_round(codes.SYSTEM_INTERRUPTION, self._tick_us)
        if not self._engine.done:
            return None
        data = bytearray(self._engine.trace.buf)
        identity = DEVICE, BOOT, self._engine.round, messages.FINGERPRINTS[self._config[ROLE]]
        return bytes(data[: seal(data, self._engine.trace.length, _FIRMWARE, identity)])

    # --- from the model --------------------------------------------------------------------------

    def wants_array(self) -> int:
        """The engine reads it when the role wants it."""
        return 1

    def wants_analog(self) -> bool:
        """The same."""
        return True

    def edge(self, sensor: int, level: int, t_us: int) -> None:
        """See the role."""
        self._sensors.edges.append((sensor, level, t_us))

    def array(self, bits: bytearray, _t_us: int) -> None:
        """See the role."""
        self._sensors.bits = bytes(bits)

    def analog(self, raw: int) -> None:
        """See the role."""
        self._sensors.raw = raw

    def tick(self, t_us: int) -> None:
        """See the role: a control step."""
        self._tick_us = t_us
        self._engine.sense(t_us, self._sensors)
        self._engine.tick(t_us)

    def order(self, ident: int, values: list[int], t_us: int) -> int:
        """See the role."""
        answer: int = self._engine.order(ident, values)
        return answer

    # --- from the engine -------------------------------------------------------------------------

    def ended(self, ident: int, values: list[int]) -> None:
        """The result or the void of the round."""
        (self._sink.void if ident == messages.ROUND_VOID else self._sink.result)(values)
