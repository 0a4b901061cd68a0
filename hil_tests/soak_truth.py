"""What is wrong with a result, against what truly happened: the judge of the soak."""

from __future__ import annotations

from hil_tests import faults
from hil_tests.emulators.card_shoe.operator import Deal
from hil_tests.emulators.dice_tray.operator import Thrown
from hil_tests.emulators.money_wheel.operator import Turn
from hil_tests.emulators.roulette import model as g
from hil_tests.emulators.roulette.operator import Spin

# Circuits of a number (rulebook R-4), and how far a ball's width on a sensor may make them more.
CIRCUITS = 7.0
BALL_WIDTH = 0.01
# Turns of a segment (rulebook W-3).
TURNS = 4.0


def wrong_number(spin: Spin, fault: faults.Fault | None, geometry: g.Geometry) -> str:
    """Return what is wrong with a number, "" if nothing is.

    It must be where the ball lies, of a spin without fault, with seven true circuits, no more
    claimed than were made, and both directions as they were.
    """
    number, index, _sensor, _readings, centi, ball, rotor = spin.ended.values[:7]
    told = "00" if number == 37 else str(number)
    if fault is not None:
        return f"number {told} in spite of {fault.name}"
    if told != spin.pocket or geometry.order[index] != spin.pocket:
        return f"number {told} at index {index}, truly {spin.pocket}"
    if spin.circuits + BALL_WIDTH < max(centi / 100, CIRCUITS):
        return f"{centi / 100} circuits, truly {spin.circuits:.2f}"
    if (ball, rotor) != (spin.ball_direction, spin.rotor_direction):
        return f"ball {ball}, rotor {rotor}, truly {spin.ball_direction}, {spin.rotor_direction}"
    return ""


def wrong_turn(turn: Turn, fault: faults.Fault | None) -> str:
    """Return what is wrong with a segment, "" if nothing is.

    It must be the one under the flapper of a wheel at rest, of a turn without fault, with four
    true turns after the last push, no more claimed than were made, and the direction as it was.
    """
    pays, segment, _turns, pushed, _pushes, way = turn.ended.values[:6]
    if fault is not None:
        return f"segment {segment} in spite of {fault.name}"
    if (pays, segment) != (turn.pays, turn.segment):
        return f"segment {segment} paying {pays}, truly {turn.true}"
    if turn.turns < max(pushed / 100, TURNS):
        return f"{pushed / 100} turns, truly {turn.turns:.2f}"
    return "" if way == turn.direction else f"direction {way}, truly {turn.direction}"


def wrong_deal(deal: Deal, fault: faults.Fault | None) -> str:
    """Return what is wrong with the cards told of a round, "" if nothing is.

    Of a void round they must be cards that left the shoe, in that order; of one that ended all of
    them, of a round in which no more happened than the cut card coming.
    """
    told = [card for card in deal.named if card]
    if tuple(told) != deal.cards[: len(told)]:
        return f"told {' '.join(told)}, truly {deal.true}"
    if deal.reason is not None:
        return ""
    if fault is not None and fault.voids:
        return f"round ended in spite of {fault.name}"
    if deal.told != deal.true or deal.ended.values[0] != len(deal.cards):
        return f"ended with {deal.told}, truly {deal.true}"
    return ""


def wrong_dice(thrown: Thrown, fault: faults.Fault | None) -> str:
    """Return what is wrong with the faces told, "" if nothing is.

    They must be those that lie in view, all of them, of a throw without fault in which every die
    hit the wall, within five seconds.
    """
    if fault is not None:
        return f"dice {thrown.told} in spite of {fault.name}"
    if thrown.told != thrown.true or thrown.hits != len(thrown.dice):
        return f"dice {thrown.told}, truly {thrown.true}, {thrown.hits} at the wall"
    return "" if (thrown.held_s or 0.0) <= 5.0 else f"held for {thrown.held_s} s"
