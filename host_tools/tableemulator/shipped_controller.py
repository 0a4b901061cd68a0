"""The shipped controller on the emulated board: its program files, its flash, its power.

What a table harness needs around the rig: which files make the program, how a new controller is
provisioned, and what befalls it from outside.
"""

from __future__ import annotations

import struct
from binascii import crc32

from tableemulator.board.flash_file import FlashFile
from tableemulator.board.wasm import Output, WasmBoard
from tableemulator.machines.core.emulator import Setup
from tableemulator.machines.core.sensor_lines import Event
from tablespec import provisioning
from tabletools.flash.provision import device_of
from tabletools.tree import TREE
from tablewire import messages, slots
from tablewire.sender import Sender

# Package on the device -> folder it comes from.
PACKAGES = {
    "tablewire": TREE / "protocol" / "tablewire",
    "tablelogic": TREE / "firmware" / "tablelogic",
    "tabledev": TREE / "firmware" / "tabledev",
}
CONFIGURATION_FILES = ("/flash/config.0", "/flash/config.1")
COUNTER_FILES = ("/flash/counters.0", "/flash/counters.1")
FAULT_FILES = ("/flash/faults.0", "/flash/faults.1")
KEY_FILES = ("/flash/key.0", "/flash/key.1")
# Of the emulated chip, as board/vm/machine.py has it.
UNIQUE_ID = b"TABLE\x00\x00\x01"
# Records a journal holds, and those the controller keeps for the end of a round.
JOURNAL_SLOTS = 32
JOURNAL_RESERVE = 4
# Rounds whose traces a controller keeps.
TRACES = 10

# A task ends with an error when one of its calls fails; this makes one call fail, once.
_FAIL_ONCE = """
from tablelogic.core.engine import Engine
def _fail(self, t_us, _tick=Engine.tick):
    Engine.tick = _tick
    raise {error}
Engine.tick = _fail
"""
# As MicroPython words it (py/malloc.c).
_NO_MEMORY = "MemoryError('memory allocation failed, allocating 1344 bytes')"


def program(board: str = "emulated") -> dict[str, bytes]:
    """Return the program as shipped, source files by device path."""
    files = {
        "/boot.py": (TREE / "firmware" / "boot.py").read_bytes(),
        "/main.py": (TREE / "firmware" / "main.py").read_bytes(),
        "/board.py": (TREE / "boards" / board / "board.py").read_bytes(),
    }
    for name, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            files[f"/{name}/{path.relative_to(folder).as_posix()}"] = path.read_bytes()
    return files


def in_place(files: dict[str, bytes]) -> tuple[dict[str, bytes], bytes]:
    """Split a compiled program: (the files on the flash, the ROMFS image of its packages)."""
    # Imported here: as the compiler.
    from tableemulator.board.romfs import rom_of

    flash = {path: data for path, data in files.items() if path.count("/") == 1}
    return flash, rom_of({path: data for path, data in files.items() if path not in flash})


def configuration(setup: Setup, **changed: int) -> bytes:
    """Return the configuration copy for a machine; changed: further keys by name."""
    return provisioning.configuration(**{**setup.keys, **changed})


def key_copy(number: int, key: bytes) -> bytes:
    """Return the copy of a key, 32 bytes, as provisioning leaves it."""
    return slots.pack_slot(slots.KEY, 1, (number, *struct.unpack("<8i", key)))


def role_of(flash: dict[str, bytes]) -> int:
    """Return the number of the role that a flash is configured for, 0 if no copy is valid."""
    newest = slots.newest(slots.CONFIGURATION, [flash.get(name) for name in CONFIGURATION_FILES])
    return 0 if newest is None else int(newest[1][0])


def key_number_of(flash: dict[str, bytes]) -> int:
    """Return the number of the key on a flash, 0 if there is none."""
    newest = slots.newest(slots.KEY, [flash.get(name) for name in KEY_FILES])
    return 0 if newest is None else int(newest[1][0])


def pending_records(flash: dict[str, bytes]) -> frozenset[tuple[int, int]]:
    """Return boot and counter of each record that waits on a flash for its acknowledgement."""
    names = [flash.get(f"/flash/record.{slot}", b"")[9:17] for slot in range(JOURNAL_SLOTS)]
    return frozenset(struct.unpack("<II", name) for name in names if len(name) == 8)


