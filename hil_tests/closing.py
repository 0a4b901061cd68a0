"""How soon a ball that came to the rim closes the bets."""

from collections.abc import Sequence

from tablewire import messages
from tablewire.codec import Frame


def closing_us(at_rim_us: Sequence[int], frames: Sequence[tuple[int, Frame]]) -> int | None:
    """From the first edge at the rim in the first round to the last byte of its bets_closed; None
    when none came."""
    first = {frame.type: when for when, frame in reversed(frames)}
    closed_us = first.get(messages.BETS_CLOSED, 0)
    opened_us = first.get(messages.ROUND_OPENED, closed_us)
    came = [t_us for t_us in at_rim_us if opened_us < t_us < closed_us]
    return closed_us - came[0] if came else None
