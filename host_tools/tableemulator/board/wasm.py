"""Rig `wasm`: the shipped firmware on a real MicroPython machine, in virtual time.

One WasmBoard is one board with its flash. Time is microseconds since power-on; it moves only in
play() and in the firmware's own sleeps. The same calls always give the same output.

What differs from a board: code takes no time (in a race run 10 us a line, or see turn_us), so a
loop that polls the clock never ends and is cut off after limit_s; garbage is collected only
between wake-ups; asyncio.run starts the main task and returns, so nothing may follow it in
main.py; floats are double; flash changes are at once (harsher than LittleFS), and take no time.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tableemulator.board.node import find_package
from tableemulator.board.process import BoardProcess, EmulatedBoard

KIB = 1024
EVENT_PARTS = 4  # time, kind, where, what
# Latch pin of the shift registers on each SPI bus of the emulated board (boards/emulated).
LATCHES = {1: 13}
_SCRIPT = Path(__file__).with_name("wasm_board.mjs")

Event = Sequence[Any]


class VmError(Exception):
    """Code run by exec() raised; the text is the traceback, printed: what came before it."""

    def __init__(self, text: str, printed: str) -> None:
        super().__init__(text)
        self.printed = printed


@dataclass(frozen=True)
class Output:
    """What came out of the board since the last output.

    tx: UART 0, (time the last byte of the chunk left the line, bytes); pins: (time, pin, level) of
    the outputs, but for the latches of shift registers;
    errors: everything on standard error, uncaught exceptions included; resets: (time, cause),
    cause one of hard, soft, watchdog, power, power_cut; printed: what print() wrote; console:
    (time, character) whenever the one that stops the program changed, 3 Control-C, -1 none;
    flash_writes: changes of the flash since the board was made.
    """

    tx: list[tuple[int, bytes]]
    pins: list[tuple[int, int, int]]
    errors: str
    resets: list[tuple[int, str]]
    printed: str
    console: list[tuple[int, int]]
    flash_writes: int = 0

    @property
    def sent(self) -> bytes:
        """All bytes of tx in one piece."""
        return b"".join(data for _, data in self.tx)


def _text(files: Mapping[str, bytes]) -> dict[str, str]:
    return {name: b64encode(data).decode() for name, data in files.items()}


class WasmBoard(EmulatedBoard):
    """An emulated board.

    files: read-only program files by device path. rom: image of a ROMFS, mounted at /rom, whose
    compiled modules run in place. heap_bytes: size of the firmware's heap.
    flash: files at "/flash/..." that survive a reset, in flash_bytes. stock: (build, machine) as
    the interpreter of a board names them; then the whole file system is that flash, files are
    what it holds at first, and nothing else runs. start_us: virtual time at power-on.
    seed: of os.urandom and random. limit_s: longest wall-clock time of one call, seconds.
    turn_us: what the tasks take when they are woken; None: what they do by the wall clock, for a
    board others talk to. Then a call may end later than until_us, and what happened meanwhile
    comes late.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        *,
        rom: bytes = b"",
        heap_bytes: int = 192 * KIB,
        flash: Mapping[str, bytes] | None = None,
        flash_bytes: int = 352 * 4 * KIB,
        stock: tuple[str, str] | None = None,
        settrace: bool = False,
        start_us: int = 0,
        tight: bool = False,
        race: bool = False,
        turn_us: int | None = 0,
        seed: int = 1,
        latches: Mapping[int, int] | None = None,
        limit_s: float = 120.0,
    ) -> None:
        self._files = frozenset(files)
        self._is_strict = turn_us == 0
        settings = {
            "packageDir": str(find_package()),
            "files": {} if stock else _text(files),
            "rom": b64encode(rom).decode(),
            "flash": _text((files if stock else flash) or {}),
            "flashBytes": flash_bytes,
            "stock": "\n".join(stock or ()),
            "heapBytes": heap_bytes,
            "settrace": settrace or race,
            "race": race,
            "turnUs": turn_us,
            "startUs": start_us,
            "tight": tight,
            "seed": seed,
            "latches": dict(LATCHES if latches is None else latches),
        }
        super().__init__(BoardProcess(_SCRIPT, limit_s, settings), start_us)

    def _output(self, answer: dict[str, Any]) -> Output:
        self._now = answer["now"]
        return Output(
            tx=[(time, bytes.fromhex(data)) for time, data in answer["tx"]],
            pins=[(time, pin, level) for time, pin, level in answer["pins"]],
            errors=answer["errors"],
            resets=[(time, cause) for time, cause in answer["resets"]],
            printed=answer["printed"],
            console=[(time, character) for time, character in answer["console"]],
            flash_writes=answer["writes"],
        )

    def boot(self, cause: str = "power") -> Output:
        """Switch on and run boot.py and main.py until the tasks sleep."""
        return self._output(self._process.ask({"op": "boot", "cause": cause}))

    def play(self, events: Sequence[Event], until_us: int) -> Output:
        """Run to until_us, delivering the events on the way.

        events: [t_us, "pin", number, level], [t_us, "rx", uart, hex], [t_us, "spi", bus, hex],
        [t_us, "adc", pin, raw 0..65535], [t_us, "frame", pin, base64 of the greys], in any order,
        none in the past; those later than until_us wait for the next call. Of two frames, apart
        by a space, the board sees the second while the pin is high.
        """
        # In one list: lists of lists take three times as long to write and to read.
        flat = list(chain.from_iterable(events))
        earliest_us = min([until_us, *flat[::EVENT_PARTS]])
        if earliest_us < self._now and self._is_strict:
            raise ValueError(f"time is already {self._now} us")
        command = {"op": "play", "events": flat, "until": until_us}
        return self._output(self._process.ask(command))

    @property
    def flash(self) -> dict[str, bytes]:
        """The writable files as they are now."""
        files: dict[str, str] = self._process.ask({"op": "flash"})["files"]
        return {name: b64decode(data) for name, data in files.items()}

    @property
    def flash_writes(self) -> int:
        """Changes of the flash since the board was made."""
        return int(self._process.ask({"op": "flash"})["writes"])

    def put_flash(self, path: str, data: bytes) -> None:
        """Set a file of the flash from outside."""
        text = b64encode(data).decode()
        self._process.ask({"op": "put", "name": path, "data": text})

    def erase_flash(self) -> None:
        """Remove every file and folder of the flash from outside; a power cut to come is off."""
        self._process.ask({"op": "erase"})

    def exec(self, code: str) -> str:
        """Run code in the namespace of __main__ and return what it printed."""
        answer = self._process.ask({"op": "exec", "code": code})
        if answer["failure"] is not None:
            raise VmError(answer["failure"], answer["out"])
        return str(answer["out"])

    def mem(self) -> tuple[int, int, int]:
        """Bytes of heap (in use, free, most in use), the rig's own share left out.

        In use and free are after a collection. Most in use counts from the end of boot() and is
        exact in a tight run: the data alive and the garbage of one turn.
        """
        alloc, free, peak = self._process.ask({"op": "memory"})["memory"]
        return alloc, free, peak

    def cpu_us(self) -> int:
        """CPU time of the board's process, microseconds since its start."""
        return int(self._process.ask({"op": "cpu"})["us"])

    def coverage(self) -> dict[str, set[int]]:
        """Lines run so far by program file (settrace or race)."""
        lines: dict[str, list[int]] = self._process.ask({"op": "coverage"})["lines"]
        named = {"/" + name.lstrip("/"): set(numbers) for name, numbers in lines.items()}
        return {name: numbers for name, numbers in named.items() if self._is_program(name)}

    def _is_program(self, name: str) -> bool:
        return name in self._files or name.removesuffix(".py") + ".mpy" in self._files

    def reset(self, cause: str = "hard", *, main: bool = True) -> Output:
        """Reset: a new machine, the same flash, time goes on; the program runs again.

        main: False leaves main.py out, as the raw REPL does.
        """
        return self._output(self._process.ask({"op": "reset", "cause": cause, "main": main}))

    def interrupt(self) -> bool:
        """Control-C at the interpreter; whether it stopped the program."""
        return bool(self._process.ask({"op": "interrupt"})["stopped"])

    @property
    def is_off(self) -> bool:
        """No power."""
        return bool(self._process.ask({"op": "state"})["off"])

    @property
    def is_at_prompt(self) -> bool:
        """No program runs: the interpreter waits for a line."""
        return bool(self._process.ask({"op": "state"})["prompt"])

    @property
    def starts(self) -> int:
        """How often it was switched on or started anew."""
        return int(self._process.ask({"op": "state"})["starts"])

    def power_cut_after(self, *, writes: int, byte: int) -> None:
        """Cut the power at the writes-th flash change from now, after `byte` bytes of it.

        The cut shows as a reset with cause power_cut; the board stays off until boot().
        """
        self._process.ask({"op": "cut", "writes": writes, "byte": byte})
