"""What goes wrong at a table, as physics: each function bends one planned spin.

A slow launch is a slow ball, a lost index a sensor that answers no more: nothing here sets a flag
or names a code. `repair` is what a technician does afterwards. The catalogue of these with the
codes expected is hil_tests/faults.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from hil_tests.emulators import geometry as g
from hil_tests.emulators.flight import Throw
from hil_tests.emulators.roulette.model import Ball
from hil_tests.emulators.roulette.operator import Act, Scene, SpinPlan

Mishap = Callable[[SpinPlan], None]

STEADY_S = (3.0, 7.0)
CHIP_ARC = 6 / 360


def _thrown(plan: SpinPlan) -> Throw:
    assert plan.throw is not None, "a plan starts with a throw"
    return plan.throw


# --- the ball -------------------------------------------------------------------------------


def _throw_for(plan: SpinPlan, laps: float) -> None:
    throw = _thrown(plan)
    throw.speed = math.sqrt(throw.leave_speed**2 + 2 * throw.deceleration * laps)


def weak_throw(plan: SpinPlan) -> None:
    """The ball is thrown too weakly for seven circuits: five to six and a third."""
    throw = _thrown(plan)
    throw.deceleration = max(throw.deceleration, 0.12)
    _throw_for(plan, plan.rng.uniform(5.2, 6.3))


def gentle_throw(plan: SpinPlan) -> None:
    """The ball is let go so gently that it makes about two laps, the first in over 1.1 s."""
    _throw_for(plan, plan.rng.uniform(1.8, 2.3))


def throw_with_rotor(plan: SpinPlan) -> None:
    """The ball is thrown the way the rotor turns."""
    _thrown(plan).direction = plan.rotor_direction


def jumps_out(plan: SpinPlan) -> None:
    """The ball hits a deflector and leaves the wheel."""
    _thrown(plan).lands = False


def taken_from_track(plan: SpinPlan) -> None:
    """A hand takes the ball out of the track while it is fast."""
    seconds = _thrown(plan).seconds_to_speed(plan.rng.uniform(1.15, 1.35))
    plan.befall(seconds, lambda scene: scene.wheel.take_away(scene.ball))


def dropped_into_pocket(plan: SpinPlan) -> None:
    """A hand lays the ball into another pocket than it lay in; nothing runs on the rim.

    The hand hesitates, so that the slowest rotor shows every pocket empty before that.
    """
    plan.throw = None
    _befall_in_pocket(plan, 9.0, None)


def crawls(plan: SpinPlan) -> None:
    """A sticky track slows the ball and holds it on the rim, crawling."""
    throw = _thrown(plan)
    crawl = plan.rng.uniform(0.24, 0.32)
    throw.stays_on_rim = True
    throw.legs = [
        (-throw.deceleration, throw.seconds_to_speed(1.0)),
        (-0.5, (1.0 - crawl) / 0.5),
    ]


def rests_on_sensor(plan: SpinPlan) -> None:
    """A sticky track stops the ball right on the second rim sensor."""
    throw = _thrown(plan)
    seconds = throw.seconds_to_speed(1.2)
    run = (throw.speed + 1.2) / 2 * seconds
    here = throw.angle + throw.direction * run
    ahead = (throw.direction * (plan.geometry.rim_2_deg / 360 - here)) % 1.0 + 1.0
    slowing = 1.2**2 / (2 * ahead)
    throw.stays_on_rim = True
    throw.legs = [(-throw.deceleration, seconds), (-slowing, 1.2 / slowing)]


def flies_off(plan: SpinPlan) -> None:
    """The ball jumps out of the track in its first two laps."""
    throw = _thrown(plan)
    throw.legs = [(-throw.deceleration, throw.seconds_to_laps(plan.rng.uniform(0.7, 1.4)))]
    throw.lands = False


def second_ball(plan: SpinPlan) -> None:
    """Another ball is laid into a pocket just after the first has come into its own."""
    _befall_in_pocket(plan, _thrown(plan).in_pocket_s + plan.rng.uniform(0.1, 0.6), Ball())


def second_ball_early(plan: SpinPlan) -> None:
    """Another ball is flicked into a pocket while the first one still bounces."""
    _befall_in_pocket(plan, _thrown(plan).on_rotor_s + plan.rng.uniform(0.3, 1.2), Ball())


def magnet_under_pocket(plan: SpinPlan) -> None:
    """A magnet is brought under a pocket while the ball runs."""
    _befall_in_pocket(plan, plan.rng.uniform(1.0, 3.0), Ball())


def chip_in_rim(plan: SpinPlan) -> None:
    """A chip is flicked into the rim and slides against the ball for a lap or two."""
    rng = plan.rng
    chip = Throw(
        direction=-_thrown(plan).direction,
        angle=rng.random(),
        speed=rng.uniform(1.2, 1.6),
        deceleration=rng.uniform(0.30, 0.40),
        leave_speed=0.3,
        lands=False,
    )

    def flick(scene: Scene) -> None:
        scene.wheel.roll_object(chip, CHIP_ARC)

    plan.befall(rng.uniform(*STEADY_S), flick)


def _befall_in_pocket(plan: SpinPlan, seconds: float, thing: Ball | None) -> None:
    """Have something, or the ball itself, get into a pocket the ball is not bound for."""
    away, pockets = plan.rng.randrange(1, plan.geometry.pockets), plan.geometry.pockets

    def lay(scene: Scene) -> None:
        ball = thing or scene.ball
        pocket = ((scene.ball.bound_for or 0) + away) % pockets
        scene.wheel.put_in_pocket(scene.wheel.now_us, ball, pocket)

    plan.befall(seconds, lay)
    if thing is not None:
        plan.repair = lambda scene: scene.wheel.take_away(thing)


# --- the rotor ------------------------------------------------------------------------------


def rotor_held(plan: SpinPlan) -> None:
    """A hand stops the rotor while the ball runs."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.wheel.push_rotor(0, brake_s=0.3))


