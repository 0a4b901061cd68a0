"""When a link reports that the information about its table is too old, and fresh again.

Whether that was reported is a state of the link, `link_states.Age`; what proves the age is
`freshness.Freshness`.
"""

from tabletools.link.freshness import NS, Freshness
from tabletools.link.link_states import AGEING, RENEWAL, STALE, Age, Trigger
from tablewire.codec import Frame
from tablewire.messages import BETS_CLOSED, HEARTBEAT, PHASE_CLOSED, ROUND_OPENED

# Between rounds heartbeats are 500 ms apart: then staleness is noted a little later.
NOTED_LATER_NS = NS // 2


class Staleness:
    """Compares the age of the information with its limit."""

    def __init__(self, freshness: Freshness) -> None:
        self._freshness = freshness
        self._proof_due_ns: int | None = None  # by when the table has to echo a beacon
        self._grace_ns = NOTED_LATER_NS  # more than the limit; none while bets may be open

    def restart(self) -> None:
        """Require no proof before the next beacon: another table or boot answers."""
        self._proof_due_ns = None

    def beacon(self, now_ns: int) -> int | None:
        """Return the token to send now, None before it is time; the first requires a proof."""
        token = self._freshness.beacons.due(now_ns)
        if token is not None and self._proof_due_ns is None:
            self._proof_due_ns = now_ns + self._freshness.stale_after_ns + NOTED_LATER_NS
        return token

    def note_phase(self, frame: Frame) -> None:
        """Follow whether bets may be open."""
        if frame.type == ROUND_OPENED:
            self._grace_ns = 0
        elif frame.type == BETS_CLOSED or (
            frame.type == HEARTBEAT and frame.values and frame.values[0] == PHASE_CLOSED
        ):
            self._grace_ns = NOTED_LATER_NS

    def trigger(self, age: Age, now_ns: int) -> Trigger | None:
        """Return what the age of the information changes now, None for nothing.

        age: the present state.
        """
        is_stale, due_ns = age is STALE, self._proof_due_ns
        if not is_stale and (due_ns is None or now_ns < due_ns):
            return None
        limit_ns = self._freshness.stale_after_ns + (0 if is_stale else self._grace_ns)
        age_ns = self.age_ns(now_ns)
        is_recent = age_ns is not None and age_ns <= limit_ns
        if is_stale:
            return RENEWAL if is_recent else None
        return None if is_recent else AGEING

    def age_ns(self, now_ns: int) -> int | None:
        """Return the greatest possible age of the information, None if nothing bounds it."""
        known = self._freshness.known
        return None if known is None else known.age_ns(now_ns)
