"""The phases of a spin, beside those of every round: see core.phases."""

from tablewire.compat import const
from tablewire.messages import (
    PHASE_BALL_IN_RIM,
    PHASE_BETS_OPEN,
    PHASE_DROPPED,
    PHASE_NO_MORE_BETS,
)

from ..core.phases import CLOSE

BALL = const(10)  # first evidence of a ball
LAST_LAPS = const(11)  # the lap time passed its limit
DROP = const(12)  # the ball left the rim, valid so far

TRANSITIONS = (
    (PHASE_BETS_OPEN, BALL, PHASE_BALL_IN_RIM),
    (PHASE_BALL_IN_RIM, LAST_LAPS, PHASE_NO_MORE_BETS),
    (PHASE_BALL_IN_RIM, CLOSE, PHASE_NO_MORE_BETS),
    (PHASE_BALL_IN_RIM, DROP, PHASE_DROPPED),
    (PHASE_NO_MORE_BETS, DROP, PHASE_DROPPED),
)
