"""A ball-draw machine.

A ball-draw machine: its chamber, its readers, each ball drawn, and the result of a draw.
Reasons 900 to 929: a ball-draw machine.

How each fault is cleared: duplicate_ball, foreign_ball, balls_extra and not_counted only by
declare_balls, after an operator has checked the set; balls_missing by that, or when the missing
balls come in through the return; the others when measurements show that their cause is gone.
"""

from construct import Struct

from tablespec.core.controller_keys import Key, Order
from tablespec.core.core_reasons import Reason
from tablespec.core.field_shapes import MAX_MS, Message, reason
from tablespec.core.words import RoleWords
from tablespec.field_types import Names, Ranged, choice, number, raw

READER: Names = ((1, "exit"), (2, "tube"))
DRAW_END: Names = ((1, "count"), (2, "command"), (3, "croupier"))
COUNTED_BY: Names = ((1, "declared"), (2, "returned"))

_BINGO = "hc2023 5:1: balls are drawn one by one, each number once"
_KENO = "hc2023 5:2, hc2011 4:3: 20 different numbers of 80"
_ONCE = f"{_BINGO}; {_KENO}"
_DOUBT = f"{_ONCE}; in doubt no number is reported and every stake is returned"
_FAULT = "25 CFR 547.8: no play with a fault that affects the outcome"
_DECLARE = "check the whole set by hand, then send declare_balls with what is in the chamber"
_AGAIN = "Recall the balls and draw again"

REASONS: tuple[Reason, ...] = (
    Reason(
        901, "duplicate_ball", "fault", 3,
        "A number was drawn that had been drawn before in this draw.",
        f"Two balls of one number are in the machine: {_DECLARE}.",
        _ONCE,
    ),
    Reason(
        902, "foreign_ball", "fault", 3,
        "A ball was read that does not belong to this machine: its number is too high, or its "
        "tag names "
        "another set.",
        f"Take it out; {_DECLARE}.",
        _ONCE,
    ),
    Reason(
        903, "balls_missing", "fault", 2,
        "The balls were recalled, and fewer reached the chamber than the machine has.",
        f"Find the missing balls and put them in through the return, or {_DECLARE}.",
        _ONCE,
    ),
    Reason(
        904, "balls_extra", "fault", 3,
        "More balls are in the chamber than the machine has.",
        f"Remove the balls that do not belong there; {_DECLARE}.",
        _ONCE,
    ),
    Reason(
        905, "double_exit", "void", 2,
        "Two balls left the chamber together, or one followed before the first was in the tube.",
        "Recall the balls, count them, send declare_balls, draw again. If it repeats, adjust the "
        "exit gate, or calibrate ball_ms again.",
        _DOUBT,
    ),
    Reason(
        906, "ball_jammed", "fault", 2,
        "A ball is stuck in the exit gate, in the tube or in the return.",
        f"Free it; the fault clears when the beam is free. {_AGAIN}.",
        _FAULT,
    ),
    Reason(
        907, "ball_lost", "void", 2,
        "A ball left the chamber and did not arrive in the tube in time.",
        f"Look for it between gate and tube. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        908, "ball_returned", "void", 2,
        "A ball went back into the chamber after it had been in the gate, or while the draw ran.",
        f"Check the gate's flap and the air. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        909, "readers_disagree", "void", 3,
        "The reader at the exit and the one at the tube read different numbers on one ball.",
        f"Compare what both read of a known ball; clean or exchange the wrong one. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        910, "ball_unreadable", "void", 2,
        "A reader detected the ball and could not read its number.",
        f"Clean the ball and the reader, exchange a ball that is worn. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        911, "reading_missing", "void", 3,
        "A ball is in the tube, and one of the readers has not read it in time.",
        f"Check the place of that reader's head, and ball_read_ms. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        912, "ball_unseen", "void", 3,
        "A reader or the tube detected a ball that did not come through the gate.",
        "Check the beams of the gate; nothing but balls may reach the tube. Count the balls, "
        "send declare_balls, draw again.",
        _DOUBT,
    ),
    Reason(
        913, "blower_stalled", "fault", 3,
        "The blower stopped, or its reading fell below blower_min_raw, while balls were drawn.",
        f"Check blower, filter and sensor; it clears when the blower runs. {_AGAIN}.",
        _FAULT,
    ),
    Reason(
        914, "chamber_open", "fault", 2,
        "The lid of the mixing chamber was opened.",
        f"Close it; {_DECLARE}.",
        f"{_ONCE}; {_FAULT}",
    ),
    Reason(
        915, "draw_unfinished", "void", 2,
        "No ball arrived for longer than ball_wait_ms, and the draw is not complete.",
        f"Check that the gate opens and the balls float. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        916, "reader_lost", "fault", 3,
        "A reader of balls has been silent for two seconds.",
        "Check its plug, power and line; it clears when both readers respond.",
        _FAULT,
    ),
    Reason(
        917, "mixed_too_short", "void", 2,
        "A ball left the chamber before the balls were mixed for mix_ms after no more bets.",
        f"Open the exit later. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        918, "ball_early", "void", 2,
        "A ball left the chamber while bets were open.",
        f"Keep the exit closed until no more bets. {_AGAIN}.",
        "hc2023 1:1(4), hc2011 1:1(4): no stake once the outcome can be known",
    ),
    Reason(
        919, "not_counted", "fault", 2,
        "The number of balls in the chamber is unknown after a start, an open lid, a jam, two "
        "balls at once, one that went back or came in while balls were drawn, or one that left "
        "undetected.",
        "Count the balls in the chamber by hand and send declare_balls; or empty it, declare 0, "
        "and put all balls in through the return, which counts them.",
        _ONCE,
    ),
    Reason(
        920, "ball_not_recorded", "void", 3,
        "The next ball came, and there was no space to store the previous number: the host "
        "has not acknowledged for too long.",
        f"Restore the link to the host. {_AGAIN}.",
        "25 CFR 547.8: an outcome that cannot be recorded is invalid",
    ),
    Reason(
        921, "exit_implausible", "void", 3,
        "Only the outer beam of the exit gate was interrupted, which no ball can do.",
        "Check both beams of the gate with a ball in the hand; count the balls, send "
        "declare_balls, draw again.",
        _FAULT,
    ),
)  # fmt: skip

