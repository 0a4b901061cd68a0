"""900 to 929: a ball-draw machine.

How each fault is cleared: duplicate_ball, foreign_ball, balls_extra and not_counted only by
declare_balls, after a person has checked the set; balls_missing by that, or when the missing balls
come in through the return; the others when their cause is measured gone.
"""

from tablespec.reasons.shape import Reason

_BINGO = "hc2023 5:1: balls are drawn one by one, each number once"
_KENO = "hc2023 5:2, hc2011 4:3: 20 different numbers of 80"
_ONCE = f"{_BINGO}; {_KENO}"
_DOUBT = f"{_ONCE}; in doubt no number is told and every stake is given back"
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
        "A ball was read that is none of this machine: its number is too high, or its tag names "
        "another set.",
        f"Take it out; {_DECLARE}.",
        _ONCE,
    ),
    Reason(
        903, "balls_missing", "fault", 2,
        "The balls were recalled, and fewer came into the chamber than the machine has.",
        f"Find the missing balls and put them in through the return, or {_DECLARE}.",
        _ONCE,
    ),
    Reason(
        904, "balls_extra", "fault", 3,
        "More balls are in the chamber than the machine has.",
        f"Take out what does not belong there; {_DECLARE}.",
        _ONCE,
    ),
    Reason(
        905, "double_exit", "void", 2,
        "Two balls left the chamber together, or one followed before the first lay in the tube.",
        "Recall the balls, count them, send declare_balls, draw again. If it repeats, adjust the "
        "exit gate, or set ball_ms anew.",
        _DOUBT,
    ),
    Reason(
        906, "ball_jammed", "fault", 2,
        "A ball stands in the exit gate, in the tube or in the return.",
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
        "A reader saw the ball and could not read its number.",
        f"Clean the ball and the reader, exchange a ball that is worn. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        911, "reading_missing", "void", 3,
        "A ball lies in the tube, and one of the readers has not read it in time.",
        f"Check the place of that reader's head, and ball_read_ms. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        912, "ball_unseen", "void", 3,
        "A reader or the tube saw a ball that did not come through the gate.",
        "Check the beams of the gate; nothing but balls may reach the tube. Count the balls, "
        "send declare_balls, draw again.",
        _DOUBT,
    ),
    Reason(
        913, "blower_stalled", "fault", 3,
        "The blower stopped, or its reading fell below blower_min_raw, while balls were drawn.",
        f"Check blower, filter and sensor; it clears when the blower is seen to run. {_AGAIN}.",
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
        "No ball came for longer than ball_wait_ms, and the draw was not over.",
        f"Look whether the gate opens and the balls float. {_AGAIN}.",
        _DOUBT,
    ),
    Reason(
        916, "reader_lost", "fault", 3,
        "A reader of balls has been silent for two seconds.",
        "Check its plug, power and line; it clears when both readers are heard.",
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
        "How many balls are in the chamber is not known: since a start, an open lid, two balls at "
        "once, or a ball nobody saw leave.",
        "Count the balls in the chamber by hand and send declare_balls; or empty it, declare 0, "
        "and put all balls in through the return, which counts them.",
        _ONCE,
    ),
    Reason(
        920, "ball_not_kept", "void", 3,
        "The next ball came, and there was no room to keep the number of the one before: the host "
        "has not acknowledged for too long.",
        f"Restore the link to the host. {_AGAIN}.",
        "25 CFR 547.8: an outcome that cannot be recorded is none",
    ),
    Reason(
        921, "exit_implausible", "void", 3,
        "The beams of the exit gate saw what no ball does: the outer one without the inner.",
        "Check both beams of the gate with a ball in the hand; count the balls, send "
        "declare_balls, draw again.",
        _FAULT,
    ),
)  # fmt: skip
