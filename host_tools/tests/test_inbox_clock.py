"""Uptime to UTC: the truth lies within the stated uncertainty. Time is given."""

import random

import pytest

from tabletools.evidence.device_clock import (
    LATENCY_UNKNOWN_NS,
    STEP_NS,
    HostClock,
    UptimeClock,
    signed_ms,
)

S, MS = 1_000_000_000, 1_000_000
WRAP_MS = 1 << 32
TRIP = 40 * MS


class World:
    """A device whose clock runs drift_ppm fast, and a link with a delay of 5 to 25 ms and more."""

    def __init__(self, *, drift_ppm=0.0, uptime_ms=0, seed=1):
        self.clock = UptimeClock()
        self.clock.round_trip_ns = TRIP
        self.rng = random.Random(seed)
        self.rate = 1 + drift_ppm * 1e-6
        self.ahead_ms = uptime_ms
        self.now_ns = 1000 * S

    def uptime_ms(self, at_ns):
        return int(self.ahead_ms + (at_ns - 1000 * S) / MS * self.rate) % WRAP_MS

    def beat(self, *, late_ns=0):
        """Half a second later a heartbeat is made; it arrives after its delay."""
        self.now_ns += S // 2
        delay = int(self.rng.uniform(5, 25) * MS) + (self.rng.random() < 0.1) * 100 * MS
        return self.clock.sample(self.uptime_ms(self.now_ns), self.now_ns + delay + late_ns)

    def beats(self, seconds):
        return [step for step in (self.beat() for _ in range(2 * seconds)) if step is not None]

    def error(self, at_ns):
        """How far the estimate of a moment is off, and the stated uncertainty."""
        found = self.clock.at(self.uptime_ms(at_ns))
        return abs(found.at_ns - at_ns), found.uncertainty_ns


@pytest.mark.parametrize("drift_ppm", [0.0, 50.0, -50.0, 200.0])
@pytest.mark.parametrize("seconds", [2, 60, 1500])
@pytest.mark.parametrize("uptime_ms", [0, WRAP_MS - 30_000])
def test_the_truth_is_within_the_uncertainty(drift_ppm, seconds, uptime_ms):
    """Any drift of a crystal, young or old, over the wrap of the uptime; no step is seen."""
    world = World(drift_ppm=drift_ppm, uptime_ms=uptime_ms)
    assert world.beats(seconds) == []
    for ago in (0, seconds // 2):
        error, uncertainty = world.error(world.now_ns - ago * S)
        assert error <= uncertainty + MS  # the uptime is whole milliseconds
    # 20 ms of half the way, 20 ms of polling; the drift is taken out.
    assert seconds < 60 or world.error(world.now_ns)[1] < 60 * MS


@pytest.mark.parametrize("drift_ppm", [0.0, 30.0, -80.0])
def test_the_drift_is_measured(drift_ppm):
    """Within a few ppm after ten minutes."""
    world = World(drift_ppm=drift_ppm)
    world.beats(600)
    assert world.clock.drift_ppm == pytest.approx(drift_ppm, abs=5)


def test_a_young_estimate_says_so():
    """Nothing heard: no estimate. One frame, no answer: more than a second uncertain."""
    clock = UptimeClock()
    assert clock.at(0) is None
    clock.sample(5000, 10 * S)
    found = clock.at(5000)
    assert found.uncertainty_ns == LATENCY_UNKNOWN_NS // 2 + S // 2
    assert found.at_ns == 10 * S - LATENCY_UNKNOWN_NS // 2


def test_a_burst_after_a_silence_moves_nothing():
    """134 s of silence, then what was held back comes at once: late, and no step."""
    world = World()
    world.beats(60)
    end_ns = world.now_ns + 134 * S
    while world.now_ns < end_ns:
        assert world.beat(late_ns=end_ns - world.now_ns - S // 2) is None
    assert world.beats(30) == []
    error, uncertainty = world.error(world.now_ns)
    assert error <= uncertainty


@pytest.mark.parametrize("step_ms", [400, 5_000, 3_600_000])
def test_a_device_clock_set_forward_is_a_step(step_ms):
    """Seen with the next frame; the estimate begins anew."""
    world = World()
    world.beats(60)
    world.ahead_ms += step_ms
    [step] = world.beats(1)
    assert step == pytest.approx(step_ms * MS, abs=150 * MS)
    assert world.beats(30) == []
    error, uncertainty = world.error(world.now_ns)
    assert error <= uncertainty + MS


@pytest.mark.parametrize("step_ms", [400, 5_000, 59_000])
def test_a_device_clock_set_back_is_a_step(step_ms):
    """At once if the uptime falls, else after ten seconds in which all is late."""
    world = World()
    world.beats(60)
    world.ahead_ms -= step_ms
    [step] = world.beats(25)
    assert step == pytest.approx(-step_ms * MS, abs=150 * MS)
    error, uncertainty = world.error(world.now_ns)
    assert error <= uncertainty + MS


@pytest.mark.parametrize(
    ("later", "earlier", "difference"),
    [(5, 3, 2), (3, 5, -2), (1, WRAP_MS - 1, 2), (WRAP_MS - 1, 1, -2), (7, 7, 0)],
)
def test_differences_survive_the_wrap(later, earlier, difference):
    """The nearest signed difference."""
    assert signed_ms(later - earlier) == difference


def test_a_host_clock_that_jumps_is_noticed():
    """Either way, once; what a time service slews is followed in silence."""
    host = HostClock(10 * S, 1_800_000_000 * S)
    assert host.utc(11 * S) == 1_800_000_001 * S
    assert host.look(20 * S, 1_800_000_010 * S + STEP_NS) is None
    assert host.look(30 * S, 1_800_000_020 * S + STEP_NS + 3600 * S) == 3600 * S
    assert host.look(40 * S, 1_800_000_030 * S + STEP_NS + 3600 * S) is None
    assert host.look(50 * S, 1_800_000_040 * S + STEP_NS) == -3600 * S
    assert host.utc(50 * S) == 1_800_000_040 * S + STEP_NS
