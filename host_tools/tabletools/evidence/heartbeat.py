"""What a heartbeat or a state reports between records."""

from tablespec.message_list import BY_ID
from tabletools.roles import every_role
from tablewire import messages as m
from tablewire.codec import Frame

_WAITING_AT = [name for name, _ in BY_ID[m.HEARTBEAT].facts()].index("unacknowledged")
_RUNNING = frozenset(each.running_phase for each in every_role()) - {None}
_MAY_BET = _RUNNING.union(*(each.betting_phases for each in every_role()), (m.PHASE_BETS_OPEN,))


def waiting(frame: Frame) -> int:
    """Return how many durable records wait for an acknowledgement, by a heartbeat."""
    return int(frame.values[_WAITING_AT])


def waiting_while_ball_runs(frame: Frame) -> bool:
    """Whether records wait in a phase in which bets are open or closed and a ball may run."""
    is_running = frame.values[0] in _RUNNING
    return frame.type == m.HEARTBEAT and is_running and waiting(frame) > 0


def may_bet(frame: Frame) -> bool:
    """Whether bets may be open in the phase that a heartbeat or a state names."""
    return frame.values[0] in _MAY_BET
