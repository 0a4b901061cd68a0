"""An emulated RP2040 (npm package rp2040js) with a program in its flash, in virtual time.

Time is microseconds since power-on, counted by the cycles of the core; it moves only in play().
What differs from a chip: LIMITS.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from hil_tests.rigs.boot_rom import ROM_BYTES
from hil_tests.rigs.ram_heap import Heap, collected_heap, heap_of, stack_left
from tableemulator.board.process import BoardProcess, EmulatedBoard
from tableemulator.board.wasm import Event, Output

LIMITS = (
    "cycles: as the manual of the core says; a flash without waits, a bus without contention",
    "second core: none; what starts it (_thread) waits for ever",
    "flash: erased and programmed by the host at once, in the time given (FLASH_TIMES_US); its"
    " chip has no number of its own (machine.unique_id() is zeros)",
    "inputs: no pull resistor; a pin that no event drove reads 0",
    "ADC: a supply of 5 V and a chip at 27 C, every other channel reads 0 until an event sets it;"
    " sensors of frames are not there",
    "UART: no DMA, no break, no parity error, no flow control; USB: its serial line only",
    "RTC: no alarm; brown-out, sleep of the oscillators: not there",
    "PIO, DMA, PWM, SPI, I2C: as the package has them, tried by no test here",
    "boot: the boot ROM's own start, its USB drive and the boot block are passed over; the program"
    " begins at its vectors",
)


# Microseconds to erase a sector of 4 KiB and to program a page of 256 bytes: W25Q16JV data sheet
# 9.6, AC electrical characteristics, tSE and tPP, typical and at most.
FLASH_TIMES_US = {"none": (0, 0), "typical": (45_000, 400), "worst": (400_000, 3_000)}


RAM_BYTES = 264 * 1024
_SCRIPT = Path(__file__).parent / "rp2040" / "board.mjs"


# What MicroPython prints of an exception in a task, and of one in an interrupt, which ends that.
_FAILURES = ("Traceback", "Uncaught exception")


class BoardHalted(RuntimeError):
    """The program did what no program can go on from, or what the emulator does not have."""


@dataclass(frozen=True)
class Memory:
    """heap: with its garbage; collected: as a collection would leave it; stack_left: bytes of the
    stack that were never used."""

    heap: Heap
    collected: Heap
    stack_left: int


@dataclass(frozen=True)
class Measured:
    """What the chip did. entered_us: from an edge at a pin to its handler, for each interrupt of
    the pins; handled_us: how long the handler took."""

    erased_sectors: int
    programmed_pages: int
    entered_us: list[float]
    handled_us: list[float]


class Remains(NamedTuple):
    """flash: digest of it. rest: levels of the inputs, cause and scratch words of the watchdog."""

    flash: str
    rest: str


class Rp2040Board(EmulatedBoard):
    """flash: its content from the first byte on; rom: the boot ROM, for programs that call it.

    flash_times: a name of FLASH_TIMES_US. latches: SPI -> GPIO that loads its shift registers.
    ram_bytes: more than the chip has, for an image that is linked for it (LARGE_RAM_BYTES).
    """

    def __init__(
        self,
        flash: bytes,
        rom: bytes = b"",
        *,
        flash_times: str = "none",
        latches: Mapping[int, int] | None = None,
        ram_bytes: int = RAM_BYTES,
        limit_s: float = 120.0,
    ) -> None:
        self.lost = 0
        settings = {
            "flash": b64encode(flash).decode(),
            "rom": b64encode(rom.ljust(ROM_BYTES, b"\0") if rom else b"").decode(),
            "flashTimes": FLASH_TIMES_US[flash_times],
            "latches": dict(latches or {}),
            "ramBytes": ram_bytes,
        }
        super().__init__(BoardProcess(_SCRIPT, limit_s, settings))

    def boot(self) -> Output:
        """Power off and on: only the flash is kept."""
        return self._output(self._process.ask({"op": "boot"}))

    def mark(self) -> None:
        """Remember the board as it is now, in place of what was remembered."""
        self._process.ask({"op": "mark"})

    def rewind(self) -> None:
        """Put everything, also time, back to the mark: what was played since never was."""
        self._output(self._process.ask({"op": "rewind"}))

    def remains(self) -> Remains:
        """All that a hard reset or one by the watchdog leaves, as it is now."""
        answer = self._process.ask({"op": "remains"})
        return Remains(answer["flash"], answer["rest"])

    def play(self, events: Sequence[Event], until_us: int) -> Output:
        """Run to until_us, delivering the events on the way. Raises BoardHalted.

        events, in the order of time: [t_us, "pin", GPIO, level], [t_us, "rx", uart, hex], whose
        bytes follow each other on the line, [t_us, "usb", 0, hex], [t_us, "spi", bus, hex], what
        its shift registers load, [t_us, "adc", channel, raw 0..65535].
        """
        return self._output(self._process.ask({"op": "play", "events": events, "until": until_us}))

    def flash(self, size: int) -> bytes:
        """The first bytes of the flash, as they are now."""
        return b64decode(self._process.ask({"op": "flash", "bytes": size})["data"])

    def memory(self) -> Memory:
        """MicroPython's memory as it is now."""
        answer = self._process.ask({"op": "ram"})
        ram = b64decode(answer["data"])
        return Memory(heap_of(ram), collected_heap(ram, answer["registers"]), stack_left(ram))

    def measured(self) -> Measured:
        """What was measured since the last call."""
        answer = self._process.ask({"op": "measured"})
        used, interrupts = answer["used"], answer["pinInterrupts"]
        return Measured(
            erased_sectors=used["sectors"],
            programmed_pages=used["pages"],
            entered_us=[entered / 1000 for entered, _ in interrupts],
            handled_us=[handled / 1000 for _, handled in interrupts],
        )

    @property
    def notes(self) -> list[tuple[str, int]]:
        """What the program asked for and the emulator does not have, and how often."""
        return [(what, count) for what, count in self._process.ask({"op": "notes"})["notes"]]

    def _output(self, answer: dict[str, Any]) -> Output:
        self._now, self.lost = answer["now"], answer["lost"]
        if answer.get("halted"):
            raise BoardHalted(f"the program stopped at {self._now} us: {answer['halted']}")
        printed = bytes.fromhex(answer["usb"]).decode(errors="surrogateescape")
        return Output(
            tx=[(time, bytes(data)) for time, uart, data in answer["sent"] if uart == 0],
            pins=[(time, pin, level) for time, pin, level in answer["pins"]],
            errors=printed if any(word in printed for word in _FAILURES) else "",
            resets=[(time, cause) for time, cause in answer["resets"]],
            printed=printed,
            console=[],
        )
