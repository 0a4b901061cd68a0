"""Rounds of every kind, with what is physically true of each: what a wheel must not be cheated by.

A kind draws one Spin: the edges of its lines, the switches that are closed when, and the truth.
Only `number` decides what a table may report: a pocket, or None where every number is wrong.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field

from hil_tests.physics.ball import STEP_S, Run, Track, bounce, draw_track, fall_s
from hil_tests.physics.built_wheel import (
    RIMS,
    Build,
    Edge,
    Lines,
    Rotor,
    TurnedRotor,
    draw_build,
    ring,
    under_head,
)

ENDS_S = 100.0
PICKED_UP_S = 8.0
ROUGHEST = 0.2


@dataclass(frozen=True)
class Rim:
    """Which rims a class of rounds is played on.

    roughness: share by which the drag varies at random, None: of 0 to 20 %. fitted: whether the
    drag is of a real ball, None: of every other one. calibrated: its configuration has the law and
    the roughness of this rim.
    """

    roughness: float | None = None
    fitted: bool | None = None
    calibrated: bool = False


ANY_RIM = Rim()


@dataclass
class Spin:
    """One round. number: the only pocket a result may name, None: it must be void.

    may_void: a void is no loss (something did happen). laps: true circuits of the last run.
    rest_s: when the ball is in its pocket for good. closed: (from, to, pocket) of the switches.
    keys: of the configuration, by name, that were measured on this wheel.
    """

    rng: random.Random
    sensor: str
    track: Track
    build: Build
    rotor: Rotor
    lines: Lines
    way: int
    number: int | None = None
    may_void: bool = False
    laps: float = 0.0
    rest_s: float = math.inf
    released_s: float = 0.0
    left_s: float = 0.0
    contact_s: float = 0.0
    closed: list[tuple[float, float, int]] = field(default_factory=list)
    keys: dict[str, int] = field(default_factory=dict)

    def edges(self) -> list[Edge]:
        """All edges, in time order."""
        ring(self.build, self.rotor, self.lines, ENDS_S)
        if self.sensor != "array":
            for from_s, to_s, pocket in self.closed:
                under_head(self.build, self.rotor, self.lines, pocket, from_s, min(to_s, ENDS_S))
        return self.lines.edges()

    def bits(self, t_s: float) -> int:
        """Which switches are closed, bit k for pocket k."""
        bits = 0
        for from_s, to_s, pocket in self.closed:
            if from_s <= t_s < to_s:
                bits |= 1 << pocket
        return bits


def begin(rng: random.Random, sensor: str, rims: int = 2, rim: Rim = ANY_RIM) -> Spin:
    """A wheel with its rotor turning; the ball of the round before is taken out of its pocket."""
    roughness = rng.uniform(0.0, ROUGHEST) if rim.roughness is None else rim.roughness
    fitted = rng.random() < 0.5 if rim.fitted is None else rim.fitted
    track, build = draw_track(rng, roughness, fitted=fitted), draw_build(rng, rims)
    way = rng.choice((1, -1))
    rotor = Rotor(rng, build.pockets, -way * rng.uniform(10.0, 20.0))
    spin = Spin(rng, sensor, track, build, rotor, Lines(rng, build), way)
    spin.closed.append((0.0, PICKED_UP_S, rng.randrange(build.pockets)))
    if rim.calibrated:
        spin.keys = _measure(track)
    return spin


def _measure(track: Track) -> dict[str, int]:
    """The keys of the rim, as a calibration without error finds them."""
    return {
        "rim_roughness": min(max(round(1000 * track.roughness), 20), 300),
        "lap_steady": round(10_000 * track.steady),
        "lap_square": round(10_000 * track.square),
    }


def throw(spin: Spin, at_s: float, laps: tuple[float, float], way: int = 0) -> Run:
    """Release the ball at at_s for so many circuits; its passes cover the rim sensors."""
    rng, way = spin.rng, way or spin.way
    start, slip = rng.random(), rng.uniform(0.0, 1.0)
    want = rng.uniform(*laps)
    low, high = 0.5, 4.0
    rough = rng.random()
    for _ in range(22):
        middle, enough = (low + high) / 2, want + NEAR
        run = Run(spin.track, middle, spin=slip, rough=rough, start=start, way=way, enough=enough)
        if abs(run.laps - want) < NEAR:
            break
        low, high = (middle, high) if run.laps < want else (low, middle)
    else:
        run = Run(spin.track, middle, spin=slip, rough=rough, start=start, way=way)
    if laps == FULL and run.time_of(1.75) - run.time_of(0.75) > 0.98:
        return throw(spin, at_s, laps, way)  # a slow launch is void by the rules
    spin.released_s, spin.left_s, spin.laps = at_s, at_s + run.leaves_s, run.laps
    roll(spin, run, at_s, start, way, run.leaves_s)
    return run


def roll(spin: Spin, run: Run, at_s: float, start: float, way: int, until_s: float) -> None:
    """Let the run cover the rim sensors until so long after the release."""
    for number, angle in enumerate(spin.build.rims):
        ahead = ((angle - start) * way) % 1.0
        for t, v in run.passes(ahead):
            if t < until_s and spin.rng.random() > spin.build.missed:
                half = spin.build.rim_arc / 2 / v
                spin.lines.cover(RIMS[number], at_s + t - half, at_s + t + half)


def land(spin: Spin, run: Run) -> None:
    """Let the ball fall, bounce and come to rest."""
    rng = spin.rng
    contact_s = spin.contact_s = spin.left_s + fall_s(rng, spin.track, run.speed)
    first = rng.randrange(spin.build.pockets)
    for touch in bounce(rng):
        pocket = (first + spin.way * touch.pockets) % spin.build.pockets
        start = contact_s + touch.at_s
        spin.closed.append((start + 0.002, start + touch.for_s, pocket))
        spin.rest_s, spin.number = start, pocket


def hand(spin: Spin, at_s: float) -> None:
    """A hand or a sleeve goes through one rim sensor's beam."""
    sensor = RIMS[spin.rng.randrange(len(spin.build.rims))]
    spin.lines.cover(sensor, at_s, at_s + spin.rng.uniform(0.06, 0.45))


