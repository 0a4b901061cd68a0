"""What goes wrong at a draw machine, as physics, and the code the table must report.

Faults of flash, program and host are those of every table; here are the ones of the machine, and
enough of the others to show that they reach this role.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tableemulator.machines.core import fault_actions as common
from tableemulator.machines.core.board_pins import TILT
from tableemulator.machines.core.fault_actions import Fault
from tableemulator.machines.draw_machine.draw_caller import DrawPlan
from tableemulator.machines.draw_machine.physical_draw import (
    INNER,
    LID,
    OTHER_SET,
    OUR_SET,
    OUTER,
    RETURN,
    TUBE,
    UNREADABLE,
    DrawSetup,
    Flight,
    Tag,
)
from tablewire import codes, messages
from tablewire import draw_machine as words


def _exchange(table: Any, tag: Tag) -> Tag:
    """Put a ball in the place of one in the chamber: so it was filled from the beginning."""
    machine = table.machine
    machine.chamber[machine.rng.randrange(len(machine.chamber))] = tag
    return tag


def _refill(table: Any) -> None:
    """Take out all that is not of the set, put in what is missing."""
    machine = table.machine
    whole = {Tag(number, OUR_SET) for number in range(1, table.setup.balls + 1)}
    machine.tube = [tag for tag in dict.fromkeys(machine.tube) if tag in whole]
    rest = set(machine.tube) | set(machine.lost)
    machine.chamber = sorted(whole - rest)


def twin(plan: DrawPlan) -> None:
    """Two balls of one number are in the machine, and both come out."""
    plan.choices[2] = lambda table: _exchange(table, table.machine.came[0])
    plan.repair = _refill


def ball_of_another_set(plan: DrawPlan) -> None:
    """A ball of the machine next door got in; its number would do."""

    def choose(table: Any) -> Tag:
        return _exchange(table, Tag(table.machine.chamber[0].number, OTHER_SET))

    plan.choices[plan.place] = choose
    plan.repair = _refill


def number_too_high(plan: DrawPlan) -> None:
    """A ball with a number the game does not have."""
    plan.choices[plan.place] = lambda table: _exchange(table, Tag(91, OUR_SET))
    plan.repair = _refill


def ball_left_behind(plan: DrawPlan) -> None:
    """A ball does not roll back into the chamber when they are recalled."""
    plan.forgotten = 1


def ball_too_many(plan: DrawPlan) -> None:
    """Somebody puts one ball more into the return while bets are open."""
    plan.opening.append((1.0, lambda table: table.machine.drop_in(Tag(5, OUR_SET))))
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
    plan.add_incident(lambda table: table.machine.set_input(table.now_us + 1_000, RETURN, 1))


def take_out(plan: DrawPlan) -> None:
    """A hand takes a ball between gate and tube."""
    plan.strike(is_taken=True)


def falls_back(plan: DrawPlan) -> None:
    """A ball in the gate falls back into the chamber."""
    plan.strike(falls_back=True)


def rolls_back(plan: DrawPlan) -> None:
    """A drawn ball rolls back into the chamber while the draw goes on."""

    def roll(table: Any) -> None:
        table.machine.recall(table.machine.tube[0])

    plan.add_incident(roll)


def misread(plan: DrawPlan) -> None:
    """One of the readers makes another number of a smudged ball."""
    tag = Tag(plan.rng.randint(1, 20), OUR_SET)

    def choose(table: Any) -> Tag:
        others = [ball for ball in table.machine.chamber if ball.number != tag.number]
        return Tag(*plan.rng.choice(others))

    place = plan.place
    plan.choices[place] = choose
    at_exit = plan.rng.random() < 0.5
    plan.flights[place] = Flight(exit_tag=tag) if at_exit else Flight(tube_tag=tag)


def dirty(plan: DrawPlan) -> None:
    """A ball that one of the readers cannot read."""
    plan.strike(**{plan.rng.choice(("exit_tag", "tube_tag")): UNREADABLE})


def shift_reader(plan: DrawPlan) -> None:
    """A ball that one of the readers does not notice."""
    plan.strike(blind=plan.rng.choice(("exit", "tube", "exit tube")))


def laid_into_tube(plan: DrawPlan) -> None:
    """A hand lays a ball into the tube between two others."""

    def lay(table: Any) -> None:
        table.machine.place_in_tube(Tag(table.machine.chamber[0].number, OUR_SET))

    plan.add_incident(lay, seconds=2.3)


def blower_stops(plan: DrawPlan) -> None:
    """The blower stops in the middle of the draw; the technician lets it run for a moment."""
    plan.add_incident(lambda table: table.machine.blow(on=False))

    def repair(table: Any) -> None:
        table.machine.blow(on=True)
        table.schedule(table.now_us + 900_000, lambda table: table.machine.blow(on=False))

    plan.repair = repair


def open_lid(plan: DrawPlan) -> None:
    """Somebody opens the chamber in the middle of the draw."""
    plan.add_incident(lambda table: table.machine.set_input(table.now_us, LID, 1))
    plan.repair = lambda table: table.machine.set_input(table.now_us, LID, 0)


def tilt(plan: DrawPlan) -> None:
    """Somebody leans on the machine."""
    plan.add_incident(lambda table: table.machine.set_input(table.now_us, TILT, 1))
    plan.repair = lambda table: table.machine.set_input(table.now_us, TILT, 0)


def no_ball_rises(plan: DrawPlan) -> None:
    """The exit stays closed after some balls."""
    plan.balls = plan.place + 1
    plan.late = False
    plan.incidents.append((plan.balls - 1, 0.0, lambda table: table.agenda.forget()))


def unplug_reader(plan: DrawPlan) -> None:
    """The plug of one reader is drawn."""
    letter = plan.rng.choice("ET")

    def plug(letters: str) -> Any:
        return lambda table: setattr(table.machine.readers, "unplugged", letters)

    plan.add_incident(plug(letter), seconds=2.2)
    plan.repair = plug("")


def opened_too_soon(plan: DrawPlan) -> None:
    """The exit opens before the balls are mixed."""
    plan.exit_s = 0.5


def rises_early(plan: DrawPlan) -> None:
    """A ball comes out while bets are open."""
    plan.opening.append((2.0, lambda table: table.machine.draw()))


def power_cut(plan: DrawPlan) -> None:
    """The controller loses its power in the middle of the draw."""
    plan.add_incident(lambda table: table.cut_power())


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
    plan.add_incident(lambda table: table.order(messages.VOID_ROUND, codes.CROUPIER_VOID))


# Its record comes after a draw that is healthy.
LEFT_BEHIND = Fault(
    "left_behind", words.BALLS_MISSING, "balls",
    "one does not return when they are recalled", ball_left_behind,
    voids=False, is_drawn=False,
)  # fmt: skip
HOST_SILENT = Fault(
    "host_silent", words.BALL_NOT_RECORDED, "host",
    "acknowledges nothing until the journal is full", host_silent, is_drawn=False,
)  # fmt: skip
# Records that wait for a silent host, at most.
JOURNAL = 32

FAULTS: tuple[Fault, ...] = (
    Fault(
        "twin", words.DUPLICATE_BALL, "balls",
        "two balls of one number are in the machine", twin,
    ),
    Fault(
        "other_set", words.FOREIGN_BALL, "balls",
        "a ball of another set is in the machine", ball_of_another_set,
    ),
    Fault(
        "number_too_high", words.FOREIGN_BALL, "balls",
        "a ball has a number that the game does not use", number_too_high,
    ),
    Fault(
        "ball_too_many", words.BALLS_EXTRA, "balls",
        "one more is put into the return", ball_too_many,
    ),
    Fault(
        "pair", words.DOUBLE_EXIT, "gate",
        "two balls touch and leave together", pair,
    ),
    Fault(
        "close_behind", words.DOUBLE_EXIT, "gate",
        "a second ball follows immediately", close_behind,
    ),
    Fault(
        "stands_in_gate", words.BALL_JAMMED, "gate",
        "a ball is stuck in it", stands_in_gate,
    ),
    Fault(
        "stands_in_tube", words.BALL_JAMMED, "tube",
        "a ball is stuck in it", stands_in_tube,
    ),
    Fault(
        "stands_in_return", words.BALL_JAMMED, "return",
        "something is stuck in it", stands_in_return,
    ),
    Fault("taken", words.BALL_LOST, "tube", "a hand takes a ball before it rests", take_out),
    Fault("falls_back", words.BALL_RETURNED, "gate", "a ball falls back", falls_back),
    Fault(
        "rolls_back", words.BALL_RETURNED, "return",
        "a drawn ball rolls back into the chamber", rolls_back,
    ),
    Fault(
        "misread", words.READERS_DISAGREE, "readers",
        "one reads a different number on a ball", misread,
    ),
    Fault("dirty", words.BALL_UNREADABLE, "readers", "one cannot read a ball", dirty),
    Fault(
        "reader_shifted", words.READING_MISSING, "readers",
        "one does not notice a ball", shift_reader,
    ),
    Fault(
        "laid_into_tube", words.BALL_UNSEEN, "tube",
        "a hand puts a ball into it", laid_into_tube,
    ),
    Fault(
        "outer_beam_dead", words.BALL_UNSEEN, "gate",
        "its outer beam detects nothing", outer_beam_dead,
    ),
    Fault(
        "blower_stops", words.BLOWER_STALLED, "blower",
        "stops while balls are drawn", blower_stops,
    ),
    Fault(
        "lid_opened", words.CHAMBER_OPEN, "lid",
        "opened while balls are drawn", open_lid,
    ),
    Fault(
        "no_ball_rises", words.DRAW_UNFINISHED, "gate",
        "its exit stays closed", no_ball_rises,
    ),
    Fault(
        "reader_unplugged", words.READER_LOST, "readers",
        "one is unplugged", unplug_reader,
    ),
    Fault(
        "opened_too_soon", words.MIXED_TOO_SHORT, "gate",
        "its exit opens before the balls are mixed", opened_too_soon,
    ),
    Fault(
        "rises_early", words.BALL_EARLY, "gate",
        "a ball comes out while bets are open", rises_early,
    ),
    Fault(
        "power_cut", words.NOT_COUNTED, "power",
        "fails while balls are drawn", power_cut, codes.SYSTEM_INTERRUPTION,
    ),
    Fault(
        "inner_beam_dead", words.EXIT_IMPLAUSIBLE, "gate",
        "its inner beam detects nothing", inner_beam_dead,
    ),
    replace(common.TILT, inject=tilt),
    Fault(
        "called_off", codes.CROUPIER_VOID, "host",
        "the pit voids the draw", called_off,
    ),
    LEFT_BEHIND,
    HOST_SILENT,
)  # fmt: skip


def fits(setup: DrawSetup, fault: Fault) -> bool:
    """Tell whether a fault can happen at a machine built so: few balls fill no journal."""
    return fault is not HOST_SILENT or setup.draws > JOURNAL
