"""How a money wheel runs down: bearing, air, and the energy each pin takes from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hil_tests.emulators.core.motion import Segment, Uniform

# The flapper touches a pin from this far before it, in segments.
CONTACT = 0.12


@dataclass(frozen=True, slots=True)
class Friction:
    """What slows the wheel, in turns and seconds.

    bearing: turns/s^2. air: 1/turn, times the square of the speed. pin: square of speed each pin
    takes. barrier: square of speed needed to pass one. rebound: share of speed it throws back.
    """

    bearing: float = 8 / 360
    air: float = 0.012
    pin: float = 2 * 7 * (360 / 52) / 360**2
    barrier: float = 1.5 * 2 * 7 * (360 / 52) / 360**2
    rebound: float = 0.3

    def free_run(self, pins: int, t: float, x: float, v: float) -> list[Segment]:
        """Return the free motion from a moment on, to its rest."""
        pitch = 1 / pins
        way = 1 if v > 0 else -1
        speed = abs(v)
        found: list[Segment] = []
        while True:
            ahead = math.floor(x * pins * way + 1e-9) + 1  # pins passed, in the direction
            distance = ahead * pitch - x * way
            slowing = self.bearing + self.air * speed * speed
            left = speed * speed - 2 * slowing * distance
            if left < self.barrier:
                break
            time = 2 * distance / (speed + math.sqrt(left))
            found.append(Uniform(t, x, way * speed, -way * slowing, t + time))
            t, x = t + time, way * ahead * pitch
            speed = math.sqrt(left - self.pin)
        return found + self._last_legs(pins, (t, x, way * speed), slowing, distance)

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
