"""What goes wrong at a roulette table, as physics, and the code the table must report.

Each function bends one planned spin: a slow launch is a slow ball, a lost index a sensor that
answers no more. None sets a flag or names a code. `repair` is what a technician does afterwards.
"""

from __future__ import annotations

from dataclasses import replace

from tableemulator.machines.core import fault_actions as common
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.core.harness import STEADY_S
from tableemulator.machines.roulette.croupier import RouletteTable, SpinPlan
from tableemulator.machines.roulette.physical_wheel import (
    INDEX,
    RIM_1,
    RIM_2,
    RIM_3,
    ROTOR_B,
    Ball,
    Geometry,
    Throw,
)
from tablewire import codes
from tablewire import roulette as words

CHIP_ARC = 6 / 360


def _thrown(plan: SpinPlan) -> Throw:
    assert plan.throw is not None, "a plan starts with a throw"
    return plan.throw


# --- the ball -------------------------------------------------------------------------------


def weak_throw(plan: SpinPlan) -> None:
    """The ball is thrown too weakly for seven circuits: five to six and a third."""
    throw = _thrown(plan)
    throw.deceleration = max(throw.deceleration, 0.12)
    throw.aim(plan.rng.uniform(5.2, 6.3))


def gentle_throw(plan: SpinPlan) -> None:
    """The ball is let go so gently that it makes about two laps, the first in over 1.1 s."""
    _thrown(plan).aim(plan.rng.uniform(1.8, 2.3))


def throw_with_rotor(plan: SpinPlan) -> None:
    """The ball is thrown in the direction of the rotor."""
    _thrown(plan).direction = plan.rotor_direction


def jumps_out(plan: SpinPlan) -> None:
    """The ball hits a deflector and leaves the wheel."""
    _thrown(plan).lands = False


def laid_back(plan: SpinPlan) -> None:
    """The ball jumps out of its pocket and off the wheel; eight seconds later it is laid back."""
    seconds = _thrown(plan).in_pocket_s + 0.3
    plan.add_incident(seconds, lambda table: table.wheel.take_away(table.ball))
    _put_in_pocket(plan, seconds + 8.0, None)


def _bend_head(plan: SpinPlan, pockets: float) -> None:
    off = plan.rng.choice((pockets, -pockets))

    def bend(table: RouletteTable, to: float) -> None:
        table.wheel.head_off = to

    plan.incidents.append((plan.push_us, lambda table: bend(table, off)))
    plan.repair = lambda table: bend(table, 0.0)


def bracket_bent(plan: SpinPlan) -> None:
    """The bracket of the reader head is bent by two fifths of a pocket."""
    _bend_head(plan, 0.4)


def turn_bracket(plan: SpinPlan) -> None:
    """The bracket of the reader head is turned by a whole pocket."""
    _bend_head(plan, 1.0)


def taken_from_track(plan: SpinPlan) -> None:
    """A hand takes the ball out of the track while it is fast."""
    seconds = _thrown(plan).seconds_to_speed(plan.rng.uniform(1.15, 1.35))
    plan.add_incident(seconds, lambda table: table.wheel.take_away(table.ball))


def dropped_into_pocket(plan: SpinPlan) -> None:
    """A hand lays the ball into another pocket than it lay in; nothing runs on the rim.

    The hand hesitates, so that the slowest rotor shows every pocket empty before that.
    """
    plan.throw = None
    _put_in_pocket(plan, 9.0, None)


def crawls(plan: SpinPlan) -> None:
    """A sticky track slows the ball and holds it on the rim, crawling."""
    throw = _thrown(plan)
    crawl = plan.rng.uniform(0.24, 0.32)
    throw.stays_on_rim = True
    throw.legs = [
        *throw.run_until(throw.seconds_to_speed(1.0)),
        (-0.5, (1.0 - crawl) / 0.5),
    ]


def rests_on_sensor(plan: SpinPlan) -> None:
    """A sticky track stops the ball right on the second rim sensor."""
    throw = _thrown(plan)
    seconds = throw.seconds_to_speed(1.2)
    here = throw.angle + throw.direction * throw.laps_after(seconds)
    ahead = (throw.direction * (plan.geometry.rims[RIM_2] - here)) % 1.0 + 1.0
    slowing = 1.2**2 / (2 * ahead)
    throw.stays_on_rim = True
    throw.legs = [*throw.run_until(seconds), (-slowing, 1.2 / slowing)]