def quick_hand(spin: Spin, at_s: float) -> None:
    """A finger, as quick as a ball."""
    sensor = RIMS[spin.rng.randrange(len(spin.build.rims))]
    spin.lines.cover(sensor, at_s, at_s + spin.rng.uniform(0.006, 0.06))


def other_pocket(spin: Spin) -> int:
    """A pocket the ball does not come to lie in."""
    assert spin.number is not None
    return (spin.number + spin.rng.randrange(1, spin.build.pockets)) % spin.build.pockets


FULL = (8.3, 22.0)
SHORT = (5.0, 6.85)
RELEASE = (12.0, 16.0)
NEAR = 0.004  # laps more or less than a throw is to have


def healthy(spin: Spin) -> None:
    """A full spin."""
    land(spin, throw(spin, spin.rng.uniform(*RELEASE), FULL))


def hand_before(spin: Spin) -> None:
    """A full spin; a hand goes through a beam up to 4 s before the release."""
    hand_s = spin.rng.uniform(*RELEASE)
    hand(spin, hand_s - spin.rng.uniform(0.3, 4.0))
    land(spin, throw(spin, hand_s, FULL))


def hand_picks_up(spin: Spin) -> None:
    """A full spin; the hand that then takes the ball out of its pocket goes through a beam."""
    hand(spin, PICKED_UP_S - spin.rng.uniform(0.2, 1.5))
    hand_s = PICKED_UP_S + spin.rng.uniform(1.0, 6.0)
    land(spin, throw(spin, hand_s, FULL))


def hand_waits(spin: Spin) -> None:
    """A full spin; the croupier's hand rests in a beam with the ball for up to 8 s before it."""
    hand_s = PICKED_UP_S + spin.rng.uniform(8.5, 10.0)
    sensor = RIMS[spin.rng.randrange(len(spin.build.rims))]
    until = hand_s - spin.rng.uniform(0.02, 0.5)
    spin.lines.cover(sensor, until - spin.rng.uniform(0.5, 8.0), until)
    land(spin, throw(spin, hand_s, FULL))


