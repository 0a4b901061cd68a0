"""The rim of a wheel measured from laps: on balls whose law is known, drawn here."""

import dataclasses
import math
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest

from tabletools.errors import ToolError
from tabletools.replay import Edge, Trace
from tabletools.roulette_rim.lap_law import measure
from tabletools.roulette_rim.proposal import SPINS, propose
from tabletools.roulette_rim.spin import Pass, Spin, spin_of
from tablewire import roulette, settings

STEP_S = 0.004


def spin_by_hand(laps_s: Sequence[float]) -> Spin:
    """Return a spin whose laps were timed by hand at one place."""
    times = [0.0]
    for lap_s in laps_s:
        times.append(times[-1] + lap_s)
    passes = tuple(Pass(0, s, 0.0) for s in times)
    return Spin(passes, tuple(float(k) for k in range(len(times))), laps_s[-1])


def passes_of(rng, law, rough=0.0, jitter_s=0.0001, places=(0.0, 0.25), from_spin=0.0):
    """When one ball passes each place; law: (steady, square). It leaves at 0.55 turns/s."""
    more = 1 + rng.gauss(0.0, from_spin)
    steady, square = (each * more for each in law)
    speed, turned, now_s, renews_s, factor = rng.uniform(1.6, 2.2), rng.random(), 0.0, 0.0, 1.0
    passes = []
    while speed > 0.55:
        if now_s >= renews_s:
            factor = 1 + rough * rng.gauss(0.0, 1.0)
            renews_s = now_s + rng.expovariate(6.0)
        slows = factor * (steady + square * speed * speed)
        far = speed * STEP_S - slows * STEP_S**2 / 2
        for rim, place in enumerate(places):
            ahead = (place - turned) % 1.0
            if ahead < far:
                at_s = now_s + ahead / (speed - slows * ahead / speed / 2)
                passes.append(Pass(rim, at_s + rng.gauss(0.0, jitter_s), 0.01 / speed))
        turned, speed, now_s = (turned + far) % 1.0, speed - slows * STEP_S, now_s + STEP_S
    return passes


def spin(seed, law=(0.1, 0.03), **more):
    """One spin of a ball past two sensors, whose end was seen."""
    passes = passes_of(random.Random(seed), law, **more)
    turns = [0.0]
    for before, after in pairwise(passes):
        turns.append(turns[-1] + (0.25 if after.rim else 0.75) + (before.rim == after.rim))
    drop = passes[-1].s - next(each.s for each in passes[-2::-1] if each.rim == passes[-1].rim)
    return Spin(tuple(passes), tuple(turns), drop)


def spins(rough, **more):
    return [spin(f"{rough}/{k}", rough=rough, **more) for k in range(SPINS)]


def factory():
    return list(settings.factory())


@pytest.mark.parametrize("rough", [0.0, 0.05, 0.1, 0.2])
@pytest.mark.parametrize("law", [(0.135, 0.0), (0.04, 0.038)])
def test_law_and_roughness_are_found(rough, law):
    """Laws of real balls (FITS of hil_tests.physics): drag to 2 %, roughness to a sixth."""
    estimate = measure(spins(rough, law=law), 0.0004)
    at_1_hz = estimate.steady.value + estimate.square.value
    assert at_1_hz == pytest.approx(sum(law), rel=0.02)
    assert estimate.square.value == pytest.approx(law[1], abs=0.004)
    assert estimate.roughness.value == pytest.approx(rough, rel=1 / 6, abs=0.005)
    assert estimate.roughness.low <= estimate.roughness.value <= estimate.roughness.high
    assert estimate.jitter_s.value < 0.0003
    assert estimate.odd == 0


def test_jitter_is_not_roughness():
    """Passes that scatter by 0.5 ms on a smooth rim: the device needs room for what it has not."""
    estimate = measure(spins(0.0, jitter_s=0.0005), 0.0004)
    assert estimate.jitter_s.value == pytest.approx(0.0005, rel=0.1)
    assert estimate.roughness.high < 0.02
    assert estimate.needs.value > 0.02
    assert measure(spins(0.0, jitter_s=0.0003), 0.0004).needs.value < 0.02


def test_drag_that_differs_from_spin_to_spin_needs_room():
    """By 5 %: the slowest lap, of 1.8 s, needs as much as roughness 0.05 sqrt(1.8 / 0.222)."""
    estimate = measure(spins(0.0, from_spin=0.05), 0.0004)
    assert estimate.spins.value == pytest.approx(0.05, rel=0.3)
    wanted = estimate.spins.value * math.sqrt(estimate.laps_s[1] / 0.222)
    assert estimate.needs.value == pytest.approx(wanted, rel=0.1)


