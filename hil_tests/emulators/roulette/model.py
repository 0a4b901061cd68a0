"""The physical wheel: rotor, balls and whatever else gets onto it, in virtual time.

A hand acts on it (push, launch, pick_up ...), time passes with `events_until`, and the events of
the sensors come out. Acts take effect at the time given, never before the last window's end.
Knows nothing of rounds, frames or firmware. All times are integer microseconds since power-on.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from hil_tests.emulators import geometry as g
from hil_tests.emulators.core.motion import Coast, Crossings, Motion, Segment, Uniform
from hil_tests.emulators.core.sensor_lines import Agenda, Event
from hil_tests.emulators.flight import Throw
from hil_tests.emulators.geometry import Geometry
from hil_tests.emulators.sensors import Sensors, head_marks, rim_marks, ring_marks

# A rotor loses about 2 % of its speed in a turn: exp(-DRAG) = 0.98.
DRAG = 0.0202
HAND, RIM, FALLING, ROTOR, AWAY = "hand", "rim", "falling", "rotor", "away"


@dataclass(eq=False, slots=True)
class Ball:
    """One ball. place: where it is; pocket: the index it touches or lies in, else None.

    bound_for: the pocket it lies in or will come to lie in, once that is decided.
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
        self.sensors = Sensors(geometry, seed, noise)
        rng = random.Random(f"{seed}/start")
        speed = rng.choice((1, -1)) * rng.uniform(8.0, 12.0) / 60
        # Rotor position is P / pockets: it rises while the rotor turns counter-clockwise.
        self.rotor = Motion([Coast(0.0, rng.random(), speed, DRAG)])
        self._ring = self.sensors.add(
            0, self.rotor, ring_marks(geometry, self.sensors.spread, frozenset())
        )
        self.ball = Ball()
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
        ball.body = self.sensors.add(now, ball.motion, rim_marks(self.geometry, g.BALL_ARC))
        if not throw.stays_on_rim:
            seconds = sum(leg[1] for leg in throw.legs) if throw.legs else throw.rim_s
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
        angle = throw.angle + throw.direction * ball.laps + drift
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
            marks = head_marks(self.geometry, pocket)
            ball.body = self.sensors.add(t_us, self.rotor, marks)

    def _lift(self, t_us: int, ball: Ball) -> None:
        if ball.pocket is None:
            return
        self.sensors.open_switch(t_us, ball.pocket)
        if ball.body is not None:
            self.sensors.remove(t_us, ball.body)
            ball.body = None
        ball.pocket = None
