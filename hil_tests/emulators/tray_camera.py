"""The camera over a dice tray: what it sees of far wall, cloth and dice, with its noise.

Dice at rest are drawn by ray (dice_tray.py); dice in flight are smears. A frame is made when
somebody looks at it.
"""

from __future__ import annotations

import dataclasses
import random
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hil_tests.emulators.dice_tray.rendering import Scene, render
from hil_tests.emulators.die import Die, Style

# Sensor noise in greys by quality of the table's parts.
SIGMA = {"none": 0.8, "healthy": 1.2, "worn": 2.0}
Noise = npt.NDArray[np.int16]
_POOL = 1 << 17
_DARK_CLOTH = 90.0
_PAPER = 215


class Exposure:
    """One frame as the sensor gives it. base: noiseless greys; noise: a stretch of the pool."""

    def __init__(self, base: bytes, pool: Noise, start: int) -> None:
        self._base = base
        self._pool = pool
        self._start = start

    def greys(self) -> bytes:
        """Return the frame, row by row."""
        noise = self._pool[self._start : self._start + len(self._base)]
        seen = np.frombuffer(self._base, np.uint8) + noise
        data: bytes = np.clip(seen, 0, 255).astype(np.uint8).tobytes()
        return data

    def text(self) -> str:
        """Return the frame as base64."""
        return b64encode(self.greys()).decode()


class TrayCamera:
    """A camera of large or small frames. wall, mark: where they stand, px of a small frame.

    moved_px: how far it was knocked aside. cover: grey of what lies over the lens, None for
    nothing. lit: share of the light that is on. stopped, frozen: no frame, or one for ever.
    hand: an arm reaches in. strip: rows of a small frame on which a strip of paper lies.
    """

    def __init__(self, seed: int | str, *, large: bool = False, noise: str = "healthy") -> None:
        self._rng = random.Random(f"{seed}/camera")
        self.scale = 2 if large else 1
        self.wall, self.mark = 6, 80
        self.px = 22.0  # a die's edge in a small frame
        light = self._rng.random() < 0.7
        self.style = Style() if light else Style(body=30.0, pip=225.0)
        self.table = _DARK_CLOTH if light else 150.0
        sigma = SIGMA[noise]
        drawn = [round(self._rng.gauss(0, sigma)) for _ in range(_POOL)]
        self._pool: Noise = np.array(drawn, np.int16)
        self.moved_px = 0
        self.cover: int | None = None
        self.lit = 1.0
        self.stopped = self.frozen = self.hand = False
        self.strip: tuple[int, int] | None = None
        self._result: bytes | None = None
        self._photograph: bytes | None = None
        self._drawn: tuple[Any, bytes] | None = None
        self._last: Exposure | None = None

    @property
    def width(self) -> int:
        """Return the width of a frame, px."""
        return 160 * self.scale

    @property
    def height(self) -> int:
        """Return the height of a frame, px."""
        return 120 * self.scale

    def scene(self, dice: Sequence[Die]) -> Scene:
        """Return what lies under the lens."""
        return Scene(
            self.width, self.height, self.px * self.scale, 45.0, self.table, (8.0, -6.0), 0.0,
            (0.1, -0.1, 0.98), 0.2, 1, 0.0,
            wall=self.wall * self.scale, mark=self.mark * self.scale + self.moved_px,
            arm=self.hand, dice=list(dice),
        )  # fmt: skip

    def expose(self, dice: Sequence[Die], flying: int) -> Exposure | None:
        """Take a picture of dice at rest and so many in flight; None when it has stopped."""
        if self.stopped:
            return None
        if self.frozen and self._last is not None:
            return self._last
        base = bytearray(self._still(dice))
        for _ in range(flying if self._photograph is None else 0):
            self._smear(base)
        start = self._rng.randrange(_POOL - len(base))
        self._last = Exposure(bytes(base), self._pool, start)
        return self._last

    def note_result(self) -> None:
        """A round gave faces: somebody may take a photograph of that."""
        self._result = self._drawn[1] if self._drawn else None

    def show_last(self, shown: bool = True) -> bool:
        """Lay a photograph of the last result under the lens, or take it away; whether it lies."""
        self._photograph = self._result if shown else None
        return self._photograph is not None

    def _still(self, dice: Sequence[Die]) -> bytes:
        if self._photograph is not None:
            return self._photograph
        if self.cover is not None:
            return bytes([self.cover]) * (self.width * self.height)
        key = (tuple(dice), self.moved_px, self.lit, self.hand, self.strip)
        if self._drawn is None or self._drawn[0] != key:
            made = render(self.scene(dice), 1)
            if self.strip is not None:
                first, end = (row * self.scale * self.width for row in self.strip)
                made = made[:first] + bytes([_PAPER]) * (end - first) + made[end:]
            if self.lit < 1:
                made = bytes(int(grey * self.lit) for grey in made)
            self._drawn = (key, made)
        return self._drawn[1]

    def _smear(self, base: bytearray) -> None:
        """Draw a die in flight: a grey streak somewhere."""
        long, wide = round(2.2 * self.px * self.scale), round(0.9 * self.px * self.scale)
        x = self._rng.randrange(self.width - wide)
        y = self._rng.randrange(self.height - long)
        row = bytes([int(self.table * 1.4)]) * wide
        for line in range(y, y + long):
            base[line * self.width + x : line * self.width + x + wide] = row

    def placed(self, die: Die, x: float, y: float) -> Die:
        """Return the die with its middle at a pixel of a small frame."""
        return dataclasses.replace(die, x=(x - 80) / self.px, y=(y - 60) / self.px)