def finger_before(spin: Spin) -> None:
    """A full spin; a finger, as quick as a ball, goes through a beam before the release."""
    finger_s = spin.rng.uniform(*RELEASE)
    quick_hand(spin, finger_s - spin.rng.uniform(0.3, 4.0))
    land(spin, throw(spin, finger_s, FULL))


def pick_up_and_reverse(spin: Spin) -> None:
    """A full spin; a hand takes the ball out through a beam, then turns the rotor back."""
    rng, after = spin.rng, spin.rotor
    before = Rotor(rng, spin.build.pockets, after.way * -rng.uniform(10.0, 20.0))
    turns_s = PICKED_UP_S + rng.uniform(0.3, 1.5)
    spin.rotor = TurnedRotor(before, after, turns_s, rng.uniform(0.3, 0.8))
    hand(spin, PICKED_UP_S - rng.uniform(0.2, 1.5))
    land(spin, throw(spin, turns_s + rng.uniform(2.0, 6.0), FULL))


def dirty_pulse(spin: Spin) -> None:
    """A full spin; one pulse of a rim sensor begins or ends 4 to 8 ms from where the ball is."""
    healthy(spin)
    rng, lines = spin.rng, spin.lines
    sensor = RIMS[rng.randrange(len(spin.build.rims))]
    lines.smear(sensor, rng.uniform(0.004, 0.008) * rng.choice((1, -1)), last=rng.random() < 0.5)


def sleeve_bouncing(spin: Spin) -> None:
    """A full spin; a sleeve goes through a beam while the ball bounces."""
    healthy(spin)
    hand(spin, spin.rng.uniform(spin.contact_s, spin.rest_s))


def magnet_stays(spin: Spin) -> None:
    """Something closes another pocket between the last rim pass and the landing, and stays."""
    healthy(spin)
    magnet_s = spin.rng.uniform(spin.left_s - 0.5, spin.contact_s)
    spin.closed.append((magnet_s, ENDS_S, other_pocket(spin)))
    spin.may_void = True


def magnet_taken(spin: Spin) -> None:
    """The same; it is taken away 4 to 6 s later."""
    healthy(spin)
    magnet_s = spin.rng.uniform(spin.left_s - 0.5, spin.contact_s)
    spin.closed.append((magnet_s, magnet_s + spin.rng.uniform(4.0, 6.0), other_pocket(spin)))
    spin.may_void = True


def switch_sticks(spin: Spin) -> None:
    """A pocket switch sticks closed at a random moment."""
    healthy(spin)
    stick_s = spin.rng.uniform(2.0, spin.rest_s)
    spin.closed.append((stick_s, ENDS_S, other_pocket(spin)))
    spin.may_void = True


def laid_back(spin: Spin) -> None:
    """The ball jumps out, off the rotor or a deflector; a hand lays it back (R-3)."""
    healthy(spin)
    rng = spin.rng
    out = rng.choice((spin.contact_s - 0.1, rng.uniform(spin.contact_s, spin.rest_s)))
    spin.closed = [(a, min(b, out), k) for a, b, k in spin.closed if a < out]
    spin.closed.append((out + rng.uniform(4.0, 43.0), ENDS_S, rng.randrange(spin.build.pockets)))
    spin.number = None


def _move(spin: Spin, rests_s: tuple[float, float], out_s: tuple[float, float]) -> None:
    healthy(spin)
    rng, other = spin.rng, other_pocket(spin)
    out = spin.rest_s + rng.uniform(*rests_s)
    spin.closed = [(a, min(b, out), k) for a, b, k in spin.closed]
    spin.closed.append((out + rng.uniform(*out_s), ENDS_S, other))
    spin.number = None


def moved(spin: Spin) -> None:
    """A second after it came to rest a hand moves the ball to another pocket."""
    _move(spin, (1.1, 1.5), (0.15, 1.5))


def moved_soon(spin: Spin) -> None:
    """A hand moves the ball to another pocket within a second of its rest."""
    _move(spin, (0.5, 0.95), (0.15, 3.4))


