"""A sensor line that breaks and is mended, whatever goes on on it at that moment."""

from __future__ import annotations

import random

import pytest

from tableemulator.machines.core.sensor_lines import LEVELS, Line, PinEvent

PIN = 5
WORN = LEVELS["worn"]


def level(out: list[PinEvent], t_us: int) -> int:
    """Return the level of the pin at a time, from the level changes written."""
    levels = [level for when, _pin, level in sorted(out) if when <= t_us]
    return levels[-1] if levels else 0


@pytest.mark.parametrize("stuck", [0, 1])
def test_a_broken_sensor_stays_at_its_level(stuck: int) -> None:
    """Broken in the middle of an edge, of its bounce, or at rest: the line never moves again.

    A worn line delays an edge by up to 215 us and bounces for 2 ms after it.
    """
    for seed in range(200):
        rng = random.Random(seed)
        out: list[PinEvent] = []
        line = Line(PIN, rng, WORN, 0.0, out)
        line.feed(1_000_000, 1)
        broken_us = 1_000_000 + rng.randrange(3000)
        line.hold(broken_us, stuck)
        for t_us in range(1_100_000, 2_000_000, 100_000):
            line.feed(t_us, t_us // 100_000 % 2)
        line.settle(2_000_000)
        assert level(out, broken_us) == stuck
        assert level(out, 1_050_000) == stuck, seed
        assert level(out, 2_000_000) == stuck, seed


def test_other_lines_keep_what_they_were_to_show() -> None:
    """Lines share what they write to; a broken one takes back only its own."""
    out: list[PinEvent] = []
    quiet = LEVELS["none"]
    broken = Line(PIN, random.Random(1), quiet, 0.0, out)
    other = Line(PIN + 1, random.Random(2), quiet, 0.0, out)
    broken.feed(1000, 1)
    other.feed(1000, 1)
    broken.hold(900, 0)
    assert out == [(1000, PIN + 1, 1), (900, PIN, 0)]


def test_a_mended_sensor_shows_the_truth() -> None:
    """At once the level of what it covers, and every edge after that."""
    out: list[PinEvent] = []
    line = Line(PIN, random.Random(1), LEVELS["none"], 0.0, out)
    line.hold(1000, 0)
    line.feed(2000, 1)
    line.release(3000)
    line.feed(4000, 0)
    assert out == [(1000, PIN, 0), (3000, PIN, 1), (4000, PIN, 0)]