KEYS: tuple[Key, ...] = (
    Key(73, "balls", "balls", 20, 90, 80, "the machine has: Keno 80, Bingo 75, 80 or 90"),
    Key(74, "draw_count", "balls", 0, 90, 20, "to draw; 0: until a player has won (Bingo)"),
    Key(75, "ball_set", "", 0, 255, 0, "that the tags must have; 0: tags have none"),
    Key(76, "ball_ms", "ms", 10, 200, 40, "one ball at a beam of the gate, calibrated"),
    Key(77, "ball_stuck_ms", "ms", 400, 10_000, 1_500, "a beam covered for longer is a jam"),
    Key(78, "transit_ms", "ms", 200, 20_000, 3_000, "gate to tube at the latest"),
    Key(79, "ball_read_ms", "ms", 200, 10_000, 1_500, "in the tube to both readings"),
    Key(80, "blower_min_raw", "", 100, 3_995, 1_500, "a lower reading: it does not run"),
    Key(81, "blower_stall_ms", "ms", 200, 5_000, 800, "for this long"),
    Key(82, "mix_ms", "ms", 0, 60_000, 5_000, "no more bets to the first ball at least"),
    Key(83, "ball_wait_ms", "ms", 5_000, 600_000, 60_000, "to the next ball at the latest"),
    Key(84, "recall_ms", "ms", 2_000, 300_000, 30_000, "recalled balls come in that close"),
    Key(92, "ball_ratio", "percent", 0, 1_500, 0, "ball over gate distance; 0: not calibrated"),
)
ORDERS: tuple[Order, ...] = (
    Order("draw_count", "balls", 0, "more would be drawn than there are"),
    Order("ball_ms", "ball_stuck_ms", 200, "a ball that passes would be a jam"),
)


MOST = 90


