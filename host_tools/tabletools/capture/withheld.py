"""Removes keys from captures: what the host sends is split into frames, and keys are blanked.

A frame with a valid CRC that contains no key passes unchanged. A key in the clear becomes zeros
under a new CRC, so the frame is still visible. A tagged frame with a key, bytes that may be part
of one, or a run longer than any frame, become as many bytes FF.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from tabletools.capture.capture_file import TO_TABLE, TextStream, Writer
from tablewire.codec import Frame
from tablewire.framing import Receiver
from tablewire.messages import SET_KEY, VERSION
from tablewire.sender import Sender

_LONGEST = 256
# How the body of such a frame begins; neither byte is changed by the stuffing.
_GIVES_KEY = bytes((VERSION, SET_KEY))


class Withheld:
    """A filter before the writer of a capture. A frame is written when it is complete."""

    def __init__(self, write: Callable[[int, str, bytes], None]) -> None:
        self._write = write
        self._begun = b""
        self._is_overlong = False
        self._t_us = 0

    def chunk(self, t_us: int, direction: str, data: bytes) -> None:
        """Take bytes of one direction, as capture.Writer does."""
        if direction != TO_TABLE:
            self._write(t_us, direction, data)
            return
        self._t_us = t_us
        *whole, self._begun = (self._begun + data).split(b"\0")
        out = b"".join(self._safe(piece) + b"\0" for piece in whole)
        if len(self._begun) > _LONGEST:
            out += _blank(self._begun)
            self._begun, self._is_overlong = b"", True
        if out:
            self._write(t_us, direction, out)

    def close(self) -> None:
        """Write the incomplete rest."""
        if self._begun:
            self._write(self._t_us, TO_TABLE, self._safe(self._begun))
            self._begun = b""

    def _safe(self, piece: bytes) -> bytes:
        if self._is_overlong:
            self._is_overlong = False
            return _blank(piece)
        [frame] = Receiver().feed(piece + b"\0") or [None]
        if not isinstance(frame, Frame):
            place = piece.find(_GIVES_KEY)
            return piece if place < 0 else piece[:place] + _blank(piece[place:])
        if frame.type != SET_KEY:
            return piece
        return _blank(piece) if frame.tag is not None else _without_key(frame)


def capture_to(stream: TextStream, meta: dict[str, Any]) -> Withheld:
    """Return a writer of a capture without keys; its first line comes with the first bytes.

    So nothing is written for a port that could not be opened.
    """
    writer = cache(lambda: Writer(stream, meta))
    return Withheld(lambda *chunk: writer().chunk(*chunk))


def _blank(data: bytes) -> bytes:
    return b"\xff" * len(data)


def _without_key(frame: Frame) -> bytes:
    number, serial, secret = frame.values
    sender = Sender(frame.device, frame.boot)
    sender.counter, sender.round = frame.counter - 1, frame.round
    sender.uptime_high, sender.uptime_low = divmod(frame.uptime_ms, 1 << 16)
    sender.role, sender.echo, sender.echo_ms = frame.role, frame.echo, frame.echo_ms
    return sender.build(SET_KEY, (number, serial, bytes(len(secret))), frame.flags)[:-1]
