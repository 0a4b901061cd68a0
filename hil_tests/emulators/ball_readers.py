"""The two readers of a draw machine on one line: what they read, and say four times a second."""

from __future__ import annotations

import random
from bisect import insort
from typing import NamedTuple

PERIOD_US = 250_000
BYTE_US = 1_042  # at 9600 baud


class Tag(NamedTuple):
    """What a ball carries. number 0: it cannot be read."""

    number: int
    ball_set: int


UNREADABLE = Tag(0, 0)


class TwoReaders:
    """E at the exit, T at the tube. damage: share of lines a byte of which is disturbed.

    unplugged: letters of those nobody hears.
    """

    def __init__(self, rng: random.Random, damage: float) -> None:
        self.unplugged = ""
        self._rng = rng
        self._damage = damage
        self._count = {letter: rng.randrange(256) for letter in "ET"}
        self._last = dict.fromkeys("ET", UNREADABLE)
        self._agenda: list[tuple[int, int, str, Tag | None]] = []
        self._order = 0
        self._free_us = 0
        for at, letter in enumerate("ET"):
            self._put(PERIOD_US + at * PERIOD_US // 2, letter, None)

    def read(self, letter: str, t_us: int, tag: Tag) -> None:
        """Have a reader read a tag at a time."""
        self._put(t_us, letter, tag)

    def _put(self, t_us: int, letter: str, tag: Tag | None) -> None:
        self._order += 1
        insort(self._agenda, (t_us, self._order, letter, tag))

    def said_until(self, t_us: int) -> list[tuple[int, bytes]]:
        """Return (time of its last byte, line) of each line up to t_us."""
        found = []
        while self._agenda and self._agenda[0][0] <= t_us:
            when, _, letter, tag = self._agenda.pop(0)
            if tag is None:
                self._put(when + PERIOD_US, letter, None)
            else:
                self._count[letter] = (self._count[letter] + 1) % 256
                self._last[letter] = tag
            if letter not in self.unplugged:
                line = self._line(letter)
                # One speaks after the other; what is not over by t_us is told in the next slice.
                self._free_us = max(self._free_us, when) + len(line) * BYTE_US
                found.append((min(self._free_us, t_us), line))
        return found

    def _line(self, letter: str) -> bytes:
        tag = self._last[letter]
        line = bytearray(line_of(letter, self._count[letter], tag))
        if self._rng.random() < self._damage:
            line[self._rng.randrange(len(line) - 1)] ^= 1 << self._rng.randrange(7)
        return bytes(line)


def line_of(letter: str, count: int, tag: Tag) -> bytes:
    """Return the bytes on the line, with their check: the exclusive or of all before the star."""
    text = f"{letter},{count},{tag.number},{tag.ball_set}"
    check = 0
    for byte in text.encode():
        check ^= byte
    return f"{text}*{check:02X}\n".encode()
