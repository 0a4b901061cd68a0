"""The physical roulette wheel: what it was built like, its sensors, rotor and balls.

Angles are turns of the stator, clockwise, seen from above. A pocket coordinate P is the place on
the rotor at stator angle 0: P = k when the centre of pocket k is there. A rotor turning clockwise
(+1) makes P fall. A hand acts on the wheel (push, launch, take away ...), time passes with
`events_until`, and the events of the sensors come out. Acts take effect at the time given, never
before the end of the last window. Times are integer microseconds since power-on.

Sources of the ball's figures: 108 real spins timed by hand and published work (design.md section
7): released at about 2.0 rev/s (to 2.5), deceleration 0.101-0.140 rev/s^2, leaves the rim at
about 0.5 rev/s, 14-21 laps, on the rotor 14-20 s after release, at rest after 20-25 s, scatter
about 18 pockets.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from tableemulator.machines.core.board_pins import CONTACTS, INPUTS
from tableemulator.machines.core.emulator import SetupError, option
from tableemulator.machines.core.motion import (
    Coast,
    Crossings,
    Mark,
    Motion,
    Segment,
    Uniform,
    follow,
)
from tableemulator.machines.core.sensor_lines import LEVELS, Agenda, Bank, Event
from tableemulator.machines.roulette.ball_rim import SMOOTH, Rim, Stretch, draw_rim, roll
from tableemulator.machines.roulette.mounting_faults import BY_NAME, FAULTS, LINES, RIGHT
from tablespec.names import KEY_NAMES
from tablewire import roulette

# The customary orders, read clockwise from the pocket of 0 (rulebook 3.1).
SINGLE_ZERO = (
    "0 32 15 19 4 21 2 25 17 34 6 27 13 36 11 30 8 23 10 5 24 16 33 1 20 14 31 9 22 18 29 7 28 12"
    " 35 3 26"
)
DOUBLE_ZERO = (
    "0 2 14 35 23 4 16 33 21 6 18 31 19 8 12 29 25 10 27 00 1 13 36 24 3 15 34 22 5 17 32 20 7 11"
    " 30 26 9 28"
)
ORDERS = {"single": tuple(SINGLE_ZERO.split()), "double": tuple(DOUBLE_ZERO.split())}
WHEELS = {"single": roulette.WHEEL_SINGLE, "double": roulette.WHEEL_DOUBLE}
POCKET_SENSORS = {
    "array": roulette.POCKET_SENSOR_ARRAY,
    "head": roulette.POCKET_SENSOR_HEAD,
    "both": roulette.POCKET_SENSOR_BOTH,
}

# Half widths in pockets of what a ring, index or head sensor sees around its magnet or ball.
RING_HALF_WIDTH = 0.25
INDEX_HALF_WIDTH = 0.125
HEAD_HALF_WIDTH = 0.2
# Arc of the rim, in turns, over which a ball of 20 mm covers a rim sensor: about 3 degrees.
BALL_ARC = 3 / 360

SENSOR_PINS = ROTOR_A, ROTOR_B, INDEX, RIM_1, RIM_2, HEAD, RIM_3, RIM_4 = INPUTS
RIMS = (RIM_1, RIM_2, RIM_3, RIM_4)
# Input of the controller at a pin, and the other way round.
INPUT_OF = dict(zip(SENSOR_PINS, LINES, strict=True))
PIN_OF = {number: pin for pin, number in INPUT_OF.items()}
# Degrees clockwise from rim sensor 1 to the others, by how many there are, as WIRING.md has it.
RIM_DEG = {2: (90.0,), 3: (120.0, 240.0), 4: (90.0, 180.0, 270.0)}
_RIM_GAP_MDEG = 30_000
ARRAY_SPI = 1
ARRAY_BYTES = 5


@dataclass(frozen=True, slots=True)
class Geometry:
    """One wheel as it was built; angles in degrees clockwise from the reference angle.

    index_offset: the pocket that follows the index magnet clockwise. clockwise: the sense in
    which the printed order is laid on the rotor. rim_2_deg and so on: None where RIM_DEG has it.
    mounting: the name of a Mounting: how lines and switches reach the controller, and which keys
    are set wrong. roughness: share by which the drag of its rim varies, None: drawn by the seed.
    """

    role: ClassVar[str] = "roulette"
    wheel: str = option("single", "Zeros on the wheel.", choices=ORDERS)
    pocket_sensor: str = option(
        "array",
        "How the pocket is read; head: for displays, not for money.",
        name="sensor",
        choices=POCKET_SENSORS,
    )
    head_deg: float = 180.0
    rim_2_deg: float | None = None
    index_offset: int = 0
    clockwise: bool = True
    mounting: str = option(RIGHT.name, "Mount its sensors wrong, as --fault list names it.")
    rim_sensors: int = option(2, "Rim sensors.", least=2, most=4)
    rim_3_deg: float | None = None
    rim_4_deg: float | None = None
    roughness: float | None = None

    def __post_init__(self) -> None:
        if self.wheel not in ORDERS:
            raise ValueError(f"wheel {self.wheel!r}: one of {', '.join(ORDERS)}")
        if self.pocket_sensor not in POCKET_SENSORS:
            raise ValueError(f"sensor {self.pocket_sensor!r}: one of {', '.join(POCKET_SENSORS)}")
        if self.rim_sensors not in RIM_DEG:
            raise ValueError(
                f"rim_sensors {self.rim_sensors}: one of {', '.join(map(str, RIM_DEG))}"
            )
        known = [RIGHT.name, *self.mountings()]
        if self.mounting not in known:
            what = f"no mounting {self.mounting!r} of a wheel with these sensors"
            raise SetupError(what, "mounting", ", ".join(known))

    def mountings(self) -> dict[str, str]:
        """Return the ways to mount such a wheel wrong, with what each is."""
        faults = (m for m in FAULTS if not m.builds)  # this wheel is built as it is configured
        return {m.name: m.what for m in faults if m.fits(self.pocket_sensor, self.rim_sensors)}

    @property
    def order(self) -> tuple[str, ...]:
        """Return the numbers on the rotor, clockwise from the pocket of 0."""
        order = ORDERS[self.wheel]
        return order if self.clockwise else (order[0], *reversed(order[1:]))

    @property
    def pockets(self) -> int:
        """Return the number of pockets: 37 or 38."""
        return len(self.order)

    @property
    def has_array(self) -> bool:
        """Return whether a switch is under each pocket."""
        return self.pocket_sensor != "head"

    @property
    def has_head(self) -> bool:
        """Return whether a reader head is beside the rotor."""
        return self.pocket_sensor != "array"

    @property
    def rims(self) -> dict[int, float]:
        """Return the place of each rim sensor, in turns clockwise from the first one, by pin."""
        built = (self.rim_2_deg, self.rim_3_deg, self.rim_4_deg)
        usual = RIM_DEG[self.rim_sensors]
        degrees = [place if own is None else own for own, place in zip(built, usual, strict=False)]
        return dict(zip(RIMS, (0.0, *(angle / 360 for angle in degrees)), strict=False))

    @property
    def pins(self) -> tuple[int, ...]:
        """Return the pins that have a sensor, or have one on another wheel of two rim sensors."""
        return tuple(pin for pin in SENSOR_PINS if pin not in RIMS or pin in self.rims)

    def _rim_keys(self) -> dict[str, int]:
        # Of sensors that are not fitted the factory values, moved where they would be too near.
        keys = {"rim_sensors": self.rim_sensors}
        for number, place in zip(roulette.RIM_ANGLES, [*self.rims.values()][1:], strict=False):
            keys[KEY_NAMES[number - 1]] = round(place * 360_000)
        if self.rim_sensors == 3:
            keys["rim_4_angle_mdeg"] = max(270_000, keys["rim_3_angle_mdeg"] + _RIM_GAP_MDEG)
        return keys

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it is given, by name."""
        keys = {
            "wheel": WHEELS[self.wheel],
            "pocket_sensor": POCKET_SENSORS[self.pocket_sensor],
            "head_angle_mdeg": round(self.head_deg * 1000),
            **self._rim_keys(),
            "index_offset": self.index_offset,
            "reading_direction": 0 if self.clockwise else 1,
        }
        for name, wrong in BY_NAME[self.mounting].keys.items():
            keys[name] = wrong(keys[name], self.pockets)
        return keys

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture says of it."""
        return {"table": "roulette", "wheel": self.wheel, "sensor": self.pocket_sensor}


SPEED = (2.08, 0.12, 1.80, 2.50)
DECELERATION = (0.118, 0.008, 0.101, 0.140)
LEAVE_SPEED = (0.47, 0.03, 0.41, 0.55)
SCATTER = (18.0, 8.0, 0.0, 60.0)
LAPS = (14.0, 21.0)
ON_ROTOR_S = (14.0, 20.0)
STANDS_S = (20.0, 25.0)

# Speeds between which a throw is aimed, halved to a thousandth of a lap.
_FASTEST = 4.0
_HALVINGS = 18


@dataclass(frozen=True, slots=True)
class Touch:
    """The ball is in a pocket for a moment, `pockets` on from the one it met first."""

    at_s: float
    dwell_s: float
    pockets: int


@dataclass(slots=True)
class Throw:
    """One throw of the ball. Speeds in rev/s, angle in turns of the stator, direction +1 or -1.

    deceleration: by drag, the mean of a rough rim. rim: where it runs; rough: the number that the
    wandering of the drag in this run follows from. legs: what is done to the ball on the rim in
    place of a free run that ends at leave_speed. lands: False for a ball that never reaches a
    pocket; only one that does needs fall_s, touches and drift: how many turns from where it leaves
    the rim to where it meets the rotor are not those of its own speed, but of the deflectors.
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
    rim: Rim = SMOOTH
    rough: float = 0.0
    drift: float = 0.0

    @property
    def run(self) -> tuple[Stretch, ...]:
        """Return what the rim does to a ball that is left alone."""
        return roll(
            self.rim,
            self.rough,
            self.angle,
            self.direction,
            self.speed,
            self.deceleration,
            self.leave_speed,
        )

    @property
    def _free(self) -> Motion:
        return follow(0.0, 0.0, self.speed, self.run)

    @property
    def rim_s(self) -> float:
        """Return the seconds a free run on the rim lasts."""
        return sum(seconds for _accel, seconds in self.run)

    @property
    def laps(self) -> float:
        """Return the turns of a free run on the rim."""
        return self.laps_after(self.rim_s)

    def laps_after(self, seconds: float) -> float:
        """Return how many laps a free run has covered so long after the release."""
        return self._free.position(seconds)

    def run_until(self, seconds: float) -> list[Stretch]:
        """Return a free run that ends so long after the release."""
        legs: list[Stretch] = []
        for accel, lasts in self.run:
            if seconds <= 0:
                break
            legs.append((accel, min(lasts, seconds)))
            seconds -= lasts
        return legs

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
        """Return how long after release a free run has covered the laps."""
        parts = self._free.segments
        return next(part.time_at(laps) for part in parts if part.position(part.end) >= laps)

    def seconds_to_speed(self, speed: float) -> float:
        """Return how long after release a free run has first slowed to the speed (inf: never)."""
        start, v = 0.0, self.speed
        for accel, seconds in self.run:
            if v + accel * seconds <= speed:
                return start + (speed - v) / accel
            start, v = start + seconds, v + accel * seconds
        return math.inf

    def motion(self, release_s: float) -> Motion:
        """Return the ball's angle on the rim from the release on."""
        signed = [(accel * self.direction, seconds) for accel, seconds in self.legs or self.run]
        return follow(release_s, self.angle, self.speed * self.direction, signed)

    def aim(self, laps: float) -> None:
        """Throw it so fast that a free run makes so many laps."""
        slowest, fastest = self.leave_speed, _FASTEST
        for _ in range(_HALVINGS):
            self.speed = (slowest + fastest) / 2
            if self.laps < laps:
                slowest = self.speed
            else:
                fastest = self.speed


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
    # In its last pocket the ball rattles between the frets before it is at rest.
    for _ in range(rng.randint(1, 4)):
        dwell_s = rng.uniform(0.05, 0.5)
        touches.append(Touch(at_s, dwell_s, scatter))
        at_s += dwell_s + rng.uniform(0.003, 0.030)
    touches.append(Touch(at_s, float("inf"), scatter))
    return tuple(touches)


