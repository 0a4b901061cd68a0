"""Tables that play on: the shipped firmware on the VM, with a croupier who meets faults.

The croupier's loop of an emulated table runs in a thread of its own; it and the world take turns,
so that one of them runs at any time and the order is always the same.
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from typing import Any

from hil_tests.night.causes import Causes
from hil_tests.night.healthy import HealthyRounds
from hil_tests.night.line import TO_HOST, TO_TABLE, NightLine
from hil_tests.night.night_roles import NightRole, Truth
from hil_tests.soak import soak_run
from tableemulator import play_session
from tableemulator.chips import device_of, program_of
from tableemulator.machines.core.harness import FROM_TABLE, TableStalled
from tableemulator.shipped_controller import WasmController
from tableemulator.virtual_pit import SLICE_US
from tablewire import card_shoe, codes
from tablewire import messages as m
from tablewire.codec import Frame
from tablewire.framing import Receiver

FAULTY = 0.15
"""Share of rounds in which something goes wrong at the table."""


DISHONEST = 0.3
"""Share of rounds in which a dishonest hand does something at the table."""
REPAIR_US = 60_000_000
"""So long after a round in which something went wrong the table may still tell of it."""


_STAGED = (codes.JOURNAL_FULL, card_shoe.CARDS_UNREPORTED)
"""Faults whose emulation plays the host, or writes records that no table made. Here true hosts go
away, and a cut line fills the journal."""
_WHOLE_ROUND_US = 240_000_000


class _Over(Exception):
    """The night is over."""


@dataclass
class NightTable:
    """One table. truth: by number of the round, as the table itself made it, whatever arrived.

    records: when each was first sent, by boot and counter. orders: commands its croupier wants the
    host to send, until the world takes them. healthy: its rounds in which nothing went wrong.
    """

    name: str
    role: NightRole
    chip: int
    line: NightLine
    seed: str
    key: tuple[int, bytes]
    causes: Causes
    is_faulty: bool = True
    hands: frozenset[str] = frozenset()
    """Names of the faults that a dishonest hand at it makes."""
    truth: dict[int, Truth] = field(default_factory=dict)
    events: list[str] = field(default_factory=list)
    records: dict[tuple[int, int], int] = field(default_factory=dict)
    orders: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    healthy: HealthyRounds = field(default_factory=HealthyRounds)

    def __post_init__(self) -> None:
        self.device = device_of(self.chip)
        self.table: Any = None
        self._receiver = Receiver()
        self._target_us = 0
        self._mine, self._worlds = threading.Semaphore(0), threading.Semaphore(0)
        self._is_over = False
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()

    @property
    def faults(self) -> set[int]:
        """Codes of the faults that are active at it."""
        return set() if self.table is None else self.table.active_faults

    def run_to(self, target_us: int) -> None:
        """Let the table play up to a time. Raises what its loop raised."""
        self._target_us = target_us
        self._mine.release()
        self._worlds.acquire()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Switch it off."""
        self._is_over = True
        self._mine.release()
        self._thread.join()

    # --- in its thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        self._mine.acquire()
        setup = self.role.setup
        controller = WasmController(
            setup, files=program_of(self.chip), turn_us=0, changed=dict(self.role.changed)
        )
        controller.give_key(*self.key)
        try:
            self.table = play_session.table_of(setup)(
                controller,
                setup,
                f"{self.seed}/{self.name}",
                listen=self._hear,
                pace=self._pace,
                slice_us=SLICE_US,
                acknowledge=False,
                command=self._command,
            )
            self._play()
        except _Over:
            pass
        except BaseException as error:
            self._failure = error
        finally:
            controller.close()
            self._worlds.release()

    def _play(self) -> None:
        draw = random.Random(f"{self.seed}/croupier/{self.name}")
        catalogue = play_session.catalogue_of(self.role.setup)
        drawn = [
            each
            for each in catalogue
            if each.is_drawn and not each.keyed and each.code not in _STAGED
        ]
        by_hand = [each for each in drawn if each.name in self.hands]
        has_stalled = False
        while True:
            fault = draw.choice(drawn) if self.is_faulty and draw.random() < FAULTY else None
            if by_hand and fault is None and draw.random() < DISHONEST:
                fault = draw.choice(by_hand)
            try:
                if has_stalled:
                    has_stalled = False
                    self.table.cut_power()
                    self.table.repair()
                if fault is not None:
                    self.events.append(f"croupier meets {fault.name}")
                    self.causes.note("fault", self.name, lasts_us=_WHOLE_ROUND_US)
                played = play_session.play(self.table, fault)
                if fault is None:
                    self.healthy.note(played.reason, self._excuse(played))
            except TableStalled as stalled:
                has_stalled = True
                self.events.append(f"stalled: {str(stalled).split('(')[0].strip()}")
                self.causes.note("fault", self.name, lasts_us=REPAIR_US)

    def _excuse(self, played: Any) -> str:
        """Return why the sensors of a healthy table could not prove a round, "" if they could."""
        return soak_run.part(self.role.setup.role).excuse(played)

    def _pace(self, table: Any) -> None:
        """After a slice: hear the line; at the time it was let go to, let the world go on."""
        if data := self.line.take(TO_TABLE):
            table.send(data)
        while table.now_us >= self._target_us:
            self._worlds.release()
            self._mine.acquire()
            if self._is_over:
                raise _Over

    def _hear(self, when_us: int, direction: str, data: bytes) -> None:
        if direction != FROM_TABLE:
            return
        self.line.put(TO_HOST, data)
        for item in self._receiver.feed(data):
            if isinstance(item, Frame) and item.flags & m.FLAG_DURABLE:
                self._note(when_us, item)

    def _note(self, when_us: int, frame: Frame) -> None:
        if self.records.setdefault((frame.boot, frame.counter), when_us) != when_us:
            return
        truth = self.truth.setdefault(frame.round, Truth())
        if frame.type == card_shoe.CARD_DEALT and frame.values[3] == card_shoe.CARD_USE_ROUND:
            truth.cards.append(frame.values[2])
        elif frame.type == m.BETS_CLOSED and truth.closed_us is None:
            truth.closed_us = when_us
            truth.was_closed = frame.values[0] != m.CLOSE_CAUSE_VOID
        elif frame.type in m.ROUND_ENDS and truth.ended_us is None:
            truth.ended_us, truth.values = when_us, tuple(frame.values)
            truth.is_void = frame.type == m.ROUND_VOID
            truth.was_closed = truth.was_closed or truth.boot not in (0, frame.boot)
        if frame.type == m.ROUND_OPENED:
            truth.boot = frame.boot

    def _command(self, ident: int, values: tuple[int, ...]) -> bytes:
        self.orders.append((ident, values))
        return b""  # it goes through the host
