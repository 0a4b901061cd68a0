"""What goes wrong at a draw machine, as physics: each function bends one planned draw.

See mishaps.py. Nothing here sets a flag or names a code; `repair` is what a technician does.
"""

from __future__ import annotations

from typing import Any

from hil_tests.emulators.ball_hands import DrawPlan
from hil_tests.emulators.ball_readers import UNREADABLE, Tag
from hil_tests.emulators.draw_machine.model import (
    INNER,
    LID,
    OTHER_SET,
    OUR_SET,
    OUTER,
    RETURN,
    TILT,
    TUBE,
    Flight,
)
from tablewire import codes, messages


def _exchanged(scene: Any, tag: Tag) -> Tag:
    """Put a ball in the place of one in the chamber: so it was filled from the beginning."""
    machine = scene.machine
    machine.chamber[machine.rng.randrange(len(machine.chamber))] = tag
    return tag


def _refill(scene: Any) -> None:
    """Take out all that is not of the set, put in what is missing."""
    machine = scene.machine
    whole = {Tag(number, OUR_SET) for number in range(1, scene.setup.balls + 1)}
    machine.tube = [tag for tag in dict.fromkeys(machine.tube) if tag in whole]
    rest = set(machine.tube) | set(machine.lost)
    machine.chamber = sorted(whole - rest)


def twin(plan: DrawPlan) -> None:
    """Two balls of one number are in the machine, and both come out."""
    plan.choices[2] = lambda scene: _exchanged(scene, scene.machine.came[0])
    plan.repair = _refill


def ball_of_another_set(plan: DrawPlan) -> None:
    """A ball of the machine next door got in; its number would do."""

    def choose(scene: Any) -> Tag:
        return _exchanged(scene, Tag(scene.machine.chamber[0].number, OTHER_SET))

    plan.choices[plan.place] = choose
    plan.repair = _refill


def number_too_high(plan: DrawPlan) -> None:
    """A ball with a number the game does not have."""
    plan.choices[plan.place] = lambda scene: _exchanged(scene, Tag(91, OUR_SET))
    plan.repair = _refill


def ball_left_behind(plan: DrawPlan) -> None:
    """A ball does not roll back into the chamber when they are recalled."""
    plan.forgotten = 1


def ball_too_many(plan: DrawPlan) -> None:
    """Somebody puts one ball more into the return while bets are open."""
    plan.opening.append((1.0, lambda scene: scene.machine.drop_in(Tag(5, OUR_SET))))
    plan.repair = _refill


def pair(plan: DrawPlan) -> None:
    """Two balls that touch come out together."""
    plan.strike(pair=True)


def close_behind(plan: DrawPlan) -> None:
    """A second ball comes out before the first one lies in the tube."""
    plan.strike(close_ms=plan.rng.randint(60, 400))


def stands_in_gate(plan: DrawPlan) -> None:
    """A ball stands in the exit gate."""
    plan.strike(stands=plan.rng.choice((INNER, OUTER)))


def stands_in_tube(plan: DrawPlan) -> None:
    """A ball stands at the mouth of the tube."""
    plan.strike(stands=TUBE)


def stands_in_return(plan: DrawPlan) -> None:
    """Something stands in the return while balls are drawn."""
    plan.befall(lambda scene: scene.machine.set_input(scene.now_us + 1_000, RETURN, 1))


def taken(plan: DrawPlan) -> None:
    """A hand takes a ball between gate and tube."""
    plan.strike(taken=True)


def falls_back(plan: DrawPlan) -> None:
    """A ball in the gate falls back into the chamber."""
    plan.strike(falls_back=True)


def rolls_back(plan: DrawPlan) -> None:
    """A drawn ball rolls back into the chamber while the draw goes on."""

    def roll(scene: Any) -> None:
        scene.machine.recall(scene.machine.tube[0])

    plan.befall(roll)