def draw_throw(rng: random.Random, direction: int, rim: Rim = SMOOTH) -> Throw:
    """Draw a healthy throw on a rim: laps and times within what was measured on full spins."""
    while True:
        throw = Throw(
            direction=direction,
            angle=rng.random(),
            speed=_draw(rng, SPEED),
            deceleration=_draw(rng, DECELERATION),
            leave_speed=_draw(rng, LEAVE_SPEED),
            fall_s=rng.uniform(1.2, 2.6),
            touches=draw_touches(rng, round(_draw(rng, SCATTER))),
            rim=rim,
            rough=rng.random(),
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


def ring_marks(geometry: Geometry, spread: list[float], missing: frozenset[int]) -> list[Mark]:
    """Return the marks of ring and index on the rotor, in turns of P / pockets.

    spread: displacement of each pocket's magnet, in pockets. missing: magnets that fell off.
    """
    n, half = geometry.pockets, RING_HALF_WIDTH
    marks: list[Mark] = []
    for k in range(n):
        if k in missing:
            continue
        for pin, centre in ((ROTOR_A, k + spread[k]), (ROTOR_B, k + 0.25 + spread[k])):
            marks.append(((centre - half) / n, pin, 1))
            marks.append(((centre + half) / n, pin, -1))
    index = geometry.index_offset - 0.5
    marks.append(((index - INDEX_HALF_WIDTH) / n, INDEX, 1))
    marks.append(((index + INDEX_HALF_WIDTH) / n, INDEX, -1))
    return marks


def rim_marks(geometry: Geometry, arc: float) -> list[Mark]:
    """Return the marks of the rim sensors for a body that covers `arc` turns of the rim."""
    return [
        mark
        for pin, place in geometry.rims.items()
        for mark in ((place - arc / 2, pin, 1), (place + arc / 2, pin, -1))
    ]


def head_marks(geometry: Geometry, pocket: int, off: float = 0.0) -> list[Mark]:
    """Return the marks of the reader head for a ball in the pocket, in turns of P / pockets.

    off: how far the head sits from its place, in pockets clockwise.
    """
    n = geometry.pockets
    centre = (pocket - off) / n - geometry.head_deg / 360
    half = HEAD_HALF_WIDTH / n
    return [(centre - half, HEAD, 1), (centre + half, HEAD, -1)]


class Sensors(Bank):
    """All sensor lines of one wheel, and the pocket switches if it has them."""

    def __init__(self, geometry: Geometry, seed: int | str, noise: str) -> None:
        self.geometry = geometry
        quality = LEVELS[noise]
        missed = dict.fromkeys(geometry.pins, quality.missed_tick)
        missed |= dict.fromkeys(geometry.rims, quality.missed_pass)
        super().__init__(missed, CONTACTS, seed, quality)
        placing = random.Random(f"{seed}/magnets")
        self.spread = [placing.gauss(0, quality.placement) for _ in range(geometry.pockets)]
        self._switches: dict[int, int] = {}
        self._mounting = BY_NAME[geometry.mounting]
        for place in self._mounting.reverses:
            self.note([0, "pin", PIN_OF[place], 1])
        self._note_array(0)

    def take(self, t_us: int) -> list[Event]:
        """See Bank; the lines arrive where the mounting has them end."""
        events = super().take(t_us)
        if self._mounting is not RIGHT:
            for event in events:
                if event[1] == "pin" and event[2] in INPUT_OF:
                    place, level = self._mounting.line(INPUT_OF[event[2]], event[3])
                    event[2:] = [PIN_OF[place], level]
        return events

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
        closed = sum(1 << pocket for pocket, count in self._switches.items() if count > 0)
        bits = self._mounting.bits(closed, self.geometry.pockets).to_bytes(ARRAY_BYTES, "little")
        self.note([t_us, "spi", ARRAY_SPI, bits.hex()])


# A rotor loses about 2 % of its speed in a turn: exp(-DRAG) = 0.98.
DRAG = 0.0202
HAND, RIM, FALLING, ROTOR, AWAY = "hand", "rim", "falling", "rotor", "away"


@dataclass(eq=False, slots=True)
class Ball:
    """One ball. place: where it is; pocket: the index it touches or rests in, else None.

    bound_for: the pocket it rests in or will come to rest in, once that is decided.
    """

    place: str = HAND
    pocket: int | None = None
    bound_for: int | None = None
    at_rest: bool = False
    throw: Throw | None = None
    laps: float = 0.0
    motion: Motion | None = None
    body: Crossings | None = None
    # Raised by every act of a hand, so that what was to become of the ball no longer does.
    fate: int = field(default=0)


class Wheel(Agenda):
    """One roulette wheel with its sensors; deterministic for a seed."""

    def __init__(self, geometry: Geometry, seed: int | str = 0, *, noise: str = "healthy") -> None:
        super().__init__()
        self.geometry = geometry
        self.rim = draw_rim(random.Random(f"{seed}/rim"), geometry.roughness)
        self.sensors = Sensors(geometry, seed, noise)
        if noise != "none":
            for pin in geometry.rims:
                self.sensors.lines[pin].lag_us = self.rim.lag_us
        rng = random.Random(f"{seed}/start")
        speed = rng.choice((1, -1)) * rng.uniform(8.0, 12.0) / 60
        # Rotor position is P / pockets: it rises while the rotor turns counter-clockwise.
        self.rotor = Motion([Coast(0.0, rng.random(), speed, DRAG)])
        self._ring = self.sensors.add(
            0, self.rotor, ring_marks(geometry, self.sensors.spread, frozenset())
        )
        self.ball = Ball()
        self.head_off = 0.0  # pockets the reader head sits from its place, clockwise
        self.put_in_pocket(0, self.ball, rng.randrange(geometry.pockets))

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Let time pass to t_us and return the events since the last call, in time order."""
        self.pass_to(t_us, self.sensors.run)
        return self.sensors.take(t_us)

    # --- rotor ------------------------------------------------------------------------------

    @property
    def rotor_rpm(self) -> float:
        """Return the rotor's speed now, clockwise positive."""
        return -60 * self.rotor.speed(self.now_us / 1e6)

    def push_rotor(self, rpm: float, *, brake_s: float = 0.7, push_s: float = 0.9) -> None:
        """Brake the rotor by hand and push it to rpm (clockwise positive); 0 leaves it stopped."""
        start = self.now_us / 1e6
        x, v = self.rotor.position(start), self.rotor.speed(start)
        legs: list[Segment] = []
        if v:
            legs.append(Uniform(start, x, v, -v / brake_s, start + brake_s))
            start, x = start + brake_s, x + v * brake_s / 2
        v = -rpm / 60
        if v:
            legs.append(Uniform(start, x, 0.0, v / push_s, start + push_s))
            start, x = start + push_s, x + v * push_s / 2
            legs.append(Coast(start, x, v, DRAG))
        else:
            legs.append(Uniform(start, x))
        self.rotor.redirect(self.now_us / 1e6, legs)

    def refit_ring(self, missing: frozenset[int]) -> None:
        """Take magnets out of the ring, or (an empty set) put all of them back."""
        marks = ring_marks(self.geometry, self.sensors.spread, missing)
        self.sensors.remove(self.now_us, self._ring)
        self._ring = self.sensors.add(self.now_us, self.rotor, marks)

    def pocket_at(self, t_us: int, angle: float) -> int:
        """Return the index of the pocket at a stator angle (turns), not before the present."""
        coordinate = (self.rotor.position(t_us / 1e6) + angle) * self.geometry.pockets
        return round(coordinate) % self.geometry.pockets

    # --- balls ------------------------------------------------------------------------------

    def launch(self, ball: Ball, throw: Throw) -> None:
        """Release the ball into the rim now; what follows comes by itself."""
        self.take_away(ball)
        now = self.now_us
        ball.place, ball.throw, ball.laps, ball.at_rest = RIM, throw, 0.0, False
        ball.motion = throw.motion(now / 1e6)
        ball.body = self.sensors.add(now, ball.motion, rim_marks(self.geometry, BALL_ARC))
        if not throw.stays_on_rim:
            seconds = sum(leg[1] for leg in throw.legs or throw.run)
            self._then(now + int(seconds * 1e6), ball, self._leave_rim)

    def roll_object(self, throw: Throw, arc: float) -> Ball:
        """Let something other than the ball run in the rim; it never lands in a pocket."""
        thing = Ball()
        self.launch(thing, throw)
        if thing.body is not None and thing.motion is not None:
            self.sensors.remove(self.now_us, thing.body)
            marks = rim_marks(self.geometry, arc)
            thing.body = self.sensors.add(self.now_us, thing.motion, marks)
        return thing

    def put_in_pocket(self, t_us: int, ball: Ball, pocket: int) -> None:
        """Lay a ball (or a magnet under the pocket) into a pocket, where it stays."""
        self.take_away(ball)
        ball.place, ball.at_rest = ROTOR, True
        ball.bound_for = pocket
        self._touch(t_us, ball, pocket)

    def take_away(self, ball: Ball) -> None:
        """Take the ball off the wheel, wherever it is; its laps stay known."""
        ball.fate += 1
        self._lift(self.now_us, ball)
        if ball.place == RIM:
            self._off_rim(self.now_us, ball)
        ball.place, ball.at_rest = HAND, False

    def _then(self, t_us: int, ball: Ball, act: Callable[[int, Ball], None]) -> None:
        """Schedule what becomes of a ball unless a hand takes it before."""
        fate = ball.fate
        self.schedule(t_us, lambda when: act(when, ball) if ball.fate == fate else None)

    def _off_rim(self, t_us: int, ball: Ball) -> None:
        assert ball.body is not None
        assert ball.motion is not None
        assert ball.throw is not None
        ball.laps = abs(ball.motion.position(t_us / 1e6) - ball.throw.angle)
        self.sensors.remove(t_us, ball.body)
        ball.body = None

    def _leave_rim(self, t_us: int, ball: Ball) -> None:
        assert ball.throw is not None
        self._off_rim(t_us, ball)
        ball.place = FALLING if ball.throw.lands else AWAY
        if ball.throw.lands:
            self._then(t_us + int(ball.throw.fall_s * 1e6), ball, self._meet_rotor)

    def _meet_rotor(self, t_us: int, ball: Ball) -> None:
        """Fix the pockets of every bounce: they move with the rotor whatever it does."""
        throw = ball.throw
        assert throw is not None
        # Falling, the ball drifts on in its direction at about 0.8 of the speed it left with.
        drift = throw.direction * 0.8 * throw.leave_speed * throw.fall_s
        angle = throw.angle + throw.direction * ball.laps + drift + throw.drift
        first = self.pocket_at(t_us, angle)
        ball.place = ROTOR
        for touch in throw.touches:
            pocket = (first + throw.direction * touch.pockets) % self.geometry.pockets
            self._bounce(t_us, ball, pocket, touch.at_s, touch.dwell_s)
            ball.bound_for = pocket

    def _bounce(self, t_us: int, ball: Ball, pocket: int, at_s: float, dwell_s: float) -> None:
        start = t_us + int(at_s * 1e6)
        final = dwell_s == float("inf")

        def arrive(when: int, ball: Ball) -> None:
            ball.at_rest = final
            self._touch(when, ball, pocket)

        self._then(start, ball, arrive)
        if not final:
            self._then(start + int(dwell_s * 1e6), ball, self._lift)

    def _touch(self, t_us: int, ball: Ball, pocket: int) -> None:
        ball.pocket = pocket
        self.sensors.close_switch(t_us, pocket)
        if self.geometry.has_head:
            marks = head_marks(self.geometry, pocket, self.head_off)
            ball.body = self.sensors.add(t_us, self.rotor, marks)

    def _lift(self, t_us: int, ball: Ball) -> None:
        if ball.pocket is None:
            return
        self.sensors.open_switch(t_us, ball.pocket)
        if ball.body is not None:
            self.sensors.remove(t_us, ball.body)
            ball.body = None
        ball.pocket = None
