"""An index at its place and beside it, on rings as hall switches of every spread make them.

Wheels of `hil_tests.physics`. For how much of a pitch a switch is on, and how much later it goes
off than it came on, from the field of the discs (`hil_tests.magnets`): an index of 5 x 2 mm is on
for 0.115 to 0.19 either way, and hysteresis shifts its middle by 0.014 at most, that of a ring of
12 x 3 mm by 0.008, the way the rotor turns.
"""

from __future__ import annotations

import random
from typing import NamedTuple

import pytest

from hil_tests.physics.built_wheel import INDEX, Lines, Rotor, cover, draw_build, rotor_marks
from hil_tests.physics.making import Sink, configured
from tablelogic.roulette.roulette import Roulette

WHEELS = 60
TURNS = 5
TICK_US = 40_000
MASK = (1 << 30) - 1


class Closed(Sink):
    """No round opens."""

    def may_open(self) -> bool:
        return False


class Turned(NamedTuple):
    """lost: codes of what was lost. offs: of each index, see Rotor. has_place: at the end."""

    lost: set[int]
    offs: list[int]
    has_place: bool


def turned(seed: int, off: float) -> Turned:
    """Turn a wheel for five turns, at 6 to 30 rpm either way. off: of its index, in pockets."""
    rng = random.Random(f"index/{seed}")
    build = draw_build(rng)
    build.index_half = rng.uniform(0.115, 0.19)
    build.index_at = (off - 0.5,)
    shifts = {INDEX: rng.uniform(0.003, 0.014)}
    ring_shift = rng.uniform(0.0, 0.008)
    rpm = rng.choice((1, -1)) * rng.uniform(6.0, 30.0)
    wheel, lines = Rotor(rng, build.pockets, rpm), Lines(rng, build)
    for sensor, place, half in rotor_marks(build):
        place -= wheel.way * shifts.get(sensor, ring_shift)
        cover(wheel, lines, sensor, place, half, 0.0, TURNS * 60 / abs(rpm))
    role = Roulette(configured({"wheel": 1 if build.pockets == 37 else 2}), Closed())
    return _play(role, lines)


def _play(role: Roulette, lines: Lines) -> Turned:
    lost, offs, now_us = set(), [], 0
    for t_s, sensor, level in lines.edges():
        t_us = int(t_s * 1e6)
        while now_us + TICK_US < t_us:
            now_us += TICK_US
            role.tick(now_us & MASK)
            lost.add(role.rotor.lost())
        role.edge(sensor, level, t_us & MASK)
        if sensor == INDEX and not level:
            offs.append(role.rotor.index_off)
    ring = role.rotor.ring
    place = role.rotor.place_at(ring.a_us + ring.width_us // 2, 0)
    return Turned(lost - {0}, offs[1:], place >= 0)


def test_a_right_index_is_within_a_twelfth_of_a_pocket() -> None:
    """Of 400 wheels -5 to 4 sixty-fourths; 13 are void, the walk demands 9."""
    for seed in range(WHEELS):
        result = turned(seed, 0.0)
        assert result.has_place
        assert not result.lost
        assert max(map(abs, result.offs)) <= 5, seed


@pytest.mark.parametrize("off", [0.28, 0.33, 0.5, 0.67, 0.7])
def test_an_index_beside_its_place_is_lost_either_way(off: float) -> None:
    """From 0.28 pocket on ticks and index may change their order: no place, and 205."""
    for seed in range(WHEELS):
        result = turned(seed, off)
        assert result.lost == {205}, seed
        assert not result.has_place
