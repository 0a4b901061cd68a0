"""The physical wheel against measured numbers and against plain geometry."""

from __future__ import annotations

import math
import random
import statistics
import time
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from tableemulator.machines.core.sensor_lines import LEVELS, Line
from tableemulator.machines.roulette import physical_wheel as g
from tableemulator.machines.roulette.ball_rim import SMOOTH, Rim, draw_rim
from tableemulator.machines.roulette.physical_wheel import Ball, Geometry, Throw, Wheel, draw_throw

SECOND = 1_000_000
Event = list[Any]


@pytest.fixture(scope="module")
def throws() -> list[Throw]:
    """One thousand healthy throws."""
    rng = random.Random(20)
    return [draw_throw(rng, 1) for _ in range(1000)]


def played(
    geometry: Geometry, *, seed: int = 1, rpm: float = 14.0, noise: str = "none", cut_us: int = 0
) -> tuple[Wheel, Throw, list[Event]]:
    """Push the rotor, throw the ball at 4 s and return everything up to 34 s."""
    wheel = Wheel(geometry, seed, noise=noise)
    events = wheel.events_until(SECOND)
    wheel.take_away(wheel.ball)
    wheel.push_rotor(rpm)
    events += wheel.events_until(4 * SECOND)
    rim = SMOOTH if noise == "none" else wheel.rim
    throw = draw_throw(random.Random(seed), -1 if rpm > 0 else 1, rim)
    wheel.launch(wheel.ball, throw)
    step = cut_us or 30 * SECOND
    for now in range(4 * SECOND + step, 34 * SECOND + step, step):
        events += wheel.events_until(min(now, 34 * SECOND))
    return wheel, throw, events


def pin_events(events: Iterable[Event], *pins: int) -> list[tuple[int, int, int]]:
    """Return (time, pin, level) of the pins."""
    return [(e[0], e[2], e[3]) for e in events if e[1] == "pin" and e[2] in pins]


def middles(events: Iterable[Event], pin: int) -> list[float]:
    """Return the middle of each pulse of a pin that ended."""
    edges = pin_events(events, pin)
    rises = [t for t, _pin, level in edges if level]
    falls = [t for t, _pin, level in edges if not level and t > rises[0]]
    return [(rise + fall) / 2 for rise, fall in zip(rises, falls, strict=False)]


# --- the ball against the numbers measured on real spins ------------------------------------


def test_a_full_spin_is_14_to_21_laps_and_on_the_rotor_after_14_to_20_s(
    throws: list[Throw],
) -> None:
    """Measured: 14-21 laps in 14-20 s, the number is final 20-25 s after release."""
    assert all(14 <= throw.laps <= 21 for throw in throws)
    assert all(14 <= throw.on_rotor_s <= 20 for throw in throws)
    assert all(20 <= throw.stands_s <= 25 for throw in throws)
    assert statistics.pstdev([throw.laps for throw in throws]) > 1.0


def test_speeds_are_those_measured(throws: list[Throw]) -> None:
    """Released at 2.0 rev/s (to 2.5), slowed by 0.101-0.140 rev/s^2, mean 0.118; drops at 0.5."""
    assert 1.95 <= statistics.mean(throw.speed for throw in throws) <= 2.2
    assert max(throw.speed for throw in throws) <= 2.5
    slowing = [throw.deceleration for throw in throws]
    assert min(slowing) >= 0.101
    assert max(slowing) <= 0.140
    assert statistics.mean(slowing) == pytest.approx(0.118, abs=0.004)
    assert statistics.mean(throw.leave_speed for throw in throws) == pytest.approx(0.5, abs=0.05)


def test_last_laps_take_what_was_timed(throws: list[Throw]) -> None:
    """Timed last laps: 1.86, 1.64, 1.24, 0.99, 0.89 s; a steady drag comes within a third."""
    for back, timed in enumerate((1.86, 1.64, 1.24, 0.99, 0.89)):
        laps = [
            (t.seconds_to_laps(t.laps - back - 1e-9) - t.seconds_to_laps(t.laps - back - 1))
            for t in throws
        ]
        assert statistics.mean(laps) == pytest.approx(timed, abs=0.33)


def test_scatter_is_18_pockets_on_average(throws: list[Throw]) -> None:
    """Measured mean 18; it must not be a constant either."""
    scatter = [throw.scatter for throw in throws]
    assert statistics.mean(scatter) == pytest.approx(18, abs=1.5)
    assert statistics.pstdev(scatter) > 5