def on_the_fret(spin: Spin) -> None:
    """A full spin; the ball rests on the fret and closes both switches before it falls."""
    healthy(spin)
    rng, n = spin.rng, spin.build.pockets
    assert spin.number is not None
    beside = (spin.number + rng.choice((1, -1))) % n
    spin.closed.append((spin.rest_s, spin.rest_s + rng.uniform(0.2, 2.0), beside))


def hops_late(spin: Spin) -> None:
    """A full spin; after up to 0.35 s at rest the ball hops to the next pocket."""
    healthy(spin)
    rng, n = spin.rng, spin.build.pockets
    start, end, rests = spin.closed[-1]
    spin.closed = [one for one in spin.closed if one[2] != rests or one[1] == end]
    out = spin.rest_s + rng.uniform(0.1, 0.35)
    spin.closed[-1] = (start, out, rests)
    spin.number = (rests + rng.choice((1, -1))) % n
    spin.rest_s = out + rng.uniform(0.03, 0.25)
    spin.closed.append((spin.rest_s, end, spin.number))


def _first_run(spin: Spin, laps: tuple[float, float], way: int) -> float:
    """A run that is caught after so many circuits; returns when."""
    rng = spin.rng
    start, release_s = rng.random(), rng.uniform(*RELEASE)
    speed, slip, rough = rng.uniform(1.8, 2.6), rng.random(), rng.random()
    run = Run(spin.track, speed, spin=slip, rough=rough, start=start, way=way)
    until = run.time_of(rng.uniform(*laps))
    roll(spin, run, release_s, start, way, until)
    return release_s + until


def relaunch(spin: Spin) -> None:
    """Caught and thrown again; the last run is short (R-4)."""
    caught = _first_run(spin, (1.5, 7.0), spin.way)
    land(spin, throw(spin, caught + spin.rng.uniform(0.6, 4.0), SHORT))
    spin.number = None


def relaunched_in_place(spin: Spin) -> None:
    """Caught, and soon thrown again about as fast, about where it would have been; short (R-4)."""
    rng, track, way = spin.rng, spin.track, spin.way
    start, release_s, first = rng.random(), rng.uniform(*RELEASE), rng.uniform(1.2, 4.0)
    rough, speed = rng.random(), 1.4

    def rolled(speed: float) -> Run:
        return Run(track, speed, spin=1.0, rough=rough, start=start, way=way)

    while rolled(speed).laps < first + rng.uniform(4.5, 6.5):
        speed *= 1.02
    run = rolled(speed)
    until, pause = run.time_of(first), rng.uniform(0.2, 1.5)
    roll(spin, run, release_s, start, way, until)
    place = bisect_left(run.angles, first)
    speed = (run.angles[place] - run.angles[place - 1]) / STEP_S
    start += way * (first + speed * pause * rng.uniform(0.5, 1.1))
    speed *= rng.uniform(0.85, 1.02)
    release_s += until + pause
    again = rolled(speed)
    while again.laps > 6.85:
        speed *= 0.98
        again = rolled(speed)
    roll(spin, again, release_s, start, way, again.leaves_s)
    spin.released_s, spin.left_s, spin.laps = release_s, release_s + again.leaves_s, again.laps
    land(spin, again)
    spin.number = None


def wrong_way_first(spin: Spin) -> None:
    """Thrown the wrong way, caught, thrown against the rotor for a full run."""
    caught = _first_run(spin, (1.5, 4.0), -spin.way)
    land(spin, throw(spin, caught + spin.rng.uniform(0.6, 4.0), FULL))
    spin.number = None


def _short(spin: Spin, laps: tuple[float, float] = SHORT) -> None:
    land(spin, throw(spin, spin.rng.uniform(*RELEASE), laps))
    spin.number = None


def short(spin: Spin) -> None:
    """A short spin."""
    _short(spin)


def short_hand(spin: Spin) -> None:
    """A hand at a beam before a short spin."""
    _short(spin)
    hand(spin, spin.released_s - spin.rng.uniform(0.05, 2.5))


def short_finger(spin: Spin) -> None:
    """A finger at a beam before a short spin."""
    _short(spin)
    quick_hand(spin, spin.released_s - spin.rng.uniform(0.05, 2.5))


