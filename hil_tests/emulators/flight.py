"""How a ball is thrown, runs, falls and scatters: one throw drawn at random from real numbers.

Sources: 108 real spins timed by hand and published work (design.md section 7): released at about
2.0 rev/s (to 2.5), deceleration 0.101-0.140 rev/s^2, leaves the rim at about 0.5 rev/s, 14-21
laps, on the rotor 14-20 s after release, the number stands after 20-25 s, scatter about 18
pockets. Knows nothing of sensors or rotors.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from hil_tests.emulators.core.motion import Motion, Uniform, follow

SPEED = (2.08, 0.12, 1.80, 2.50)
DECELERATION = (0.118, 0.008, 0.101, 0.140)
LEAVE_SPEED = (0.47, 0.03, 0.41, 0.55)
SCATTER = (18.0, 8.0, 0.0, 60.0)
LAPS = (14.0, 21.0)
ON_ROTOR_S = (14.0, 20.0)
STANDS_S = (20.0, 25.0)

Stretch = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Touch:
    """The ball lies in a pocket for a moment, `pockets` on from the one it met first."""

    at_s: float
    dwell_s: float
    pockets: int


@dataclass(slots=True)
class Throw:
    """One throw of the ball. Speeds in rev/s, angle in turns of the stator, direction +1 or -1.

    legs: what the rim does to the ball, (acceleration along the run, seconds) after each other;
    empty for a clean rim, where one deceleration holds until leave_speed. lands: False for a ball
    that never reaches a pocket; only one that does needs fall_s and touches.
    """

    direction: int
    angle: float
    speed: float
    deceleration: float
    leave_speed: float
    fall_s: float = 0.0
    touches: tuple[Touch, ...] = ()
    legs: list[Stretch] = field(default_factory=list)
    stays_on_rim: bool = False
    lands: bool = True

    @property
    def rim_s(self) -> float:
        """Return the seconds a clean run on the rim lasts."""
        if self.speed <= self.leave_speed:
            return 0.0
        return (self.speed - self.leave_speed) / self.deceleration

    @property
    def laps(self) -> float:
        """Return the turns of a clean run on the rim."""
        return (self.speed + self.leave_speed) / 2 * self.rim_s

    @property
    def on_rotor_s(self) -> float:
        """Return the seconds from release to the first pocket."""
        return self.rim_s + self.fall_s

    @property
    def stands_s(self) -> float:
        """Return the seconds from release to the ball at rest in its pocket."""
        return self.on_rotor_s + self.touches[-1].at_s

    @property
    def in_pocket_s(self) -> float:
        """Return the seconds from release until the ball touches the pocket it will stay in."""
        scatter = self.scatter
        return self.on_rotor_s + next(t.at_s for t in self.touches if t.pockets == scatter)

    @property
    def scatter(self) -> int:
        """Return how many pockets the ball travels over the rotor, in its own direction."""
        return self.touches[-1].pockets

    def seconds_to_laps(self, laps: float) -> float:
        """Return how long after release a clean run has covered the laps (inf: never)."""
        return Uniform(0.0, 0.0, self.speed, -self.deceleration).time_at(laps)

    def seconds_to_speed(self, speed: float) -> float:
        """Return how long after release a clean run has slowed to the speed."""
        return (self.speed - speed) / self.deceleration

    def motion(self, release_s: float) -> Motion:
        """Return the ball's angle on the rim from the release on."""
        legs = self.legs or [(-self.deceleration, self.rim_s)]
        signed = [(accel * self.direction, seconds) for accel, seconds in legs]
        return follow(release_s, self.angle, self.speed * self.direction, signed)


def draw_touches(rng: random.Random, scatter: int) -> tuple[Touch, ...]:
    """Draw where the ball bounces on the rotor; the last touch is where it stays (for ever)."""
    bounce_s = rng.uniform(2.0, 4.4)
    touches: list[Touch] = []
    at_s = 0.0
    while at_s < bounce_s:
        # A hop is shorter the less of the ball's energy is left; 0.7 s is a climb up the cone.
        left = 1 - at_s / bounce_s
        dwell_s = rng.uniform(0.005, 0.080)
        touches.append(Touch(at_s, dwell_s, round(scatter * (1 - left * left))))
        at_s += dwell_s + rng.uniform(0.08, 0.15 + 0.55 * left)
    # In its last pocket the ball rattles between the frets before it lies still.
    for _ in range(rng.randint(1, 4)):
        dwell_s = rng.uniform(0.05, 0.5)
        touches.append(Touch(at_s, dwell_s, scatter))
        at_s += dwell_s + rng.uniform(0.003, 0.030)
    touches.append(Touch(at_s, float("inf"), scatter))
    return tuple(touches)


def draw_throw(rng: random.Random, direction: int) -> Throw:
    """Draw a healthy throw: laps and times within what was measured on full spins."""
    while True:
        throw = Throw(
            direction=direction,
            angle=rng.random(),
            speed=_draw(rng, SPEED),
            deceleration=_draw(rng, DECELERATION),
            leave_speed=_draw(rng, LEAVE_SPEED),
            fall_s=rng.uniform(1.2, 2.6),
            touches=draw_touches(rng, round(_draw(rng, SCATTER))),
        )
        if (
            LAPS[0] <= throw.laps <= LAPS[1]
            and ON_ROTOR_S[0] <= throw.on_rotor_s <= ON_ROTOR_S[1]
            and STANDS_S[0] <= throw.stands_s <= STANDS_S[1]
        ):
            return throw


def _draw(rng: random.Random, spread: tuple[float, float, float, float]) -> float:
    """Draw from a normal distribution (mean, deviation) cut off at (low, high)."""
    mean, deviation, low, high = spread
    while True:
        value = rng.gauss(mean, deviation)
        if low <= value <= high:
            return value
