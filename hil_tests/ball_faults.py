"""The fault catalogue of the draw machine: see faults.py.

Faults of flash, program and host are those of every table; here stand the ones of the machine, and
enough of the others to show that they reach this role.
"""

from __future__ import annotations

from hil_tests.emulators.draw_machine import faults as mishaps
from hil_tests.emulators.draw_machine.operator import DrawSetup
from hil_tests.faults import Fault
from tablewire import codes
from tablewire import draw_machine as words

FAULTS: tuple[Fault, ...] = (
    Fault(
        "twin", words.DUPLICATE_BALL, "balls",
        "two balls of one number are in the machine", mishaps.twin,
    ),
    Fault(
        "other_set", words.FOREIGN_BALL, "balls",
        "a ball of another set is in the machine", mishaps.ball_of_another_set,
    ),
    Fault(
        "number_too_high", words.FOREIGN_BALL, "balls",
        "a ball has a number the game has not", mishaps.number_too_high,
    ),
    Fault(
        "ball_too_many", words.BALLS_EXTRA, "balls",
        "one more is put into the return", mishaps.ball_too_many,
    ),
    Fault(
        "pair", words.DOUBLE_EXIT, "gate",
        "two balls touch and come out together", mishaps.pair,
    ),
    Fault(
        "close_behind", words.DOUBLE_EXIT, "gate",
        "a second ball follows at once", mishaps.close_behind,
    ),
    Fault(
        "stands_in_gate", words.BALL_JAMMED, "gate",
        "a ball stands in it", mishaps.stands_in_gate,
    ),
    Fault(
        "stands_in_tube", words.BALL_JAMMED, "tube",
        "a ball stands in it", mishaps.stands_in_tube,
    ),
    Fault(
        "stands_in_return", words.BALL_JAMMED, "return",
        "something stands in it", mishaps.stands_in_return,
    ),
    Fault("taken", words.BALL_LOST, "tube", "a hand takes a ball before it rests", mishaps.taken),
    Fault("falls_back", words.BALL_RETURNED, "gate", "a ball falls back", mishaps.falls_back),
    Fault(
        "rolls_back", words.BALL_RETURNED, "return",
        "a drawn ball rolls back into the chamber", mishaps.rolls_back,
    ),
    Fault(
        "misread", words.READERS_DISAGREE, "readers",
        "one makes another number of a ball", mishaps.misread,
    ),
    Fault("dirty", words.BALL_UNREADABLE, "readers", "one cannot read a ball", mishaps.dirty),
    Fault(
        "reader_shifted", words.READING_MISSING, "readers",
        "one does not notice a ball", mishaps.reader_shifted,
    ),
    Fault(
        "laid_into_tube", words.BALL_UNSEEN, "tube",
        "a hand lays a ball into it", mishaps.laid_into_tube,
    ),
    Fault(
        "outer_beam_dead", words.BALL_UNSEEN, "gate",
        "its outer beam sees nothing", mishaps.outer_beam_dead,
    ),
    Fault(
        "blower_stops", words.BLOWER_STALLED, "blower",
        "stops while balls are drawn", mishaps.blower_stops,
    ),
    Fault(
        "lid_opened", words.CHAMBER_OPEN, "lid",
        "opened while balls are drawn", mishaps.lid_opened,
    ),
    Fault(
        "no_ball_rises", words.DRAW_UNFINISHED, "gate",
        "its exit stays closed", mishaps.no_ball_rises,
    ),
    Fault(
        "reader_unplugged", words.READER_LOST, "readers",
        "the plug of one is drawn", mishaps.reader_unplugged,
    ),
    Fault(
        "opened_too_soon", words.MIXED_TOO_SHORT, "gate",
        "its exit opens before the balls are mixed", mishaps.opened_too_soon,
    ),
    Fault(
        "rises_early", words.BALL_EARLY, "gate",
        "a ball comes out while bets are open", mishaps.rises_early,
    ),
    Fault(
        "power_cut", words.NOT_COUNTED, "power",
        "fails while balls are drawn", mishaps.power_cut, codes.SYSTEM_INTERRUPTION,
    ),
    Fault(
        "inner_beam_dead", words.EXIT_IMPLAUSIBLE, "gate",
        "its inner beam sees nothing", mishaps.inner_beam_dead,
    ),
    Fault("tilt", codes.TILT, "table", "somebody leans on it", mishaps.tilted),
    Fault(
        "called_off", codes.CROUPIER_VOID, "host",
        "the pit calls the draw off", mishaps.called_off,
    ),
)  # fmt: skip

# These show beside a draw that is healthy, or need more balls than a journal has places.
AFTER = Fault(
    "left_behind", words.BALLS_MISSING, "balls",
    "one does not come back when they are recalled", mishaps.ball_left_behind,
)  # fmt: skip
SILENT = Fault(
    "host_silent", words.BALL_NOT_KEPT, "host",
    "acknowledges nothing until the journal is full", mishaps.host_silent,
)  # fmt: skip
EVERY = (*FAULTS, AFTER, SILENT)
JOURNAL = 32
"""Records that wait for a host that is silent, at most."""


def by_name(setup: DrawSetup) -> tuple[Fault, ...]:
    """Return what may be asked for at such a machine: of many balls a silent host too."""
    return EVERY if setup.draws > JOURNAL else (*FAULTS, AFTER)
