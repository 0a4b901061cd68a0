"""Fetches the traces of ended rounds, while the table idles and no record waits.

Works through a session and a store of traces; a result never waits for a trace.
"""

from typing import Protocol

from tabletools.decode.stored_frames import assembled
from tabletools.evidence.heartbeat import waiting
from tabletools.link import Conversation, Fetch, Proof, Received, Session
from tablewire.codec import Frame
from tablewire.messages import FLAG_DURABLE, HEARTBEAT, PHASE_CLOSED


class Keeper(Protocol):
    """Stores traces."""

    def next_missing(self, device: int) -> int | None:
        """The oldest round whose trace is missing, None if all are here."""

    def keep(self, device: int, number: int, raw: bytes, proof: Proof | None) -> None:
        """Store the trace of a round: the frames that carried it, and what verified them."""


class Evidence:
    """Fetches one trace after the other, in the order of the keeper.

    A table refuses while a ball or dice are in play: then a fetch goes on where it was.
    """

    def __init__(self, session: Session, traces: Keeper) -> None:
        self._conversation = Conversation(session)
        self._traces = traces
        self._fetch: Fetch | None = None
        self._pieces: list[Received] = []  # frames whose pieces the fetch has
        self._has_all_of: int | None = None  # device that sent no record since all were here

    def take(self, event: Received, now_s: float) -> None:
        """Follow a frame of the table. Raises what the keeper raises."""
        frame, fetch = event.frame, self._fetch
        if frame.flags & FLAG_DURABLE:
            self._has_all_of = None
        self._conversation.take(frame)
        if fetch is not None and fetch.device == frame.device:
            if not fetch.done:  # else it could not be stored yet
                self._step(fetch, event)
            if fetch.done:
                self._keep(fetch)
                self._fetch = None
        self._begin(frame)
        self._conversation.tick(now_s)

    def _begin(self, frame: Frame) -> None:
        """Begin the fetch that is due now, or go on with it, if none runs."""
        fetch = self._fetch
        if fetch is not None and fetch.device == frame.device and not fetch.refused:
            return
        self._conversation.drop()
        number = self._next(frame)
        if number is None:
            return
        if fetch is not None and (fetch.device, fetch.round) == (frame.device, number):
            fetch.resume()
        else:
            self._fetch = fetch = Fetch(self._conversation, frame.device, number)
            self._pieces = []
        fetch.step()

    def _step(self, fetch: Fetch, event: Received) -> None:
        """Continue a fetch; the frame of a piece, or of its end, is stored with it."""
        had = len(fetch.data)
        fetch.step()
        if len(fetch.data) < had:
            self._pieces = []  # it begins again
        if fetch.done or len(fetch.data) > had:
            self._pieces.append(event)

    def _keep(self, fetch: Fetch) -> None:
        """Store a complete trace.

        One that came under two sessions is fetched again, and so is one whose frames, as they are
        stored, do not bring what was verified.
        """
        proof = self._pieces[0].proof
        raw = b"".join(piece.wire for piece in self._pieces)
        is_of_one = all(piece.proof == proof for piece in self._pieces)
        if is_of_one and assembled(raw) == fetch.data:
            self._traces.keep(fetch.device, fetch.round, raw, proof)

    def _next(self, frame: Frame) -> int | None:
        """The round whose trace to fetch now, if this is a heartbeat between rounds."""
        if frame.type != HEARTBEAT or frame.values[0] != PHASE_CLOSED:
            return None
        if waiting(frame) or self._has_all_of == frame.device:
            return None
        number = self._traces.next_missing(frame.device)
        if number is None:
            self._has_all_of = frame.device
        return number
