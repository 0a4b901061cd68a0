"""What a heartbeat or a state reports between records."""

from tablespec.message_list import BY_ID
from tablewire import messages as m
from tablewire import money_wheel, roulette
from tablewire.codec import Frame

_WAITING_AT = [name for name, _ in BY_ID[m.HEARTBEAT].facts()].index("unacknowledged")
_MAY_BET = (money_wheel.PHASE_TURNING, m.PHASE_BETS_OPEN, roulette.PHASE_BALL_IN_RIM)


def waiting(frame: Frame) -> int:
    """Return how many durable records wait for an acknowledgement, by a heartbeat."""
    return int(frame.values[_WAITING_AT])


def waiting_while_ball_runs(frame: Frame) -> bool:
    """Whether records wait in a phase in which bets are open or closed and a ball may run."""
    is_running = frame.values[0] == roulette.PHASE_BALL_IN_RIM
    return frame.type == m.HEARTBEAT and is_running and waiting(frame) > 0


def may_bet(frame: Frame) -> bool:
    """Whether bets may be open in the phase that a heartbeat or a state names."""
    return frame.values[0] in _MAY_BET