def test_the_pocket_is_as_random_as_it_should_be() -> None:
    """Chi-square over 600 throws and 37 pockets stays under the 1 % limit 58.6."""
    rng = random.Random(5)
    wheel = Wheel(Geometry("single", "array"), 5)
    count = [0] * 37
    for _ in range(600):
        wheel.push_rotor(rng.uniform(9.5, 18))
        wheel.events_until(wheel.now_us + 3 * SECOND)
        wheel.launch(wheel.ball, draw_throw(rng, -1))
        wheel.events_until(wheel.now_us + 27 * SECOND)
        assert wheel.ball.at_rest
        assert wheel.ball.pocket is not None
        count[wheel.ball.pocket] += 1
    assert sum((n - 600 / 37) ** 2 / (600 / 37) for n in count) < 58.6


# --- a rough rim ------------------------------------------------------------------------------


def lap_times(throw: Throw) -> list[float]:
    """Return how long each whole lap of a free run takes."""
    ends = [throw.seconds_to_laps(lap) for lap in range(1, int(throw.laps) + 1)]
    return [after - before for before, after in pairwise([0.0, *ends])]


def run_on(rim: Rim, rough: float, **thrown: float) -> Throw:
    """Return a throw at 2 rev/s from an angle, slowed by 0.12 rev/s^2 in the mean."""
    return Throw(1, thrown.get("angle", 0.3), 2.0, 0.12, 0.47, rim=rim, rough=rough)


def growths(throw: Throw) -> list[float]:
    """Return deceleration from lap to lap: (v - v') / t over the middles of two laps."""
    laps = lap_times(throw)
    return [(1 / a - 1 / b) / ((a + b) / 2) for a, b in pairwise(laps)]


@pytest.mark.parametrize("share", [0.02, 0.10, 0.20])
def test_drag_wanders_by_the_share(share: float) -> None:
    """By hand: the mean over two laps of a drag that is new on average every sixth of a second.

    For a triangle of two laps of L seconds that is share * sqrt(2 / 3 * 2 * (1 / 6) / L) of it.
    """
    beside = []
    for number in range(60):
        throw = run_on(Rim(roughness=share), number)
        for lap, growth in zip(lap_times(throw), growths(throw), strict=False):
            beside.append((growth / 0.12 - 1) / (share * math.sqrt(2 / 9 / lap)))
    assert statistics.mean(beside) == pytest.approx(0, abs=0.15)
    assert statistics.pstdev(beside) == pytest.approx(1, abs=0.15)


def test_a_pattern_of_the_rim_is_the_same_in_every_lap() -> None:
    """A bump of a third of the drag once a turn: half a lap is slower, whole laps are not."""
    bumpy = run_on(Rim(waves=((1, 0.33, 0.0),)), 0.0)
    assert growths(bumpy) == pytest.approx([0.12] * len(growths(bumpy)), rel=0.05)
    for lap in range(3, 9):
        # From stator angle 0.5 the drag is less than the mean up to angle 1, then more.
        here = lap + 0.2
        speeds = [throw_speed(bumpy, here + part) for part in (0.0, 0.5, 1.0)]
        energies = [speed * speed / 2 for speed in speeds]
        less, more = (before - after for before, after in pairwise(energies))
        assert less == pytest.approx(0.06 - 0.12 * 0.33 / math.pi, abs=0.003)
        assert more == pytest.approx(0.06 + 0.12 * 0.33 / math.pi, abs=0.003)


def throw_speed(throw: Throw, laps: float) -> float:
    """Return the speed after so many laps."""
    when = throw.seconds_to_laps(laps)
    return (throw.laps_after(when + 1e-4) - throw.laps_after(when - 1e-4)) / 2e-4


def test_a_tilt_gives_back_what_it_takes() -> None:
    """At 0.4 degrees 0.0205 rev/s^2 at most: a whole turn is as long, half a turn is not."""
    level = run_on(Rim(), 0.0)
    leaning = run_on(Rim(pull=0.0205, high_side=0.3), 0.0)
    assert leaning.laps == pytest.approx(level.laps, abs=0.3)
    # From the high side down: half the square of the speed rises by 0.0205 / pi in half a turn.
    energies = [throw_speed(leaning, 5.0 + part) ** 2 / 2 for part in (0.0, 0.5, 1.0)]
    down, up = (before - after for before, after in pairwise(energies))
    assert down == pytest.approx(0.06 - 0.0205 / math.pi, abs=0.001)
    assert up == pytest.approx(0.06 + 0.0205 / math.pi, abs=0.001)


