"""What a line does to the bytes of a table, proved from the bytes that came.

A line that translates or removes bytes is named once undoing that makes frames whole, which chance
does for one of 2**32. Seven data bits cannot be undone: they are named once no byte of several
refused frames has its eighth bit; the four bytes of each CRC have it as often as not.
"""

import zlib
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from tablewire.cobs import MAX_BODY, unstuff
from tablewire.messages import SEED


class LikelyCause(NamedTuple):
    """Why bytes are no frames. text: the cause; step: what to do next."""

    text: str
    step: str


_BETWEEN = "; a bridge or a terminal program in between may do it as well"
SEVEN_BITS = LikelyCause(
    "the line carries seven data bits: no byte that came has its eighth",
    f"set 8 data bits and no parity: stty -F PORT raw cs8 -parenb{_BETWEEN}",
)
CR_TO_NL = LikelyCause(
    "the line translates carriage return (0x0D) to line feed (0x0A)",
    f"switch the translation off: stty -F PORT raw{_BETWEEN}",
)
NL_TO_CR = LikelyCause(
    "the line translates line feed (0x0A) to carriage return (0x0D)",
    CR_TO_NL.step,
)
XON_XOFF = LikelyCause(
    "software flow control removes the bytes 0x11 (XON) and 0x13 (XOFF)",
    f"switch it off: stty -F PORT raw -ixon -ixoff{_BETWEEN}",
)
ZEROS_REMOVED = LikelyCause(
    "the line removes zero bytes, which end the frames",
    f"have every byte passed on: stty -F PORT raw{_BETWEEN}",
)

_TRANSLATIONS = ((b"\r", 0x0A, CR_TO_NL), (b"\n", 0x0D, NL_TO_CR))
_FLOW_CONTROL = (b"\x11", b"\x13")
MOST_TRANSLATED = 8
"""Bytes of a frame that may be translated ones: each doubles what is tried."""
MOST_TRIED = 200
"""Refused frames that are examined, some 1 ms each: a noisy line never proves anything."""
# Distinct frames that must show it.
_SHOWING = {SEVEN_BITS: 4}
_REPAIRED = 2
_LEAST_BODY, _CRC_BYTES = 10, 4
LONGEST = 4 * (MAX_BODY + 2)
"""Bytes without a zero in which frames are searched for."""


def _is_whole(stuffed: bytes, seed: int) -> bool:
    """Whether bytes without a delimiter are a frame with its CRC."""
    body = unstuff(stuffed) if len(stuffed) <= MAX_BODY + 1 else None
    if body is None or len(body) < _LEAST_BODY:
        return False
    crc = zlib.crc32(body[:-_CRC_BYTES], seed)
    return crc == int.from_bytes(body[-_CRC_BYTES:], "little")


class LineWatch:
    """Collects refused frames until they prove what the line does."""

    def __init__(self, seed: int = SEED) -> None:
        self._seed = seed
        self._tried = 0
        self._proofs: dict[LikelyCause, set[bytes]] = {}
        self._cause: LikelyCause | None = None

    def look(self, stuffed: bytes) -> LikelyCause | None:
        """Take one refused frame with its delimiter; returns the cause once it is certain."""
        piece = stuffed.rstrip(b"\0")
        if self._cause is not None or not piece or self._tried >= MOST_TRIED:
            return self._cause
        self._tried += 1
        cause = self._cause_of(piece)
        if cause is not None:
            proofs = self._proofs.setdefault(cause, set())
            proofs.add(piece)
            if len(proofs) >= _SHOWING.get(cause, _REPAIRED):
                self._cause = cause
        return self._cause

    def _cause_of(self, piece: bytes) -> LikelyCause | None:
        for cause, candidate in _repairs(piece):
            if _is_whole(candidate, self._seed):
                return cause
        if any(byte & 0x80 for byte in piece):
            self._proofs.pop(SEVEN_BITS, None)
            return None
        return SEVEN_BITS


def _repairs(piece: bytes) -> Iterator[tuple[LikelyCause, bytes]]:
    """Yield what a frame may have been before the line changed it, with what changed it."""
    for was, now, cause in _TRANSLATIONS:
        places = [place for place, byte in enumerate(piece) if byte == now]
        if not places or len(places) > MOST_TRANSLATED:
            continue
        for chosen in product((False, True), repeat=len(places)):
            candidate = bytearray(piece)
            for place, is_translated in zip(places, chosen, strict=True):
                if is_translated:
                    candidate[place] = was[0]
            yield cause, bytes(candidate)
    for place in range(len(piece) + 1):
        for byte in _FLOW_CONTROL:
            yield XON_XOFF, piece[:place] + byte + piece[place:]


def without_zeros(data: bytes, seed: int = SEED) -> LikelyCause | None:
    """Return the cause if bytes without any zero are frames one after the other."""
    recent = data[-LONGEST:]
    if 0 in recent:
        return None
    start, whole = 0, 0
    while start < len(recent):
        end = _end_of_frame(recent, start, seed)
        start, whole = (start + 1, whole) if end is None else (end, whole + 1)
        if whole == _REPAIRED:
            return ZEROS_REMOVED
    return None


def _end_of_frame(data: bytes, start: int, seed: int) -> int | None:
    """Return where the frame that begins at `start` ends: one of the places its codes lead to."""
    end = start
    while end < len(data) and end - start <= MAX_BODY + 1:
        end += data[end]
        if end <= len(data) and _is_whole(data[start:end], seed):
            return end
    return None
