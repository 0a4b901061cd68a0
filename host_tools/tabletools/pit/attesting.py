"""Requests attestation of a table's program: when it connects or restarts, and once a day.

The request is sent while no round is open and no record waits, so that nothing is delayed. If no
such moment comes, it is sent anyway: the table reads its files only while no ball runs. A program
that does not match, or does not answer, is stopped here and locked there. Without I/O; time is
injected.
"""

import secrets
from typing import Protocol

from tabletools.evidence.heartbeat import waiting
from tabletools.link import ANSWERED, ONLINE, Conversation, Exchange, Request, Session
from tabletools.release import ALL_FILES, Manifest
from tabletools.table.programs import MATCH, Attested
from tablewire.codec import Frame
from tablewire.messages import ATTEST, HEARTBEAT, LOCK, PHASE_CLOSED

EVERY_S = 24 * 3600.0
# How long to wait for a moment between rounds; then the request is sent during one.
MOMENT_WITHIN_S = 600.0
# A request may be lost, or cut off with the link: after so many the table does not attest.
ANSWER_WITHIN_S = 120.0
TRIES = 3


class Keeper(Protocol):
    """Stores the answers, and stops a table that does not match."""

    def attested(self, manifest: Manifest, attestation: Attested) -> str:
        """Judge and store the answer to a request; returns the outcome."""

    def stopped(self, device: int) -> str | None:
        """Why a table is stopped, None if it is not."""


class Attesting:
    """The program of the table at the other end of a session, compared with a signed release.

    manifest: of the release, its signature verified.
    """

    def __init__(self, session: Session, keeper: Keeper, manifest: Manifest) -> None:
        self._session = session
        self._keeper = keeper
        self._manifest = manifest
        self._conversation = Conversation(session)
        self._table: tuple[int, int] | None = None  # device and boot of the fields below
        self._due_s = self._requested_s = 0.0
        self._question: Exchange | None = None
        self._lock: Exchange | None = None
        self._tries = 0
        self._has_failed = False  # the last answer, or the lack of one, stopped the table
        self._matched: list[str] = []

    @property
    def is_locking(self) -> bool:
        """Whether a lock was sent to the table."""
        lock = self._lock
        return lock is not None and lock.outcome is None and self._session.state == ONLINE

    def take_matches(self) -> list[str]:
        """Return what matched since the last call, as text."""
        matched, self._matched = self._matched, []
        return matched

    def connected(self) -> None:
        """Note that a port was opened: it may lead to another program."""
        self._table = None

    def take(self, frame: Frame, seal: str, now_s: float) -> None:
        """Follow a frame of the table. Raises what the keeper raises."""
        ended = self._conversation.take(frame)
        present = self._session.present
        if present is not None and present != self._table:
            self._begin(present, now_s)
        if (frame.device, frame.boot) == self._table:
            if ended is not None and ended is self._question and ended.outcome == ANSWERED:
                self._decide(frame, seal, now_s)
            elif frame.type == HEARTBEAT:
                self._look(frame, now_s)
        self._conversation.tick(now_s)

    def _begin(self, table: tuple[int, int], now_s: float) -> None:
        if self._table is not None and table[0] != self._table[0]:
            self._tries = 0
        self._forget_question()
        self._table, self._due_s, self._has_failed = table, now_s, False

    def _forget_question(self) -> None:
        if self._question is not None:
            self._conversation.forget(self._question)
        self._question = None

    def _look(self, beat: Frame, now_s: float) -> None:
        if self._question is not None:
            # A refused request waits as long: a busy table may answer the next one.
            if now_s - self._requested_s < ANSWER_WITHIN_S:
                return
            self._forget_question()
        if self._has_failed and self._keeper.stopped(beat.device) is None:
            # A user released the table: no bet is accepted before it attests its program.
            self._has_failed, self._due_s = False, now_s
        if now_s < self._due_s:
            return
        if self._tries >= TRIES:
            self._decide(None, None, now_s)
            return
        is_moment = beat.values[0] == PHASE_CLOSED and waiting(beat) == 0
        if is_moment or now_s - self._due_s >= MOMENT_WITHIN_S:
            self._tries += 1
            self._requested_s, values = now_s, (secrets.token_bytes(16), ALL_FILES)
            request = Request(ATTEST, values, again_s=ANSWER_WITHIN_S, tries=1)
            self._question = self._conversation.ask(request)

    def _decide(self, answer: Frame | None, seal: str | None, now_s: float) -> None:
        assert self._table is not None
        nonce = b"" if answer is None else answer.values[0]
        attestation = Attested(*self._table, nonce, answer, seal)
        self._forget_question()
        self._tries, self._due_s = 0, now_s + EVERY_S
        self._has_failed = self._keeper.attested(self._manifest, attestation) != MATCH
        if self._has_failed:
            self._lock = self._conversation.ask(Request(LOCK))
            return
        manifest = self._manifest
        count = f"{len(manifest.files)} files match"
        text = f"release {manifest.release} ({manifest.version}): {count}"
        self._matched.append(f"table {attestation.device} has {text}")