def balls(meaning: str, *, low: int = 0, unknown: int | None = None) -> Ranged:
    return number("B", "balls", low, MOST, meaning, unknown=unknown)


def reading(meaning: str) -> Ranged:
    return number("B", "", 0, 254, f"{meaning}; 0: it could not be read", unknown=255)


MESSAGES: tuple[Message, ...] = (
    Message(
        0x0E, "reader_report", "table", False,
        Struct(
            "reader" / choice("B", READER, "which of the two"),
            "readings" / number("B", "", 0, 255, "made since it was switched on, wraps"),
            "number" / reading("on the ball; unknown: the reader is silent"),
            "ball_set" / number("B", "", 0, 255, "the ball belongs to, 0: its tag names none"),
        ),
        "A ball reader read a ball, responds again, or no longer responds.",
    ),
    Message(
        0x2C, "ball_drawn", "table", True,
        Struct(
            "place" / balls("position in the draw", low=1),
            "number" / balls("both readers read", low=1),
            "drawing_ms" / number("I", "ms", 0, MAX_MS, "start of the draw to this ball"),
        ),
        "A ball came out alone, rests in the tube, and both readers read the same number on it.",
    ),
    Message(
        0x2D, "draw_result", "table", True,
        Struct(
            "drawn" / balls("that count", low=1),
            "shown" / balls("that came out, including those after the call", low=1),
            "balls" / number("B", "balls", 20, MOST, "in the machine before the draw"),
            "ended_by" / choice("B", DRAW_END, "why no further ball counts"),
            "drawing_ms" / number("I", "ms", 0, MAX_MS, "start of the draw to the result"),
            "numbers" / raw(
                12, "bits", "those that count: bit k & 7 of byte k >> 3 is number k + 1"
            ),
        ),
        "The draw is over. The order of the numbers is that of the ball_drawn before it.",
    ),
    Message(
        0x30, "draw_stopped", "table", True,
        Struct(
            "reason" / reason("why"),
            "drawn" / balls("that had been reported"),
            "exit_reading" / reading("on the ball on its way; unknown: none was made"),
            "tube_reading" / reading("on the ball on its way; unknown: none was made"),
            "passage_ms" / number(
                "H", "ms", 0, 60000, "the last ball at the inner beam", unknown=0xFFFF
            ),
            "inside" / balls("in the chamber by count", unknown=255),
            "blower_raw" / number("H", "", 0, 4095, "reading of the blower"),
        ),
        "Evidence of a draw that ends void: what was known by then. The void follows.",
    ),
    Message(
        0x31, "balls_counted", "table", True,
        Struct(
            "inside" / balls("in the chamber"),
            "expected" / number("B", "balls", 20, MOST, "that the machine has"),
            "counted_by" / choice("B", COUNTED_BY, "how the count was made"),
        ),
        "All balls are in the chamber, or their number was declared.",
    ),
    Message(
        0x58, "end_draw", "host", False,
        Struct("drawn" / balls("last place that counts; unknown: all so far", low=1, unknown=0)),
        "Bingo: a player has won; the draw named ends with the balls up to that place.",
    ),
    Message(
        0x59, "declare_balls", "host", False,
        Struct("inside" / balls("counted in the chamber by a person")),
        "The set of balls was checked by a person; those outside are to be put in through the "
        "return. Refused while a round is open.",
    ),
)  # fmt: skip

INPUTS: Names = (
    (1, "exit_inner"),
    (2, "exit_outer"),
    (5, "tube"),
    (6, "return"),
    (9, "lid"),
    (11, "blower"),
    (12, "exit_reader"),
    (13, "tube_reader"),
)
ROLE = RoleWords(
    5,
    "draw_machine",
    MESSAGES,
    "draw_result",
    REASONS,
    KEYS,
    ORDERS,
    enums=(
        ("READER", READER),
        ("DRAW_END", DRAW_END),
        ("COUNTED_BY", COUNTED_BY),
    ),
    adds=(
        ("WHEEL", ((7, "balls"),)),
        ("PHASE", ((9, "drawing"),)),
    ),
    inputs=INPUTS,
)
