"""The sensors of a roulette wheel: what stands where, and the switches under the pockets."""

from __future__ import annotations

import random

from hil_tests.emulators import geometry as g
from hil_tests.emulators.core.motion import Mark
from hil_tests.emulators.core.sensor_lines import Bank
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.noise import LEVELS


def ring_marks(geometry: Geometry, spread: list[float], missing: frozenset[int]) -> list[Mark]:
    """Return the marks of ring and index on the rotor, in turns of P / pockets.

    spread: displacement of each pocket's magnet, in pockets. missing: magnets that fell off.
    """
    n, half = geometry.pockets, g.RING_HALF_WIDTH
    marks: list[Mark] = []
    for k in range(n):
        if k in missing:
            continue
        for pin, centre in ((g.ROTOR_A, k + spread[k]), (g.ROTOR_B, k + 0.25 + spread[k])):
            marks.append(((centre - half) / n, pin, 1))
            marks.append(((centre + half) / n, pin, -1))
    index = geometry.index_offset - 0.5
    marks.append(((index - g.INDEX_HALF_WIDTH) / n, g.INDEX, 1))
    marks.append(((index + g.INDEX_HALF_WIDTH) / n, g.INDEX, -1))
    return marks


def rim_marks(geometry: Geometry, arc: float) -> list[Mark]:
    """Return the marks of the rim sensors for a body that covers `arc` turns of the rim."""
    places = ((g.RIM_1, 0.0), (g.RIM_2, geometry.rim_2_deg / 360))
    return [
        mark
        for pin, place in places
        for mark in ((place - arc / 2, pin, 1), (place + arc / 2, pin, -1))
    ]


def head_marks(geometry: Geometry, pocket: int) -> list[Mark]:
    """Return the marks of the reader head for a ball in the pocket, in turns of P / pockets."""
    n = geometry.pockets
    centre = pocket / n - geometry.head_deg / 360
    half = g.HEAD_HALF_WIDTH / n
    return [(centre - half, g.HEAD, 1), (centre + half, g.HEAD, -1)]


class Sensors(Bank):
    """All sensor lines of one wheel, and the pocket switches if it has them."""

    def __init__(self, geometry: Geometry, seed: int | str, noise: str) -> None:
        self.geometry = geometry
        quality = LEVELS[noise]
        missed = dict.fromkeys(g.SENSOR_PINS, quality.missed_tick)
        missed[g.RIM_1] = missed[g.RIM_2] = quality.missed_pass
        super().__init__(missed, g.INPUT_PINS, seed, quality)
        placing = random.Random(f"{seed}/magnets")
        self.spread = [placing.gauss(0, quality.placement) for _ in range(geometry.pockets)]
        self._switches: dict[int, int] = {}
        self._note_array(0)

    def close_switch(self, t_us: int, pocket: int) -> None:
        """Let one more ball (or magnet) lie on the pocket's switch."""
        self._switches[pocket] = self._switches.get(pocket, 0) + 1
        self._note_array(t_us)

    def open_switch(self, t_us: int, pocket: int) -> None:
        """Let one ball less lie on the pocket's switch."""
        self._switches[pocket] -= 1
        self._note_array(t_us)

    def _note_array(self, t_us: int) -> None:
        if not self.geometry.has_array:
            return
        bits = bytearray(g.ARRAY_BYTES)
        for pocket, count in self._switches.items():
            if count > 0:
                bits[pocket >> 3] |= 1 << (pocket & 7)
        self.note([t_us, "spi", g.ARRAY_SPI, bits.hex()])