def full_journal(flash: dict[str, bytes]) -> dict[str, bytes]:
    """Return the files that fill the free slots of a journal but the last four.

    They hold records of boot 1, older than those that are there, of no round.
    """
    names = [f"/flash/record.{slot}" for slot in range(JOURNAL_SLOTS)]
    busy = [slot for slot, name in enumerate(names) if flash.get(name)]
    # A ring without records may begin at any slot.
    newest = max(busy, key=lambda slot: flash[names[slot]][9:17], default=JOURNAL_SLOTS - 1)
    sender = Sender(device_of(UNIQUE_ID, [flash.get(name) for name in COUNTER_FILES]), 1)
    files = {}
    for step in range(JOURNAL_SLOTS - JOURNAL_RESERVE):
        name = names[(newest + 1 + JOURNAL_RESERVE + step) % JOURNAL_SLOTS]
        length = sender.pack(messages.BETS_CLOSED, (1, 0), messages.FLAG_DURABLE)
        body = bytes(sender.buf[1 : 1 + length])
        if not flash.get(name):
            files[name] = body + crc32(body).to_bytes(4, "little")
    return files


class WasmController:
    """One controller on the emulated board, provisioned for a machine. Close it after use.

    files, rom: the program, as shipped if not given (in_place); stored: where the flash is kept,
    a controller whose flash is there already is not provisioned; the others: see WasmBoard.
    """

    def __init__(
        self,
        setup: Setup,
        *,
        files: dict[str, bytes] | None = None,
        heap_bytes: int = 192 * 1024,
        changed: dict[str, int] | None = None,
        settrace: bool = False,
        rom: bytes = b"",
        tight: bool = False,
        turn_us: int | None = 0,
        stored: FlashFile | None = None,
    ) -> None:
        self._slot = configuration(setup, **(changed or {}))
        self._stored = stored
        self._stored_writes = 0
        self.board = WasmBoard(
            files or program(),
            heap_bytes=heap_bytes,
            settrace=settrace,
            rom=rom,
            tight=tight,
            turn_us=turn_us,
            flash=(stored and stored.files) or dict.fromkeys(CONFIGURATION_FILES, self._slot),
        )

    def give_key(self, number: int, key: bytes) -> None:
        """Provision a key, 32 bytes, before the board is powered on."""
        for name in KEY_FILES:
            self.board.put_flash(name, key_copy(number, key))

    def write_file(self, name: str, data: bytes) -> None:
        """Put a file on the flash from outside; the program reads it at its next start."""
        self.board.put_flash(f"/flash/{name}", data)

    def switch_on(self) -> Output:
        """Power the board on."""
        return self._store(self.board.boot())

    def play(self, events: list[Event], until_us: int) -> Output:
        """Let time pass to until_us with these events."""
        exposed = [[*e[:3], e[3].text()] if e[1] == "frame" else e for e in events]
        return self._store(self.board.play(exposed, until_us))

    def cut_power(self, *, damage: bool, full: bool) -> Output:
        """Power the board off and on.

        damage: both copies of the configuration are spoilt; full: the journal holds as many
        records nobody acknowledged as it can for the round to be voided.
        """
        if full:
            for name, data in full_journal(self.board.flash).items():
                self.board.put_flash(name, data)
        if damage:
            for name in CONFIGURATION_FILES:
                self.board.put_flash(name, self._slot[: len(self._slot) // 2])
        return self._store(self.board.reset("power"))

    def provision(self) -> Output:
        """Write the configuration anew and start the board."""
        for name in CONFIGURATION_FILES:
            self.board.put_flash(name, self._slot)
        return self._store(self.board.reset("power"))

    def boot_release(self, *, behind: int) -> Output:
        """Power off and on; the highest release kept on flash is so much above the program's."""
        for name in COUNTER_FILES:
            newest = slots.unpack_slot(slots.COUNTERS, self.board.flash[name])
            assert newest is not None
            sequence, values = newest
            # Without any the program keeps its own.
            counters = [*values[:-1], values[-1] + behind if behind else 0]
            self.board.put_flash(name, slots.pack_slot(slots.COUNTERS, sequence + 1, counters))
        return self._store(self.board.reset("power"))

    def rot_memory(self) -> None:
        """Damage both copies of the faults that stand."""
        for name in FAULT_FILES:
            self.board.put_flash(name, self.board.flash[name][:-1])

    def trace(self, number: int) -> bytes | None:
        """Return the trace of a round from the flash, None if there is none."""
        data = self.board.flash.get(f"/flash/trace.{number % TRACES}", b"")
        return data if data[16:20] == number.to_bytes(4, "little") else None

    def stop_task(self, *, memory: bool) -> None:
        """Make one call in a task of the program fail; memory: for want of that."""
        self.board.exec(_FAIL_ONCE.format(error=_NO_MEMORY if memory else "OSError(5)"))

    def close(self) -> None:
        """End the board; may be called twice."""
        self.board.close()

    def _store(self, output: Output) -> Output:
        """Store the flash if it has changed, before anything that was sent then is passed on."""
        if self._stored is not None and output.flash_writes != self._stored_writes:
            self._stored_writes = output.flash_writes
            self._stored.save(self.board.flash)
        return output
