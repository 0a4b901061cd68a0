"""The physical money wheel: a heavy wheel, its bearing, pins and flapper, in virtual time.

A hand acts on it (push, brake, hold ...), time passes with `events_until`, and the events of the
sensors come out. Between two pins the wheel slows evenly; each pin takes its share of energy, and
the one it has no energy left for throws it back. Positions are turns, rising counter-clockwise;
times are seconds inside, integer microseconds since power-on outside.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import ClassVar

from tableemulator.machines.core.board_pins import ANALOG, CONTACTS, INPUTS
from tableemulator.machines.core.emulator import SetupError, option
from tableemulator.machines.core.motion import Crossings, Mark, Motion, Segment, Uniform
from tableemulator.machines.core.sensor_lines import LEVELS, Agenda, Bank, Event
from tablewire import messages

_LAYOUT_52 = (
    "1 3 5 1 10 1 3 1 5 1 3 1 20 45 1 3 1 5 1 3 1 10 1 5 3 1 1 3 5 1 10 1 3 1 5 1 3 1 20 45 1 "
    "3 1 5 1 3 1 10 1 5 3 1 "
)


_LAYOUT_54 = (
    "1 2 5 1 2 1 10 1 2 1 5 20 1 2 1 40 2 1 5 1 2 1 10 2 1 1 5 2 1 2 1 10 1 2 1 5 1 2 20 1 40 "
    "2 1 5 1 2 1 10 1 2 1 5 2 1 "
)


# What is painted on the segments, clockwise from the index.
LAYOUTS = {
    pins: tuple(int(word) for word in text.split())
    for pins, text in {
        52: _LAYOUT_52,
        54: _LAYOUT_54,
    }.items()
}


# As `tabletool diag --calibrate wheel_law` learns them of 40 free turns of this model, and half as
# much again for the limits: turn 108 to 306, slow pins 552 to 800, the last seven 34 to 84.
LEARNED = {
    "friction_ddegss": 150,
    "air_1024": 302,
    "law_slack_percent": 3,
    "turn_limit": 460,
    "slow_limit": 1_200,
    "last_limit": 126,
    "hold_low_percent": 88,
    "hold_high_percent": 144,
}


@dataclass(frozen=True, slots=True)
class MoneyWheelSetup:
    """One money wheel as it was built: pins 52 or 54; index_offset: see MoneyWheel."""

    role: ClassVar[str] = "money_wheel"
    pins: int = option(52, "Segments of the wheel, 52 or 54.", name="segments")
    index_offset: int = 0

    def __post_init__(self) -> None:
        if self.pins not in LAYOUTS:
            raise SetupError(f"no wheel of {self.pins} segments", "segments", "52 or 54")

    @property
    def keys(self) -> dict[str, int]:
        """Return the configuration keys it needs, by name."""
        return {
            "role": messages.ROLE_MONEY_WHEEL,
            "segments": 1 if self.pins == 52 else 2,
            "pin_offset": self.index_offset,
            **LEARNED,
        }

    @property
    def meta(self) -> dict[str, object]:
        """Return what a capture has of it."""
        return {"table": "money_wheel", "segments": self.pins}

    @property
    def layout(self) -> tuple[int, ...]:
        """Return what each segment pays."""
        return LAYOUTS[self.pins]


# How rough a wheel is, by the noise of its sensors.
ROUGH = {"healthy": 0.05, "worn": 0.15}
# The flapper touches a pin from this far before it, in segments.
CONTACT = 0.12


@dataclass(frozen=True, slots=True)
class Friction:
    """What slows the wheel, in turns and seconds.

    bearing: turns/s^2. air: 1/turn, times the square of the speed. pin: square of speed each pin
    takes. barrier: square of speed needed to pass one. rebound: share of speed it throws back.
    rough: share by which one passage of a pin differs from the next.
    """

    bearing: float = 8 / 360
    air: float = 0.012
    pin: float = 2 * 7 * (360 / 52) / 360**2
    barrier: float = 1.5 * 2 * 7 * (360 / 52) / 360**2
    rebound: float = 0.3
    rough: float = 0.0

    def free_run(
        self, pins: int, t: float, x: float, v: float, rng: random.Random
    ) -> list[Segment]:
        """Return the free motion from a moment on, to its rest."""
        pitch = 1 / pins
        way = 1 if v > 0 else -1
        speed = abs(v)
        segments: list[Segment] = []
        while True:
            ahead = math.floor(x * pins * way + 1e-9) + 1  # pins passed, in the direction
            distance = ahead * pitch - x * way
            slowing = self.bearing + self.air * speed * speed
            left = speed * speed - 2 * slowing * distance
            share = max(rng.gauss(1.0, self.rough), 0.3)
            if left < share * self.barrier:
                break
            time = 2 * distance / (speed + math.sqrt(left))
            segments.append(Uniform(t, x, way * speed, -way * slowing, t + time))
            t, x = t + time, way * ahead * pitch
            speed = math.sqrt(left - share * self.pin)
        return segments + self._last_legs(pins, (t, x, way * speed), slowing, distance)

    def _last_legs(
        self, pins: int, state: tuple[float, float, float], slowing: float, distance: float
    ) -> list[Segment]:
        """The pin ahead is not passed: rest before it, or be thrown back by the flapper."""
        t, x, v = state
        way = 1 if v > 0 else -1
        touch = max(distance - CONTACT / 2 / pins, 0.0)
        left = v * v - 2 * slowing * touch
        if left <= 0:
            stop = abs(v) / slowing
            leg = Uniform(t, x, v, -way * slowing, t + stop)
            return [leg, Uniform(t + stop, leg.position(t + stop))]
        time = 2 * touch / (abs(v) + math.sqrt(left))
        leg = Uniform(t, x, v, -way * slowing, t + time)
        x = leg.position(t + time)
        back = self.rebound * math.sqrt(left)
        # The flapper brakes the way back too: it never reaches the pin behind.
        stop = min(back / slowing, 0.6 / pins / back) if back else 0.0
        t += time
        rest = Uniform(t, x, -way * back, way * back / stop if stop else 0.0, t + stop)
        return [leg, rest, Uniform(rest.end, rest.position(rest.end))]


LINES = PIN_A, PIN_B, INDEX = INPUTS[:3]
FLAPPER = ANALOG

# Half widths, in segments, of what a sensor sees around its magnet.
HALF_WIDTH = 0.25
INDEX_HALF_WIDTH = 0.125
# The flapper lets go of a pin this far behind it, in segments.
LET_GO = 0.02
# Raw readings of the 16-bit converter the rig shows: at rest, and on top of a pin.
REST_RAW, TOP_RAW = 16_000, 48_000
STEP_BITS = 10  # a board reads the converter in steps of these bits: less is not seen
SAMPLE_US = 20_000


class MoneyWheel(Agenda):
    """One wheel with its sensors; deterministic for a seed. pins: 52 or 54.

    index_offset: the pin after which the index comes by, half a segment before it.
    """

    def __init__(
        self,
        pins: int,
        seed: int | str = 0,
        *,
        index_offset: int = 0,
        noise: str = "healthy",
        friction: Friction | None = None,
    ) -> None:
        super().__init__()
        self.pins = pins
        self.index_offset = index_offset
        self.friction = friction or Friction(rough=ROUGH.get(noise, 0.0))
        quality = LEVELS[noise]
        self._rng = random.Random(f"{seed}/wheel")
        self._pin_rng = random.Random(f"{seed}/pins")
        missed = dict.fromkeys(LINES, quality.missed_tick)
        self.sensors = Bank(missed, CONTACTS, seed, quality)
        self._spread = [self._rng.gauss(0, quality.placement) for _ in range(pins)]
        self.motion = Motion([Uniform(0.0, (self._rng.randrange(pins) + 0.5) / pins)])
        self._body = self._fit(frozenset())
        self._sampled_us = 0
        self._raw_shown = -1
        self._way = 1  # in which it turned last
        self.stiff = False  # the flapper does not bend
        self.held_raw: int | None = None  # what a broken wire shows

    # --- time -------------------------------------------------------------------------------

    def events_until(self, t_us: int) -> list[Event]:
        """Let time pass to t_us and return the events since the last call, in time order."""
        self.pass_to(t_us, self._run)
        return self.sensors.take(t_us)

    def _run(self, t_us: int) -> None:
        segments, place = self.motion.segments, 0
        segment = segments[0]
        while self._sampled_us + SAMPLE_US <= t_us:
            self._sampled_us += SAMPLE_US
            while segment.end <= self._sampled_us / 1e6 and place + 1 < len(segments):
                place += 1
                segment = segments[place]
            self._sample(self._sampled_us, segment)
        self.sensors.run(t_us)

    # --- where it is ------------------------------------------------------------------------

    def place(self) -> float:
        """Return the pin coordinate P under the flapper now."""
        return self.motion.position(self.now_us / 1e6) * self.pins

    def speed(self) -> float:
        """Return the speed in turns a second now, rising positive."""
        return self.motion.speed(self.now_us / 1e6)

    def segment(self) -> int:
        """Return the segment under the flapper now; segment k follows pin k."""
        return math.floor(self.place()) % self.pins

    # --- hands ------------------------------------------------------------------------------

    def push(self, speed: float, *, seconds: float = 0.6) -> None:
        """Bring it to a speed (turns/s, rising positive) by hand, then let it run free."""
        t = self.now_us / 1e6
        x, v = self.motion.position(t), self.motion.speed(t)
        if not v and not speed:
            return
        leg = Uniform(t, x, v, (speed - v) / seconds, t + seconds)
        if v * speed < 0 or not speed:  # through standstill: no segment may turn round
            stop = t + abs(v) / (abs(v) + abs(speed)) * seconds
            first = Uniform(t, x, v, -v / (stop - t), stop)
            x = first.position(stop)
            legs: list[Segment] = [first]
            if not speed:
                self.motion.redirect(t, [*legs, Uniform(stop, x)])
                return
            leg = Uniform(stop, x, 0.0, speed / (t + seconds - stop), t + seconds)
            legs.append(leg)
        else:
            legs = [leg]
        end = t + seconds
        self.motion.redirect(t, [*legs, *self._free_run(end, leg.position(end), speed)])

    def _free_run(self, t: float, x: float, v: float) -> list[Segment]:
        return self.friction.free_run(self.pins, t, x, v, self._pin_rng)

    def brake(self, factor: float) -> None:
        """Let a hand slow it to a share of its speed within half a second, then run free."""
        v = self.speed()
        if v:
            self.push(v * factor, seconds=0.5)

    def come_to_rest(self, place: float) -> None:
        """Let it slow evenly from its present speed to rest at a pin coordinate ahead."""
        t = self.now_us / 1e6
        x, v = self.motion.position(t), self.motion.speed(t)
        distance = place / self.pins - x
        end = t + 2 * distance / v
        leg = Uniform(t, x, v, -v * v / (2 * distance), end)
        self.motion.redirect(t, [leg, Uniform(end, place / self.pins)])

    def shift(self, segments: float) -> None:
        """Let a hand turn the resting wheel on by so many segments within half a second."""
        t = self.now_us / 1e6
        x = self.motion.position(t)
        leg = Uniform(t, x, 2 * segments / self.pins, 0.0, t + 0.5)
        self.motion.redirect(t, [leg, Uniform(leg.end, leg.position(leg.end))])

    def keep_turning(self, speed: float) -> None:
        """Drive it at a steady speed, as nothing at a table should."""
        t = self.now_us / 1e6
        self.motion.redirect(t, [Uniform(t, self.motion.position(t), speed)])

    # --- sensors ----------------------------------------------------------------------------

    def refit(self, missing: frozenset[int], *, index: bool = True) -> None:
        """Take magnets off pins (or the index off), or with nothing missing put them back."""
        self.sensors.remove(self.now_us, self._body)
        self._body = self._fit(missing, index=index)

    def _fit(self, missing: frozenset[int], *, index: bool = True) -> Crossings:
        n = self.pins
        marks: list[Mark] = []
        for k in range(n):
            if k not in missing:
                for pin, centre in ((PIN_A, k), (PIN_B, k + HALF_WIDTH)):
                    centre += self._spread[k]
                    marks.append(((centre - HALF_WIDTH) / n, pin, 1))
                    marks.append(((centre + HALF_WIDTH) / n, pin, -1))
        if index:
            place = self.index_offset - 0.5
            marks.append(((place - INDEX_HALF_WIDTH) / n, INDEX, 1))
            marks.append(((place + INDEX_HALF_WIDTH) / n, INDEX, -1))
        return self.sensors.add(self.now_us, self.motion, marks)

    def _sample(self, t_us: int, segment: Segment) -> None:
        """Note what the flapper's converter reads while the wheel moves so."""
        if self.held_raw is not None:
            raw = self.held_raw
        else:
            bend = 0.0 if self.stiff else self._bend(t_us / 1e6, segment)
            raw = REST_RAW + int(bend * (TOP_RAW - REST_RAW))
            raw += int(self._rng.random() * 301) - 150
        if raw >> STEP_BITS != self._raw_shown >> STEP_BITS:
            self._raw_shown = raw
            self.sensors.note([t_us, "adc", FLAPPER, raw])

    def _bend(self, t: float, segment: Segment) -> float:
        place = segment.position(t) * self.pins
        way = self._way = segment.direction or self._way
        before = (-place * way) % 1.0  # how far the next pin is, in the direction
        if before <= CONTACT:
            return 1.0 - before / CONTACT
        return 1.0 if before >= 1.0 - LET_GO else 0.0