def test_rims_are_drawn_from_smooth_to_rough() -> None:
    """Up to 20 %, tilt to 0.4 degrees, pulses late by up to 2 ms; each the same for its seed."""
    rims = [draw_rim(random.Random(seed)) for seed in range(500)]
    assert rims[:9] == [draw_rim(random.Random(seed)) for seed in range(9)]
    assert statistics.mean(rim.roughness for rim in rims) == pytest.approx(0.10, abs=0.01)
    assert 0.19 < max(rim.roughness for rim in rims) <= 0.20
    assert 0.015 < max(rim.pull for rim in rims) <= 9.81 * 5 / 7 * math.radians(0.4) / 0.34 / 6.28
    assert 1900 < max(rim.lag_us for rim in rims) < 2000
    assert draw_rim(random.Random(1), 0.0).roughness == 0.0


def test_throws_on_rough_rims_are_as_long_as_on_smooth_ones() -> None:
    """Laps and times as measured, of the true run."""
    rng = random.Random(8)
    for _ in range(100):
        throw = draw_throw(rng, rng.choice((1, -1)), draw_rim(rng))
        assert 14 <= throw.laps <= 21
        assert 14 <= throw.on_rotor_s <= 20
        assert sum(seconds for _accel, seconds in throw.run) == pytest.approx(throw.rim_s)


@pytest.mark.parametrize("laps", [2.0, 5.2, 6.3])
def test_a_throw_is_aimed_at_its_laps(laps: float) -> None:
    """On a rim as rough as any: a short throw is truly short."""
    rng = random.Random(3)
    for _ in range(20):
        throw = draw_throw(rng, -1, draw_rim(rng, 0.2))
        throw.aim(laps)
        assert throw.laps == pytest.approx(laps, abs=0.01)


def test_both_edges_of_a_pulse_are_late_alike() -> None:
    """A slow light barrier moves a pulse, by up to its lag, and leaves its width."""

    def passes(lag_us: int) -> list[tuple[int, int]]:
        out: list[tuple[int, int, int]] = []
        line = Line(3, random.Random(1), LEVELS["none"], 0.0, out)
        line.lag_us = lag_us
        for start in range(0, 10_000_000, 500_000):
            line.feed(start, 1)
            line.feed(start + 5_000, 0)
        times = [when for when, _pin, _level in out]
        return list(zip(times[::2], times[1::2], strict=True))

    exact, late = passes(0), passes(2_000)
    lags = [there[0] - here[0] for here, there in zip(exact, late, strict=True)]
    assert min(lags) >= 0
    assert 1_000 < max(lags) < 2_000
    assert {fall - rise for rise, fall in late} == {5_000}


# --- the rotor --------------------------------------------------------------------------------


@pytest.mark.parametrize(("rpm", "b_at_rise"), [(12.0, 1), (-12.0, 0)])
def test_sensor_b_at_a_rising_edge_of_a_tells_the_direction(rpm: float, b_at_rise: int) -> None:
    """B low: counter-clockwise; B high: clockwise."""
    _wheel, _throw, events = played(Geometry("single"), rpm=rpm)
    level = {g.ROTOR_A: 0, g.ROTOR_B: 0}
    rises = 0
    for when, pin, value in pin_events(events, g.ROTOR_A, g.ROTOR_B):
        if pin == g.ROTOR_A and value and when > 4 * SECOND:
            rises += 1
            assert level[g.ROTOR_B] == b_at_rise
        level[pin] = value
    assert rises > 150


@pytest.mark.parametrize("wheel", ["single", "double"])
@pytest.mark.parametrize("rpm", [12.0, -12.0])
def test_the_index_stands_between_the_last_pocket_and_pocket_0(wheel: str, rpm: float) -> None:
    """n ticks of A from index to index; the index pulse is where A is low."""
    geometry = Geometry(wheel)
    _wheel, _throw, events = played(geometry, rpm=rpm)
    ticks: list[int] = []
    a_level = 0
    for when, pin, value in pin_events(events, g.ROTOR_A, g.INDEX):
        if when < 4 * SECOND:
            continue
        if pin == g.ROTOR_A:
            a_level = value
            if ticks:
                ticks[-1] += value
        elif value:
            assert a_level == 0
            ticks.append(0)
    assert len(ticks) >= 4
    assert set(ticks[:-1]) == {geometry.pockets}


