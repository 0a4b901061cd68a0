"""Target of the device: any bytes of a host into the app, on plain objects, between its tasks.

What is not a command to this device and boot changes nothing; what is acknowledged was named;
the journal on flash is what the outbox holds; and after it all the table answers and boots.
"""

from __future__ import annotations

import os
import random
import zlib
from typing import Any

from tests.fakes import SERIAL, command, make_hal, provisioned, put
from tests.rig.power_case import Books

from hil_tests.fuzz.input_search import Target
from hil_tests.fuzz.mutate import frames, lasting, present, split
from tabledev.app.outbox import SLOT_BYTES, SLOTS
from tabledev.app.roles import make_role
from tabledev.app.table import Table
from tablespec.message_list import BY_ID
from tablewire import codes, config, messages, roulette, settings
from tablewire.cobs import MAX_BODY
from tablewire.codec import Frame
from tablewire.crc import RESIDUE, crc32
from tablewire.framing import Receiver

# Commands that may change something; identify and get_configuration only ask.
_ASKING = (messages.IDENTIFY, messages.GET_CONFIGURATION)
_NONCE = b"12345678"
_CRITICAL = ("config.", "counters.", "faults.")
_STALE = 3  # in outbox._sent: acknowledged, still on flash
_QUIET_MS = 7000  # after this a wheel at rest opens a round


