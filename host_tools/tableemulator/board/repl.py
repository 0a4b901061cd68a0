"""The prompt of a stock board: MicroPython's line protocol around the machine of rig `wasm`.

What a byte does is as in shared/runtime/pyexec.c of MicroPython 1.29: friendly and raw REPL, raw
paste with its window, Control-A to -E, soft reset. The port of the rig has no such prompt, so the
protocol is played here; every line and file it brings is run by the real machine.

What differs from a board: output comes when the code has ended, Control-C does not stop code
given at the prompt, a line of the friendly prompt is echoed and run on its own (no editing, no
continuation, no paste mode), and the line goes on through a reset, as at a USB to serial adapter.
"""

from collections.abc import Callable

from tableemulator.board.wasm import VmError, WasmBoard

# Control-A to -E.
_RAW, _FRIENDLY, _STOP, _END, _PASTE = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05"
_RAW_BANNER = b"raw REPL; CTRL-B to exit\r\n>"
_PROMPT = b">>> "
# Half of the input buffer of a port; the host may have two windows on the way.
WINDOW = 128


class Repl:
    """Bytes in, bytes out. feed() takes what came over the line and returns what goes back.

    banner: the line the friendly prompt begins with.
    """

    def __init__(self, board: WasmBoard, banner: str) -> None:
        self._board = board
        self._banner = f'{banner}\r\nType "help()" for more information.\r\n'.encode() + _PROMPT
        self._out = b""
        self._line = b""
        self._take: Callable[[bytes], None] = self._friendly

    def start(self) -> bytes:
        """The board was switched on, or started anew: what it says before anything is typed."""
        self._take, self._line = self._friendly, b""
        return self._banner if self._board.is_at_prompt else b""

    def feed(self, data: bytes) -> bytes:
        """Take bytes, one after the other, as the interpreter does."""
        self._out = b""
        waits = self._board.is_at_prompt
        for number in data:
            byte = bytes([number])
            if not waits:
                waits = byte == _STOP and self._interrupt()
                continue
            self._take(byte)
            if byte == _END or byte == b"\r":
                waits = self._board.is_at_prompt
        return self._out

    def _interrupt(self) -> bool:
        if not self._board.interrupt():
            return False
        self._out += b"Traceback (most recent call last):\r\nKeyboardInterrupt: \r\n"
        self._out += self.start()
        return True

    # The friendly prompt.

    def _friendly(self, byte: bytes) -> None:
        if byte == _RAW and not self._line:
            self._take = self._raw
            self._out += _RAW_BANNER
        elif byte == _FRIENDLY:
            self._out += b"\r\n" + self._banner
        elif byte == _STOP:
            self._line = b""
            self._out += b"\r\n" + _PROMPT
        elif byte == _END and not self._line:
            self._soft_reset(main=True)
        elif byte == b"\r":
            self._friendly_line()
        elif byte >= b" ":
            self._line += byte
            self._out += byte

    def _friendly_line(self) -> None:
        line, self._line = self._line, b""
        self._out += b"\r\n"
        if line:
            code = b"exec(compile(%r, '<stdin>', 'single'))" % line.decode()
            self._out += self._run(code, b"", _PROMPT)
        else:
            self._out += _PROMPT

    # The raw one.

    def _raw(self, byte: bytes) -> None:
        if byte == _RAW:
            self._begin_raw_again()
        elif byte == _FRIENDLY:
            self._take, self._line = self._friendly, b""
            self._out += b"\r\n" + self._banner
        elif byte == _STOP:
            self._line = b""
        elif byte == _END:
            self._raw_line()
        else:
            self._line += byte

    def _begin_raw_again(self) -> None:
        line, self._line = self._line, b""
        if line == _PASTE + b"A":
            self._out += b"R\x01" + WINDOW.to_bytes(2, "little") + b"\x01"
            self._take = self._paste
        elif line.startswith(_PASTE):
            self._out += b"R\x00"
        else:
            self._out += _RAW_BANNER

    def _raw_line(self) -> None:
        line, self._line = self._line, b""
        self._out += b"OK"
        if line:
            self._answer(line)
        else:
            self._out += b"\r\n"
            self._soft_reset(main=False)

    def _paste(self, byte: bytes) -> None:
        if byte == _STOP:
            self._take, self._line = self._raw, b""
            self._out += (
                b"\x04\x04Traceback (most recent call last):\r\nKeyboardInterrupt: \r\n\x04>"
            )
        elif byte == _END:
            line, self._line = self._line, b""
            self._take = self._raw
            self._out += b"\x04"
            self._answer(line)
        else:
            self._line += byte
            if not len(self._line) % WINDOW:
                self._out += b"\x01"

    def _answer(self, code: bytes) -> None:
        self._out += self._run(code, b"\x04", b"\x04>")

    # Both.

    def _run(self, code: bytes, between: bytes, after: bytes) -> bytes:
        """What the code printed, and its traceback; none of it when the board lost its power."""
        starts = self._board.starts
        try:
            out, failure = self._board.exec(code.decode()), ""
        except VmError as error:
            out, failure = error.printed, str(error)
        if self._board.is_off:
            return b""
        if self._board.starts != starts:
            return self.start()
        return _cook(out) + between + _cook(failure) + after

    def _soft_reset(self, *, main: bool) -> None:
        self._out += b"MPY: soft reboot\r\n"
        printed = self._board.reset("soft", main=main).printed
        self._out += _cook(printed)
        if main:
            self._out += self.start()
        else:
            self._take, self._line = self._raw, b""
            self._out += _RAW_BANNER


def _cook(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()