def test_a_rotor_slows_by_2_percent_a_turn() -> None:
    """Time between index pulses grows by 1/0.98 each turn."""
    _wheel, _throw, events = played(Geometry("single"), rpm=18.0)
    rises = [t for t, _pin, level in pin_events(events, g.INDEX) if level and t > 4 * SECOND]
    turns = [b - a for a, b in pairwise(rises)]
    assert [b / a for a, b in pairwise(turns)] == pytest.approx(
        [1 / 0.98] * (len(turns) - 1), rel=1e-3
    )


# --- the ball on the rim and in the pocket ----------------------------------------------------


def test_rim_passes_count_the_laps_and_cover_three_degrees() -> None:
    """Each sensor sees one pass a lap; a pass lasts as long as 3 degrees take."""
    _wheel, throw, events = played(Geometry("single"))
    passes = pin_events(events, g.RIM_1)
    assert len([e for e in passes if e[2]]) in (int(throw.laps), int(throw.laps) + 1)
    rise, fall = passes[0][0], passes[1][0]
    assert (fall - rise) / 1e6 == pytest.approx(3 / 360 / throw.speed, rel=0.1)


@pytest.mark.parametrize(("rpm", "quarter"), [(12.0, 0.75), (-12.0, 0.25)])
def test_the_second_rim_sensor_is_90_degrees_clockwise(rpm: float, quarter: float) -> None:
    """A clockwise ball needs a quarter turn from sensor 1 to 2, the other one three quarters."""
    _wheel, throw, events = played(Geometry("single"), rpm=rpm)
    first = next(t for t, _pin, level in pin_events(events, g.RIM_1) if level)
    after = next(t for t, _pin, level in pin_events(events, g.RIM_2) if level and t > first)
    assert (after - first) / 1e6 * throw.speed == pytest.approx(quarter, rel=0.1)


@pytest.mark.parametrize(
    ("built", "quarters"),
    [
        ({"rim_sensors": 3}, {g.RIM_2: 1 / 3, g.RIM_3: 2 / 3}),
        ({"rim_sensors": 4}, {g.RIM_2: 0.25, g.RIM_3: 0.5, g.RIM_4: 0.75}),
        ({"rim_sensors": 4, "rim_3_deg": 150.0}, {g.RIM_2: 0.25, g.RIM_3: 0.4167, g.RIM_4: 0.75}),
    ],
    ids=str,
)
def test_more_rim_sensors_stand_where_they_belong(
    built: dict[str, Any], quarters: dict[int, float]
) -> None:
    """A clockwise ball passes them one after the other, each as often as the first."""
    _wheel, throw, events = played(Geometry("single", **built), rpm=-12.0)
    first = next(t for t, _pin, level in pin_events(events, g.RIM_1) if level)
    for pin, turned in quarters.items():
        after = next(t for t, _pin, level in pin_events(events, pin) if level and t > first)
        assert (after - first) / 1e6 * throw.speed == pytest.approx(turned, rel=0.1)
        passes = [e for e in pin_events(events, pin) if e[2]]
        assert len(passes) in (int(throw.laps), int(throw.laps) + 1)


def test_a_rim_sensor_that_is_not_fitted_is_silent() -> None:
    """However noisy the wheel: nothing is wired to its pin."""
    events = played(Geometry("single"), noise="worn")[2]
    assert pin_events(events, g.RIM_3, g.RIM_4) == []


@pytest.mark.parametrize(
    ("built", "keys"),
    [
        ({}, {"rim_sensors": 2, "rim_angle_mdeg": 90_000}),
        (
            {"rim_sensors": 3, "rim_3_deg": 250.0},
            {
                "rim_sensors": 3,
                "rim_angle_mdeg": 120_000,
                "rim_3_angle_mdeg": 250_000,
                "rim_4_angle_mdeg": 280_000,
            },
        ),
        (
            {"rim_sensors": 4},
            {
                "rim_sensors": 4,
                "rim_angle_mdeg": 90_000,
                "rim_3_angle_mdeg": 180_000,
                "rim_4_angle_mdeg": 270_000,
            },
        ),
    ],
    ids=str,
)
def test_rim_sensors_are_configured_as_they_are_built(
    built: dict[str, Any], keys: dict[str, int]
) -> None:
    """A fourth that is not fitted keeps 30 degrees from the third, as the table requires."""
    config = Geometry("single", **built).keys
    assert {name: value for name, value in config.items() if name.startswith("rim")} == keys


