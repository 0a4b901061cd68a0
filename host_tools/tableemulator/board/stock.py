"""A board as it comes from the shelf, with MicroPython and no program, on two lines of this host.

`prompt` is the line of its interpreter (a PTY; on a board the USB), `link` that of its UART 0,
both for programs that know nothing of a rig: mpremote, tabletool. It lives by the wall clock, in
a thread. Without power both lines hang up.
"""

from __future__ import annotations

import os
import select
import threading
import time
import tty
from typing import Self

from tableemulator.board.repl import Repl
from tableemulator.board.wasm import KIB, WasmBoard
from tableemulator.machines.core.uart import UartPort

# (build, machine) as MicroPython 1.29 names them in sys.implementation.
PICO_2 = ("RPI_PICO2", "Raspberry Pi Pico 2 with RP2350")
PICO = ("RPI_PICO", "Raspberry Pi Pico with RP2040")
_LOOK_S = 0.002


class UsbLine:
    """The USB port of a board as a PTY: it waits for who reads, and loses nothing."""

    def __init__(self) -> None:
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._unsent = b""

    @property
    def pty(self) -> str:
        """Path of the device."""
        return os.ttyname(self._slave)

    def send(self, data: bytes) -> None:
        """Bytes of the board."""
        self._unsent += data
        if self._unsent:
            try:
                self._unsent = self._unsent[os.write(self._master, self._unsent) :]
            except BlockingIOError:
                return

    def receive(self, seconds: float) -> bytes:
        """What was typed; empty after so many seconds."""
        wants = [self._master] if self._unsent else []
        ready, _, _ = select.select([self._master], wants, [], seconds)
        return os.read(self._master, 4096) if ready else b""

    def close(self) -> None:
        """Unplugged."""
        os.close(self._master)
        os.close(self._slave)


class StockBoard:
    """Switched on when entered. files: what its file system holds already, by absolute path.

    speed: how much faster than the wall clock its own time runs.
    """

    def __init__(
        self,
        kind: tuple[str, str] = PICO_2,
        files: dict[str, bytes] | None = None,
        *,
        flash_bytes: int = 1408 * KIB,
        heap_bytes: int = 192 * KIB,
        speed: int = 1,
    ) -> None:
        self._speed = speed
        self._board = WasmBoard(
            files or {}, stock=kind, flash_bytes=flash_bytes, heap_bytes=heap_bytes
        )
        self._repl = Repl(self._board, f"MicroPython v1.29.0 on 2026-08-29; {kind[1]}")
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.power_on()
        return self

    def __exit__(self, *_error: object) -> None:
        self._unplug()
        self._board.close()

    def power_on(self) -> None:
        """Switch it on, after a power cut; its lines have other names then."""
        self._unplug()
        self._prompt, self._link = UsbLine(), UartPort(None, pty=True)
        self._board.boot()
        self._prompt.send(self._repl.start())
        self._ends.clear()
        self._thread = threading.Thread(target=self._live, daemon=True)
        self._thread.start()

    @property
    def prompt(self) -> str:
        """Device path of the line its interpreter answers on."""
        return self._prompt.pty

    @property
    def link(self) -> str:
        """Device path of the other end of its UART 0."""
        return self._link.pty

    @property
    def files(self) -> dict[str, bytes]:
        """What its file system holds now."""
        with self._lock:
            return self._board.flash

    @property
    def writes(self) -> int:
        """Changes of its file system so far."""
        with self._lock:
            return self._board.flash_writes

    @property
    def is_at_prompt(self) -> bool:
        """No program runs."""
        with self._lock:
            return self._board.is_at_prompt

    def wait(self, seconds: float) -> None:
        """Let it live for so long, or until its power goes."""
        if self._thread is not None:
            self._thread.join(seconds)

    def put(self, path: str, data: bytes) -> None:
        """Set a file from outside."""
        with self._lock:
            self._board.put_flash(path, data)

    def erase(self) -> None:
        """Erase the flash, as its boot loader does; its lines have other names then."""
        self._unplug()
        self._board.erase_flash()
        self.power_on()

    def power_cut_after(self, *, writes: int, byte: int) -> None:
        """Cut the power at a change of the file system: see WasmBoard."""
        with self._lock:
            self._board.power_cut_after(writes=writes, byte=byte)

    def _live(self) -> None:
        try:
            self._turn()
        finally:
            self._prompt.close()
            self._link.close()

    def _turn(self) -> None:
        offset_us = self._board.now_us - self._clock_us()
        while not self._ends.is_set():
            typed, heard = self._prompt.receive(_LOOK_S), self._link.receive(0.0)
            with self._lock:
                self._prompt.send(self._repl.feed(typed) if typed else b"")
                now = self._board.now_us
                events = [[now, "rx", 0, heard.hex()]] if heard else []
                until = max(now, self._clock_us() + offset_us)
                self._link.send(self._board.play(events, until).sent)
                if self._board.is_off:
                    return

    def _clock_us(self) -> int:
        return time.monotonic_ns() * self._speed // 1000

    def _unplug(self) -> None:
        if self._thread is not None:
            self._ends.set()
            self._thread.join()
            self._thread = None
