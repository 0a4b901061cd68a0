"""The line between a table and the host that has its port: late, lost, damaged, repeated frames.

An attacker without a key is on it: sees every frame, and puts in some that neither end made.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from tableemulator.machines.core.planned import Planned
from tabletools.link import PortError


@dataclass(frozen=True)
class Weather:
    """How a line is. Shares of frames, 0 to 1; delays in microseconds at most."""

    name: str = "clear"
    lost: float = 0.0
    damaged: float = 0.0
    repeated: float = 0.0
    late_us: int = 0
    is_cut: bool = False


WEATHERS = (
    Weather(),
    Weather("jitter", late_us=150_000),
    Weather("lossy", lost=0.1),
    Weather("noisy", damaged=0.05, lost=0.02),
    Weather("slow", late_us=1_500_000),
    Weather("replayed", repeated=0.1),
    Weather("cut", is_cut=True),
)


TO_HOST, TO_TABLE = "<", ">"
_RECENT, _OLDER = 50, 20


class NightLine:
    """One line. owner: name of the host that has its port open, "" if none has.

    recent: frames of each direction that passed last; older: some of long before. digests: of
    all that the table sent.
    """

    def __init__(self, name: str, seed: str, now_us: Callable[[], int]) -> None:
        self.name = name
        self.owner = ""
        self.weather = WEATHERS[0]
        self._random = random.Random(f"{seed}/line/{name}")
        self._now_us = now_us
        self._ways: dict[str, Planned[bytes]] = {"<": Planned(), ">": Planned()}
        self._free_us = {"<": 0, ">": 0}
        self._half = {"<": b"", ">": b""}
        self.recent: dict[str, list[bytes]] = {TO_HOST: [], TO_TABLE: []}
        self.older: dict[str, list[bytes]] = {TO_HOST: [], TO_TABLE: []}
        self.digests: set[bytes] = set()

    def put(self, way: str, data: bytes) -> None:
        """Bytes go onto the line. way: "<" to the host, ">" to the table."""
        *whole, self._half[way] = (self._half[way] + data).split(b"\0")
        for piece in whole:
            if piece:
                if way == TO_HOST:
                    self.digests.add(digest_of(piece))
                self._frame(way, piece + b"\0")

    def forge(self, way: str, wire: bytes) -> None:
        """Somebody on the line sends a frame of his own."""
        if not self.weather.is_cut:
            self._ways[way].add(max(self._now_us(), self._free_us[way]), wire)

    def take(self, way: str) -> bytes:
        """Return what has arrived by now."""
        return b"".join(frame for _, frame in self._ways[way].take(self._now_us()))

    def clear(self) -> None:
        """The port was closed: what is under way is lost."""
        for way in self._ways.values():
            way.forget()
        self._half = {"<": b"", ">": b""}

    def _frame(self, way: str, frame: bytes) -> None:
        weather, draw = self.weather, self._random
        if weather.is_cut or draw.random() < weather.lost:
            return
        if draw.random() < weather.damaged:
            place = draw.randrange(len(frame) - 1)
            frame = (
                frame[:place]
                + bytes([frame[place] ^ (1 << draw.randrange(8))])
                + frame[place + 1 :]
            )
        delay_us = draw.randint(0, weather.late_us) if weather.late_us else 0
        due_us = max(self._now_us() + delay_us, self._free_us[way])  # none overtakes
        self._free_us[way] = due_us
        self._ways[way].add(due_us, frame)
        recent = self.recent[way]
        recent.append(frame)
        if len(recent) > _RECENT:
            self._age(way, recent.pop(0))
        if draw.random() < weather.repeated:
            late_us = draw.randint(0, 3_000_000)
            self._ways[way].add(due_us + late_us, draw.choice(recent))

    def _age(self, way: str, frame: bytes) -> None:
        """Keep one of a hundred frames for long."""
        if self._random.random() < 0.01:
            self.older[way] = [*self.older[way][-_OLDER:], frame]


def digest_of(wire: bytes) -> bytes:
    """Return what a frame is known by, without the zero that ends it."""
    return blake2b(wire.rstrip(b"\0"), digest_size=12).digest()


class NightPort:
    """The port of a line as one host has it open."""

    def __init__(self, line: NightLine, owner: str) -> None:
        if line.owner not in ("", owner) or line.weather.is_cut:
            cause = "another host has it" if line.owner else "the cable is out"
            raise PortError("cannot open the port", cause, "look at the cable")
        line.clear()
        line.owner = owner
        self._line = line
        self._owner = owner

    def read(self, size: int) -> bytes:
        """Return what has come."""
        self._verify()
        return self._line.take("<")[:size]

    def write(self, data: bytes) -> int:
        """Send to the table."""
        self._verify()
        self._line.put(">", data)
        return len(data)

    def close(self) -> None:
        """Let another host have it."""
        if self._line.owner == self._owner:
            self._line.owner = ""

    def _verify(self) -> None:
        if self._line.weather.is_cut or self._line.owner != self._owner:
            raise OSError("the line is cut")