@pytest.mark.parametrize("count", [1, 5])
def test_a_wheel_has_two_to_four_rim_sensors(count: int) -> None:
    """No other number is built."""
    with pytest.raises(ValueError, match="one of 2, 3, 4"):
        Geometry("single", rim_sensors=count)


@pytest.mark.parametrize("wheel", ["single", "double"])
@pytest.mark.parametrize("seed", range(4))
def test_the_array_ends_with_the_bit_of_the_true_pocket(wheel: str, seed: int) -> None:
    """Bit k of the shift registers is pocket index k: byte k >> 3, bit k & 7."""
    model, throw, events = played(Geometry(wheel, "array"), seed=seed)
    final = [e for e in events if e[1] == "spi"][-1]
    assert model.ball.at_rest
    assert final[0] / 1e6 - 4 == pytest.approx(throw.stands_s, abs=0.01)
    bits = int.from_bytes(bytes.fromhex(final[3]), "little")
    assert bits == 1 << (model.ball.pocket or 0)


@pytest.mark.parametrize("rpm", [14.0, -14.0])
@pytest.mark.parametrize("head_deg", [180.0, 33.0])
def test_the_head_sees_the_true_pocket(rpm: float, head_deg: float) -> None:
    """Pocket k is at angle (k - P) / n, P counted in ticks from the index."""
    geometry = Geometry("single", "head", head_deg)
    model, _throw, events = played(geometry, rpm=rpm)
    head = middles(events, g.HEAD)[-1]
    index = max(t for t in middles(events, g.INDEX) if t < head)
    ticks = [t for t in middles(events, g.ROTOR_A) if t > index]
    passed = len([t for t in ticks if t < head])
    part = (head - ticks[passed - 1]) / (ticks[passed] - ticks[passed - 1])
    # Clockwise the first tick after the index is pocket 36 and P falls; else pocket 0, rising.
    at_zero = 37 - (passed + part) if rpm > 0 else passed - 1 + part
    assert round(at_zero + head_deg / 360 * 37) % 37 == model.ball.pocket


def test_the_printed_orders_are_those_of_the_rulebook() -> None:
    """Rulebook 3.1; on a double zero wheel 00 is opposite 0, and n opposite n + 1."""
    single, double = g.ORDERS["single"], g.ORDERS["double"]
    assert sorted(map(int, single)) == list(range(37))
    assert sorted(double) == sorted([*map(str, range(37)), "00"])
    assert double[19] == "00"
    for place, number in enumerate(double[:19]):
        opposite = double[place + 19]
        if number != "0":
            assert abs(int(opposite) - int(number)) == 1


# --- noise, determinism, cost -----------------------------------------------------------------


@pytest.mark.parametrize("sensor", g.POCKET_SENSORS)
def test_windows_give_the_same_events_as_one_shot(sensor: str) -> None:
    """However time is cut up, noise and all: the same list of events."""
    geometry = Geometry("double", sensor)
    _wheel, _throw, whole = played(geometry, noise="worn")
    for cut_us in (777, 250_000, 3_141_593):
        assert played(geometry, noise="worn", cut_us=cut_us)[2] == whole


def test_a_seed_fixes_everything_and_another_changes_it() -> None:
    """Same seed: same events. Other seed: other events."""
    geometry = Geometry("single")
    first = played(geometry, seed=3, noise="healthy")[2]
    assert played(geometry, seed=3, noise="healthy")[2] == first
    assert played(geometry, seed=4, noise="healthy")[2] != first


def test_events_are_in_order_and_each_changes_its_pin() -> None:
    """Times never fall; a pin's level alternates."""
    events = played(Geometry("single", "both"), noise="worn")[2]
    assert [e[0] for e in events] == sorted(e[0] for e in events)
    level: dict[int, int] = {}
    for _when, pin, value in pin_events(events, *g.SENSOR_PINS):
        assert value != level.get(pin, 0)
        level[pin] = value


