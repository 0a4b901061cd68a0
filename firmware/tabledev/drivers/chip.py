"""The chip itself: watchdog, serial number, reset cause, heap."""

import binascii
import gc
import io

import machine

from tablewire.compat import const
from tablewire.messages import RESET_CAUSE_POWER, RESET_CAUSE_RESET, RESET_CAUSE_WATCHDOG

if -0:  # for mypy
    from tabletypes import Sure

_WATCHDOG_MS = const(4000)
_TRIALS = const(4)
# Registers of the watchdog of an RP2040 or RP2350, after its first: data sheets, 4.7.6 and 12.9.7.
_REASON = const(8)
_FORCED = const(2)  # bit of REASON: a program asked for the reset
_RUNS = const(30)  # bit of CTRL; a chip's reset clears it


class Watchdog:
    """Resets the board when it is not fed for 4 s; once started it cannot be stopped.

    registers: of board.py, see reset_cause().
    """

    def __init__(self, registers: int) -> None:
        self._registers = registers
        self._timer: "Sure[machine.WDT]" = None
        # Stored: the collector would end a timer without a reference.
        self._feeder: "machine.Timer | None" = None

    def start(self) -> None:
        """Start to watch."""
        self._timer = machine.WDT(timeout=_WATCHDOG_MS)

    def feed(self) -> None:
        """Report that all is well."""
        self._timer.feed()

    def release(self) -> None:
        """Stop watching: a timer feeds it until the board restarts.

        Also one that runs since before a soft reset, which ended the timer that fed it.
        """
        if self._timer is None and _runs(self._registers):
            self.start()
        if self._timer is not None:
            self._feeder = machine.Timer(-1, period=_WATCHDOG_MS // 4, callback=self._reload)

    def _reload(self, timer: "machine.Timer") -> None:
        self.feed()


def serial() -> int:
    """A number for this chip, the same at every boot: CRC-32 of its unique id, never 0."""
    return (binascii.crc32(machine.unique_id()) & 0xFFFFFFFF) or 1


def _runs(registers: int) -> int:
    return machine.mem32[registers] >> _RUNS & 1 if registers else 0


def reset_cause(registers: int) -> int:
    """messages.RESET_CAUSE_* of this boot. registers: address of those of the watchdog, or 0.

    The port of an RP2 reports machine.reset() as a reset by the watchdog, which does it, and after
    a soft reset the cause of the reset before; the registers distinguish them.
    """
    if registers and (_runs(registers) or machine.mem32[registers + _REASON] & _FORCED):
        return RESET_CAUSE_RESET
    cause = machine.reset_cause()
    if cause == machine.WDT_RESET:
        return RESET_CAUSE_WATCHDOG
    return RESET_CAUSE_POWER if cause == machine.PWRON_RESET else RESET_CAUSE_RESET


def largest_free_bytes(free_bytes: int) -> int:
    """Bytes of the largest piece of so much free heap, or less by at most a sixteenth of it.

    MicroPython prints it to a console only, so sizes are tried: a buffer that is closed returns
    its memory at once. On an RP2040 it takes 12 to 30 ms; nothing is collected.
    """
    least, most = 0, free_bytes
    try:
        gc.disable()  # a trial that fails would collect
        for _ in range(_TRIALS):
            middle = (least + most) // 2
            try:
                io.BytesIO(middle).close()
                least = middle
            except MemoryError:
                most = middle
    finally:
        gc.enable()  # no soft reset does it, and a Control-C may come at any time
    return least
