"""The transitions of every role: rows of phase, event, next phase. Others are ignored.

A role adds its own rows, with events from 10 on. From every phase of a round END leads to closed.
"""

from tablewire.compat import const
from tablewire.messages import PHASE_BETS_OPEN, PHASE_CLOSED, PHASE_NO_MORE_BETS

OPEN = const(1)  # the bets open
CLOSE = const(2)  # they close, before anything moves
END = const(3)  # a result, or a void

TRANSITIONS = (
    (PHASE_CLOSED, OPEN, PHASE_BETS_OPEN),
    (PHASE_BETS_OPEN, CLOSE, PHASE_NO_MORE_BETS),
)


def following(rows: tuple, phase: int, event: int) -> int:
    """The phase that follows, 0 when the event means nothing in this phase."""
    if event == END:
        return PHASE_CLOSED if phase != PHASE_CLOSED else 0
    for row in rows:
        if row[0] == phase and row[1] == event:
            return row[2]
    return 0