def misread(plan: DrawPlan) -> None:
    """One of the readers makes another number of a smudged ball."""
    tag = Tag(plan.rng.randint(1, 20), OUR_SET)

    def choose(scene: Any) -> Tag:
        others = [ball for ball in scene.machine.chamber if ball.number != tag.number]
        return Tag(*plan.rng.choice(others))

    place = plan.place
    plan.choices[place] = choose
    at_exit = plan.rng.random() < 0.5
    plan.flights[place] = Flight(exit_tag=tag) if at_exit else Flight(tube_tag=tag)


def dirty(plan: DrawPlan) -> None:
    """A ball that one of the readers cannot read."""
    plan.strike(**{plan.rng.choice(("exit_tag", "tube_tag")): UNREADABLE})


def reader_shifted(plan: DrawPlan) -> None:
    """A ball that one of the readers does not notice."""
    plan.strike(blind=plan.rng.choice(("exit", "tube", "exit tube")))


def laid_into_tube(plan: DrawPlan) -> None:
    """A hand lays a ball into the tube between two others."""

    def lay(scene: Any) -> None:
        scene.machine.place_in_tube(Tag(scene.machine.chamber[0].number, OUR_SET))

    plan.befall(lay, seconds=2.3)


def blower_stops(plan: DrawPlan) -> None:
    """The blower stops in the middle of the draw; the technician lets it run for a moment."""
    plan.befall(lambda scene: scene.machine.blow(on=False))

    def repair(scene: Any) -> None:
        scene.machine.blow(on=True)
        scene.schedule(scene.now_us + 900_000, lambda s: s.machine.blow(on=False))

    plan.repair = repair


def lid_opened(plan: DrawPlan) -> None:
    """Somebody opens the chamber in the middle of the draw."""
    plan.befall(lambda scene: scene.machine.set_input(scene.now_us, LID, 1))
    plan.repair = lambda scene: scene.machine.set_input(scene.now_us, LID, 0)


def tilted(plan: DrawPlan) -> None:
    """Somebody leans on the machine."""
    plan.befall(lambda scene: scene.machine.set_input(scene.now_us, TILT, 1))
    plan.repair = lambda scene: scene.machine.set_input(scene.now_us, TILT, 0)


def no_ball_rises(plan: DrawPlan) -> None:
    """The exit stays closed after some balls."""
    plan.balls = plan.place + 1
    plan.late = False
    plan.incidents.append((plan.balls - 1, 0.0, lambda scene: scene._agenda.clear()))


def reader_unplugged(plan: DrawPlan) -> None:
    """The plug of one reader is drawn."""
    letter = plan.rng.choice("ET")

    def plug(letters: str) -> Any:
        return lambda scene: setattr(scene.machine.readers, "unplugged", letters)

    plan.befall(plug(letter), seconds=2.2)
    plan.repair = plug("")


def opened_too_soon(plan: DrawPlan) -> None:
    """The exit opens before the balls are mixed."""
    plan.exit_s = 0.5


def rises_early(plan: DrawPlan) -> None:
    """A ball comes out while bets are open."""
    plan.opening.append((2.0, lambda scene: scene.machine.draw()))


def power_cut(plan: DrawPlan) -> None:
    """The controller loses its power in the middle of the draw."""
    plan.befall(lambda scene: scene.cut_power())


def host_silent(plan: DrawPlan) -> None:
    """The host acknowledges nothing for so long that the journal is full."""
    plan.silent = True


def inner_beam_dead(plan: DrawPlan) -> None:
    """The inner beam of the gate sees nothing any more."""
    plan.strike(dead=INNER)


def outer_beam_dead(plan: DrawPlan) -> None:
    """The outer beam of the gate sees nothing any more."""
    plan.strike(dead=OUTER)


def called_off(plan: DrawPlan) -> None:
    """The pit calls the draw off."""
    plan.befall(lambda scene: scene.order(messages.VOID_ROUND, codes.CROUPIER_VOID))
