"""The phases of a round: (phase, event) -> next phase. What is not listed is ignored."""

from tablewire.compat import const
from tablewire.messages import (
    PHASE_BALL_IN_RIM,
    PHASE_BETS_OPEN,
    PHASE_CLOSED,
    PHASE_DROPPED,
    PHASE_NO_MORE_BETS,
    PHASE_TURNING,
)

OPEN = const(1)  # the house opens the bets
BALL = const(2)  # first evidence of a ball
LAST_LAPS = const(3)  # the lap time passed its limit
CLOSE = const(4)  # bets close with no ball on the rim yet
DROP = const(5)  # the ball left the rim, valid so far
END = const(6)  # a number, or a void
TURN = const(7)  # the money wheel turns

TRANSITIONS = {
    (PHASE_CLOSED, OPEN): PHASE_BETS_OPEN,
    (PHASE_BETS_OPEN, BALL): PHASE_BALL_IN_RIM,
    (PHASE_BETS_OPEN, CLOSE): PHASE_NO_MORE_BETS,
    (PHASE_BALL_IN_RIM, LAST_LAPS): PHASE_NO_MORE_BETS,
    (PHASE_BALL_IN_RIM, CLOSE): PHASE_NO_MORE_BETS,
    (PHASE_BALL_IN_RIM, DROP): PHASE_DROPPED,
    (PHASE_NO_MORE_BETS, DROP): PHASE_DROPPED,
    (PHASE_BETS_OPEN, TURN): PHASE_TURNING,
    (PHASE_NO_MORE_BETS, TURN): PHASE_TURNING,
    (PHASE_BETS_OPEN, END): PHASE_CLOSED,
    (PHASE_BALL_IN_RIM, END): PHASE_CLOSED,
    (PHASE_NO_MORE_BETS, END): PHASE_CLOSED,
    (PHASE_DROPPED, END): PHASE_CLOSED,
    (PHASE_TURNING, END): PHASE_CLOSED,
}
