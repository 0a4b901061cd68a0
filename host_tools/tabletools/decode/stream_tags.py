"""Tags in a recorded stream: the nonces of each identity give the session of the following frames.

Both directions share one Tags. It checks no counters: a recording is only displayed.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from tablespec.message_list import BY_ID
from tabletools.authenticity import NONE, UNVERIFIED, VERIFIED, WRONG
from tablewire.codec import Frame, FrameError, UnreadFrame
from tablewire.framing import Receiver, Skip
from tablewire.messages import IDENTITY, SEED
from tablewire.seal import Session

# Sessions a frame may belong to: the present one, those offered and not begun.
_REMEMBERED = 4


class Tags:
    """Verifies tags with the keys of a device by number, as a keyring gives them."""

    def __init__(self, keys: Callable[[int], Mapping[int, bytes]]) -> None:
        self._keys = keys
        # Each with its device: the holder of a key can name any device in a frame.
        self._sessions: deque[tuple[int, Session]] = deque(maxlen=_REMEMBERED)
        self._has_begun = False  # before that a frame may be of a session before the recording

    def seal(self, frame: Frame, body: bytes | bytearray) -> str:
        """Return how far a frame is authenticated, see tabletools.authenticity."""
        if frame.tag is None:
            return NONE
        if frame.type == IDENTITY:
            self._look(frame)
        message = BY_ID.get(frame.type)
        from_table = message is None or message.sender == "table"
        for device, session in self._sessions:
            if device != frame.device:
                continue
            try:
                (session.table if from_table else session.host).verify(frame, body)
            except FrameError:
                continue
            self._has_begun = self._has_begun or frame.type != IDENTITY
            return VERIFIED
        return WRONG if self._has_begun else UNVERIFIED

    def _look(self, frame: Frame) -> None:
        """Derive the session which an identity offers, if its key is here."""
        if not frame.values:
            return
        echoed, *_, nonce, number = frame.values
        secret = self._keys(frame.device).get(number)
        if secret is not None:
            session = Session(secret, frame.device, frame.boot, echoed, nonce)
            self._sessions.appendleft((frame.device, session))


class SealedReceiver:
    """Finds the frames of a stream, each with how far it is authenticated.

    None: its tag was not checked, because it is damaged or there are no tags to verify with.
    """

    def __init__(self, tags: Tags | None, seed: int = SEED) -> None:
        self._tags = tags
        self._receiver = Receiver(seed, None if tags is None else self._check)
        self._seals: deque[str] = deque()  # of the frames checked and not yet yielded

    def feed(self, data: bytes) -> Iterator[tuple[Frame | Skip, str | None]]:
        """Take bytes; yields what ended in them."""
        return self._with_seals(self._receiver.feed(data))

    def finish(self) -> Iterator[tuple[Frame | Skip, str | None]]:
        """Yield the rest at the end of the stream."""
        return self._with_seals(self._receiver.finish())

    def _check(self, frame: Frame, body: bytes | bytearray) -> None:
        assert self._tags is not None
        self._seals.append(self._tags.seal(frame, body))

    def _with_seals(
        self, items: Iterable[Frame | Skip]
    ) -> Iterator[tuple[Frame | Skip, str | None]]:
        for item in items:
            # Checked: it was read, or cannot be read here.
            is_checked = isinstance(item, Frame) or isinstance(item.frame, UnreadFrame)
            yield item, self._seals.popleft() if self._tags and is_checked else None