def short_fingers(spin: Spin) -> None:
    """Two fingers at beams before a short spin."""
    _short(spin)
    for _ in range(2):
        quick_hand(spin, spin.released_s - spin.rng.uniform(0.05, 2.5))


def short_sleeve(spin: Spin) -> None:
    """A sleeve at a beam after a short spin."""
    _short(spin)
    hand(spin, spin.left_s + spin.rng.uniform(0.0, 2.5))


def short_kick(spin: Spin) -> None:
    """A kick or a finger, as quick as a ball, after a short spin."""
    _short(spin)
    quick_hand(spin, spin.left_s + spin.rng.uniform(0.0, 2.5))


def short_emi(spin: Spin) -> None:
    """Pulses of 2 to 12 ms couple into the rim sensors' cables during a short spin."""
    _short(spin)
    for _ in range(spin.rng.randint(1, 3)):
        burst_s = spin.rng.uniform(spin.released_s - 1.0, spin.left_s + 1.0)
        sensor = RIMS[spin.rng.randrange(len(spin.build.rims))]
        spin.lines.cover(sensor, burst_s, burst_s + spin.rng.uniform(0.0022, 0.012))


def _edge(laps: float) -> Callable[[Spin], None]:
    def play(spin: Spin) -> None:
        land(spin, throw(spin, spin.rng.uniform(*RELEASE), (laps, laps)))
        if spin.laps < 7.0:
            spin.number = None
        spin.may_void = True

    play.__doc__ = f"A spin of {laps} true circuits."
    return play


def _head_off(off: float, *, wrong_may_void: bool = True) -> Callable[[Spin], None]:
    def play(spin: Spin) -> None:
        spin.build.head_off = spin.rng.choice((1, -1)) * off
        healthy(spin)
        spin.may_void = wrong_may_void

    play.__doc__ = f"The head sits {off} pocket off its place."
    return play


def narrow_ring(spin: Spin) -> None:
    """Ring magnets of 5 x 2 mm are on for 26 to 35 % of a pitch, and the head is 0.25 off."""
    spin.build.ring_half = spin.rng.uniform(0.13, 0.175)
    _head_off(0.25)(spin)
    spin.may_void = False


Kind = Callable[[Spin], None]
BALL: dict[str, Kind] = {
    "healthy": healthy,
    "hand before the release": hand_before,
    "hand picks the ball up": hand_picks_up,
    "hand waits in a beam": hand_waits,
    "picked up, rotor reversed": pick_up_and_reverse,
    "one dirty pulse": dirty_pulse,
    "finger before the release": finger_before,
    "sleeve while it bounces": sleeve_bouncing,
    "laid back": laid_back,
    "moved to another pocket": moved,
    "moved within a second": moved_soon,
    "relaunched, short": relaunch,
    "relaunched in place, short": relaunched_in_place,
    "wrong way first": wrong_way_first,
    "short": short,
    "short, hand before": short_hand,
    "short, finger before": short_finger,
    "short, two fingers before": short_fingers,
    "short, sleeve after": short_sleeve,
    "short, finger or kick after": short_kick,
    "short, EMI": short_emi,
    "6.95 circuits": _edge(6.95),
    "7.05 circuits": _edge(7.05),
    "7.25 circuits": _edge(7.25),
    "7.50 circuits": _edge(7.5),
}
POCKET: dict[str, Kind] = {
    "magnet stays": magnet_stays,
    "magnet taken away": magnet_taken,
}
ARRAY: dict[str, Kind] = {
    "switch sticks": switch_sticks,
    "rests on the fret": on_the_fret,
    "hops late": hops_late,
}
HEAD: dict[str, Kind] = {
    "ring of 5 x 2 mm discs": narrow_ring,
    "head 0.15 off": _head_off(0.15, wrong_may_void=False),
    "head 0.40 off": _head_off(0.40),
    "head 0.50 off": _head_off(0.50),
    "head 0.60 off": _head_off(0.60),
}


def draw(kind: Kind, seed: str, sensor: str, rims: int = 2, rim: Rim = ANY_RIM) -> Spin:
    """One round of a kind; deterministic for a seed. rims: how many rim sensors."""
    spin = begin(random.Random(seed), sensor, rims, rim)
    kind(spin)
    return spin