class Bench:
    """A controller on plain objects, its host, and what must hold after every step."""

    def __init__(self) -> None:
        # CPython has no os.ilistdir, and this board no files to attest.
        vars(os).setdefault("ilistdir", lambda _folder: iter(()))
        self.hal = make_hal(provisioned())
        self.books = Books({})
        self._host = Receiver()
        self._counter = 0
        self.boot()

    def boot(self) -> None:
        """The power comes, for the first time or again: every record waiting is still there."""
        before = self.waiting() if self._counter else {}
        self.table = Table(self.hal, make_role)
        self.hal.link.receiver, self._host, self._counter = Receiver(), Receiver(), 0
        self.hal.link.sent, self.hal.link.room = b"", None
        self.table.start()
        self.heard()
        after = self.waiting()
        assert before.items() <= after.items(), "a record is gone after a boot"

    def waiting(self) -> dict[bytes, bytes]:
        """Records not acknowledged, by boot and counter, as the outbox holds them."""
        outbox: Any = self.table.transmitter.outbox
        records: dict[bytes, bytes] = {}
        for slot in range(SLOTS):
            length = outbox._length[slot]
            data = bytes(outbox._data[SLOT_BYTES * slot : SLOT_BYTES * slot + length])
            if length:
                assert data[9:17] not in records, "one name, two records"
                records[data[9:17]] = data
        assert len(records) == outbox.waiting
        assert 0 <= outbox.unsent <= outbox.waiting <= SLOTS
        return records

    def journal(self) -> None:
        """Flash holds what waits, byte for byte, and else only what was acknowledged."""
        outbox: Any = self.table.transmitter.outbox
        held = {}
        for slot in range(SLOTS):
            data = self.hal.flash.files.get(f"record.{slot}")
            if data and outbox._sent[slot] != _STALE:
                assert crc32(data, 0) == RESIDUE, f"slot {slot} is torn"
                held[data[9:17]] = data[:-4]
        assert held == self.waiting(), "the journal is not what the outbox holds"

    def state(self) -> tuple[Any, ...]:
        """What garbage may not change."""
        table, files = self.table, self.hal.flash.files
        role: Any = table.role
        return (
            list(table.store.config),
            table.store.boot,
            table.store.round,
            table.store.is_open,
            list(table.store.faults),
            id(role),
            role.phase,
            role.faults(),
            self.waiting(),
            {name: files[name] for name in files if name.startswith(_CRITICAL)},
        )

    def take(self, piece: bytes) -> None:
        """Bytes come in and are dealt with."""
        obeyed = [f for f in self._host.feed(piece) if isinstance(f, Frame) and self._obeys(f)]
        before, waited = self.state(), self.waiting()
        self.hal.link.incoming = piece
        self.table.exchange()
        assert obeyed or self.state() == before, "changed by what is no command"
        asked = [f.values for f in obeyed if f.type == messages.ACKNOWLEDGE]
        named = {b"".join(n.to_bytes(4, "little") for n in values) for values in asked}
        assert waited.keys() - named <= self.waiting().keys(), "a record is gone, unacknowledged"
        self.journal()
        self._configure()
        assert len(self.table._receiver._tail) <= MAX_BODY + 1
        self.heard()

    def _obeys(self, frame: Frame) -> bool:
        here = frame.device == SERIAL and frame.boot == self.table.store.boot
        is_command = BY_ID[frame.type].sender == "host" and frame.type not in _ASKING
        return here and is_command and not frame.flags

    def _configure(self) -> None:
        values = self.table.store.config
        assert settings.is_valid(values), values

    def heard(self) -> list[Frame]:
        """What the table sent: frames of a table, counted up, each record one content."""
        items: list[Any] = self.hal.link.frames()
        for item in items:
            assert isinstance(item, Frame), f"the table sent no frame: {item.reason}"
            assert BY_ID[item.type].sender == "table"
            assert (item.device, item.boot <= self.table.store.boot) == (SERIAL, True)
            if not item.flags & messages.FLAG_RETRANSMITTED:
                assert item.counter > self._counter, "the counter did not rise"
                self._counter = item.counter
        self.books.hear(items)
        self.books.check()
        return items

    def wait(self, ms: int, step_ms: int = 40) -> None:
        """Time passes with the tasks as the tasks run them, or in longer steps."""
        for step in range(ms // step_ms):
            self.hal.clock.ms += step_ms
            self.table.control()
            if step % 2:
                self.table.exchange()
            if step % 12 == 0:
                self.table.heartbeat()
        self.heard()

    def answers(self) -> bool:
        """Whether a question is answered, asked again as a host does: records go first."""
        self.hal.link.room = None
        for _ in range(SLOTS):
            self.hal.link.incoming = b"\0" + command(messages.IDENTIFY, [_NONCE])
            self.table.exchange()
            if any(f.type == messages.IDENTITY and f.values[0] == _NONCE for f in self.heard()):
                return True
        return False


def check_commands(stream: bytes) -> None:
    """Any stream, in pieces, with time, sensors, a slow line and boots between them."""
    rng, bench = random.Random(zlib.crc32(stream)), Bench()
    bench.wait(_QUIET_MS, 350)
    for piece in split(present(stream)):
        place = rng.randrange(len(piece)) if rng.random() < 0.2 else 0
        for part in (piece[:place], piece[place:]):
            if part:
                bench.take(part)
        _between(rng, bench)
    assert bench.answers(), "the table does not answer"
    bench.journal()
    bench.boot()
    assert bench.answers(), "the table does not answer after a boot"


def _between(rng: random.Random, bench: Bench) -> None:
    kind = rng.randrange(50)
    if kind == 0:
        bench.boot()
    elif kind == 1:
        bench.wait(_QUIET_MS, 350)
    elif kind < 8:
        sensor = rng.choice((messages.INPUT_TILT, roulette.INPUT_RIM_1, messages.INPUT_BUTTON))
        for level in rng.choice(((1,), (0,), (1, 0))):
            put(bench.hal.ring, sensor * 2 + level, bench.hal.clock.ticks_us())
            bench.wait(40)
    elif kind < 12:
        bench.hal.link.room = rng.choice((None, 0, 10, 60))
    elif kind < 20:
        bench.wait(rng.choice((40, 200, 800)))
    else:
        bench.wait(40)


def conversation() -> list[bytes]:
    """Every command obeyed and refused, in an order that opens, closes, voids and configures."""
    asked: list[tuple[int, tuple[Any, ...], int]] = [
        (messages.IDENTIFY, (_NONCE,), 0),
        (messages.ACKNOWLEDGE, (1, 2), 0),
        (messages.CLOSE_BETS, (), 1),
        (messages.VOID_ROUND, (codes.CROUPIER_VOID,), 1),
        (messages.SET_CONFIGURATION, (config.AUTO_OPEN, 0), 0),
        (messages.SET_CONFIGURATION, (roulette.MIN_CIRCUITS, 4), 0),
        (messages.GET_CONFIGURATION, (roulette.MIN_CIRCUITS,), 0),
        (messages.OPEN_BETS, (), 0),
        (messages.OPEN_BETS, (), 2),
        (messages.VOID_ROUND, (codes.CROUPIER_VOID,), 2),
        (messages.FACTORY_CONFIGURATION, (), 0),
        (messages.CLEAR_FAULT, (codes.TILT,), 0),
        (messages.CLEAR_FAULT, (codes.MEMORY_DAMAGED,), 0),
    ]
    wires = [command(ident, values, round=number) for ident, values, number in asked]
    records = [command(messages.ACKNOWLEDGE, (1, n)) for n in range(1, 40)]
    rows = [b"".join(wires), b"".join([*wires[2:4], *records]), *wires]
    return [lasting(row) for row in rows]


TARGETS = (
    Target(
        "commands",
        check_commands,
        conversation,
        frames,
        (
            "firmware/tabledev/app",
            "protocol/tablewire/framing.py",
            "protocol/tablewire/codec.py",
            "protocol/tablewire/unread_frame.py",
        ),
    ),
)