def flies_off(plan: SpinPlan) -> None:
    """The ball jumps out of the track in its first two laps."""
    throw = _thrown(plan)
    throw.legs = throw.run_until(throw.seconds_to_laps(plan.rng.uniform(0.7, 1.4)))
    throw.lands = False


def second_ball(plan: SpinPlan) -> None:
    """Another ball is laid into a pocket just after the first has come into its own."""
    _put_in_pocket(plan, _thrown(plan).in_pocket_s + plan.rng.uniform(0.1, 0.6), Ball())


def second_ball_early(plan: SpinPlan) -> None:
    """Another ball is flicked into a pocket while the first one still bounces."""
    _put_in_pocket(plan, _thrown(plan).on_rotor_s + plan.rng.uniform(0.3, 1.2), Ball())


def magnet_under_pocket(plan: SpinPlan) -> None:
    """A magnet is brought under a pocket while the ball runs."""
    if not plan.geometry.has_array:  # a head has to pass it twice before the ball drops
        plan.rotor_rpm = plan.rotor_direction * plan.rng.uniform(14.0, 18.0)
    _put_in_pocket(plan, plan.rng.uniform(1.0, 3.0), Ball())


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

    def flick(table: RouletteTable) -> None:
        table.wheel.roll_object(chip, CHIP_ARC)

    plan.add_incident(rng.uniform(*STEADY_S), flick)


def _put_in_pocket(plan: SpinPlan, seconds: float, thing: Ball | None) -> None:
    """Have something, or the ball itself, get into a pocket the ball is not bound for."""
    away, pockets = plan.rng.randrange(1, plan.geometry.pockets), plan.geometry.pockets

    def lay(table: RouletteTable) -> None:
        ball = thing or table.ball
        pocket = ((table.ball.bound_for or 0) + away) % pockets
        table.wheel.put_in_pocket(table.wheel.now_us, ball, pocket)

    plan.add_incident(seconds, lay)
    if thing is not None:
        plan.repair = lambda table: table.wheel.take_away(thing)


# --- the rotor ------------------------------------------------------------------------------


def rotor_held(plan: SpinPlan) -> None:
    """A hand stops the rotor while the ball runs."""
    plan.while_running(lambda table: table.wheel.push_rotor(0, brake_s=0.3))