def test_keys_are_the_upper_ends_with_a_margin():
    """And no narrower than a wheel may have: 20."""
    keys = propose(spins(0.1), 2, factory())
    assert keys.keys[roulette.RIM_ROUGHNESS] == math.ceil(keys.law.needs.high * 1250)
    assert 110 < keys.keys[roulette.RIM_ROUGHNESS] < 180
    assert keys.keys[roulette.LAP_STEADY] == pytest.approx(1000, abs=20)
    assert keys.keys[roulette.LAP_SQUARE] == pytest.approx(300, abs=20)
    assert keys.keys[roulette.STUCK_LAP_MS] == 2600
    assert keys.keys[roulette.DROP_LAP_MS] < 1000 * min(keys.drop_laps_s)
    assert propose(spins(0.0), 2, factory()).keys[roulette.RIM_ROUGHNESS] == 20


def refusal(*words):
    with pytest.raises(ToolError) as caught:
        propose(*words, factory())
    return " ".join(caught.value.lines())


def test_a_wheel_is_refused_with_figures():
    """Too few spins; a rim as rough as 35 %; passes as late as 4 ms; balls that were caught."""
    text = refusal(spins(0.05)[1:], 2)
    assert "29 usable spins of 29 (at least 30" in text
    text = refusal(spins(0.35), 2)
    assert "the rim is too rough" in text
    assert "25.0 % with 2 rim sensors" in text
    assert "three or four rim sensors" in text
    assert "the times of the passes scatter by" in refusal(spins(0.05, jitter_s=0.004), 2)
    caught = [Spin(each.passes, each.turns, None) for each in spins(0.05)]
    assert "the ball was seen to leave the rim in 0 spins" in refusal(caught, 2)


def test_laps_timed_by_hand_give_a_law_but_no_roughness():
    """One place, a key pressed 38 ms beside the ball, as in public recordings of spins."""
    rng, by_hand = random.Random(3), []
    for _ in range(400):
        times = [each.s for each in passes_of(rng, (0.1, 0.03), 0.1, 0.038, (0.0,))]
        by_hand.append(spin_by_hand([after - before for before, after in pairwise(times)]))
    law = measure(by_hand, 0.0004)
    assert law.steady.value == pytest.approx(0.1, abs=0.02)
    assert law.jitter_s.value == pytest.approx(0.038, rel=0.1)
    assert "no roughness can be estimated from that" in refusal(by_hand, 2)


def trace_of(passes, way=1, extra=()):
    """The trace of a spin with these passes, of sensors 0 and 90 degrees; ends 4 s after it."""
    config = factory()
    edges = []
    for each in [*passes, *extra]:
        for level, off in ((1, -1), (0, 1)):
            at_s = each.s + off * each.width_s / 2 + 1.0
            edges.append(Edge(int(at_s * 1e6), 3 + each.rim, level))
    edges.sort()
    edges.append(Edge(edges[-1].t_us + 4_000_000, 0, 1))
    return Trace(1, 1, 1, "", 0, tuple(config), 0, (), tuple(edges), False, 0, (), 0)


def test_a_run_is_found_among_hands():
    """A hand before it, a sleeve after it, a finger in between: the ball's passes, its laps."""
    passes = passes_of(random.Random(5), (0.1, 0.03))
    plain = spin_of(trace_of(passes))
    assert len(plain.passes) == len(passes)
    assert plain.laps == pytest.approx(len(passes) / 2 - 0.5, abs=0.3)
    assert plain.drop_lap_s == pytest.approx(passes[-1].s - passes[-3].s, abs=0.001)
    hand, finger = Pass(0, -0.5, 0.3), Pass(1, (passes[9].s + passes[10].s) / 2, 0.02)
    odd = spin_of(trace_of(passes, extra=[hand, finger]))
    assert [round(each.s, 3) for each in odd.passes] == [round(p.s, 3) for p in plain.passes]


def test_a_pass_that_was_missed_gives_no_lap():
    """The laps over it, two turns long, are left out; a ball that is caught has no drop lap."""
    passes = passes_of(random.Random(5), (0.1, 0.03))
    whole = spin_of(trace_of(passes))
    missed = spin_of(trace_of([*passes[:20], *passes[21:]]))
    assert missed.laps == pytest.approx(whole.laps)
    assert len(missed.growths()) == len(whole.growths()) - 3
    caught = trace_of(passes[:20])
    ends = caught.events[-2].t_us + 500_000
    cut = Trace(**{**vars(caught), "events": (*caught.events[:-1], Edge(ends, 0, 1))})
    assert spin_of(cut).drop_lap_s is None


def test_a_drag_that_no_table_accepts_is_refused(monkeypatch):
    """lap_steady is at most 4000: 0.4 turns/s2. Nothing is set then, not the roughness either."""
    every = spins(0.05, law=(0.135, 0.0))
    law = measure(every, 0.0004)
    steep = dataclasses.replace(law, steady=dataclasses.replace(law.steady, value=0.41))
    monkeypatch.setattr("tabletools.roulette_rim.proposal.measure", lambda *_: steep)
    with pytest.raises(ToolError, match="lap_steady would be 4100") as refused:
        propose(every, 2, dict(enumerate(factory())))
    assert refused.value.limit == "0..4000"
