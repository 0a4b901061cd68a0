"""Hosts of the pit: the shipped one, unthreaded, that may be killed, frozen, or lose its disk."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hil_tests.night.line import NightLine, NightPort
from tableemulator.virtual_pit import Never, VirtualClock
from tabletools.cms import Sinks
from tabletools.cms.sinks import Sink
from tabletools.money.outbox_queries import SinkLock
from tabletools.pit.host_context import HostContext, TableUnavailable
from tabletools.pit.orders import ANSWER_S
from tabletools.pit.pit import Pit
from tabletools.pit.second_reader import Inline
from tabletools.pit.settings import Settings, TableSettings
from tabletools.store import Store, StoreError
from tablewire.codec import Frame

LEASE_S = 10


@dataclass
class Premises:
    """What the hosts of a pit share. make_sinks: those of one host, each time it starts; met:
    called with what goes wrong when it does."""

    place: Path
    clock: VirtualClock
    lines: dict[str, NightLine]
    tables: Sequence[TableSettings]
    keys: dict[int, bytes]
    make_sinks: Callable[[], list[Sink]]
    say: Callable[[str, str], None]
    met: Callable[[str], None]
    pass_time: Callable[[], None] = lambda: None
    """Lets tables and hosts go on for a moment, while a request of the API waits for a table."""


class NightPit(Pit):
    """A pit whose requests wait in the night's time."""

    def __init__(self, context: HostContext, settings: Settings, shared: Premises) -> None:
        super().__init__(context, settings, over=Never())
        self._shared = shared

    def _answer(self, table: int, name: str, values: tuple[int, ...], number: int) -> Frame:
        clock = self._shared.clock
        answer = self.seat(table).host.orders.give(name, values, number)
        until_us = clock.now_us + int(ANSWER_S * 1_000_000)
        while not answer.done():
            if clock.now_us >= until_us:
                answer.cancel()
                raise TableUnavailable("table_silent", f"no answer to {name}", "look at it")
            self._shared.pass_time()
        return answer.result()


class NightHost:
    """One host. is_up: it runs; frozen_until_us: it does nothing before."""

    def __init__(self, name: str, seed: str, premises: Premises) -> None:
        self.name = name
        self.pit: Pit | None = None
        self.frozen_until_us = 0
        self.is_full = False
        self.slow_us = 0
        self.sinks: Sinks | None = None
        self.ledger: Store | None = None
        self._random = random.Random(f"{seed}/host/{name}")
        self._premises = premises
        self._starts = 0
        self._holds: list[SinkLock] = []

    @property
    def is_up(self) -> bool:
        """Whether it runs."""
        return self.pit is not None

    @property
    def acts(self) -> bool:
        """Whether it does anything now."""
        return self.is_up and self._premises.clock.now_us >= self.frozen_until_us

    def start(self) -> None:
        """Begin, as another run of the program: with another name in leases."""
        self._starts += 1
        shared = self._premises
        self.ledger = Store.open(shared.place, clock=shared.clock, at=self._die_at)
        duty = HostContext(
            self.ledger,
            lambda _device: shared.keys,
            f"{self.name} {self._starts}",
            LEASE_S,
            new_nonce=lambda: self._random.randbytes(8),
            opener=self._open,
            say=self._said,
            readers=Inline(),
        )
        self.pit = NightPit(duty, Settings(tables=tuple(shared.tables)), shared)
        self.sinks = Sinks(
            self.ledger, shared.make_sinks(), jitter=self._random.random, hold=self._held
        )
        shared.say(self.name, "starts")

    def kill(self) -> None:
        """Kill it with -9: no lease is given back, no bet closed, no word said."""
        self._premises.say(self.name, "is killed")
        self._end()

    def let_go(self) -> None:
        """Let its tables go."""
        if self.pit is not None:
            for seat in self.pit.seats.values():
                seat.host.leave()

    def stop(self) -> None:
        """End it as a signal does."""
        self.let_go()
        if self.sinks is not None:
            self.sinks.close()
        self._end()

    def _end(self) -> None:
        for line in self._premises.lines.values():
            if line.owner == self.name:
                line.owner = ""
        for hold in self._holds:
            hold.release()  # the system does it when the process is gone
        self._holds.clear()
        if self.ledger is not None:
            self.ledger.close()
        self.pit = self.sinks = self.ledger = None

    def step(self) -> None:
        """Do what its threads would do in a slice of time."""
        if not self.acts or self.pit is None:
            return
        for seat in self.pit.seats.values():
            for _ in range(4):  # as often as its thread would look at the port
                seat.host.step()

    def feed(self) -> None:
        """Let the sinks have what is due."""
        if self.acts and self.sinks is not None:
            self.sinks.run_once(self._premises.clock.mono_ns() / 1e9)

    def _held(self, ledger: Store, sink: str) -> SinkLock:
        self._holds.append(SinkLock(ledger, sink))
        return self._holds[-1]

    def _open(self, url: str) -> Any:
        return NightPort(self._premises.lines[url], self.name)

    def _die_at(self, step: str) -> None:
        if step == "before_commit" and (self.is_full or self.slow_us):
            self._premises.met("disk")
        if step == "before_commit" and self.is_full:
            raise StoreError("the database is full: disk full", "no space", "make room")
        if step == "before_commit" and self.slow_us:
            self._premises.clock.now_us += self.slow_us

    def _said(self, event: str, facts: dict[str, object]) -> None:
        text = " ".join(f"{name}={facts[name]}" for name in ("table", "token") if name in facts)
        self._premises.say(self.name, f"{event} {text}".strip())