def rotor_turned_back(plan: SpinPlan) -> None:
    """A hand turns the rotor the other way while the ball runs."""
    back = -plan.rotor_rpm
    plan.while_running(
        lambda table: table.wheel.push_rotor(back, brake_s=0.3, push_s=0.4),
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
    plan.incidents.append((plan.push_us, lambda table: table.wheel.refit_ring(missing)))
    plan.repair = lambda table: table.wheel.refit_ring(frozenset())


# --- the sensors ----------------------------------------------------------------------------


def index_dies(plan: SpinPlan) -> None:
    """The index sensor answers no more."""
    _break_sensor(plan, INDEX, 0)


def ring_dies(plan: SpinPlan) -> None:
    """Ring sensor B answers no more while A ticks on."""
    _break_sensor(plan, ROTOR_B, 0)


def rim_dies(plan: SpinPlan) -> None:
    """Rim sensor 2 answers no more; once repaired the ball is rolled past it by hand."""
    _rim_dies(plan, RIM_2)


def third_rim_dies(plan: SpinPlan) -> None:
    """Rim sensor 3 answers no more; once repaired the ball is rolled past it by hand."""
    _rim_dies(plan, RIM_3)


def _rim_dies(plan: SpinPlan, pin: int) -> None:
    _break_sensor(plan, pin, 0)
    repair = plan.repair

    def repair_and_roll(table: RouletteTable) -> None:
        assert repair is not None
        repair(table)
        _roll_by_hand(table)

    plan.repair = repair_and_roll


def short_rim(plan: SpinPlan) -> None:
    """Rim sensor 1 is short-circuited: its line stays high."""
    _break_sensor(plan, RIM_1, 1)


def interference(plan: SpinPlan) -> None:
    """A spark couples a short burst into the rim sensors' cables, faster than any ball."""
    plan.while_running(
        lambda table: table.wheel.sensors.disturb(
            table.wheel.now_us, tuple(plan.geometry.rims), pulses=40, period_us=500
        ),
    )


def interference_storm(plan: SpinPlan) -> None:
    """A welding set nearby couples thousands of edges into every sensor cable within 10 ms."""
    plan.while_running(
        lambda table: table.wheel.sensors.disturb(
            table.wheel.now_us, plan.geometry.pins, pulses=1500, period_us=6
        ),
    )


def _break_sensor(plan: SpinPlan, pin: int, level: int) -> None:
    def break_it(table: RouletteTable) -> None:
        table.wheel.sensors.lines[pin].hold(table.wheel.now_us, level)

    plan.add_incident(plan.rng.uniform(1.5, 3.0), break_it)
    plan.repair = lambda table: table.wheel.sensors.lines[pin].release(table.wheel.now_us)


def _roll_by_hand(table: RouletteTable) -> None:
    """Roll the ball once round the rim past every sensor; a hand stops it there."""
    roll = Throw(1, angle=0.9, speed=0.8, deceleration=0.1, leave_speed=0.6, lands=False)
    table.wheel.launch(table.ball, roll)


FAULTS: tuple[Fault, ...] = (
    Fault(
        "short_spin", words.SHORT_SPIN, "ball",
        "thrown too weakly for seven circuits", weak_throw,
    ),
    Fault(
        "wrong_direction", words.BALL_WITH_ROTOR, "ball",
        "thrown in the direction of the rotor", throw_with_rotor,
    ),
    Fault(
        "no_pocket", words.NO_POCKET, "ball",
        "hits a deflector and leaves the wheel", jumps_out,
    ),
    Fault(
        "foreign_object", words.FOREIGN_OBJECT, "rim",
        "a chip slides in the rim against the ball", chip_in_rim,
    ),
    Fault(
        "second_ball", words.SECOND_BALL, "pocket",
        "another ball is put into a pocket just after the first came to rest", second_ball,
    ),
    Fault(
        "second_ball_early", words.SECOND_BALL, "pocket",
        "another ball is flicked into a pocket while the first bounces", second_ball_early,
    ),
    Fault(
        "ball_removed", words.BALL_REMOVED, "ball",
        "a hand takes the ball out of the track while it is fast", taken_from_track,
    ),
    Fault(
        "ball_not_sensed", words.BALL_NOT_SENSED, "ball",
        "a hand puts the ball into a pocket, nothing runs on the rim", dropped_into_pocket,
    ),
    Fault(
        "ball_stuck", words.BALL_STUCK, "ball",
        "a sticky track holds the ball on the rim, crawling", crawls,
    ),
    Fault(
        "ball_stuck_on_sensor", words.BALL_STUCK, "ball",
        "a sticky track stops the ball on a rim sensor", rests_on_sensor,
    ),
    Fault(
        "launch_failed", words.LAUNCH_FAILED, "ball",
        "jumps out of the track in its first two laps", flies_off,
    ),
    Fault(
        "slow_launch", words.SLOW_LAUNCH, "ball",
        "let go so gently that its first lap takes over 1.1 s", gentle_throw,
    ),
    Fault(
        "foreign_magnet", words.FOREIGN_MAGNET, "pocket",
        "a magnet is brought under a pocket while the ball runs", magnet_under_pocket,
    ),
    Fault(
        "laid_back", words.BALL_LEFT, "ball",
        "jumps out of its pocket and is put back eight seconds later", laid_back,
    ),
    Fault(
        "bracket_moved", words.BRACKET_MOVED, "reader head",
        "its bracket is bent by two fifths of a pocket", bracket_bent,
    ),
    Fault(
        "sensors_differ", words.SENSORS_DIFFER, "reader head",
        "its bracket is turned by a whole pocket: it reads the one beside", turn_bracket,
    ),
    Fault(
        "rotor_stopped", words.ROTOR_STOPPED, "rotor",
        "a hand stops the rotor while the ball runs", rotor_held,
    ),
    Fault(
        "rotor_slow", words.ROTOR_SLOW, "rotor",
        "hardly pushed: 3 to 4.8 rpm", rotor_pushed_weakly,
    ),
    Fault(
        "rotor_fast", words.ROTOR_FAST, "rotor",
        "pushed to 34 to 42 rpm", rotor_pushed_hard,
    ),
    Fault(
        "rotor_reversed", words.ROTOR_REVERSED, "rotor",
        "a hand turns it the other way while the ball runs", rotor_turned_back,
    ),
    Fault(
        "index_lost", words.INDEX_LOST, "index sensor",
        "stops responding", index_dies,
    ),
    Fault(
        "tick_lost", words.TICK_LOST, "rotor ring",
        "one magnet has fallen off", ring_magnet_lost,
    ),
    Fault(
        "sensor_stuck", codes.SENSOR_STUCK, "rim sensor 2",
        "stops responding; after the repair the ball is rolled past it", rim_dies,
    ),
    Fault(
        "rim_3_dead", codes.SENSOR_STUCK, "rim sensor 3",
        "stops responding; after the repair the ball is rolled past it", third_rim_dies,
    ),
    Fault(
        "rim_shorted", codes.SENSOR_STUCK, "rim sensor 1",
        "its line stays high", short_rim,
    ),
    Fault(
        "ring_dead", codes.SENSOR_STUCK, "ring sensor B",
        "stops responding while A continues", ring_dies,
    ),
    Fault(
        "sensor_implausible", codes.SENSOR_IMPLAUSIBLE, "rim sensors",
        "a spark couples a burst of pulses into their cables", interference,
    ),
    common.TILT,
    replace(common.DOME_OPEN, what="the dome is lifted"),
    replace(common.CALLED_OFF, what="the spin is voided by command"),
    replace(common.CROUPIER_BUTTON, what="held for two seconds to void the spin"),
    Fault(
        "system_interruption", codes.SYSTEM_INTERRUPTION, "power",
        "fails while the ball runs", common.power_cut,
    ),
    Fault(
        "edges_lost", codes.EDGES_LOST, "all sensor cables",
        "thousands of edges within 10 ms", interference_storm,
    ),
    Fault(
        "not_configured", codes.NOT_CONFIGURED, "flash",
        "the power fails and spoils the stored configuration", common.power_cut_spoils_flash,
        void_code=codes.SYSTEM_INTERRUPTION,
    ),
    common.TASK_STOPPED,
    common.MEMORY_SHORT,
    Fault(
        "journal_full", codes.JOURNAL_FULL, "host",
        "the power fails on a table that waits for its host with a full journal",
        common.power_cut_with_full_journal, void_code=codes.SYSTEM_INTERRUPTION,
    ),
    replace(
        common.MEMORY_DAMAGED,
        what="both copies of the active faults decay; the spin is also called off",
    ),
    Fault(
        "link_tampered", codes.LINK_TAMPERED, "line",
        "an attacker sends a command without a valid tag", common.stranger_on_the_line,
        keyed=True,
    ),
    common.MAINTENANCE_OPEN,
    Fault(
        "firmware_mismatch", codes.FIRMWARE_MISMATCH, "host",
        "the host finds a different program on the flash and locks the table",
        common.locked_from_pit,
    ),
    Fault(
        "firmware_rollback", codes.FIRMWARE_ROLLBACK, "flash",
        "the power fails; the flash says that a newer release ran before",
        common.older_program, void_code=codes.SYSTEM_INTERRUPTION,
    ),
)  # fmt: skip


def fits(geometry: Geometry, fault: Fault) -> bool:
    """Tell whether a fault can happen at such a wheel: a bracket needs a head, and so on.

    A head alone cannot tell a ball that was laid back within a turn, or never read before.
    """
    if fault.inject is third_rim_dies:
        return geometry.rim_sensors >= 3
    if fault.code == words.SENSORS_DIFFER:
        return geometry.pocket_sensor == "both"
    if fault.code == words.BRACKET_MOVED:
        return geometry.has_head
    return fault.code != words.BALL_LEFT or geometry.has_array