def rotor_turned_back(plan: SpinPlan) -> None:
    """A hand turns the rotor the other way while the ball runs."""
    back = -plan.rotor_rpm
    plan.befall(
        plan.rng.uniform(*STEADY_S),
        lambda scene: scene.wheel.push_rotor(back, brake_s=0.3, push_s=0.4),
    )


def rotor_pushed_weakly(plan: SpinPlan) -> None:
    """The rotor is hardly pushed: 3 to 4.8 rpm."""
    plan.rotor_rpm = plan.rotor_direction * plan.rng.uniform(3.0, 4.8)


def rotor_pushed_hard(plan: SpinPlan) -> None:
    """The rotor is pushed to 34 to 42 rpm."""
    plan.rotor_rpm = plan.rotor_direction * plan.rng.uniform(34.0, 42.0)


def ring_magnet_lost(plan: SpinPlan) -> None:
    """One magnet of the ring has fallen off."""
    missing = frozenset({plan.rng.randrange(plan.geometry.pockets)})
    # Three whole turns must fit between the launch and the number.
    plan.rotor_rpm = plan.rotor_direction * plan.rng.uniform(14.0, 18.0)
    plan.incidents.append((plan.push_us, lambda scene: scene.wheel.refit_ring(missing)))
    plan.repair = lambda scene: scene.wheel.refit_ring(frozenset())


# --- the sensors ----------------------------------------------------------------------------


def index_dies(plan: SpinPlan) -> None:
    """The index sensor answers no more."""
    _befall_sensor(plan, g.INDEX, 0)


def ring_dies(plan: SpinPlan) -> None:
    """Ring sensor B answers no more while A ticks on."""
    _befall_sensor(plan, g.ROTOR_B, 0)


def rim_dies(plan: SpinPlan) -> None:
    """Rim sensor 2 answers no more; once mended the ball is rolled past it by hand."""
    _befall_sensor(plan, g.RIM_2, 0)
    mend = plan.repair

    def mend_and_roll(scene: Scene) -> None:
        assert mend is not None
        mend(scene)
        _roll_by_hand(scene)

    plan.repair = mend_and_roll


def rim_shorted(plan: SpinPlan) -> None:
    """Rim sensor 1 is short-circuited: its line stays high."""
    _befall_sensor(plan, g.RIM_1, 1)


def interference(plan: SpinPlan) -> None:
    """A spark couples a short burst into the rim sensors' cables, faster than any ball."""
    plan.befall(
        plan.rng.uniform(*STEADY_S),
        lambda scene: scene.wheel.sensors.disturb(
            scene.wheel.now_us, (g.RIM_1, g.RIM_2), pulses=40, period_us=500
        ),
    )


def interference_storm(plan: SpinPlan) -> None:
    """A welding set nearby couples thousands of edges into every sensor cable within 10 ms."""
    plan.befall(
        plan.rng.uniform(*STEADY_S),
        lambda scene: scene.wheel.sensors.disturb(
            scene.wheel.now_us, g.SENSOR_PINS, pulses=1500, period_us=6
        ),
    )


def _befall_sensor(plan: SpinPlan, pin: int, level: int) -> None:
    def break_it(scene: Scene) -> None:
        scene.wheel.sensors.lines[pin].hold(scene.wheel.now_us, level)

    plan.befall(plan.rng.uniform(1.5, 3.0), break_it)
    plan.repair = lambda scene: scene.wheel.sensors.lines[pin].release(scene.wheel.now_us)


def _roll_by_hand(scene: Scene) -> None:
    """Roll the ball once round the rim past both sensors; a hand stops it there."""
    roll = Throw(1, angle=0.9, speed=0.8, deceleration=0.1, leave_speed=0.6, lands=False)
    scene.wheel.launch(scene.ball, roll)


# --- the table around it --------------------------------------------------------------------


def leaned_on(plan: SpinPlan) -> None:
    """Someone leans on the table until the technician asks him off."""
    befall_input(plan, g.TILT)


def dome_lifted(plan: SpinPlan) -> None:
    """The dome is lifted; the technician closes it."""
    befall_input(plan, g.DOME)


def befall_input(plan: SpinPlan, pin: int) -> None:
    plan.befall(plan.rng.uniform(*STEADY_S), _set_input(pin, 1))
    plan.repair = _set_input(pin, 0)


def _set_input(pin: int, level: int) -> Act:
    return lambda scene: scene.wheel.sensors.set_input(scene.wheel.now_us, pin, level)


def voided_from_pit(plan: SpinPlan) -> None:
    """The croupier calls the spin off; the pit sends the command."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.order_void())


def voided_at_table(plan: SpinPlan) -> None:
    """The croupier calls the spin off by holding the table button for two seconds."""
    start = plan.rng.uniform(*STEADY_S)
    plan.befall(start, _set_input(g.BUTTON, 1))
    plan.befall(start + 2.0, _set_input(g.BUTTON, 0))
    plan.repair = _set_input(g.BUTTON, 0)


def power_cut(plan: SpinPlan) -> None:
    """The power fails while the ball runs."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.cut_power())


def power_cut_spoils_flash(plan: SpinPlan) -> None:
    """The power fails and the stored configuration does not survive it."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.cut_power(damage=True))
    plan.repair = lambda scene: scene.restore_configuration()


def program_fails(plan: SpinPlan) -> None:
    """A task of the controller's program ends with an error."""
    plan.befall(plan.rng.uniform(*STEADY_S), lambda scene: scene.stop_task())
