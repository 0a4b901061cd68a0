"""Motion in closed form: positions, crossing times and marks of a circle, worked out by hand."""

from __future__ import annotations

import math

import pytest

from tableemulator.machines.core.motion import NEVER, Coast, Crossings, Motion, Uniform, follow

KEY = 9
WINDOW = [(0.25, KEY, 1), (0.5, KEY, -1)]


def test_uniform_motion_reaches_places_when_school_physics_says() -> None:
    """v0 2, a -0.5: 3 turns after 2 s (2*2 - 0.25*4), at 1 turn/s; it never gets to 4.5."""
    leg = Uniform(10.0, 100.0, 2.0, -0.5)
    assert leg.time_at(103.0) == pytest.approx(12.0)
    assert leg.speed(12.0) == pytest.approx(1.0)
    assert leg.position(12.0) == pytest.approx(103.0)
    assert leg.time_at(104.5) == NEVER


def test_uniform_motion_from_rest_takes_the_root_of_twice_the_way() -> None:
    """From rest, a -2: one turn back takes 1 s."""
    leg = Uniform(0.0, 0.0, 0.0, -2.0)
    assert leg.direction == -1
    assert leg.time_at(-1.0) == pytest.approx(1.0)


def test_a_coasting_rotor_has_98_percent_of_its_speed_after_a_turn() -> None:
    """exp(-0.0202) = 0.98."""
    coast = Coast(0.0, 0.0, -0.25, 0.0202)
    after = coast.time_at(-1.0)
    assert coast.position(after) == pytest.approx(-1.0)
    assert coast.speed(after) == pytest.approx(-0.25 * 0.98, rel=1e-4)


def test_legs_are_laid_end_to_end() -> None:
    """2 turns/s braked by 1 for 1 s covers 1.5; steady 1 turn/s afterwards."""
    motion = follow(0.0, 0.0, 2.0, [(-1.0, 1.0)])
    assert motion.position(1.0) == pytest.approx(1.5)
    assert motion.position(4.0) == pytest.approx(4.5)


def test_marks_are_passed_in_either_direction() -> None:
    """At 1 turn/s from 0 the window is entered at 0.25 s, left at 0.5 s, and so each turn."""
    up = Crossings(Motion([Uniform(0.0, 0.0, 1.0)]), WINDOW, 0.0)
    assert up.until(1.5) == [(0.25, KEY, 1), (0.5, KEY, -1), (1.25, KEY, 1), (1.5, KEY, -1)]
    down = Crossings(Motion([Uniform(0.0, 0.0, -1.0)]), WINDOW, 0.0)
    assert down.until(1.0) == [(0.5, KEY, 1), (0.75, KEY, -1)]


def test_turning_back_inside_a_window_leaves_it_where_it_was_entered() -> None:
    """In at 0.25 s, turned at 0.375 s, out at 0.5 s through the same mark."""
    motion = Motion([Uniform(0.0, 0.0, 1.0)])
    crossings = Crossings(motion, WINDOW, 0.0)
    assert crossings.until(0.375) == [(0.25, KEY, 1)]
    assert crossings.covered() == {KEY: 1}
    motion.redirect(0.375, [Uniform(0.375, 0.375, -1.0)])
    assert crossings.until(1.0) == [(0.5, KEY, -1)]
    assert crossings.covered() == {KEY: 0}


def test_a_window_over_the_seam_covers_both_sides_of_it() -> None:
    """From 0.9 to 0.1: covered at 0.0 and 0.95, free at 0.5."""
    seam = [(0.9, KEY, 1), (1.1, KEY, -1)]
    for place, covered in ((0.0, 1), (0.95, 1), (0.5, 0), (-0.05, 1), (7.0, 1)):
        still = Crossings(Motion([Uniform(0.0, place)]), seam, 0.0)
        assert still.covered() == {KEY: covered}
        assert still.until(100.0) == []


def test_cutting_time_into_pieces_changes_nothing() -> None:
    """A decelerated run gives the same crossings in one piece and in 997 pieces."""

    def run(pieces: int) -> list[tuple[float, int, int]]:
        motion = Motion([Uniform(0.0, 0.3, 2.0, -0.2, 5.0), Coast(5.0, 7.8, 1.0, 0.02)])
        crossings = Crossings(motion, WINDOW, 0.0)
        return [c for i in range(1, pieces + 1) for c in crossings.until(20.0 * i / pieces)]

    whole = run(1)
    assert len(whole) > 30
    assert run(997) == whole
    assert all(math.isfinite(when) for when, _key, _step in whole)
