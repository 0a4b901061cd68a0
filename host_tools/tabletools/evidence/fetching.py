"""Fetching the traces of rounds that ended, while the table idles and no record waits.

Works through a session and what keeps traces; a result never waits for a trace.
"""

from typing import Protocol

from tabletools.evidence.heartbeat import waiting
from tabletools.link import Conversation, Fetch, Session
from tablewire.codec import Frame
from tablewire.messages import HEARTBEAT, PHASE_BETS_OPEN


class Keeper(Protocol):
    """What keeps traces."""

    def wanted(self, device: int) -> int | None:
        """The oldest round whose trace is not here, None if all are."""

    def keep(self, device: int, number: int, data: bytes) -> None:
        """Keep the trace of a round; empty: the table has none."""


class Evidence:
    """One trace after the other, the oldest first; a refused one is asked for again later."""

    def __init__(self, session: Session, traces: Keeper) -> None:
        self._conversation = Conversation(session)
        self._traces = traces
        self._fetch: Fetch | None = None

    def take(self, frame: Frame, now_s: float) -> None:
        """Follow a frame of the table. Raises what the keeper raises."""
        self._conversation.take(frame)
        fetch = self._fetch
        if fetch is not None and fetch.device == frame.device:
            fetch.step()
            if fetch.done:
                self._traces.keep(fetch.device, fetch.round, fetch.data)
        if fetch is None or fetch.done or fetch.refused or fetch.device != frame.device:
            self._conversation.drop()
            self._fetch = fetch = self._next(frame)
            if fetch is not None:
                fetch.step()
        self._conversation.tick(now_s)

    def _next(self, frame: Frame) -> Fetch | None:
        """The trace to fetch now, if this is the heartbeat of a table that idles."""
        if frame.type != HEARTBEAT or frame.values[0] > PHASE_BETS_OPEN:
            return None
        number = None if waiting(frame) else self._traces.wanted(frame.device)
        return None if number is None else Fetch(self._conversation, frame.device, number)
