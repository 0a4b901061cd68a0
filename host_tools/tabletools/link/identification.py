"""When a table is requested to identify itself, with which nonce, and what it answered.

Whether anything is requested is said by states.Handshake; this has the times and the answer.
Without I/O; time is injected.
"""

import os
import socket
from collections.abc import Callable

from tablewire.codec import Frame
from tablewire.messages import IDENTITY

IDENTIFY_EVERY_S = 1.0
# A host that lost its table to another asks for it again after this pause, which doubles each time
# up to the longest, so that two hosts given the same table do not fight. A watcher does not ask.
TAKEN_PAUSE_S = 10.0
TAKEN_LONGEST_S = 300.0

_UNREQUESTED = bytes(8)  # the nonce in the identity of a table that has just come up


def host_name(program: str) -> bytes:
    """Return the name of a run of a program on this machine: 16 bytes of ASCII at most.

    It shows program and machine to users; the random end distinguishes two runs.
    """
    place = f"{program}@{socket.gethostname()}".encode("ascii", "replace")[:11]
    return place + b"-" + os.urandom(2).hex().encode()


class Identification:
    """The requests of one host for the identity of its table."""

    def __init__(self, new_nonce: Callable[[], bytes], host: bytes | None) -> None:
        # That answered us, or came unrequested at boot.
        self.identity: Frame | None = None
        # The name by which this host starts a session; None: it starts none.
        self.host = host
        # When identify is sent next, in a state of the handshake that permits it.
        self.due_at_s = 0.0
        self._new_nonce = new_nonce
        self._nonce = b""
        self._sent_at_s = 0.0
        self._pause_s = TAKEN_PAUSE_S  # until a table that another host took is requested again

    def restart(self, now_s: float) -> None:
        """Note that a port was opened."""
        self.due_at_s = now_s
        self._pause_s = TAKEN_PAUSE_S

    def request(self, now_s: float) -> bytes:
        """Return the nonce of the request sent now; it is repeated in a second.

        Each has a new one: a late answer cannot begin a session which the table has dropped for
        that of a later one.
        """
        self._nonce = self._new_nonce()
        self._sent_at_s, self.due_at_s = now_s, now_s + IDENTIFY_EVERY_S
        return self._nonce

    def prove(self, identity: Frame, now_s: float) -> None:
        """Take the identity that proved the key; it is requested again if the start is lost."""
        self.identity = identity
        self.due_at_s = now_s + IDENTIFY_EVERY_S

    def is_answer(self, frame: Frame) -> bool:
        """Take an identity without a proof; return whether it answers the newest request."""
        if frame.type != IDENTITY:
            return False
        is_answer: bool = frame.values[0] == self._nonce
        if is_answer or frame.values[0] == _UNREQUESTED:
            self.identity = frame
        return is_answer

    def request_soon(self, now_s: float) -> None:
        """Schedule a request, at most one a second."""
        self.due_at_s = max(now_s, self._sent_at_s + IDENTIFY_EVERY_S)

    def pause(self, now_s: float) -> float:
        """Schedule the request after a takeover; returns the pause in seconds."""
        pause_s = self._pause_s
        self._pause_s = min(pause_s * 2, TAKEN_LONGEST_S)
        self.due_at_s = now_s + pause_s
        return pause_s