def test_a_healthy_table_is_noisy_within_bounds() -> None:
    """Some edges bounce within 2 ms; the count of edges stays near the clean one."""
    clean = pin_events(played(Geometry("single"))[2], g.ROTOR_A)
    noisy = pin_events(played(Geometry("single"), noise="healthy")[2], g.ROTOR_A)
    extra = len(noisy) - len(clean)
    assert 0 < extra < 0.2 * len(clean)
    gaps = [b[0] - a[0] for a, b in pairwise(noisy)]
    assert len([gap for gap in gaps if gap < 2_000]) >= 2


def loop() -> None:
    """What a spin is compared with: a spin took 1.8 times as long."""
    total = 0
    for number in range(100_000):
        total += number & 7


def cpu_s(act: Callable[[], object]) -> float:
    start = time.process_time()
    act()
    return time.process_time() - start


def test_a_spin_costs_less_than_plain_loops() -> None:
    """The best of twelve spins of 30 s with all sensors, and of as many loops in turn."""
    wheel = Geometry("double", "both")
    assert len(played(wheel, seed=0, rpm=16, noise="healthy")[2]) > 1000
    spins, loops = [], []
    for seed in range(1, 13):
        spins.append(cpu_s(partial(played, wheel, seed=seed, rpm=16, noise="healthy")))
        loops.append(cpu_s(loop))
    assert min(spins) < 4 * min(loops)


# --- hands ------------------------------------------------------------------------------------


def test_a_ball_taken_from_the_rim_is_gone_and_its_laps_known() -> None:
    """Taken 2 s after release: 2 s of its run, no pass and no pocket afterwards."""
    wheel = Wheel(Geometry("single"), 1, noise="none")
    wheel.take_away(wheel.ball)
    throw = draw_throw(random.Random(1), 1)
    wheel.launch(wheel.ball, throw)
    wheel.events_until(2 * SECOND)
    wheel.take_away(wheel.ball)
    later = wheel.events_until(30 * SECOND)
    assert wheel.ball.laps == pytest.approx(2 * throw.speed - 2 * throw.deceleration)
    assert [e for e in pin_events(later, g.RIM_1, g.RIM_2) if e[2]] == []
    assert [e for e in later if e[1] == "spi"] == []


def test_a_broken_sensor_is_silent_and_a_mended_one_sees_again() -> None:
    """Held low the line is silent while the rotor turns; mended it ticks again."""
    wheel = Wheel(Geometry("single"), 1, noise="none")
    wheel.events_until(SECOND)
    line = wheel.sensors.lines[g.ROTOR_B]
    line.hold(wheel.now_us, 0)
    broken = pin_events(wheel.events_until(10 * SECOND), g.ROTOR_B)
    assert len(broken) <= 1
    line.release(wheel.now_us)
    assert len(pin_events(wheel.events_until(20 * SECOND), g.ROTOR_B)) > 50


def test_interference_ends_at_the_true_level() -> None:
    """After a storm on every line the pins show what the sensors cover, as without the storm."""

    def levels(*, storm: bool) -> dict[int, int]:
        wheel = Wheel(Geometry("single", "both"), 6, noise="none")
        events = wheel.events_until(3 * SECOND)
        if storm:
            wheel.sensors.disturb(wheel.now_us, wheel.geometry.pins, pulses=300, period_us=900)
        events += wheel.events_until(5 * SECOND)
        return {pin: value for _when, pin, value in pin_events(events, *g.SENSOR_PINS)}

    calm = levels(storm=False)
    assert {pin: value for pin, value in levels(storm=True).items() if pin in calm} == calm


def test_two_balls_close_two_switches() -> None:
    """A second ball in pocket 5 sets bit 5 beside the first one's."""
    wheel = Wheel(Geometry("single"), 1)
    wheel.put_in_pocket(0, wheel.ball, 3)
    wheel.put_in_pocket(0, Ball(), 5)
    assert wheel.events_until(SECOND)[-1][0] >= 0
    registers = [e for e in wheel.events_until(SECOND) if e[1] == "spi"]
    assert registers == []
    wheel.take_away(wheel.ball)
    assert [e[3] for e in wheel.events_until(2 * SECOND) if e[1] == "spi"] == ["2000000000"]
