"""How well the host reads with its own camera in calibrated trays: rendered throws by family.

    python -m hil_tests.dice_overhead [--rigs N] [--from-rig N] [--scenes N] [--first N]
                                      [FAMILY ...]

The rigs of `hil_tests.dice_rigs` in 640 x 480, each with a rim of its own, rectangular or round;
families are those of that program, and "paper", a printed face instead of a die.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from hil_tests.dice_rigs import (
    HOST_FAMILIES,
    KINDS,
    USUAL,
    Die,
    Tray,
    draw,
    exposed,
    family_of,
    options_of,
    played,
    reach,
    thrown,
    tray_of,
)
from tabletools.dice.overhead.calibration import calibrated
from tabletools.dice.overhead.host_tray import HostTray
from tabletools.dice.overhead.throw import ThrowReading, read_throw
from tabletools.dice.pictures import Frame

Picture = npt.NDArray[np.uint8]
_NOISE = 1.2  # sigma of one frame, greys, beside that of the scene
_LEAST_PX, _MOST_PX = 29, 60


@dataclass(frozen=True)
class OverheadRig:
    """A tray with a rim below the host's camera. px: of a die's edge on the floor."""

    seed: int
    tray: Tray
    is_round: bool
    margin_px: float
    rim: float

    def frames(self, frame: Frame, count: int, seed: int = 0) -> list[Picture]:
        """Return so many frames of a scene, blue, green and red."""
        rng = np.random.default_rng([self.seed, seed])
        grey = np.frombuffer(frame.grey, np.uint8).reshape(frame.height, frame.width)
        base = grey * (1 - self._rim) + self._beside * self._rim
        noisy = [base + rng.normal(0, _NOISE, base.shape) for _ in range(count)]
        return [
            np.repeat((each + 0.5).clip(0, 255).astype(np.uint8)[..., None], 3, 2)
            for each in noisy
        ]

    def scene(self, dice: Sequence[Die], seed: int) -> Frame:
        """Return what the camera sees, without the rim."""
        return exposed(self.tray, draw(self.tray, [*dice]), seed)

    @cached_property
    def _rim(self) -> Any:
        """How much of each pixel is the rim or beside it, 0-1."""
        wide, high = self.tray.size
        mask = np.ones((high, wide), np.float32)
        middle, margin = (wide // 2, high // 2), self.margin_px
        if self.is_round:
            cv2.ellipse(
                mask,
                middle,
                (round(wide / 2 - margin), round(high / 2 - margin)),
                0,
                0,
                360,
                0,
                -1,
                cv2.LINE_AA,
            )
        else:
            mask[round(margin) : round(high - margin), round(margin) : round(wide - margin)] = 0
        return cv2.GaussianBlur(mask, (0, 0), 0.8)

    @cached_property
    def _beside(self) -> Any:
        """Greys of the rim, and of things on the table around it."""
        rng = np.random.default_rng([9, self.seed])
        wide, high = self.tray.size
        picture = np.full((high, wide), self.rim, np.float32)
        for _ in range(12):
            x, y = rng.integers(0, wide), rng.integers(0, high)
            cv2.circle(picture, (int(x), int(y)), int(rng.integers(5, 30)), self.rim * 0.7, -1)
        return picture


def rig_of(seed: int, kind: str = USUAL) -> OverheadRig:
    """Return a rig drawn at random. kind: one of dice_rigs.KINDS."""
    rng = np.random.default_rng([53, seed])
    px, blur = rng.uniform(_LEAST_PX, _MOST_PX), rng.uniform(0.5, 1.0)
    tray = replace(tray_of(10_000 + seed, kind), scale=4, px=px, blur=blur)
    rim = tray.floor + (60 if tray.floor < 128 else -60)
    return OverheadRig(seed, tray, bool(rng.random() < 0.4), rng.uniform(8, 20), rim)


def reach_of(rig: OverheadRig) -> tuple[float, float]:
    """Return how far from the middle a die may be, edges."""
    x, y = reach(rig.tray)
    share = 0.62 if rig.is_round else 0.9
    return share * x, share * y


def calibrate(rig: OverheadRig) -> HostTray:
    """Return the tray as a technician calibrates it. Raises ToolError."""
    rng = np.random.default_rng([6, rig.seed])
    x, y = reach_of(rig)
    empty = [each[..., 0] for each in rig.frames(rig.scene([], 1), 5)]
    pictures = []
    for k, (right, down) in enumerate(((-1, -1), (1, -1), (-1, 1), (1, 1))):
        die = Die(right * x, down * y, 1 + k, rng.uniform(0, 6.28), rig.tray.dice)
        pictures.append(rig.frames(rig.scene([die], 10 + k), 1)[0][..., 0])
    return calibrated(empty, pictures).tray


def throw_of(rig: OverheadRig, family: str, number: int) -> tuple[list[int], Frame]:
    """Return the faces of a throw and what the camera sees of it."""
    rng = np.random.default_rng([sum(family.encode()), number])
    x, y = reach_of(rig)
    far_x, far_y = reach(rig.tray)
    dice = [
        replace(die, x=die.x * x / far_x, y=die.y * y / far_y) for die in thrown(rig.tray, rng)
    ]
    dice = [
        die
        for k, die in enumerate(dice)
        if all(math.hypot(die.x - a.x, die.y - a.y) > 1.7 for a in dice[:k])
    ]
    drawn, frame = family_of(family)(rig.tray, dice, rng, 1000 + number)
    return sorted(die.value for die in drawn), frame


def read(rig: OverheadRig, tray: HostTray, frame: Frame, dice: int, seed: int) -> ThrowReading:
    """Return what the host reads of a throw: up to three looks."""
    return read_throw(tray, rig.frames(frame, 9, seed), dice)


def judged(
    family: str, rigs: Sequence[tuple[OverheadRig, HostTray]], first: int, scenes: int
) -> tuple[Counter[str], Counter[str]]:
    """Return how many throws, and first looks at them, are read or refused so, or are WRONG.

    rigs: as they are, and as they are calibrated.
    """
    throws: Counter[str] = Counter()
    looks: Counter[str] = Counter()
    for number in range(first, first + scenes):
        rig, tray = rigs[number % len(rigs)]
        values, frame = throw_of(rig, family, number)
        reading = read(rig, tray, frame, len(values), number)
        is_wrong = not reading.reason and reading.dice != values
        throws["WRONG" if is_wrong else reading.reason or "read"] += 1
        looks[reading.looks[0].verdict.reason or "read"] += 1
    return throws, looks


def calibrated_rig(seed: int, kind: str) -> tuple[OverheadRig, HostTray]:
    """Return a rig as it is, and as it is calibrated. Raises ToolError."""
    rig = rig_of(seed, kind)
    return rig, calibrate(rig)


def main() -> int:
    """Calibrate the rigs and print a line for each family; 1: short of a target."""
    options = options_of(__doc__, 100, "families", str, (*HOST_FAMILIES, *KINDS[1:]))

    def play(family: str, rigs: list[tuple[OverheadRig, HostTray]]) -> tuple[Counter[str], str]:
        throws, looks = judged(family, rigs, options.first, options.scenes)
        return throws, f"; first looks {looks['read']}"

    return played(options, calibrated_rig, play, "calibrated")


if __name__ == "__main__":
    sys.exit(main())
